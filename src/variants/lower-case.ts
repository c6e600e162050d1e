const LISTS = ['allOf', 'anyOf', 'oneOf']
const SCHEMAS = ['if', 'then', 'else', 'not']

/**
 * A schema of headers with their names in lower case, as Node has them (RFC 9110, section 5.1): in `properties` and
 * `required`, also of the schemas that it is made of.
 *
 * @returns the same schema if they are
 */
export function lowerCased (schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Object.getPrototypeOf(schema) !== Object.prototype) return schema
  const copy: Record<string, unknown> = { ...schema }
  const { properties, required } = copy
  if (typeof properties === 'object' && properties !== null) {
    const entries = Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value])
    copy.properties = Object.fromEntries(entries)
  }
  if (Array.isArray(required)) copy.required = required.map((name) => String(name).toLowerCase())
  for (const keyword of LISTS) if (Array.isArray(copy[keyword])) copy[keyword] = copy[keyword].map(lowerCased)
  for (const keyword of SCHEMAS) if (keyword in copy) copy[keyword] = lowerCased(copy[keyword])
  return JSON.stringify(copy) === JSON.stringify(schema) ? schema : copy
}
