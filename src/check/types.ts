/** The types of JSON Schema. A number may be an integer, too. */
export const TYPES: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

export function typeOf (value: unknown): string {
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Types in a message. */
export function typesText (types: readonly string[]): string {
  if (types.length === TYPES.length) return 'of any type'
  return types.filter((type) => type !== 'integer' || !types.includes('number')).join(' or ') || 'never allowed'
}
