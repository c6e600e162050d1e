import { ANNOTATIONS } from './document.ts'
import { isItem, keyOf } from './json.ts'

import type { Document } from './document.ts'
import type { Item } from './json.ts'

/** The names in these are not keywords. */
const MAPS = new Set([
  'properties', 'patternProperties', 'dependentSchemas', 'dependencies', 'responses', 'content', 'headers', 'callbacks'
])
/** Values of JSON, in which a reference or a title is only data. */
const DATA = new Set(['enum', 'const', 'default', 'required', 'type'])

/** Whether two schemas, or objects with schemas, are the same apart from annotations, order, and references. */
export function areSame (one: unknown, other: unknown, before: Document, after: Document): boolean {
  const met = new Set<string>()
  const open: [one: unknown, other: unknown, name: string][] = [[one, other, '']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, other, name] = next
    const [a, b] = DATA.has(name) ? [one, other] : [before.schema(one), after.schema(other)]
    if (DATA.has(name) || !isHolder(a) || !isHolder(b)) {
      if (dataKeyOf(a, name) !== dataKeyOf(b, name)) return false
      continue
    }
    const pair = `${before.idOf(a)}:${after.idOf(b)}`
    if (met.has(pair)) continue
    met.add(pair)
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const isMap = MAPS.has(name)
    for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (!isMap && (ANNOTATIONS.has(field) || field.startsWith('x-'))) continue
      const targets = field === '$ref' ? [before.target(a.$ref), after.target(b.$ref)] : [undefined]
      if (targets.includes(undefined)) open.push([a[field], b[field], isMap ? '' : field])
      else open.push([targets[0], targets[1], ''])
    }
  }
  return true
}

/** An object or a list. */
function isHolder (value: unknown): value is Item {
  return isItem(value) || Array.isArray(value)
}

/** A text that is the same for equal values. The order of a list does not count, unless it is a value itself. */
function dataKeyOf (value: unknown, name: string): string {
  const isSet = Array.isArray(value) && ['enum', 'required', 'type'].includes(name)
  return keyOf(isSet ? value.map(keyOf).sort() : value)
}
