import { areApart } from './branch.ts'
import { Edition, copied } from './edition.ts'
import { isObject, listOf, schemasIn } from './schema.ts'
import { isZod, zodCopy } from './zod.ts'

const CHOICES = ['anyOf', 'oneOf']
const REST = ['additionalProperties', 'unevaluatedProperties']

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
  if (Array.isArray(schema)) return schema.map(opened)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword, value]) => value !== false || !REST.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, copied(keyword, value, opened, String)]))
}
