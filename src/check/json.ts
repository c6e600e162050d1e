/** An object of a document. Names that come from a document are only looked up with `Object.hasOwn`, or in a Map. */
export type Item = Readonly<Record<string, unknown>>

/** Whether a value is an object, and not a list. */
export function isItem (value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that should be an object; anything else is read as an empty one. */
export function itemOf (value: unknown): Item {
  return isItem(value) ? value : {}
}

/** A value that should be a list; anything else is read as an empty one. */
export function listOf (value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The strings of a value that should be a list. */
export function stringsOf (value: unknown): string[] {
  return listOf(value).filter((member) => typeof member === 'string')
}

/** The own fields of a value that should be an object, without extensions (`x-…`). */
export function fieldsOf (value: unknown): [string, unknown][] {
  return Object.entries(itemOf(value)).filter(([name]) => !name.startsWith('x-'))
}

/** A text that is the same for equal values of JSON, whatever the order of their fields. */
export function keyOf (value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`
  if (!isItem(value)) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${keyOf(field)}`).sort().join()}}`
}

/** A place, some names further down: names are escaped as in a JSON pointer. */
export function below (at: string, ...names: readonly (string | number)[]): string {
  return [at, ...names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

/** A value in a message, on one line and not too long. */
export function show (value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}
