import t from 'tap'

import { compare } from '../../src/check/index.ts'

import type { DifferenceKind } from '../../types/check.d.ts'

/** A part of a document. */
type Part = Readonly<Record<string, unknown>>
type Kinds = readonly DifferenceKind[]
/** A change, and the kinds of all differences, the worst first, without repetitions. */
type Row<Value> = readonly [name: string, before: Value, after: Value, kinds: Kinds]

const added: Kinds = ['added']
const breaking: Kinds = ['breaking']
const both: Kinds = ['breaking', 'added']
const nothing: Kinds = []

const text = { type: 'string' }
const whole = { type: 'integer' }

/** A document with one operation, `POST /bookings`, unless other paths are given. */
function doc (operation: Part, others: Part = {}): Part {
  const responses = { 200: { description: '' } }
  return {
    openapi: '3.1.0',
    info: { title: 'Bookings', version: '1.0.0', 'x-api-version': 'v1' },
    paths: { '/bookings': { post: { responses, ...operation } } },
    components: { schemas: { Base: object({ a: text }) } },
    ...others
  }
}

function paths (all: Part): Part {
  return { ...doc({}), paths: all }
}

function body (schema: unknown, others: Part = {}): Part {
  return doc({ requestBody: { content: { 'application/json': { schema } } } }, others)
}

function answer (schema: unknown, others: Part = {}): Part {
  return doc({ responses: { 200: { content: { 'application/json': { schema } } } } }, others)
}

function parameter (one: Part): Part {
  return doc({ parameters: [{ in: 'query', name: 'page', schema: text, ...one }] })
}

function header (one: Part | null): Part {
  return doc({ responses: { 200: { headers: one === null ? {} : { 'X-Total': { schema: whole, ...one } } } } })
}

function object (properties: Part, others: Part = {}): Part {
  return { type: 'object', properties, ...others }
}

