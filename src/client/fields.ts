/**
 * Splits a header at a character, which counts neither in quoted strings nor between angle brackets. In linear time:
 * what is opened and never closed takes the rest with it.
 */
export function split (text: string, separator: ',' | ';'): string[] {
  const parts = ['']
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\[^][^"\\]*)*"?|<[^>]*>?|[^",;<]+|[^]/g)) {
    if (token === separator) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts
}

/** A parameter: its name in lower case and its value without quotes; `''`: it has none. */
export function parameterOf (text: string): [name: string, value: string] {
  const [name, ...rest] = text.split('=')
  const value = rest.join('=').trim()
  return [
    name.trim().toLowerCase(), value[0] === '"' ? value.slice(1).replace(/"$/, '').replace(/\\([^])/g, '$1') : value
  ]
}

/** The value of a header among those of a plain object, whatever the case of its name; `''`: it is not there. */
export function fieldIn (entries: ReadonlyArray<readonly [string, unknown]>, name: string): string {
  return entries.filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) => value).join(', ')
}
