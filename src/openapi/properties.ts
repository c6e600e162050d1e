/** The parts of a JSON Schema that are read here. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Schemas that others refer to, by their `$id`. */
export type SharedSchemas = Readonly<Record<string, unknown>>

const COMBINING = ['allOf', 'anyOf', 'oneOf']
/** How parameters are written, which @fastify/swagger reads in addition to their properties. */
const STYLE = ['style', 'explode', 'allowReserved']
/** How many references and combinations lead from one schema to the next; they may go in a circle. */
const MAX_DEPTH = 20

/** The properties that a schema describes, itself or by what it refers to and combines. */
export function propertiesOf (schema: unknown, shared: SharedSchemas, depth = 0): Map<string, unknown> {
  if (!isObject(schema) || depth > MAX_DEPTH) return new Map()
  if (isObject(schema.properties)) return new Map(Object.entries(schema.properties))
  const parts: unknown[] = COMBINING.flatMap((keyword) => schema[keyword] ?? [])
  if (typeof schema.$ref === 'string') parts.push(find(schema.$ref, schema, shared))
  return new Map(parts.flatMap((part) => [...propertiesOf(part, shared, depth + 1)]))
}

/** The same schema with one more property. */
export function withProperty (schema: unknown, name: string, property: JsonSchema, isRequired: boolean): JsonSchema {
  const required = isRequired ? [name] : []
  const own = { type: 'object', properties: { [name]: property }, required }
  if (!isObject(schema)) return own
  if (isObject(schema.properties)) {
    const properties = { ...schema.properties, ...own.properties }
    return { ...schema, properties, required: [...Array.isArray(schema.required) ? schema.required : [], ...required] }
  }
  const isCombined = ['$ref', ...COMBINING].some((keyword) => keyword in schema)
  if (!isCombined) return { ...schema, ...own }
  const style = Object.entries(schema).filter(([keyword]) => STYLE.includes(keyword))
  return { ...Object.fromEntries(style), allOf: [schema, own] }
}

/** The schema of an object without a property, or undefined if it has no other. */
export function withoutProperty (schema: unknown, name: string, shared: SharedSchemas): unknown {
  const properties = propertiesOf(schema, shared)
  if (!properties.delete(name)) return schema
  return properties.size === 0 ? undefined : { type: 'object', properties: Object.fromEntries(properties) }
}

/** What a reference leads to: the `$id` of a shared schema, a JSON Pointer into one or into the schema itself. */
function find (ref: string, root: JsonSchema, shared: SharedSchemas): unknown {
  const [id, pointer = ''] = ref.split('#', 2)
  let found: unknown = id === '' ? root : Object.hasOwn(shared, id) ? shared[id] : undefined
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

function isObject (value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
