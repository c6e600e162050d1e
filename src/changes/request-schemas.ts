import { entriesOf, isObject, partsIn, plainSchema } from './schema.ts'
import { isZod } from './zod.ts'

/** No value passes by what these describe. */
const CONDITIONS = ['contains', 'if', 'not', 'propertyNames']
const REST = ['additionalProperties', 'unevaluatedProperties']

/**
 * Whether an older schema of requests says what becomes of properties that it does not know. If it does not, clients of
 * the older version can set whatever the newest schema knows.
 *
 * @param written the older schema; what it refers to is not looked at
 * @returns where an object schema does not say it, as a JSON pointer; or null
 */
export function openObjectIn (written: unknown): string | null {
  const seen = new Set<unknown>()
  function open (given: unknown, pointer: string): string | null {
    const schema = plainSchema(given)
    if (!isObject(schema) || isZod(schema) || seen.has(schema)) return null
    seen.add(schema)
    if (isObjectSchema(schema) && !REST.some((keyword) => schema[keyword] !== undefined)) return pointer
    for (const [keyword, value] of entriesOf(schema)) {
      if (CONDITIONS.includes(keyword)) continue
      for (const part of partsIn({ [keyword]: value })) {
        const found = open(part, `${pointer}/${keyword}${keyIn(value, part)}`)
        if (found !== null) return found
      }
    }
    return null
  }
  return open(written, '')
}

function isObjectSchema ({ type, properties, patternProperties }: Readonly<Record<string, unknown>>): boolean {
  return [type].flat().includes('object') || isObject(properties) || isObject(patternProperties)
}

/** The rest of a pointer, if a keyword holds several schemas. */
function keyIn (value: unknown, part: unknown): string {
  const entry = entriesOf(value).find(([, one]) => one === part)
  return entry === undefined ? '' : `/${entry[0]}`
}
