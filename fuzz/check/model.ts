import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'

import { compare } from '../../src/check/index.ts'

export type Schema = Record<string, unknown>

/** What is changed in a schema: which of its schemas, how, and with what. */
interface Edit { readonly at: number, readonly how: number, readonly other: Schema }

const NAMES = ['a', 'b', '__proto__']
const names = fc.constantFrom(...NAMES)
const bound = fc.nat(3)
const scalars = fc.constantFrom<unknown>('', 'a', 'ab', 'abc', '2026-01-31', -1, 0, 1, 1.5, 2, 6, null, true, '0', '1')

export const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const inner = tie('schema') as fc.Arbitrary<Schema>
  const optional = { requiredKeys: [] as [] }
  const inList = fc.record({ minItems: bound, uniqueItems: fc.boolean(), items: inner }, optional)
  const inObject = fc.record({
    properties: fc.dictionary(names, inner, { maxKeys: 2 }),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), fc.boolean(), fc.boolean(), inner),
    minProperties: bound
  }, { requiredKeys: ['properties'] })
  const inText = fc.record({
    maxLength: bound, pattern: fc.constantFrom('^a', 'b$', '.*'), format: fc.constantFrom('date', 'uuid')
  }, optional)
  const inNumber = fc.record({ minimum: bound, exclusiveMaximum: bound, multipleOf: fc.constantFrom(2, 0.5) }, optional)
  const of = (type: unknown, rules: fc.Arbitrary<object>) => rules.map((rule) => ({ type, ...rule }))
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  const tagged = fc.tuple(inner, inner).map((parts) => parts.map((part, i) => ({
    type: 'object', properties: { a: { const: `${i}` }, b: part }, required: ['a']
  })))
  return {
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true },
      of('string', inText),
      of(['integer', 'null'], inNumber),
      of('number', inNumber),
      fc.constantFrom<Schema>({}, { type: 'boolean' }, { type: 'null' }),
      fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
      scalars.map((value) => ({ const: value })),
      fc.constantFrom<Schema>({ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }),
      of('array', inList),
      of('object', inObject),
      of('object', inObject),
      inObject,
      several.map((allOf) => ({ allOf })),
      several.map((anyOf) => ({ anyOf })),
      several.map((oneOf) => ({ oneOf })),
      tagged.map((oneOf) => ({ oneOf })),
      inner.map((not) => ({ not })),
      fc.tuple(inObject, inObject).map(([first, second]) => ({ allOf: [first, second], unevaluatedProperties: false })),
      fc.tuple(inObject, inner).map(([object, member]) => ({ ...object, patternProperties: { '^a': member } }))
    )
  }
}) as unknown as { schema: fc.Arbitrary<Schema> }

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 },
    scalars, scalars, fc.array(tie('value'), { maxLength: 2 }), fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 })
  )
}))
const VALUES = fc.sample(value, { numRuns: 500, seed: 1 })

const edits = fc.array(fc.record({ at: fc.nat(30), how: fc.nat(30), other: schema }), { maxLength: 3 })
/** A schema, and the same after some changes, with the schemas that both refer to. */
export const pairs = fc.record({ before: schema, A: schema, B: schema, edits, sharedEdits: edits })

/** A schema before, the shared ones, and what changes. */
export interface Pair {
  before: Schema
  A: Schema
  B: Schema
  edits: Edit[]
  sharedEdits: Edit[]
}
export type Schemas = Readonly<Record<'schema' | 'A' | 'B', Schema>>

export function isAddition (schemasBefore: Schemas, schemasAfter: Schemas, direction: 'request' | 'response'): boolean {
  const [before, after] = [schemasBefore, schemasAfter].map(({ schema, ...schemas }) => {
    const content = { content: { 'application/json': { schema } } }
    const operation = direction === 'request' ? { requestBody: content } : { responses: { 200: content } }
    return { openapi: '3.1.0', paths: { '/': { post: operation } }, components: { schemas } }
  }) as [object, object]
  try {
    return compare(before, after).every(({ kind }) => kind === 'added')
  } catch (error) {
    if (/leads only to itself$/.test(String(error))) return false
    throw error
  }
}

/**
 * What a client might send before, it may send after. What a server may answer after, it might have answered before,
 * except for properties that are new.
 *
 * @returns the number of values that were sent
 */
export function checked (before: Schemas, after: Schemas, direction: 'request' | 'response'): number {
  const [sender, taker] = direction === 'request' ? [before, after] : [after, before]
  const sends = checkOf(sender)
  const takes = checkOf(taker)
  // Where alternatives overlap, an object that is open may meet two of them.
  const ignores = direction === 'request' ? takes : checkOf(opened(taker))
  const sent = VALUES.filter((value) => sends(value) === true && isDescribed(value, sender.schema, sender))
  const wrong = sent.find((value) => takes(value) === false && ignores(value) === false)
  if (wrong !== undefined) throw new Error(`${JSON.stringify([wrong, before, after])}: all differences are additions`)
  return sent.length
}

/** Checks values by a schema. The result is null if it is not one, or only contains itself. */
function checkOf ({ schema, ...schemas }: Schemas): (value: unknown) => boolean | null {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true, meta: false, validateSchema: false })
  addFormats.default(ajv)
  try {
    const validate = ajv.compile({ components: { schemas }, allOf: [schema] })
    return (value) => {
      try {
        return validate(value)
      } catch { return null }
    }
  } catch { return () => null }
}

