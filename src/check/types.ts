/** The types of JSON Schema. `number` includes `integer`. */
export const TYPES: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

export function typeOf (value: unknown): string {
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Tells whether several types allow a value of a type. */
export function includesType (types: readonly unknown[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

/** Returns types without `integer` if `number` includes it. */
export function shortTypes (types: readonly string[]): string[] {
  return types.filter((type) => type !== 'integer' || !types.includes('number'))
}

/** Returns the text of types in a message. */
export function typesText (types: readonly string[]): string {
  if (types.length === TYPES.length) return 'of any type'
  return shortTypes(types).join(' or ') || 'never allowed'
}
