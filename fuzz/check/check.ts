import fc from 'fast-check'

import { compare } from '../../src/check/index.ts'
import { Mismatch } from '../fuzzer.ts'
import { checkedPair, pairs, schema } from './model.ts'

import type { Fuzzer } from '../fuzzer.ts'
import type { Pair, Schema } from './model.ts'

/** Random pairs of schemas: no value that was right is wrong after what the check calls an addition. Ajv says it. */
export const additions: Fuzzer<Pair> = {
  name: 'additions',
  batch: 300,
  cases: pairs,
  check: async (pair) => checkedPair(pair)
}

/** Schemas that are no parts of themselves: such a schema says nothing. */
const founded = schema.filter(isFounded)

function isFounded ({ $ref, not, allOf = [], anyOf = [], oneOf = [] }: Schema): boolean {
  const parts = [...not === undefined ? [] : [not], allOf, anyOf, oneOf].flat() as Schema[]
  return $ref === undefined && parts.every(isFounded)
}

interface Rewriting { schema: Schema, A: Schema, B: Schema, choices: number[] }

/** Documents whose schemas mean the same, because rules have rewritten them: there is no difference. */
export const rewritings: Fuzzer<Rewriting> = {
  name: 'rewritings',
  batch: 300,
  cases: fc.record({ schema, A: founded, B: founded, choices: fc.array(fc.nat(99), { minLength: 5, maxLength: 40 }) }),
  async check ({ schema, A, B, choices }) {
    let at = 0
    const choose = (count: number) => choices[at++ % choices.length]! % count
    const rewrite = (original: Schema) => rewritten(original, choose) as Schema
    const before = documentOf({ schema, A, B })
    const after = documentOf({ schema: rewrite(schema), A: rewrite(A), B: rewrite(B) })
    for (const [first, second] of [[before, after], [after, before]] as const) {
      const differences = comparedOrNone(first, second)
      if (differences.length > 0) throw new Mismatch({ before: first, after: second }, [], differences)
    }
    return 1
  }
}

function documentOf ({ schema, ...schemas }: { schema: Schema } & Readonly<Record<string, Schema>>): object {
  const content = { 'application/json': { schema } }
  const post = { requestBody: { content }, responses: { 200: { content } } }
  // A document is JSON: what a generator has made once is in two places.
  return JSON.parse(JSON.stringify({ openapi: '3.1.0', paths: { '/': { post } }, components: { schemas } }))
}

function comparedOrNone (before: object, after: object) {
  try {
    return compare(before, after)
  } catch (error) {
    if (/leads only to itself$/.test(String(error))) return []
    throw error
  }
}

/** Three shared schemas that refer to each other, also as parts and alternatives of each other. */
type Recursive = Record<'X' | 'Y' | 'Z', Schema>

const references = fc.constantFrom(...['X', 'Y', 'Z'].map((name): Schema => ({ $ref: `#/components/schemas/${name}` })))
const leaves = fc.constantFrom<Schema>(
  { type: 'string' }, { type: 'null' }, { type: 'object' }, { type: 'array' }, { const: 1 }, {}, { minimum: 2 },
  { type: 'object', required: ['a'], properties: { a: { const: 'x' } } },
  { type: 'object', required: ['a'], properties: { a: { const: 'y' }, b: { type: 'integer' } } }
)
const { inner } = fc.letrec<{ inner: Schema }>((tie) => {
  const inners = tie('inner') as fc.Arbitrary<Schema>
  const lists = fc.array(inners, { minLength: 1, maxLength: 3 })
  return {
    inner: fc.oneof({ maxDepth: 3, withCrossShrink: true },
      references, references, leaves,
      fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), lists).map(([name, list]) => ({ [name]: list })),
      fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), lists).map(([name, list]) => ({ [name]: list })),
      fc.tuple(fc.constantFrom('not', 'items', 'additionalProperties'), inners).map(([name, one]) => ({ [name]: one })),
      fc.tuple(references, leaves).map(([reference, leaf]) => ({ ...leaf, ...reference })),
      fc.dictionary(fc.constantFrom('a', 'b'), inners, { maxKeys: 2 }).map((properties) => (
        { type: 'object', properties }
      ))
    )
  }
}) as unknown as { inner: fc.Arbitrary<Schema> }
const recursive: fc.Arbitrary<Recursive> = fc.record({ X: inner, Y: inner, Z: inner })