/** Schemas whose closed objects take other properties, because clients ignore unknown ones. */
function opened (schemas: Schemas): Schemas {
  return JSON.parse(JSON.stringify(schemas, (name, field: unknown) => (
    /^(?:additional|unevaluated)Properties$/.test(name) && field === false ? undefined : field
  )))
}

/** Whether every property is one that the schema describes: clients send no others. */
function isDescribed (value: unknown, schema: unknown, shared: Schemas, depth = 9): boolean {
  if (typeof value !== 'object' || value === null) return true
  const parts = partsOf(schema, shared, depth, value)
  if (Array.isArray(value)) {
    return value.every((member) => isDescribed(member, { anyOf: parts.map(({ items }) => items) }, shared, depth - 1))
  }
  return Object.entries(value).every(([name, member]) => {
    const anyOf = parts.flatMap(({ properties, patternProperties, additionalProperties }) => (
      Object.hasOwn(properties ?? {}, name)
        ? [(properties as Schema)[name]]
        : [...Object.values(patternProperties ?? {}), additionalProperties].filter(Boolean)
    ))
    return anyOf.length > 0 && isDescribed(member, { anyOf }, shared, depth - 1)
  })
}

/** The schemas that may be about a value, or only those that it must meet. */
function partsOf (schema: unknown, shared: Schemas, depth: number, value?: object): Schema[] {
  if (typeof schema !== 'object' || schema === null || depth <= 0) return []
  const { $ref = '', allOf = [], anyOf = [], oneOf = [] } = schema as Record<string, never[]>
  const alternatives = value === undefined ? [] : [...anyOf, ...oneOf]
  const met = alternatives.filter((part) => !isOfOther(value!, part, shared, depth))
  const parts = [...allOf, ...met, shared[String($ref).slice(-1) as 'A' | 'B']]
  return [schema as Schema, ...parts.flatMap((part) => partsOf(part, shared, depth - 1, value))]
}

/** By the schemas that they may refer to. */
const checks = new WeakMap<Schemas, Map<unknown, (value: unknown) => boolean | null>>()

/** Whether a required property tells that an alternative is not about an object. */
function isOfOther (value: object, alternative: unknown, shared: Schemas, depth: number): boolean {
  const parts = partsOf(alternative, shared, depth)
  const required = parts.flatMap((part) => (part.required ?? []) as string[])
  const all = checks.get(shared) ?? new Map()
  checks.set(shared, all)
  return parts.some(({ properties = {} }) => Object.entries(properties as object).some(([name, schema]) => {
    if (!required.includes(name) || !Object.hasOwn(value, name)) return false
    const check = all.get(schema) ?? checkOf({ ...shared, schema })
    all.set(schema, check)
    return check((value as Schema)[name]) === false
  }))
}

export function changed (schema: Schema, edits: readonly Edit[]): Schema {
  const root = { allOf: [JSON.parse(JSON.stringify(schema))] }
  for (const { at, how, other: replacement } of edits) {
    const nodes = nodesIn(root).slice(1)
    edit(nodes[at % nodes.length] as Schema, how, JSON.parse(JSON.stringify(replacement)))
  }
  return root.allOf[0]
}

/** A schema, and the schemas in it. */
function nodesIn (value: unknown): Schema[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  if (typeof value !== 'object' || value === null) return []
  const { properties = {}, patternProperties = {}, enum: _, ...others } = value as Schema
  return [value as Schema, ...Object.values({ ...others, ...properties!, ...patternProperties! }).flatMap(nodesIn)]
}

function edit (node: Schema, how: number, replacement: Schema): void {
  const key = Object.keys(node).at(how % 3) ?? ''
  const value = node[key]
  const around = (name: string, ...others: Schema[]) => {
    const copy = { ...node }
    for (const key of Object.keys(node)) delete node[key]
    node[name] = [copy, ...others]
  }
  const kinds: (() => void)[] = [
    () => { delete node[key] },
    () => { if (typeof value === 'number') node[key] = value + 1 },
    () => { if (typeof value === 'number' && value > 0) node[key] = value - 1 },
    () => { if (typeof value === 'boolean') node[key] = !value },
    () => { if (Array.isArray(value) && value.length > 1) node[key] = value.slice(1) },
    () => { if (Array.isArray(value) && Array.isArray(replacement[key])) node[key] = [...value, ...replacement[key]] },
    () => { Object.assign(node, replacement) },
    () => { if (node.properties) node.properties = { ...node.properties, c: replacement } },
    () => { if (node.properties) node.properties = { a: replacement, ...node.properties } },
    () => { if (node.properties) node.required = how % 2 === 0 ? ['a'] : [] },
    () => { around('anyOf', replacement) },
    () => { around('oneOf', replacement) },
    () => { around('oneOf', { type: 'null' }) },
    () => { around('allOf', replacement) },
    () => { if (node.type === 'number') node.type = ['number', 'null'] }
  ]
  kinds[how % kinds.length]?.()
}

/** @returns the number of values that were sent, if all differences of a pair are additions */
export function checkedPair ({ before, A, B, edits, sharedEdits }: Pair): number {
  const schemasBefore = { schema: before, A, B }
  const schemasAfter = { schema: changed(before, edits), A: changed(A, sharedEdits), B }
  let count = 0
  for (const direction of ['request', 'response'] as const) {
    if (isAddition(schemasBefore, schemasAfter, direction)) count += checked(schemasBefore, schemasAfter, direction)
  }
  return count
}
