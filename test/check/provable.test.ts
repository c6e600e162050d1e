import t from 'tap'

import { compare } from '../../src/check/index.ts'

import type { DifferenceKind } from '../../types/check.d.ts'

type Part = Readonly<Record<string, unknown>>
type Row = readonly [says: string, before: Part | boolean, after: Part | boolean, kinds: readonly DifferenceKind[]]

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: Part, others: Part = {}) => ({ type: 'object', properties, ...others })
const closed = { additionalProperties: false }
const base = { $ref: '#/components/schemas/Base' }
const Base = object({ a: text })

function documentOf (operation: Part, others: Part = {}): Part {
  return { openapi: '3.1.0', paths: { '/a': { post: operation } }, components: { schemas: { Base } }, ...others }
}

function body (schema: unknown, others?: Part): Part {
  return documentOf({ requestBody: { content: { 'application/json': { schema } } } }, others)
}

function answer (schema: unknown, others?: Part): Part {
  return documentOf({ responses: { 200: { content: { 'application/json': { schema } } } } }, others)
}

function kindsOf (before: Part, after: Part): DifferenceKind[] {
  return [...new Set(compare(before, after).map(({ kind }) => kind))].sort().reverse()
}

const other = object({ b: text })
const more = object({ b: text, a: whole })
const inX = (schema: unknown) => object({ x: schema })

const requests: Row[] = [
  ['beside allOf', { allOf: [base] }, { allOf: [base], properties: { a: whole } }, ['breaking']],
  ['in another part of allOf', { allOf: [base, other] }, { allOf: [base, more] }, ['breaking']],
  ['in a new part of allOf', { allOf: [base] }, { allOf: [base, more] }, ['breaking', 'added']],
  ['beside anyOf', { anyOf: [base, other] }, { anyOf: [base, other], properties: { a: whole } }, ['breaking']],
  ['in another alternative', { anyOf: [base, other] }, { anyOf: [base, more] }, ['breaking']],
  ['beside oneOf', { oneOf: [base, text] }, { oneOf: [base, text], properties: { a: whole } }, ['breaking']],
  ['beside not', { not: object({ a: whole }) }, { not: object({ a: whole }), properties: { a: whole } }, ['breaking']],
  ['beside a reference', base, { ...base, properties: { a: whole } }, ['breaking']],
  ['beside a rule that requires it', { required: ['a'] }, { required: ['a'], properties: { a: whole } }, ['breaking']],
  ['beside values', { enum: [{ a: '' }] }, { enum: [{ a: '' }], properties: { a: whole } }, ['breaking']],
  ['beside patterns', { anyOf: [other, { patternProperties: { a: text } }] },
    { anyOf: [more, { patternProperties: { a: text } }] }, ['breaking']],
  ['beside other properties', { allOf: [other, object({}, { additionalProperties: text })] },
    { allOf: [more, object({}, { additionalProperties: text })] }, ['breaking']],
  ['in a part of a property', { allOf: [inX(base), inX(other)] }, { allOf: [inX(base), inX(more)] }, ['breaking']],
  ['in a part of a member', { allOf: [{ items: base }, { items: other }] },
    { allOf: [{ items: base }, { items: more }] }, ['breaking']],
  ['in a part of a member by position', { allOf: [{ items: other }, { anyOf: [{ items: [base] }, text] }] },
    { allOf: [{ items: more }, { anyOf: [{ items: [base] }, text] }] }, ['breaking']],
  ['in a part of other properties', { allOf: [inX(base), { additionalProperties: other }] },
    { allOf: [inX(base), { additionalProperties: more }] }, ['breaking']],
  ['where a schema is met for the second time', object({ x: inX(other), y: { allOf: [inX(other), inX(base)] } }),
    object({ x: inX(more), y: { allOf: [inX(more), inX(base)] } }), ['breaking', 'added']],
  ['and nothing else describes it', { allOf: [base, other] }, { allOf: [base, object({ b: text, c: whole })] },
    ['added']],
  ['and the schema was closed', { anyOf: [base, { ...other, ...closed }] }, { anyOf: [base, { ...more, ...closed }] },
    ['added']]
]

for (const [says, before, after, kinds] of requests) {
  t.test(`a property of a request is described ${says}`, async (t) => {
    t.same(kindsOf(body(before), body(after)), kinds)
  })
}

const responses: Row[] = [
  ['a closed one', { anyOf: [base, { ...other, ...closed }] }, { anyOf: [base, { ...more, ...closed }] }, ['breaking']],
  ['a closed one, which nothing else describes', { anyOf: [base, object({}, closed)] },
    { anyOf: [base, { ...other, ...closed }] }, ['added']],
  ['an open one', { allOf: [base, other] }, { allOf: [base, more] }, ['added']]
]

for (const [says, before, after, kinds] of responses) {
  t.test(`a property of a response is described in ${says}`, async (t) => {
    t.same(kindsOf(answer(before), answer(after)), kinds)
  })
}

const earlier = { openapi: '3.0.3' }

t.test('what stands beside a reference in OpenAPI 3.0 does not count, and in 3.1 it does', async (t) => {
  const [alone, beside] = [{ $ref: '#/components/schemas/Base' }, { ...base, maxProperties: 1 }]
  t.same(kindsOf(answer(alone, earlier), answer(beside, earlier)), [])
  t.same(kindsOf(answer(object({ a: text }, { maxProperties: 1 }), earlier), answer(beside, earlier)), ['breaking'])
  t.same(kindsOf(answer(alone), answer(beside)), ['added'])
})

for (const range of ['*/*', 'application/*', 'application/json']) {
  t.test(`a media type that ${range} described is compared with it`, async (t) => {
    const make = (content: Part) => documentOf({ requestBody: { content: { [range]: { schema: text }, ...content } } })
    const more = (schema: unknown) => make({ 'application/json;a=b': { schema } })
    t.same(kindsOf(make({}), more(whole)), ['breaking'])
    t.same(kindsOf(make({}), more(text)), [])
    t.same(kindsOf(make({}), make({ 'text/csv': { schema: text } })), range === '*/*' ? [] : ['added'])
  })
}
