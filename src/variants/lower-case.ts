/** Their keys are names of headers; their values are schemas, or lists of names. */
const BY_NAME = ['properties', 'dependencies', 'dependentRequired', 'dependentSchemas']
/** Their keys are something else. */
const MAPS = ['$defs', 'definitions', 'patternProperties']
const SCHEMAS = [
  'additionalItems', 'additionalProperties', 'allOf', 'anyOf', 'contains', 'contentSchema', 'else', 'if', 'items',
  'not', 'oneOf', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'
]

/**
 * A copy of a schema of headers with their names in lower case, as Node has them (RFC 9110, section 5.1). It does what
 * Fastify's lib/validation.js does, keyword by keyword.
 *
 * @param areNames whether values are names, as under `propertyNames`
 */
export function lowerCased (schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one: unknown) => lowerCased(one, areNames))
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, lowerCasedIn(keyword, value, areNames)])
  return Object.fromEntries(entries)
}

function lowerCasedIn (keyword: string, value: unknown, areNames: boolean): unknown {
  if (keyword === 'required' || (areNames && (keyword === 'enum' || keyword === 'const'))) return lowerCasedNames(value)
  if (SCHEMAS.includes(keyword)) return lowerCased(value, areNames || keyword === 'propertyNames')
  const isByName = BY_NAME.includes(keyword)
  if ((!isByName && !MAPS.includes(keyword)) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]: [string, unknown]) => {
    const isList = isByName && Array.isArray(one)
    return [isByName ? name.toLowerCase() : name, isList ? lowerCasedNames(one) : lowerCased(one, areNames)]
  }))
}

function lowerCasedNames (names: unknown): unknown {
  if (Array.isArray(names)) return names.map(lowerCasedNames)
  return typeof names === 'string' ? names.toLowerCase() : names
}
