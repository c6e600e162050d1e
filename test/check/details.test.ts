import t from 'tap'

import { compare } from '../../src/check/index.ts'

import type { DifferenceKind } from '../../types/check.d.ts'

const text = { type: 'string' }
const ok = { responses: { 200: {} } }

function doc (operation: object, others: object = {}): object {
  const paths = { '/a': { post: { ...ok, ...operation } } }
  return { openapi: '3.1.0', info: { 'x-api-version': 'v1' }, paths, ...others }
}

function body (schema: unknown, others: object = {}): object {
  return doc({ requestBody: { content: { 'application/json': { schema } } } }, others)
}

/** A schema that refers to one that refers to `text`, and says more where it is, in the middle or in neither. */
function chained (here: object, middle: object): object {
  const [first, second] = ['Middle', 'Text'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return body(open({ properties: { a: { ...first, ...here } }, required: ['a'] }), {
    components: { schemas: { Middle: { ...second, ...middle }, Text: text } }
  })
}

function callback (operation: object): object {
  return doc({ callbacks: { done: { '{$url}': { post: { ...ok, ...operation } } } } })
}

function open (schema: object): object {
  return { type: 'object', properties: { a: text }, ...schema }
}

const tuple = { type: 'array', prefixItems: [text], items: false }
const closing = { unevaluatedProperties: false }
const parts = { anyOf: [{ properties: { a: text }, required: ['a'] }, { properties: { b: text }, required: ['b'] }] }

const CASES: readonly (readonly [name: string, before: object, after: object, kinds: readonly DifferenceKind[]])[] = [
  ['a constant that is in the enum', body({ enum: [1, 2], const: 1 }), body({ const: 1 }), ['breaking']],
  ['a constant that is not in the enum', body({ enum: [1, 2], const: 3 }), body({ const: 1 }), ['breaking']],
  ['a schema that allows nothing any more', body(text), body(false), ['breaking']],
  ['an inclusive and an exclusive bound', body({ type: 'number', minimum: 1, exclusiveMinimum: 2 }),
    body({ type: 'number', exclusiveMinimum: 2 }), ['added']],
  ['a weaker exclusive bound', body({ type: 'number', minimum: 3, exclusiveMinimum: 2 }),
    body({ type: 'number', minimum: 3 }), ['added']],
  ['a bound that excludes itself now',
    body({ type: 'number', maximum: 3 }), body({ type: 'number', exclusiveMaximum: 3 }),
    ['breaking', 'added']],
  ['an upper bound of integers',
    body({ type: 'integer', exclusiveMaximum: 3 }), body({ type: 'integer', maximum: 2.5 }), ['breaking', 'added']],
  ['lists and objects as values', body({ enum: [[1], { b: 1, a: [] }] }), body({ enum: [[1], { a: [], b: 1 }, 1.5] }),
    ['added']],
  ['many values', body({ enum: [1, 2, 3, 4, 5, 6, 7] }), body({ type: 'integer' }), ['added']],
  ['a long value', body({ enum: ['a'] }), body({ enum: ['a', 'b'.repeat(100)] }), ['added']],
  ['values where there were rules', body({ type: 'string', maxLength: 3 }), body({ enum: ['a'] }),
    ['breaking', 'added']],
  ['rules where there were values',
    body({ enum: ['a'] }), body({ type: 'string', maxLength: 3 }), ['breaking', 'added']],
  ['values of another type', body({ enum: ['a'] }), body({ type: 'integer' }), ['breaking', 'added']],
  ['a narrower format', body({ type: 'integer', format: 'int64' }), body({ type: 'integer', format: 'int32' }),
    ['breaking']],
  ['two formats', body({ allOf: [{ type: 'string', format: 'uri' }, { format: 'email' }] }),
    body({ type: 'string', format: 'uuid' }), ['breaking', 'added']],
  ['a change of an unknown format',
    body({ type: 'string', format: 'a' }), body({ type: 'string', format: 'b' }), ['breaking']],
  ['the removal of an unknown format', body({ type: 'string', format: 'a' }), body(text), ['added']],
  ['the loss of one of two formats', body({ allOf: [{ type: 'string', format: 'uri' }, { format: 'email' }] }),
    body({ type: 'string', format: 'uri' }), ['added']],
  ['an additional pattern', body({ type: 'string', pattern: 'a' }),
    body({ allOf: [{ type: 'string', pattern: 'a' }, { pattern: 'b' }] }), ['breaking']],
  ['a larger multipleOf',
    body({ type: 'integer', multipleOf: 3 }), body({ type: 'integer', multipleOf: 6 }), ['breaking']],
  ['other multiples', body({ type: 'integer', multipleOf: 4 }), body({ type: 'integer', multipleOf: 6 }), ['breaking']],
  ['a multipleOf with a fraction',
    body({ type: 'number', multipleOf: 0.1 }), body({ type: 'number', multipleOf: 0.2 }), ['breaking']],
  ['members that need not be unique', body({ type: 'array', uniqueItems: true }), body({ type: 'array' }), ['added']],
  ['the first members', body(tuple), body({ ...tuple, prefixItems: [text, text] }), ['breaking']],
  ['the type of the first member', body(tuple), body({ ...tuple, prefixItems: [{ type: 'null' }] }), ['breaking']],
  ['members by position as before 2020', body({ type: 'array', items: [text] }), body({ type: 'array', items: [{}] }),
    ['breaking']],
  ['a property that is no longer read-only',
    body(open({ properties: { a: { readOnly: true } } })), body(open({})), ['breaking']],
  ['a read-only property that is no longer required',
    body(open({ properties: { a: { readOnly: true } }, required: ['a'] })),
    body(open({ properties: { a: { readOnly: true } } })), ['added']],
  ['a read-only property that is required now', body(open({ properties: { a: { readOnly: true } } })),
    body(open({ properties: { a: { readOnly: true } }, required: ['a'] })), ['breaking']],
  ['a property that is required without a schema', body({ type: 'object' }), body({ type: 'object', required: ['a'] }),
    ['breaking']],
  ['a property that was described by the others', body({ type: 'object', additionalProperties: text }),
    body(open({ additionalProperties: text })), ['added']],
  ['a property that the others describe now', body(open({ additionalProperties: text })),
    body({ type: 'object', additionalProperties: { type: 'null' } }), ['breaking']],
  ['a property of a schema that closes allOf', body({ allOf: [open({})], ...closing }),
    body({ allOf: [open({ properties: {} })], ...closing }), ['breaking']],
  ['a schema of others that closes nothing',
    body({ additionalProperties: text, ...closing }), body({ additionalProperties: text }), ['breaking']],
  ['a schema that closes alternatives', body({ ...parts, ...closing }), body({ ...parts }), ['breaking']],
  ['a property next to patterns', body(open({ patternProperties: { a: text } })),
    body(open({ patternProperties: { a: text }, properties: { a: text, b: text } })), ['breaking']],
  ['a property next to one whose patterns are the same',
    body(open({ properties: { a: { patternProperties: { a: text } } } })),
    body(open({ properties: { a: { patternProperties: { a: text } }, b: text } })), ['added']],
  ['empty patterns', body(open({ patternProperties: {} })), body(open({})), ['breaking']],
  ['a rule that is the same',
    body({ ...text, not: { $ref: '#/info' } }), body({ ...text, not: { $ref: '#/info' }, title: 'a' }), []],
  ['a rule with another part',
    body({ ...text, not: { enum: ['a'] } }), body({ ...text, not: { enum: ['b'] } }), ['breaking']],
  ['null where a rule says more', body({ type: 'string', not: { const: 'a' } }),
    body({ type: ['string', 'null'], not: { const: 'a' } }), ['added']],
  ['a type that was only null', body({ type: 'null' }), body({ type: ['null', 'string'] }), ['added']],
  ['a type that is only null now', body({ type: ['null', 'string'] }), body({ type: 'null' }), ['breaking']],
  ['any value, or some', body({}), body({ anyOf: [text, { type: 'null' }] }), ['breaking', 'added']],
  ['alternatives of one kind', body({ anyOf: [open({ required: ['a'] }), open({ required: ['b'] })] }),
    body({ anyOf: [open({ required: ['b'] }), open({ required: ['a'], maxProperties: 3 })] }), ['breaking', 'added']],
  ['another keyword', body({ ...text, instanceof: 'a' }), body({ ...text, instanceof: 'b' }), ['breaking']],
  ['a type that does not exist', body({ type: 'text' }), body({ type: 'text', title: 'a' }), []],
  ['two bounds, one of them weaker', body({ allOf: [{ ...text, maxLength: 5 }, { maxLength: 3 }] }),
    body({ ...text, maxLength: 3 }), ['breaking', 'added']],
  ['two bounds, the other one weaker', body({ allOf: [{ ...text, maxLength: 3 }, { maxLength: 5 }] }),
    body({ ...text, maxLength: 3 }), ['added']],
  ['two schemas of a property', body({ allOf: [open({ properties: { a: { maxLength: 5 } } }), open({})] }),
    body(open({ properties: { a: { ...text, maxLength: 5 } } })), ['breaking', 'added']],
  ['two values of a keyword, the other way round', body({ allOf: [{ instanceof: 'a' }, { instanceof: 'b' }] }),
    body({ allOf: [{ instanceof: 'b' }, { instanceof: 'a' }] }), ['breaking']],
  ['a bound that every text meets', body({ ...text, minLength: 0 }), body(text), []],
  ['a bound that only the empty text meets', body({ ...text, maxLength: 0 }), body(text), ['added']],
  ['the values of two enums', body({ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }), body({ enum: ['b'] }), ['breaking', 'added']],
  ['the values of a type', body({ type: 'boolean' }), body({ enum: [false, true] }), ['breaking']],
  ['null in an enum', body({ enum: [null, 'a'] }), body({ type: ['null', 'string'], enum: ['a', null] }), []],
  ['one of two values', body({ oneOf: [{ const: 'a' }, { const: 'b' }] }), body({ enum: ['a', 'b'] }), ['added']],
  ['one of two enums that share a value', body({ oneOf: [{ enum: ['a', 'b'] }, { enum: ['b'] }] }),
    body({ enum: ['a', 'b'] }), ['breaking']],
  ['one of two objects, of which one cannot have what the other requires',
    body({ oneOf: [open({ properties: { a: false } }), open({ required: ['a'] })] }),
    body({ anyOf: [open({ properties: { a: false } }), open({ required: ['a'] })] }), ['breaking']],
  ['a rule with a reference that stays', body({ ...text, not: { $ref: '#/info', enum: ['a'] } }),
    body({ ...text, not: { $ref: '#/info', enum: ['a'] }, title: 'a' }), []],
  ['a bound next to a reference', chained({}, {}), chained({ maxLength: 3 }, {}), ['breaking']],
  ['a bound next to a reference that another one leads to',
    chained({}, {}), chained({}, { maxLength: 3 }), ['breaking']],
  ['a bound next to one reference or the next', chained({ maxLength: 3 }, {}), chained({}, { maxLength: 3 }), []],
  ['a read-only property that another reference leads to',
    chained({}, { readOnly: true }), chained({}, {}), ['breaking']],
  ['a version that is no longer deprecated and still has links',
    doc({ responses: { 200: { headers: { Deprecation: {} } } } }),
    doc({ responses: { 200: { headers: { Link: {} } } } }), []],
  ['a version that is deprecated and had links before', doc({ responses: { 200: { headers: { Link: {} } } } }),
    doc({ responses: { 200: { headers: { Deprecation: {}, Sunset: {} } } } }), []],
  ['a bound of numbers for a string', body({ ...text, minimum: 3 }), body(text), ['added']],
  ['an unknown format that stays', body({ ...text, format: 'a', maxLength: 3 }), body({ ...text, format: 'a' }),
    ['added']],
  ['a nullable schema without a type', body({ nullable: true }), body({}), ['breaking']],

  ['the encoding of a part', doc({ requestBody: { content: { 'a/b': { encoding: { a: { style: 'form' } } } } } }),
    doc({ requestBody: { content: { 'a/b': {} } } }), ['breaking']],
  ['a range of media types', doc({ requestBody: { content: { 'a/b': {}, 'c/d': {} } } }),
    doc({ requestBody: { content: { 'a/*': {}, '*/*': {} } } }), ['breaking', 'added']],
  ['a header that is always sent', doc({ responses: { 200: { headers: { A: { schema: text } } } } }),
    doc({ responses: { 200: { headers: { a: { schema: text, required: true } } } } }), ['added']],
  ['a parameter of a media type',
    doc({ parameters: [{ in: 'query', name: 'a', content: { 'a/b': { schema: text } } }] }),
    doc({ parameters: [{ in: 'query', name: 'a', content: { 'a/b': { schema: { type: 'null' } } } }] }), ['breaking']],
  ['a parameter of another media type', doc({ parameters: [{ in: 'query', name: 'a', content: { 'a/b': {} } }] }),
    doc({ parameters: [{ in: 'query', name: 'a', schema: text }] }), ['breaking']],
  ['a parameter that specifies the version',
    doc({ parameters: [{ in: 'header', name: 'A', schema: { const: 'v1' } }] }), doc({}), []],
  ['a parameter that OpenAPI ignores', doc({ parameters: [{ in: 'header', name: 'Accept' }] }), doc({}), []],
  ['a server of one operation', doc({ servers: [{ url: 'https://a.example.com/v1/' }] }),
    doc({ servers: [{ url: 'https://b.example.com/v1' }] }), ['breaking']],
  ['the host of the server', doc({}, { servers: [{ url: 'https://a.example.com/v1/' }] }),
    doc({}, { servers: [{ url: '//b.example.com/v1' }] }), []],
  ['the path of the server', doc({}, { servers: [1] }), doc({}, { servers: [{ url: '/b' }] }), ['breaking']],
  ['a range of statuses',
    doc({ responses: { 200: {}, '4XX': {} } }), doc({ responses: { 200: {}, 400: {} } }), ['added']],
  ['the default status',
    doc({ responses: { 200: {}, 404: {} } }), doc({ responses: { 200: {}, default: {} } }), ['added']],
  ['the loss of the default status', doc({ responses: { 200: {}, default: {} } }), doc({}), ['breaking']],
  ['two paths that only differ in names', doc({}, { paths: { '/{a}': { get: ok }, '/{b}': { get: ok } } }),
    doc({}, { paths: { '/{a}': { get: ok } } }), ['breaking']],
  ['a callback that is the same', callback({}), callback({ summary: 'a' }), []],
  ['a nested callback that is the same', callback({ callbacks: { a: {} } }), callback({ callbacks: { a: {} } }), []],
  ['a path parameter that does not say that it is required',
    doc({ parameters: [{ in: 'path', name: 'id', schema: text }] }),
    doc({ parameters: [{ in: 'path', name: 'id', schema: text, required: true }] }), []],
  ['a parameter with the version, where only one document says its version',
    doc({ parameters: [{ in: 'query', name: 'v', schema: { type: 'string', enum: ['v1'] } }] }),
    doc({ parameters: [{ in: 'query', name: 'v', schema: { type: 'string', enum: ['v1'] } }] }, { info: {} }), []],
  ['a success that only the default response covers now',
    doc({ responses: { 200: {}, default: {} } }), doc({ responses: { default: {} } }), ['breaking']],
  ['a callback of a callback',
    callback({ callbacks: { a: {} } }), callback({ callbacks: { a: { b: {} } } }), ['breaking']],
  ['a webhook', { ...doc({}), webhooks: { a: { post: ok } } },
    { ...doc({}), webhooks: { a: { post: { ...ok, requestBody: { content: {} } } } } }, ['breaking']]
]

const ORDER = ['breaking', 'added']

for (const [name, before, after, expected] of CASES) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} for ${name}`, async (t) => {
    const differences = compare(before, after)
    t.same(ORDER.filter((kind) => differences.some((one) => one.kind === kind)), expected, JSON.stringify(differences))
    t.same(compare(before, before), [])
  })
}

t.test('alternatives are compared by the name of their reference', async (t) => {
  const make = (type: string) => ({
    ...body({ anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }),
    components: { schemas: { A: open({ properties: { a: { type } } }), B: open({}) } }
  })
  t.match(compare(make('integer'), make('string')), [
    { kind: 'breaking', message: 'POST /a  body: "a" is string now, was integer' }
  ])
})
