import { ANNOTATIONS } from './flat.ts'
import { isItem, keyOf } from './json.ts'

import type { Document } from './document.ts'
import type { Item } from './json.ts'

/** The documents that are compared. */
export interface Documents {
  readonly before: Document
  readonly after: Document
  /** Pairs of schemas that are the same, so that none is compared twice. */
  readonly same: Set<string>
}

const SCHEMAS = new Set([
  'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'prefixItems', 'items',
  'additionalItems', 'unevaluatedItems', 'unevaluatedProperties', 'additionalProperties'
])
const SCHEMAS_BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
const SETS = new Set(['required', 'enum', 'type'])

/** Whether two schemas are the same apart from annotations, order, and references. */
export function isSame (one: unknown, other: unknown, { before, after, same }: Documents): boolean {
  const met = new Set<string>()
  const open: [unknown, unknown][] = [[one, other]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [a, b] = [inlined(next[0], before), inlined(next[1], after)]
    if (!isItem(a) || !isItem(b)) {
      if (keyOf(a) !== keyOf(b)) return false
      continue
    }
    const pair = `${before.idOf(a)}:${after.idOf(b)}`
    if (met.has(pair) || same.has(pair)) continue
    met.add(pair)
    for (const name of namesOf(a, b)) {
      const targets = name === '$ref' ? [before.target(a.$ref), after.target(b.$ref)] : []
      const parts = targets.includes(undefined) || targets.length === 0
        ? partsOf(name, a[name], b[name])
        : [targets as [unknown, unknown]]
      if (parts === null) return false
      open.push(...parts)
    }
  }
  for (const pair of met) same.add(pair)
  return true
}

/** What a schema refers to, as long as it has nothing but a reference. */
function inlined (schema: unknown, document: Document): unknown {
  if (!isItem(schema) || schema.$ref === undefined) return schema
  const way = document.way(schema)
  return way.find((item) => namesOf(item, item).join() !== '$ref') ?? way.at(-1)
}

function namesOf (a: Item, b: Item): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => (
    !ANNOTATIONS.has(name) && !name.startsWith('x-')
  ))
}

/** The schemas of a keyword that must be the same; null if the keyword differs. */
function partsOf (name: string, a: unknown, b: unknown): [unknown, unknown][] | null {
  if (SCHEMAS_BY_NAME.has(name) && isItem(a) && isItem(b)) {
    const names = Object.keys(a)
    const isAlike = names.length === Object.keys(b).length && names.every((key) => Object.hasOwn(b, key))
    return isAlike ? names.map((key) => [a[key], b[key]]) : null
  }
  if (SCHEMAS.has(name) && Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length ? a.map((part, i) => [part, b[i]]) : null
  }
  if (SCHEMAS.has(name) && isItem(a) && isItem(b)) return [[a, b]]
  const [one, other] = [a, b].map((value) => (
    keyOf(SETS.has(name) && Array.isArray(value) ? value.map(keyOf).sort() : value)
  ))
  return one === other ? [] : null
}
