/** The types of JSON Schema. A number may be an integer, too. */
export const TYPES: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

export function typeOf (value: unknown): string {
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Whether a value of a type has one of several types. */
export function includesType (types: readonly unknown[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

/** Types without those that another one includes. */
export function shortTypes (types: readonly string[]): string[] {
  return types.filter((type) => type !== 'integer' || !types.includes('number'))
}

/** Types in a message. */
export function typesText (types: readonly string[]): string {
  if (types.length === TYPES.length) return 'of any type'
  return shortTypes(types).join(' or ') || 'never allowed'
}
