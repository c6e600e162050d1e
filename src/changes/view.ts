import { MAPS, isObject } from './documents.ts'
import { isZod, zodViewOf } from './zod.ts'

import type { ObjectSchema } from './documents.ts'
import type { View } from './zod.ts'

/** Keywords under which a changed schema cannot be converted: whether they apply is known only by validation. */
const BLOCKED = [
  'contains', 'contentSchema', 'dependencies', 'dependentSchemas', 'else', 'extends', 'if', 'not', 'propertyNames',
  'then', 'unevaluatedItems', 'unevaluatedProperties'
]
const REFERENCES = ['$dynamicRef', '$recursiveRef']

/** A schema by its parts; where its `$ref` leads is none of them. */
export function viewOf (schema: ObjectSchema): View {
  if (isZod(schema)) return zodViewOf(schema)
  const { additionalProperties, items } = schema
  return {
    same: listOf(schema.allOf),
    choices: ['anyOf', 'oneOf'].map((keyword) => [keyword, listOf(schema[keyword])] as const)
      .filter(([, branches]) => branches.length > 0),
    properties: entriesOf(schema.properties),
    patterns: entriesOf(schema.patternProperties),
    rest: additionalProperties,
    tuple: [...listOf(schema.prefixItems), ...listOf(items)],
    items: Array.isArray(items) ? schema.additionalItems : items,
    blocked: [...BLOCKED, ...REFERENCES].flatMap((keyword) => {
      const value = schema[keyword]
      if (typeof value === 'string') return REFERENCES.includes(keyword) ? [[keyword, { $ref: value }] as const] : []
      const parts = MAPS.has(keyword) || Array.isArray(value) ? entriesOf(value).map(([, part]) => part) : [value]
      return parts.filter(isObject).map((part) => [keyword, part] as const)
    })
  }
}

export function listOf (value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function entriesOf (value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
