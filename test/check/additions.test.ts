import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'

import { compare } from '../../src/check/index.ts'
import { fc, tries } from '../fixtures/property.ts'
import { Values, pairs } from './additions-schemas.ts'

import type { Schema, SchemaPair } from './additions-schemas.ts'

/** How many values of each pair are tried. */
const TRIES = 60

t.test('a difference that is reported as added makes no value invalid', async (t) => {
  let count = 0
  fc.assert(fc.property(pairs, (pair) => {
    count += compared(pair, 'request') + compared(pair, 'response')
  }), { numRuns: tries(40) })
  t.ok(count > 0)
})

/**
 * What a client might send before, it may send after. What a server may answer after, it might have answered before,
 * except for properties that are new.
 *
 * @returns the number of values that were compared
 */
function compared (pair: SchemaPair, direction: 'request' | 'response'): number {
  const { before, after, sharedBefore, sharedAfter, seed } = pair
  const documents = [documentOf(before, sharedBefore, direction), documentOf(after, sharedAfter, direction)] as const
  try {
    if (compare(...documents).some(({ kind }) => kind !== 'added')) return 0
  } catch (error) {
    if (/leads only to itself$/.test(String(error))) return 0
    throw error
  }
  const isRequest = direction === 'request'
  const [schema, shared] = isRequest ? [before, sharedBefore] : [after, sharedAfter]
  const sends = checkOf(schema, shared)
  const [one, other] = isRequest ? [after, sharedAfter] : [before, sharedBefore]
  const takes = checkOf(one, other)
  // Where alternatives overlap, an object that is open may meet two of them.
  const ignores = isRequest ? takes : checkOf(opened(one), opened(other))
  if (sends === null || takes === null || ignores === null) return 0
  const values = new Values(seed, shared)
  let count = 0
  for (let i = 0; i < TRIES; i++) {
    const value = values.draw(schema)
    if (sends(value) !== true || !isDescribed(value, schema, shared)) continue
    count++
    if (takes(value) === false && ignores(value) === false) {
      const [one, other, text] = [...documents, value].map((part) => JSON.stringify(part))
      throw new Error(`${text} is right by only one of these, but all differences are additions:\n${one}\n${other}`)
    }
  }
  return count
}

function documentOf (schema: Schema, shared: Record<string, Schema>, direction: string): object {
  const content = { content: { 'application/json': { schema } } }
  const operation = direction === 'request' ? { requestBody: content } : { responses: { 200: content } }
  return {
    openapi: '3.1.0',
    info: { title: 'Fuzz', version: '1' },
    paths: { '/': { post: operation } },
    components: { schemas: shared }
  }
}

/** Checks values by a schema, or is null if it is not a schema. A check is null if a schema only contains itself. */
function checkOf (schema: Schema, shared: Record<string, Schema>): ((value: unknown) => boolean | null) | null {
  const ajv = new Ajv2020({
    strict: false, logger: false, ownProperties: true, meta: false, validateSchema: false, code: { optimize: false }
  })
  addFormats.default(ajv)
  ajv.addFormat('unknown', true)
  try {
    const validate = ajv.compile({ components: { schemas: shared }, allOf: [schema] })
    return (value) => {
      try {
        return validate(value)
      } catch {
        return null
      }
    }
  } catch {
    return null
  }
}

/** A schema whose closed objects take other properties, because clients ignore unknown ones. */
function opened <Value> (value: Value): Value {
  return JSON.parse(JSON.stringify(value, (name, field: unknown) => (
    (name === 'additionalProperties' || name === 'unevaluatedProperties') && field === false ? undefined : field
  ))) as Value
}

/** Whether every property is one that the schema describes: clients send no others. */
function isDescribed (value: unknown, schema: unknown, shared: Record<string, Schema>, depth = 9): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  const parts = partsOf(schema, shared, depth)
  if (Array.isArray(value)) {
    const members = parts.map(({ items, prefixItems }) => [...prefixItems as [] ?? [], items]).flat()
    return value.every((member) => isDescribed(member, { anyOf: members }, shared, depth - 1))
  }
  return Object.entries(value).every(([name, member]) => {
    const described = parts.flatMap((part) => {
      const { properties = {}, patternProperties = {}, additionalProperties } = part as Record<string, object>
      const own = Object.hasOwn(properties, name) ? [(properties as Schema)[name]] : []
      const others = additionalProperties ? [additionalProperties] : []
      return [...own, ...Object.values(patternProperties), ...own.length > 0 ? [] : others]
    })
    return described.length > 0 && isDescribed(member, { anyOf: described }, shared, depth - 1)
  })
}

/** The schemas that may be about the same value. */
function partsOf (schema: unknown, shared: Record<string, Schema>, depth: number): Schema[] {
  if (typeof schema !== 'object' || schema === null || depth === 0) return []
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema as Record<string, unknown[]>
  const target = typeof $ref === 'string' ? [shared[($ref as string).slice(-1)]] : []
  const parts = [...allOf, ...anyOf, ...oneOf, ...target]
  return [schema as Schema, ...parts.flatMap((part) => partsOf(part, shared, depth - 1))]
}