const bare = object({})
const plain = object({ a: text })
const closed = { additionalProperties: false }
const required = { required: ['a'] }
const number = { type: 'number' }
const empty = { type: 'null' }
const list = { type: 'array', items: text }
const taking = (content: Part) => ({ requestBody: { content } })
const specifying = (place: string, name: string, others: Part = {}) => (
  { parameters: [{ in: place, name, schema: { const: 'v1' }, ...others }] }
)
const hook = (post: Part, method = 'post') => ({ ...doc({}), webhooks: { made: { [method]: post } } })
const calling = (put: Part) => doc({ callbacks: { made: { '{$url}': { put } } } })
const sending = (headers: Part) => ({ responses: { 200: { headers } } })
const components = (schemas: Part) => ({ components: { schemas } })
const ok = { responses: { 200: { description: '' } } }
const card = object({ kind: { type: 'string', enum: ['card'] }, number: text }, { required: ['kind'] })
const cash = object({ kind: { type: 'string', enum: ['cash'] } }, { required: ['kind'] })
const schemes = {
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      token: { type: 'http', scheme: 'bearer' },
      oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/', scopes: {} } } }
    }
  }
}
/** A document whose operation needs one of these. */
const scoped = (scopes: Part) => doc({ security: [{ oauth: ['a'] }] }, {
  components: { securitySchemes: { oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/', scopes } } } } }
})
const secured = (...security: Part[]) => doc({ security }, schemes)
const servedAt = (url: string, variables?: Part) => doc({}, { servers: [{ url, variables }] })
const tree = { $ref: '#/components/schemas/Tree' }
const open = (schema: Part) => object({ a: text }, schema)
const earlier = { openapi: '3.0.3' }
const base = { $ref: '#/components/schemas/Base' }
const other = object({ b: text })
const more = object({ b: text, a: whole })
const parts = { anyOf: [{ properties: { a: text }, required: ['a'] }, { properties: { b: text }, required: ['b'] }] }

/** Schemas of the body of a request. */
const requests: Row<Part | boolean>[] = [
  ['a required property of a request is added', bare, open(required), breaking],
  ['a required property of a request with a default is added', bare,
    object({ a: { ...text, default: '' } }, required), breaking],
  ['a property of a request is removed', plain, bare, breaking],
  ['a property of a request is required', plain, open(required), breaking],
  ['a property of a request is required that ended as announced',
    object({ a: { ...text, deprecated: true, 'x-sunset': '2020-01-01' } }), { type: 'object', ...required }, both],
  ['a request takes null', text, { ...text, nullable: true }, added],
  ['a request takes null by an alternative', card, { oneOf: [empty, card] }, added],
  ['an integer of a request becomes a number', whole, number, added],
  ['a request has an exclusive bound that is inclusive now', { ...number, exclusiveMinimum: 0 },
    { ...number, minimum: 0 }, added],
  ['a request has an exclusive bound instead of the same inclusive one', { ...number, maximum: 3 },
    { ...number, exclusiveMaximum: 3 }, breaking],
  ['a request has a wider bound that is exclusive', { ...number, maximum: 3 }, { ...number, exclusiveMaximum: 4 },
    added],
  ['a request takes more multiples', { ...whole, multipleOf: 4 }, { ...whole, multipleOf: 2 }, added],
  ['a request takes other multiples', { ...whole, multipleOf: 4 }, { ...whole, multipleOf: 6 }, breaking],
  ['a property of a record is added', { type: 'object', patternProperties: { '^.*$': plain } },
    { type: 'object', patternProperties: { '^.*$': object({ a: text, b: text }) } }, added],
  ['a value of an enum of a request is removed', { enum: ['a', 'b'] }, { enum: ['a'] }, breaking],
  ['a request has a smaller minLength', { ...text, minLength: 2 }, { ...text, minLength: 1 }, added],
  ['a request has its exclusive minimum written as a number', { ...number, minimum: 1, exclusiveMinimum: true },
    { ...number, exclusiveMinimum: 1 }, []],
  ['a request gets a part of allOf', { allOf: [plain] }, { allOf: [plain, object({}, required)] }, breaking],
  ['a request loses an alternative', { oneOf: [card, cash] }, { oneOf: [card] }, breaking],
  ['a request gets an alternative beside a default', { anyOf: [card, empty], default: null },
    { anyOf: [card, cash, empty], default: null }, added],
  ['a request gets alternatives beside a default', { ...card, default: null },
    { oneOf: [card, cash], default: null }, added],
  ['alternatives of a request get a default', { oneOf: [card, cash] },
    { anyOf: [card, cash], default: { kind: 'cash' } }, breaking],
  ['alternatives of a request that are read-only get a property', { oneOf: [card, cash], readOnly: true },
    { oneOf: [card, { ...cash, properties: { ...cash.properties as Part, a: text } }], readOnly: true }, added],
  ['a request gets an alternative that overlaps with another', { oneOf: [plain] },
    { oneOf: [plain, object({ b: text })] }, both],
  ['a request gets a condition', plain, open({ if: required, then: { required: ['b'] } }), breaking],
  ['a property of a request is for writing only', plain, object({ a: { ...text, writeOnly: true } }), nothing],
  ['a property of a request is for reading only', plain, object({ a: { ...text, readOnly: true } }), breaking],
  ['the loss of alternatives beside a rule', { ...parts, type: 'object' }, { type: 'object' }, added],
  ['a schema that allows nothing any more', text, false, breaking],
  ['lists and objects as values', { enum: [[1], { b: 1, a: [] }] }, { enum: [[1], { a: [], b: 1 }, 1.5] }, added],
  ['many values', { enum: [1, 2, 3, 4, 5, 6, 7] }, whole, added],
  ['values where there were rules', { ...text, maxLength: 3 }, { enum: ['a'] }, both],
  ['values of another type', { enum: ['a'] }, whole, both],
  ['a property that is no longer read-only', open({ properties: { a: { readOnly: true } } }), plain, breaking],
  ['a property that is required without a schema', { type: 'object' }, { type: 'object', required: ['a'] }, breaking],
  ['a property next to patterns', open({ patternProperties: { a: text } }),
    open({ patternProperties: { a: text }, properties: { a: text, b: text } }), breaking],
  ['a rule that is the same', { ...text, not: { $ref: '#/info' } }, { ...text, not: { $ref: '#/info' }, title: 'a' },
    nothing],
  ['two bounds, one of them weaker', { allOf: [{ ...text, maxLength: 5 }, { maxLength: 3 }] },
    { ...text, maxLength: 3 }, nothing],
  ['the values of two enums', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, { enum: ['b'] }, nothing],
  ['null in an enum', { enum: [null, 'a'] }, { type: ['null', 'string'], enum: ['a', null] }, nothing],
  ['one of two values', { oneOf: [{ const: 'a' }, { const: 'b' }] }, { enum: ['a', 'b'] }, []],
  ['a nullable schema without a type', { nullable: true }, {}, breaking],
  ['a property is described in another part of allOf', { allOf: [base, other] }, { allOf: [base, more] }, breaking],
  ['a property is described beside oneOf', { oneOf: [base, text] }, { oneOf: [base, text], properties: { a: whole } },
    both],
  ['a property is described beside an alternative that allows nothing',
    { anyOf: [object({ b: text }), { allOf: [bare, text] }] }, { anyOf: [more, { allOf: [bare, text] }] }, breaking],
  ['a property is described beside not', { not: object({ a: whole }) },
    { not: object({ a: whole }), properties: { a: whole } }, breaking],
  ['a property is described beside a rule that requires it', { required: ['a'] },
    { required: ['a'], properties: { a: whole } }, breaking],
  ['a property is described beside values', { enum: [{ a: '' }] }, { enum: [{ a: '' }], properties: { a: whole } },
    breaking],
  ['a property is described beside other properties', { allOf: [other, object({}, { additionalProperties: text })] },
    { allOf: [more, object({}, { additionalProperties: text })] }, both],
  ['a property is described in a part of a member', { allOf: [{ items: base }, { items: other }] },
    { allOf: [{ items: base }, { items: more }] }, breaking],
  ['a property is described in a part of a member by position',
    { allOf: [{ items: other }, { anyOf: [{ items: [base] }, text] }] },
    { allOf: [{ items: more }, { anyOf: [{ items: [base] }, text] }] }, breaking],
  ['a property is described in a part of other properties',
    { allOf: [object({ x: base }), { additionalProperties: other }] },
    { allOf: [object({ x: base }), { additionalProperties: more }] }, both],
  ['a property is described and nothing else describes it', { allOf: [base, other] },
    { allOf: [base, object({ b: text, c: whole })] }, added],
  ['a property is described and the schema was closed', { anyOf: [base, { ...other, ...closed }] },
    { anyOf: [base, { ...more, ...closed }] }, added],
  // Not a keyword of OpenAPI 3, so it holds data.
  ['other dependencies', { dependencies: { a: ['b'] } }, { dependencies: { a: ['c'] } }, breaking]
]

/** Schemas of a response. */
const responses: Row<Part>[] = [
  ['a response is no longer null', object({ a: { type: ['string', 'null'] } }), plain, added],
  ['a response has another type', plain, object({ a: list }), breaking],
  ['a value of an enum of a response is added', object({ a: { enum: ['a'] } }), object({ a: { enum: ['a', 'b'] } }),
    breaking],
  ['a value of an enum of a response is removed', object({ a: { enum: ['a', 'b'] } }), object({ a: { enum: ['a'] } }),
    added],
  ['an enum of a response is any text now', { ...text, enum: ['a'] }, text, breaking],
  ['a property of a response is for reading only', plain, object({ a: { ...text, readOnly: true } }), nothing],
  ['a property of a response is for writing only', plain, object({ a: { ...text, writeOnly: true } }), breaking],
  ['a response has another default', object({ a: { ...text, default: 'a' } }), plain, nothing],
  ['a response gets an alternative', { oneOf: [card] }, { oneOf: [card, cash] }, breaking],
  ['a response loses an alternative', { oneOf: [card, cash] }, { oneOf: [card] }, added],
  ['alternatives of a response lose a default', { oneOf: [card, cash], default: null },
    { anyOf: [cash, card] }, nothing],
  ['a response may have other properties', object({}, closed), bare, breaking],
  ['a response has no other properties', bare, object({}, closed), added],
  ['a property of a response is described in a closed one', { anyOf: [base, { ...other, ...closed }] },
    { anyOf: [base, { ...more, ...closed }] }, breaking]
]

const ranges = ['*/*', 'application/*', 'application/json'].flatMap((range): Row<Part>[] => {
  const [before, more] = [{ [range]: { schema: text } }, 'application/json;a=b']
  return [
    [`a media type that ${range} described has another schema`, taking(before),
      taking({ ...before, [more]: { schema: whole } }), breaking],
    [`a media type that ${range} described has the same schema`, taking(before),
      taking({ ...before, [more]: { schema: text } }), nothing]
  ]
})

const operations: Row<Part>[] = [
  ...ranges,
  ['a request of any type of JSON', taking({ 'application/json': { schema: text } }),
    taking({ 'application/*': { schema: text } }), added],
  ['a request of any type, of another schema', taking({ 'application/json': { schema: text } }),
    taking({ '*/*': { schema: whole } }), both],
  ['a response of any type', { responses: { 200: { content: { 'application/json': {} } } } },
    { responses: { 200: { content: { '*/*': {} } } } }, both],
  ['a query of another name', { parameters: [{ in: 'querystring', name: 'a', content: { 'a/b': { schema: plain } } }] },
    { parameters: [{ in: 'querystring', name: 'b', content: { 'a/b': { schema: plain } } }] }, nothing],
  ['a callback changes', { callbacks: { done: { '{$url}': { post: ok } } } },
    { callbacks: { done: { '{$url}': { put: ok } } } }, breaking],
  ['a media type of a request is added', taking({ 'text/csv': {} }), taking({ 'text/csv': {}, 'text/plain': {} }),
    added],
  ['a status of success is removed', { responses: { 200: {}, 201: {} } }, { responses: { 200: {} } }, breaking],
  ['a status of success is added', { responses: { 200: {} } }, { responses: { 200: {}, 202: {} } }, breaking],
  ['a status of an error is removed', { responses: { 200: {}, 409: {} } }, { responses: { 200: {} } }, added],
  ['a status of an error is added', { responses: { 200: {} } }, { responses: { 200: {}, 409: {} } }, added],
  ['a version that is no longer deprecated and still has links', sending({ Deprecation: {} }), sending({ Link: {} }),
    nothing],
  ['a response reports versions', sending({}), sending({ 'API-Supported-Versions': { schema: text } }), nothing],
  ['a response reports no versions any more', sending({ 'api-supported-versions': { schema: text } }), sending({}),
    nothing],
  ['the encoding of a part', taking({ 'a/b': { encoding: { a: { style: 'form' } } } }), taking({ 'a/b': {} }),
    breaking],
  ['a header that is always sent', sending({ A: { schema: text } }), sending({ a: { schema: text, required: true } }),
    added],
  ['a parameter that specifies the version is removed', specifying('header', 'A'), {}, breaking],
  ['a parameter that specifies the version moves', specifying('header', 'A'), specifying('query', 'A'), both],
  ['a parameter that specifies the version gets another name', specifying('header', 'A'), specifying('header', 'B'),
    both],
  ['a parameter that specifies the version is required', specifying('header', 'A'),
    specifying('header', 'A', { required: true }), breaking],
  ['a required parameter whose only value is the version is added', {}, specifying('query', 'plan', { required: true }),
    breaking],
  ['the parameter of a media type that specifies the version gets another name',
    taking({ 'a/b; version=v1': {} }), taking({ 'a/b; v=v1': {} }), both],
  ['a media type without a schema becomes another one', taking({ 'a/b; version=v1': {} }),
    taking({ 'a/c; version=v1': {} }), both],
  ['a status of success is added of which nothing is known', { responses: { 200: {} } },
    { responses: { 200: {}, 202: { content: { 'a/b; version=v1': {} } } } }, breaking],
  ['a status of success is removed of which nothing is known',
    { responses: { 200: {}, 202: { content: { 'a/b; version=v1': {} } } } }, { responses: { 200: {} } }, breaking],
  ['a server of one operation', { servers: [{ url: 'https://a.example.com/v1/' }] },
    { servers: [{ url: 'https://b.example.com/v1' }] }, breaking],
  ['a range of statuses', { responses: { 200: {}, '4XX': {} } }, { responses: { 200: {}, 400: {} } }, added],
  ['the loss of the default status', { responses: { 200: {}, default: {} } }, {}, breaking],
  ['a path parameter that does not say that it is required', { parameters: [{ in: 'path', name: 'id', schema: text }] },
    { parameters: [{ in: 'path', name: 'id', schema: text, required: true }] }, nothing],
  ['a success that only the default response covers now', { responses: { 200: {}, default: {} } },
    { responses: { default: {} } }, breaking]
]

/** Documents of two versions, whose paths have them. */
const versions = (before: string, after: string, toOperation = (_name: string): Part => ok): [Part, Part] => {
  const of = (name: string) => ({
    ...doc({}),
    info: { 'x-api-version': name },
    paths: { [`/${encodeURIComponent(name)}/a`]: { get: toOperation(name) } }
  })
  return [of(before), of(after)]
}
const documents: Row<Part>[] = [
  ['a rule is added beside a reference in OpenAPI 3.0, where it does not count', answer(base, earlier),
    answer({ ...base, maxProperties: 1 }, earlier), nothing],
  ['a rule is added beside a reference in OpenAPI 3.1', answer(base), answer({ ...base, maxProperties: 1 }), added],
  ['an operation is removed', doc({}), paths({}), breaking],
  ['a method is added', paths({ '/a': { get: ok } }), paths({ '/a': { get: ok, put: ok } }), added],
  ['a path parameter gets another name', paths({ '/a/{id}': { get: ok } }), paths({ '/a/{key}': { get: ok } }),
    nothing],
  ['a webhook is added', doc({}), { ...doc({}), webhooks: { done: { post: ok } } }, added],
  ['an optional parameter is added', doc({}), parameter({}), added],
  ['a required parameter is added', doc({}), parameter({ required: true }), breaking],
  ['a parameter is removed', parameter({}), doc({}), breaking],
  ['a parameter is required', parameter({}), parameter({ required: true }), breaking],
  ['a parameter moves to a header', parameter({}), parameter({ in: 'header' }), both],
  ['a header parameter is written in other letters', parameter({ in: 'header', name: 'X-Page' }),
    parameter({ in: 'header', name: 'x-page' }), nothing],
  ['a parameter has another default', parameter({ schema: { ...text, default: 'a' } }),
    parameter({ schema: { ...text, default: 'b' } }), breaking],
  ['a parameter is written in another style', parameter({ schema: list }), parameter({ schema: list, explode: false }),
    breaking],
  ['a parameter stands for all operations of the path', parameter({}),
    paths({ '/bookings': { parameters: [{ in: 'query', name: 'page', schema: text }], post: ok } }), nothing],
  ['an optional request body is added', doc({}), body(text), added],
  ['a request body is removed', body(text), doc({}), breaking],
  ['a response header is removed', header({}), header(null), breaking],
  ['links are removed', doc(sending({ Link: {} })), doc(sending({})), breaking],
  ['an operation needs a key', doc({}, schemes), secured({ key: [] }), breaking],
  ['every operation needs a key', doc({}, schemes), doc({}, { ...schemes, security: [{ key: [] }] }), breaking],
  ['an operation takes a token as well', secured({ key: [] }), secured({ key: [] }, { token: [] }), added],
  ['an operation needs one scope more', secured({ oauth: ['a'] }), secured({ oauth: ['a', 'b'] }), breaking],
  ['an operation needs one scope less', secured({ oauth: ['a', 'b'] }), secured({ oauth: ['a'] }), added],
  ['scopes have other texts', scoped({ a: 'Reads' }), scoped({ a: 'Reads bookings', b: 'Writes' }), nothing],
  ['a scheme of security gets another name', secured({ token: [] }),
    doc({ security: [{ b: [] }] }, { components: { securitySchemes: { b: { type: 'http', scheme: 'Bearer' } } } }),
    nothing],
  ['a schema that contains itself gets a property', answer(tree, components({ Tree: object({ next: tree }) })),
    answer(tree, components({ Tree: object({ name: text, next: tree }) })), added],
  ['the host of the server', servedAt('https://a.example.com/v1/'), servedAt('//b.example.com/v1'), nothing],
  ['the path of the server', doc({}, { servers: [{}] }), servedAt('/b'), breaking],
  ['a path of another server', servedAt('/a'), doc({}, { servers: [{ url: '/b' }, { url: '/a' }] }), added],
  ['a path of a server is removed', doc({}, { servers: [{ url: '/b' }, { url: '/a' }] }), servedAt('/a'), breaking],
  ['a variable of the server has another default', servedAt('/{a}', { a: { default: 'b' } }),
    servedAt('/{a}', { a: { default: 'c' } }), breaking],
  ['a variable of the server has other values', servedAt('/{a}', { a: { default: 'b', enum: ['b', 'c'] } }),
    servedAt('/{a}', { a: { default: 'b', enum: ['b', 'd'] } }), breaking],
  ['a variable in the host of the server has other values',
    servedAt('https://{a}.example/', { a: { default: 'b', enum: ['b', 'c'] } }),
    servedAt('https://{a}.example/', { a: { default: 'c', enum: ['c', 'd'] } }), nothing],
  ['two paths that only differ in names', doc({}, { paths: { '/{a}': { get: ok }, '/{b}': { get: ok } } }),
    doc({}, { paths: { '/{a}': { get: ok } } }), breaking],
  ['a callback that is the same', doc({ callbacks: { a: { b: { post: ok } } } }),
    doc({ callbacks: { a: { b: { post: { ...ok, summary: 'a' } } } } }), nothing],
  ['a parameter with the version, where only one document says its version',
    doc({ parameters: [{ in: 'query', name: 'v', schema: { ...text, enum: ['v1'] } }] }),
    doc({ parameters: [{ in: 'query', name: 'v', schema: { ...text, enum: ['v1'] } }] }, { info: {} }), nothing],
  ['a property of a webhook is added', hook(taking({ 'a/b': { schema: plain } })),
    hook(taking({ 'a/b': { schema: object({ a: text, b: text }) } })), added],
  ['a property of a webhook is removed', hook(taking({ 'a/b': { schema: plain } })),
    hook(taking({ 'a/b': { schema: object({}) } })), breaking],
  ['a property of a webhook with PUT is added', hook(taking({ 'a/b': { schema: plain } }), 'put'),
    hook(taking({ 'a/b': { schema: object({ a: text, b: text }) } }), 'put'), added],
  ['a property of a callback with PUT is removed', calling(taking({ 'a/b': { schema: more } })),
    calling(taking({ 'a/b': { schema: other } })), breaking],
  ['a property of a callback with PUT is added', calling(taking({ 'a/b': { schema: other } })),
    calling(taking({ 'a/b': { schema: more } })), added],
  ['a webhook without a body comes by another method, too', hook({}),
    { ...doc({}), webhooks: { made: { post: {}, put: {} } } }, breaking],
  ['a path has a version that is encoded', ...versions('beta 1', 'beta/2'), nothing],
  ['a value happens to be one of the versions', ...versions('2', '1', (name) => (
    { parameters: [{ in: 'query', name: 'a', schema: { enum: ['1'] } }], responses: { [`40${name}`]: {} } }
  )), added],
  ['a media type of a webhook is added', hook(taking({ 'a/b': { schema: plain } })),
    hook(taking({ 'a/b': { schema: plain }, 'a/c': { schema: plain } })), breaking],
  ['a parameter of a webhook is added', hook(ok), hook({ ...ok, ...specifying('query', 'a') }), breaking]
]

/** The same change, in documents. */
function inside <Value> (toDocument: (value: Value) => Part) {
  return ([name, before, after, kinds]: Row<Value>): Row<Part> => [name, toDocument(before), toDocument(after), kinds]
}

for (const [name, before, after, expected] of [
  ...requests.map(inside(body)), ...responses.map(inside(answer)), ...operations.map(inside(doc)), ...documents
]) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} if ${name}`, async (t) => {
    const differences = compare(before, after)
    t.same(both.filter((kind) => differences.some((one) => one.kind === kind)), expected, JSON.stringify(differences))
    for (const { at, message } of differences) {
      t.match(at, /^#\/(?:paths|webhooks|servers)/)
      t.match(message, /^(?:[A-Z]+ \/|webhook "|servers ).*[^.]$/)
    }
    t.same(compare(before, before), [], 'a document does not differ from itself')
  })
}

const tagged = (kind: string, properties: Part = {}, others: Part = {}) => (
  object({ kind: { const: kind }, ...properties }, { required: ['kind'], ...others })
)

t.test('a new property of one alternative is an addition if a property tells the alternatives apart', async (t) => {
  const messages = (before: Part, after: Part) => compare(before, after).map(({ kind, message }) => (
    `${kind}: ${message.replace(/.* {2}/, '')}`
  ))
  const either = (others: Part, properties?: Part) => (
    { oneOf: [tagged('a', properties, others), tagged('b', {}, others)] }
  )
  for (const others of [{}, closed]) {
    const [before, after] = [either(others), either(others, { n: text })]
    t.strictSame(messages(body(before), body(after)), ['added: body: "n" is new'])
    t.strictSame(messages(answer(before), answer(after)), ['added: response 200: "n" is new'])
  }
  const overlapping = (properties?: Part) => ({ anyOf: [tagged('a', properties), object({ a: text })] })
  t.strictSame(messages(body(overlapping()), body(overlapping({ n: text }))), [
    'breaking: body: "n" has to match one more schema now'
  ])
})

t.test('alternatives are compared with the same ones, then by name, then with others', async (t) => {
  const schemas = { A: object({ a: text }), B: object({ a: text, b: text }), C: object({ c: text }) }
  const make = (names: string[], others: Part = {}) => body(
    { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) }, components({ ...schemas, ...others })
  )
  t.strictSame(compare(make(['A', 'B', 'C']), make(['C', 'A', 'B'])), [])
  t.match(compare(make(['A', 'B', 'C']), make(['C', 'A', 'B'], { B: object({ a: text, b: whole }) })), [
    { kind: 'breaking', message: 'POST /bookings  body: "b" is integer now, was string' }
  ])
  t.strictSame(compare(make(['A', 'C']), make(['D', 'A', 'C'], { D: object({ a: text }) })), [])
})

t.test('alternatives are compared by the name of their reference', async (t) => {
  const make = (type: string) => ({
    ...body({ anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }),
    components: { schemas: { A: open({ properties: { a: { type } } }), B: plain } }
  })
  t.match(compare(make('integer'), make('string')), [
    { kind: 'breaking', message: 'POST /bookings  body: "a" is string now, was integer' }
  ])
})
