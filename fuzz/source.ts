/** An expression that is printed as it is: a class, a function. */
export class Code {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }
}

/**
 * A value as JavaScript, in the style of this project. Fields that are undefined are left out.
 *
 * @param indent in front of each line but the first
 */
export function print (value: unknown, indent = ''): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return printString(value)
  if (Array.isArray(value)) return `[${value.map((member) => print(member, indent)).join(', ')}]`
  if (typeof value === 'object' && value !== null) return printObject(value, indent)
  return String(value)
}

function printString (value: string): string {
  const text = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped(text)}'`
}

/** Text without characters beyond ASCII, as a literal or JSON may have it. */
export function escaped (text: string): string {
  return text.replace(/[\u007f-\uffff]/g, escapeCharacter)
}

function escapeCharacter (character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function printObject (value: object, indent: string): string {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  const printed = fields.map(([name, field]) => `${printName(name)}: ${print(field, `${indent}  `)}`)
  const line = `{ ${printed.join(', ')} }`
  if (line.length <= 100 && !line.includes('\n')) return line
  return `{\n${printed.map((field) => `${indent}  ${field}`).join(',\n')}\n${indent}}`
}

/** `__proto__` in a literal would set the prototype. */
function printName (name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[a-z_$][\w$]*$/i.test(name) ? name : printString(name)
}
