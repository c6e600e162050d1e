const PARAMETER = /;\s*([^\s,;="]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"?|([^\s;,"]*))/g

/** Finds the first parameter of this name in a field, in linear time: a quoted string without an end takes the rest. */
export function parameterIn (field: string, name: string): string | undefined {
  for (const [, one, quoted, token] of field.matchAll(PARAMETER)) {
    if (one.toLowerCase() === name.toLowerCase()) return quoted?.replace(/\\([^])/g, '$1') ?? token
  }
}

/** Finds the key of a header in a plain object, whose names may be in any case. */
export function keyOf (headers: object, name: string): string {
  return Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name
}
