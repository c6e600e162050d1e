/** As Ajv reads a pattern, or, if it refuses that, as the serializer does. */
export function toPattern (pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}
