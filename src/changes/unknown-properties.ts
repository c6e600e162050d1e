import { areApart } from './branch.ts'
import { Edition, copied } from './edition.ts'
import { entriesOf, isObject, listOf, partsIn, plainSchema, schemasIn } from './schema.ts'
import { isZod, zodCopy } from './zod.ts'

/** Keywords that say what becomes of properties that a schema does not know. */
const REST = ['additionalProperties', 'unevaluatedProperties']
const CHOICES = ['anyOf', 'oneOf']
/** They describe the same value: "unevaluatedProperties" next to them knows what they describe. */
const IN_PLACE = [...CHOICES, 'allOf', 'then', 'else', 'dependentSchemas']
/** No value passes by what these describe. */
const CONDITIONS = ['contains', 'if', 'not', 'propertyNames']

/**
 * Whether an older schema of requests says what becomes of properties that it does not know. If it does not, clients of
 * the older version can set whatever the newest schema knows.
 *
 * @param written the older schema; what it refers to is not looked at
 * @returns where an object schema does not say it, as a JSON pointer; or null
 */
export function openObjectIn (written: unknown): string | null {
  const seen = { open: new Set<unknown>(), closed: new Set<unknown>() }
  function open (given: unknown, pointer: string, isClosed: boolean): string | null {
    const schema = plainSchema(given)
    const known = isClosed ? seen.closed : seen.open
    if (!isObject(schema) || isZod(schema) || known.has(schema)) return null
    known.add(schema)
    if (!isClosed && isObjectSchema(schema) && !REST.some((keyword) => schema[keyword] !== undefined)) return pointer
    const closesParts = isClosed || schema.unevaluatedProperties !== undefined
    for (const [keyword, value] of entriesOf(schema)) {
      if (CONDITIONS.includes(keyword)) continue
      for (const part of partsIn({ [keyword]: value })) {
        const at = `${pointer}/${keyword}${keyIn(value, part)}`
        const found = open(part, at, closesParts && IN_PLACE.includes(keyword))
        if (found !== null) return found
      }
    }
    return null
  }
  return open(written, '', false)
}

function isObjectSchema ({ type, properties, patternProperties }: Readonly<Record<string, unknown>>): boolean {
  return [type].flat().includes('object') || isObject(properties) || isObject(patternProperties)
}

/** The rest of a pointer, if a keyword holds several schemas. */
function keyIn (value: unknown, part: unknown): string {
  const entry = entriesOf(value).find(([, one]) => one === part)
  return entry === undefined ? '' : `/${entry[0]}`
}

/**
 * An older schema for the serializer. Serializers drop properties that a schema does not know, but in alternatives they
 * validate the value: then `additionalProperties: false` would refuse what the newest schema may let a handler return.
 *
 * @param bundle a schema that compiles by itself
 * @returns the same without `false`, if it has alternatives and none depends on it
 */
export function openSerializer (bundle: unknown): unknown {
  if (isZod(bundle)) return opened(bundle)
  const edition = new Edition(new Map())
  const { document } = edition.at(bundle)
  const choices = schemasIn([bundle]).flatMap((schema) => CHOICES.map((keyword) => listOf(schema[keyword])))
  const found = choices.filter(({ length }) => length > 0)
  return found.length > 0 && found.every((parts) => areApart(parts, document, edition)) ? opened(bundle) : bundle
}

function opened (schema: unknown): unknown {
  if (isZod(schema)) return zodCopy(schema, opened, true)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword, value]) => value !== false || !REST.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, copied(keyword, value, opened, String)]))
}