function recursiveDocument (schemas: Recursive, root: number): object {
  return documentOf({ schema: { $ref: `#/components/schemas/${['X', 'Y', 'Z'][root]}` }, ...schemas })
}

/** How long a comparison of a few schemas may take, in milliseconds. */
const LONGEST = 10_000

/** Schemas that contain each other in every way: the comparison ends, and titles are no difference. */
export const recursions: Fuzzer<[Recursive, Recursive, number]> = {
  name: 'recursions',
  batch: 300,
  cases: fc.tuple(recursive, recursive, fc.nat(2)),
  async check ([schemas, { X, Y }, root]) {
    const before = recursiveDocument(schemas, root)
    const titled = JSON.parse(JSON.stringify(before), (_name, value) => (
      typeof value?.$ref === 'string' || typeof value?.type === 'string' ? { title: 'A title', ...value } : value
    ))
    const differences = comparedOrNone(before, titled)
    if (differences.length > 0) throw new Mismatch({ before, after: titled }, [], differences)
    const after = recursiveDocument({ ...schemas, X, Y }, root)
    const begin = process.cpuUsage().user
    comparedOrNone(before, after)
    const time = (process.cpuUsage().user - begin) / 1000
    if (time > LONGEST) throw new Mismatch({ before, after }, `at most ${LONGEST} ms`, time)
    return 2
  }
}

type Choose = (count: number) => number

/** Keywords that hold a schema, several, or several by names. */
const [ONE, LIST, MAP] = [
  ['items', 'additionalProperties', 'not'], ['allOf', 'anyOf', 'oneOf'], ['properties', 'patternProperties']
]
const DEFAULTS: Schema[] = [
  { minLength: 0 }, { minItems: 0 }, { uniqueItems: false }, { required: [] }, { properties: {} }, { nullable: false },
  { readOnly: false }, { writeOnly: false }, { deprecated: false }, { minProperties: 0 }, { title: 'A title' },
  { exclusiveMinimum: false }, { patternProperties: {} }, { dependentRequired: {} }, { then: { minLength: 1 } },
  { dependentSchemas: { z: {} } }, { additionalItems: false }
]

/** A schema that means the same. */
function rewritten (original: unknown, choose: Choose): unknown {
  if (typeof original !== 'object' || original === null) return original
  const schema: Schema = {}
  for (const [name, value] of Object.entries(original)) {
    const field = { value: part(name, value, choose), enumerable: true, configurable: true, writable: true }
    Object.defineProperty(schema, name, field)
  }
  return reworded(schema, choose)
}

function part (name: string, value: unknown, choose: Choose): unknown {
  if (ONE.includes(name)) return rewritten(value, choose)
  if (LIST.includes(name)) return (value as unknown[]).map((member) => rewritten(member, choose))
  if (!MAP.includes(name)) return value
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, rewritten(member, choose)]))
}

function reworded (schema: Schema, choose: Choose): Schema {
  const { type, enum: values, const: only, required, ...others } = schema
  const rule = choose(11)
  if (rule === 0) return { allOf: [schema] }
  if (rule === 1) return { anyOf: [schema] }
  if (rule === 2) return { oneOf: [schema] }
  if (rule === 3 && typeof type === 'string') return { ...schema, type: [type] }
  if (rule === 3 && Array.isArray(type)) return { ...schema, type: [...type].reverse() }
  if (rule === 4 && Array.isArray(type) && type.includes('null')) {
    const [first, ...more] = type.filter((name) => name !== 'null')
    return { ...schema, type: more.length === 0 ? first : [first, ...more], nullable: true }
  }
  const either = choose(2) === 0 ? 'anyOf' : 'oneOf'
  if (rule === 5 && Array.isArray(type) && type.includes('null')) {
    return { [either]: [{ ...schema, type: type.filter((name) => name !== 'null') }, { type: 'null' }] }
  }
  if (rule === 6 && Array.isArray(values) && Object.keys(schema).length === 1) {
    return { [either]: values.map((value) => ({ const: value })) }
  }
  if (rule === 7 && Object.hasOwn(schema, 'const')) return { ...others, enum: [only] }
  if (rule === 7 && Array.isArray(values)) return { ...schema, enum: [...values].reverse() }
  if (rule === 8 && Array.isArray(required)) return { ...schema, required: [...required, ...required].reverse() }
  if (rule === 9 && type === 'object') return { anyOf: [{ ...schema, minProperties: 9 }, schema] }
  return { ...DEFAULTS[choose(DEFAULTS.length)], ...schema }
}
