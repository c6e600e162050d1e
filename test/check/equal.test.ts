import t from 'tap'

import { compare } from '../../src/check/index.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const responses = { 200: { description: 'ok' } }
const schemas = {
  Room: { type: 'object', required: ['beds'], properties: { beds: whole } },
  Any: true,
  Kind: { type: 'string', enum: ['a', 'b'] },
  Lists: { type: 'array', items: { $ref: '#/components/schemas/Lists' } },
  Suite: { type: 'object', properties: { rooms: { type: 'array', items: { $ref: '#/components/schemas/Room' } } } }
}
const Room = { $ref: '#/components/schemas/Room' }
const Suite = { type: 'object', required: ['rooms'], properties: { beds: { type: 'string' } } }
const tagged = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: kind } } })
const documentOf = (item: object, openapi = '3.1.0', others: object = {}) => ({
  openapi, paths: { '/a': { get: { responses, ...item } } }, components: { schemas }, ...others
})
const answering = (schema: unknown, openapi?: string) => (
  documentOf({ responses: { 200: { content: { 'application/json': { schema } } } } }, openapi)
)
const asking = (schema: unknown, openapi?: string) => (
  documentOf({ requestBody: { content: { 'application/json': { schema } } } }, openapi)
)

/** Schemas that mean the same. */
const SCHEMAS: [what: string, ...schemas: unknown[]][] = [
  ['one type', { type: 'string' }, { type: ['string'] }, { anyOf: [text] }, { oneOf: [text] }, { allOf: [text] }],
  ['types in any order', { type: ['string', 'null'] }, { type: ['null', 'string', 'null'] },
    { type: 'string', nullable: true }, { anyOf: [text, { type: 'null' }] }, { oneOf: [{ type: 'null' }, text] },
    { anyOf: [{ const: null }, text] }, { anyOf: [text, { enum: [null] }] },
    { anyOf: [{ anyOf: [text] }, { type: 'null' }] }],
  ['whole numbers', whole, { ...whole, multipleOf: 1 }, { type: 'number', multipleOf: 1 },
    { ...whole, multipleOf: 0.5 }],
  ['whole numbers or null', { type: ['integer', 'null'], multipleOf: 2 }, { type: ['null', 'number'], multipleOf: 2 }],
  ['alternatives that may be null', { anyOf: [Room, { type: ['string', 'null'] }] },
    { anyOf: [{ type: 'null' }, Room, text] }, { oneOf: [{ ...text, nullable: true }, Room] },
    { anyOf: [{ anyOf: [Room, { type: 'null' }] }, { ...text, nullable: true }] },
    { anyOf: [Room, { type: ['string', 'null'] }, Room, Room] }],
  ['the type of all alternatives', { oneOf: [Room, Suite] }, { type: 'object', oneOf: [Room, Suite] }],
  ['numbers', { type: 'number' }, { type: ['number', 'integer'] }, { type: ['integer', 'number'] }],
  ['all types', {}, true, { type: ['null', 'boolean', 'number', 'string', 'array', 'object'] }, { anyOf: [text, {}] },
    { not: false }],
  ['one value', { const: 'a' }, { enum: ['a'] }, { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] },
    { enum: ['a', 'a'] }, { const: 'a', enum: ['b', 'a'] }],
  ['values', { enum: ['a', 1, null] }, { enum: [null, 'a', 1] },
    { anyOf: [{ const: 'a' }, { const: 1 }, { const: null }] },
    { oneOf: [{ enum: ['a'] }, { enum: [null, 1] }] }, { anyOf: [{ enum: ['a', 1] }, { type: 'null' }] },
    { type: ['string', 'integer', 'null'], enum: ['a', 1, null] }],
  ['booleans', { type: 'boolean' }, { enum: [true, false] }, { anyOf: [{ const: true }, { const: false }] }],
  ['a value or a boolean', { enum: [1, true, false] }, { anyOf: [{ const: 1 }, { type: 'boolean' }] }],
  ['values of a type', { enum: ['a'] }, { type: 'string', enum: ['a', 1] }],
  ['alternatives by type', { type: ['string', 'integer'], minLength: 1, minimum: 3 },
    { anyOf: [{ type: 'string', minLength: 1 }, { type: 'integer', minimum: 3 }] },
    { oneOf: [{ type: 'integer', minimum: 3 }, { type: 'string', minLength: 1 }] }],
  ['a schema or null', { anyOf: [Room, { type: 'null' }] }, { oneOf: [{ type: 'null' }, Room] },
    { ...schemas.Room, type: ['object', 'null'] }, { ...schemas.Room, nullable: true }],
  ['a schema or another type', { oneOf: [whole, Room] }, { anyOf: [Room, whole] },
    { oneOf: [whole, schemas.Room] }, { ...schemas.Room, type: ['integer', 'object'] },
    { allOf: [{ oneOf: [{ allOf: [whole] }, { allOf: [Room] }] }] }],
  ['values with a note, or null', { enum: ['a', null], default: 'a' },
    { anyOf: [{ type: 'string', const: 'a', default: 'a' }, { type: 'null' }] },
    { oneOf: [{ type: 'null' }, { enum: ['a'], default: 'a' }] }],
  ['exclusive bounds', { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 5 },
    { type: 'number', minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    { type: 'number', exclusiveMinimum: 3, minimum: 2, exclusiveMaximum: 5, maximum: 5 }],
  ['a bound above an exclusive one', { type: 'number', minimum: 4 },
    { type: 'number', minimum: 4, exclusiveMinimum: 3 }],
  ['a note beside alternatives', { ...text, format: 'date' }, { format: 'date', anyOf: [text] },
    { format: 'date', oneOf: [{ ...text, format: 'date' }] }],
  ['bounds of integers', { type: 'integer', minimum: 4, maximum: 4 },
    { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 }, { type: 'integer', minimum: 3.5, maximum: 4.5 },
    { type: 'integer', minimum: 1, exclusiveMinimum: 3, maximum: 9, exclusiveMaximum: 5 }],
  ['no bound', { type: 'number' }, { type: 'number', exclusiveMinimum: true },
    { type: 'number', exclusiveMaximum: false }],
  ['a text', text, {
    ...text, minLength: 0, pattern: '', nullable: false, readOnly: false, writeOnly: false, deprecated: false
  }, { ...text, minimum: 3, properties: { a: {} }, items: text }],
  ['a text of which some values are named', text, { anyOf: [text, { enum: ['a', 'b'] }] },
    { anyOf: [{ type: 'string', enum: ['b'] }, text] }, { anyOf: [{ const: 'a' }, text, { const: 'b' }] },
    { anyOf: [{ $ref: '#/components/schemas/Kind' }, text] }],
  ['a number or a room, of which some values are named', { anyOf: [{ type: 'number' }, Room] },
    { anyOf: [{ enum: [1, 1.5] }, Room, { type: 'number' }] }],
  ['a record', { type: 'object', additionalProperties: text }, { type: 'object', patternProperties: { '^.*$': text } },
    { type: 'object', properties: {}, patternProperties: { '^(.*)$': text }, additionalProperties: false }],
  ['a list', { type: 'array', items: text },
    { type: 'array', items: text, minItems: 0, uniqueItems: false, prefixItems: [] }],
  ['an open list', { type: 'array' }, { type: 'array', items: {} }, { type: 'array', items: true }],
  ['a list that contains something', { type: 'array', contains: text },
    { type: 'array', contains: text, minContains: 1 }],
  ['a list that may contain something', { type: 'array' }, { type: 'array', contains: text, minContains: 0 }],
  ['nothing', false, { not: {} }, { enum: [] }, { type: 'string', minLength: 1, not: { allOf: [true] } },
    { anyOf: [false] }],
  ['an encoded text', { ...text, contentEncoding: 'base64' },
    { ...text, contentEncoding: 'base64', contentSchema: {} }],
  ['alternatives with several types', { anyOf: [Room, Suite, text, whole] },
    { anyOf: [Room, { anyOf: [whole, text] }, Suite] }, { anyOf: [{ type: ['string', 'integer'] }, Suite, Room] }],
  ['a list that contains nothing in particular', { type: 'array' }, { type: 'array', minContains: 2, maxContains: 3 }],
  ['an object', { type: 'object', properties: { a: text } }, {
    type: 'object',
    properties: { a: text },
    required: [],
    minProperties: 0,
    additionalProperties: {},
    patternProperties: {},
    propertyNames: true,
    dependentRequired: {},
    dependentSchemas: {},
    allOf: []
  }, { type: 'object', properties: { a: text }, additionalProperties: true, allOf: [{}] },
  { allOf: [{ type: 'object' }, { properties: { a: text } }] }],
  ['required names', { type: 'object', required: ['a', 'b'] }, { type: 'object', required: ['b', 'a', 'b'] }],
  ['a condition without consequences', text, { ...text, if: { minLength: 3 } },
    { ...text, if: {}, then: {}, else: true }, { ...text, then: { minLength: 3 } }],
  ['alternatives in a rule that cannot be compared', { patternProperties: { a: { anyOf: [Room, Suite] } } },
    { patternProperties: { a: { anyOf: [{ allOf: [Room] }, Room, { anyOf: [Room] }, { allOf: [Suite] }] } } },
    { patternProperties: { a: { oneOf: [{ anyOf: [{ allOf: [Room, { oneOf: [Room] }] }, Suite] }] } } }],
  ['one alternative in a rule that cannot be compared', { contains: Room },
    { contains: { anyOf: [{ allOf: [Room] }, { allOf: [Room] }] } },
    { contains: { allOf: [Room, { oneOf: [Room] }] } }],
  ['alternatives that are the same inside', { contains: Suite },
    { contains: { anyOf: [Suite, { ...Suite, properties: { beds: { oneOf: [{ anyOf: [text, text] }] } } }] } }],
  ['alternatives in any order', { anyOf: [Room, Suite] }, { anyOf: [Suite, Room] }, { anyOf: [Suite, Room, Suite] }],
  ['unnamed alternatives in any order', { anyOf: [schemas.Room, Suite] }, { anyOf: [Suite, schemas.Room] }],
  ['alternatives beside a rule in any order', { maxProperties: 2, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { maxProperties: 2, anyOf: [{ required: ['b'] }, { required: ['a'] }] }],
  ['exclusive alternatives in any order', { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { oneOf: [{ required: ['b'] }, { required: ['a'] }] }],
  ...['not', 'contains', 'propertyNames'].map((name): [string, ...unknown[]] => (
    [`the order of alternatives in ${name}`, { [name]: { anyOf: [Room, Suite] } }, { [name]: { anyOf: [Suite, Room] } }]
  )),
  ['the order of alternatives in patternProperties', { patternProperties: { a: { oneOf: [Room, Suite] } } },
    { patternProperties: { a: { oneOf: [Suite, Room] } } }],
  ['the order of alternatives that are open in not', { not: { anyOf: [schemas.Room, Suite] } },
    { not: { anyOf: [Suite, { ...schemas.Room, additionalProperties: true }] } }],
  ['parts of other names', { not: { allOf: [Room, { minProperties: 1 }] } },
    { not: { allOf: [{ minProperties: 1 }, Room, schemas.Room] } }],
  ['names that depend on another one', { dependentRequired: { a: ['b', 'c'] } },
    { dependentRequired: { a: ['c', 'b', 'c'], d: [] } }],
  ['nothing that depends on another name', { type: 'object' }, {
    type: 'object',
    dependentRequired: { a: [] },
    propertyNames: text
  }],
  ['a pattern for all', { patternProperties: { '^a': {} } }, { patternProperties: { '^a': { allOf: [{}] } } }],
  ['patterns that say nothing', { type: 'object' }, { type: 'object', patternProperties: { '^a': {}, '^b': true } },
    { type: 'object', additionalProperties: {}, patternProperties: { '^a': { minLength: 0 } } }],
  ['a pattern beside one that says nothing', { patternProperties: { '^a': text } },
    { patternProperties: { '^a': text, '^b': true } }],
  ['names on which nothing depends', { type: 'object' }, { type: 'object', dependentSchemas: { a: {}, b: true } }],
  ['a name on which something depends', { dependentSchemas: { a: { required: ['b'] } } },
    { dependentSchemas: { a: { required: ['b'] }, b: {} } }],
  ['a closed object', { type: 'object', patternProperties: { '^a': {} }, additionalProperties: false },
    { type: 'object', patternProperties: { '^a': true }, additionalProperties: { not: {} } }],
  ['a list without a tuple', { type: 'array', items: text }, { type: 'array', items: text, additionalItems: false }],
  ['a tuple', { type: 'array', items: [text] }, { type: 'array', items: [text], additionalItems: {} }],
  ['a tuple without more', { type: 'array', items: [text], additionalItems: false },
    { type: 'array', items: [{ ...text, minLength: 0 }], additionalItems: { not: {} } }],
  ['alternatives in one another', { anyOf: [tagged('a'), tagged('b'), { type: 'null' }] },
    { anyOf: [{ oneOf: [tagged('a'), tagged('b')] }, { type: 'null' }] },
    { oneOf: [{ type: 'null' }, { oneOf: [tagged('b'), tagged('a')] }] }],
  ['an object that another alternative includes', { anyOf: [Suite, { type: 'object', properties: { a: text } }] },
    {
      anyOf: [{ type: 'object', properties: { a: text }, required: ['a'] }, Suite,
        { type: 'object', properties: { a: { ...text, minLength: 0 } } },
        { type: 'object', properties: { a: { anyOf: [text] } }, minProperties: 3 }]
    }],
  ['a number that may be whole', { type: 'number' }, { anyOf: [whole, { type: 'number' }] }],
  ['a number that may be whole, or something else', { anyOf: [{ type: 'number' }, Room, Suite] },
    { anyOf: [whole, Suite, { type: 'number' }, Room] }],
  ['texts of some length', { ...text, minLength: 2 },
    { anyOf: [{ ...text, minLength: 5, format: 'date' }, { ...text, minLength: 2 }] }],
  ['all but nothing', {}, { not: { not: {} } }],
  ['a reference', Room, { allOf: [Room] }, { anyOf: [Room] }, schemas.Room, { ...Room, description: 'A room' }]
]

for (const [what, ...schemas] of SCHEMAS) {
  t.test(`${what} is the same, however it is written`, async (t) => {
    for (const [i, before] of schemas.entries()) {
      for (const after of schemas.slice(i + 1)) {
        for (const make of [answering, asking]) {
          t.strictSame(compare(make(before), make(after)), [], JSON.stringify([before, after]))
          t.strictSame(compare(make(after), make(before)), [], JSON.stringify([after, before]))
        }
      }
    }
  })
}

const query = { in: 'query', name: 'tags', schema: { type: 'array', items: text } }
const parameter = (one: object) => documentOf({ parameters: [one] })
const header = (one: object) => documentOf({ responses: { 200: { headers: { 'X-A': one } } } })
const fields = {
  a: text,
  b: { type: 'array', items: {} },
  c: Room,
  d: { enum: [1] },
  e: { type: 'array', items: whole },
  f: { type: 'string', format: 'binary' },
  g: {},
  h: { type: 'string', contentEncoding: 'base64' },
  i: { type: ['object', 'null'] },
  j: { $ref: '#/components/schemas/Lists' },
  k: { allOf: [text, { maxLength: 3 }] }
}
const form = (encoding: unknown) => documentOf({
  requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: fields }, encoding } } }
})

const keyed = (name: string) => documentOf({ security: [{ key: [] }] }, '3.1.0', {
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } }
})

/** Documents that mean the same. */
const DOCUMENTS: [what: string, ...documents: object[]][] = [
  ['a query parameter', parameter(query), parameter({ ...query, style: 'form' }),
    parameter({ ...query, explode: true }),
    parameter({ ...query, required: false, allowEmptyValue: false, allowReserved: false, deprecated: false })],
  ['a cookie parameter', parameter({ ...query, in: 'cookie' }),
    parameter({ ...query, in: 'cookie', style: 'form', explode: true })],
  ['a single value', parameter({ ...query, schema: text }), parameter({ ...query, schema: text, explode: false })],
  ['a single value that has several rules', ...[true, false].map((explode) => (
    parameter({ ...query, schema: { allOf: [text, { maxLength: 3 }] }, explode })
  ))],
  ['one of some values', parameter({ ...query, schema: { enum: ['a', 1] } }),
    parameter({ ...query, schema: { enum: [1, 'a'] }, explode: false })],
  ['a class of statuses', documentOf({ responses: { '2XX': {}, '4xx': {} } }),
    documentOf({ responses: { '2xx': {}, '4XX': {} } })],
  ['an object in the query', parameter({ ...query, style: 'deepObject', schema: Room }),
    parameter({ ...query, style: 'deepObject', explode: true, schema: Room }),
    parameter({ ...query, style: 'deepObject', explode: false, schema: Room })],
  ['a header parameter', parameter({ ...query, in: 'header' }),
    parameter({ ...query, in: 'header', style: 'simple', explode: false })],
  ['a parameter with another style', parameter({ ...query, style: 'spaceDelimited' }),
    parameter({ ...query, style: 'spaceDelimited', explode: false })],
  ['a parameter without a schema', parameter({ ...query, schema: undefined }), parameter({ ...query, schema: {} })],
  ['a header of a response', header({ schema: text }),
    header({ schema: text, style: 'simple', explode: false, required: false })],
  ['a body', asking(text),
    documentOf({ requestBody: { required: false, content: { 'application/json': { schema: text } } } })],
  ['a form', form(undefined), form({}), form({ a: {} }), form({
    a: { contentType: 'text/plain' },
    b: { contentType: 'application/octet-stream' },
    c: { contentType: 'application/json', headers: {} },
    d: { contentType: 'text/plain' },
    e: { contentType: 'text/plain' },
    f: { contentType: 'application/octet-stream' },
    g: { contentType: 'application/octet-stream' },
    h: { contentType: 'application/octet-stream' },
    i: { contentType: 'application/json' },
    j: { contentType: 'application/octet-stream' },
    k: { contentType: 'text/plain' }
  })],
  ['a form with a part of several types', form({ b: { contentType: 'image/png, image/jpeg' } }),
    form({ b: { contentType: 'image/jpeg,image/png' } })],
  ['a form with a style', form({ b: { style: 'form' } }), form({ b: { explode: true } }),
    form({ b: { style: 'form', explode: true, allowReserved: false } })],
  ['a media type', ...['a/b;c="d.1";e=f', 'A/B; e=f; c=d.1; charset="UTF-8"'].map((type) => documentOf({
    requestBody: { content: { [type]: { schema: text, prefixEncoding: [], itemEncoding: {} } } }
  })), documentOf({ requestBody: { content: { 'a/b;c=d.1;e=f': { schema: text } } } })],
  ['an operation', documentOf({}),
    documentOf({ parameters: [], callbacks: {}, deprecated: false, tags: [], servers: [] })],
  ['servers', documentOf({}), documentOf({}, '3.1.0', { servers: [] }),
    documentOf({}, '3.1.0', { servers: [{ url: '/' }] })],
  ['the servers of an operation', documentOf({ servers: [{ url: 'https://a.example' }] }),
    documentOf({ servers: [{ url: 'https://a.example/' }, { url: 'https://a.example' }] })],
  ['a server with variables', documentOf({}, '3.1.0', { servers: [{ url: '/a/b/{c}' }] }),
    documentOf({}, '3.1.0', {
      servers: [{ url: '/{a}/{b}/{c}', variables: { a: { default: 'a' }, b: { default: 'b', enum: ['b'] } } }]
    })],
  ['a server with a variable that has values',
    ...[['a', 'b'], ['b', 'a', 'b']].map((values) => documentOf({}, '3.1.0', {
      servers: [{ url: '/{a}', variables: { a: { default: 'a', enum: values } } }]
    }))],
  ['the servers of the document', documentOf({}, '3.1.0', { servers: [{ url: '/a' }] }),
    documentOf({ servers: [{ url: '/a' }] })],
  ['ways to authenticate', documentOf({ security: [{ a: [] }] }), documentOf({ security: [{ a: [] }, { a: [] }] })],
  ['a key in a header', keyed('X-Key'), keyed('x-key')],
  ['open properties that count for nothing', answering({ type: 'object' }),
    answering({ type: 'object', additionalProperties: {}, unevaluatedProperties: true })],
  ['no security', documentOf({}), documentOf({ security: [] }), documentOf({ security: [{}] }),
    documentOf({}, '3.1.0', { security: [] })],
  ['the security of the document', documentOf({}, '3.1.0', { security: [{ a: [], b: ['y', 'x'] }, { c: [] }] }),
    documentOf({ security: [{ c: [] }, { b: ['x', 'y', 'x'], a: [] }] }, '3.1.0', { security: [{ c: [] }] })],
  ['a reference to a schema that allows all', answering({ $ref: '#/components/schemas/Any' }), answering(true)],
  ['a callback and a webhook', ...[undefined, {}].map((headers) => {
    const lists = { parameters: headers && [], servers: headers && [], callbacks: headers }
    const item = { post: { ...lists, responses: { 200: { headers, content: headers } } } }
    return documentOf({ callbacks: { done: { '{$url}': item } } }, '3.1.0', { webhooks: { done: item } })
  })],
  ['a version of OpenAPI', documentOf({}, '3.0.3'), documentOf({}, '3.1.0'), documentOf({}, '3.2.0')]
]

for (const [what, ...documents] of DOCUMENTS) {
  t.test(`${what} is the same, with defaults and without`, async (t) => {
    for (const before of documents) {
      for (const after of documents) t.strictSame(compare(before, after), [], JSON.stringify([before, after]))
    }
  })
}

/** Schemas that do not mean the same, although they look like it. */
const OTHERS: [what: string, before: unknown, after: unknown][] = [
  ['exclusive alternatives that overlap', { oneOf: [{ enum: ['a'] }, { enum: ['a', 'b'] }] }, { enum: ['a', 'b'] }],
  ['a null that another keyword forbids', { oneOf: [{ type: 'null' }] }, { oneOf: [{ type: 'null', oneOf: [text] }] }],
  ['a null that a part forbids', { anyOf: [Room, { type: ['string', 'null'], allOf: [text] }] },
    { anyOf: [Room, text, { type: 'null' }] }],
  ['a null that two alternatives allow', { oneOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
    { type: ['string', 'null'] }],
  ['open properties where others are counted',
    { allOf: [{ type: 'object', additionalProperties: true }], unevaluatedProperties: false },
    { allOf: [{ type: 'object' }], unevaluatedProperties: false }],
  ['an exclusive alternative that stands there twice', { contains: { oneOf: [Room, Room] } }, { contains: Room }],
  ['a list that may contain some, but not many', { type: 'array' },
    { type: 'array', contains: text, minContains: 0, maxContains: 3 }],
  ['a text and a number', { const: '1' }, { const: 1 }],
  ['an exclusive alternative that allows all', { oneOf: [text, true] }, text],
  ['patterns where no other property is allowed',
    { type: 'object', patternProperties: { '^a': {} }, additionalProperties: false },
    { type: 'object', additionalProperties: false }],
  ['patterns where others are counted', { patternProperties: { '^a': {} }, unevaluatedProperties: false },
    { unevaluatedProperties: false }],
  ['values that look like alternatives', { const: { anyOf: [1, 2] } }, { const: { anyOf: [2, 1] } }],
  ['names that depend on others in a way that is malformed', { dependentRequired: { a: 'b' } },
    { dependentRequired: { a: ['b'] } }],
  ['a bound that is malformed', { type: 'number', minimum: '3', exclusiveMinimum: 3 },
    { type: 'number', exclusiveMinimum: 3 }],
  ['a bound of numbers', { type: 'number', exclusiveMinimum: 3 }, { type: 'number', minimum: 4 }]
]

for (const [what, before, after] of OTHERS) {
  t.test(`${what} differ`, async (t) => {
    t.ok(compare(answering(before), answering(after)).length > 0)
    t.ok(compare(asking(after), asking(before)).length > 0)
  })
}

t.test('a form differs if a part has a content type that is not the default, or headers', async (t) => {
  for (const part of [{ contentType: 'image/png' }, { headers: { 'X-Part': { schema: text } } }]) {
    const [before, after] = [form({ a: {} }), form({ a: part })]
    t.match(compare(before, after), [{ kind: 'breaking' }])
    t.match(compare(after, before), [{ kind: 'breaking' }])
  }
})

/** What the document of a version says only so that clients specify it, and what another one says. */
const madeUp = (version: string) => ({ content: { [`application/json; version=${version}`]: {} } })
const parameterOf = (name: string, version: string, required = true) => (
  { parameters: [{ in: 'header', name, required, schema: { const: version } }] }
)
const VERSIONS: [what: string, before: object, after: object][] = [
  ['content of a response without any', { responses: { 202: {} } }, { responses: { 202: madeUp('v2') } }],
  ['content of a status without any', { responses: { 204: {} } }, { responses: { 204: madeUp('v2') } }],
  ['a response of which nothing is known', { responses: { 200: {}, 204: madeUp('v1') } }, { responses: { 200: {} } }],
  ['a parameter of another name', parameterOf('API-Version', 'v1'), parameterOf('X-Version', 'v2')],
  ['a parameter that is optional', {}, parameterOf('API-Version', 'v2', false)]
]

for (const [what, before, after] of VERSIONS) {
  t.test(`${what} is the same if it only carries the version`, async (t) => {
    const [first, second] = [[before, 'v1'], [after, 'v2']].map(([item, version]) => (
      documentOf(item as object, '3.1.0', { info: { 'x-api-version': version } })
    )) as [object, object]
    t.strictSame([...compare(first, second), ...compare(second, first)], [])
  })
}

for (const status of [101, 204, 205, 304]) {
  t.test(`content of a response ${status} does not count, because such a response has none`, async (t) => {
    const [before, after] = [{ type: 'null' }, { type: 'object' }].map((schema) => (
      documentOf({ responses: { [status]: { content: { 'application/json': { schema } } } } })
    ))
    t.strictSame(compare(before, after), [])
    t.strictSame(compare(before, documentOf({ responses: { [status]: {} } })), [])
  })
}

t.test('content of a released version that only carries the version may go, but not come', (t) => {
  const [before, after, other] = [madeUp('v2'), {}, { content: { 'text/plain': {} } }].map((response) => (
    documentOf({ responses: { 200: response } }, '3.1.0', { info: { 'x-api-version': 'v2' } })
  )) as [object, object, object]
  const messagesOf = (...documents: [object, object]) => compare(...documents).map(({ message }) => message.slice(8))
  t.strictSame(messagesOf(before, after), [])
  t.strictSame(messagesOf(after, before), ['response 200: "application/json; version=v2" is new'])
  t.strictSame(messagesOf(before, other), [
    'response 200: "application/json; version=v2" was removed', 'response 200: "text/plain" is new'
  ])
  t.end()
})

t.test('a version that clients must send, and did not, is breaking', async (t) => {
  const make = (version: string, item: object) => documentOf(item, '3.1.0', { info: { 'x-api-version': version } })
  const differences = compare(make('v1', {}), make('v2', parameterOf('API-Version', 'v2')))
  t.strictSame(differences.map(({ message }) => message), ['GET /a  header: "API-Version" is new and required'])
})

const across = (before: object, after: object) => {
  const [first, second] = [[before, 'v1'], [after, 'v2']].map(([item, version]) => (
    documentOf(item as object, '3.1.0', { info: { 'x-api-version': version } })
  )) as [object, object]
  return compare(first, second).map(({ kind, message }) => `${kind}: ${message}`)
}
const onlyIn = (name: string, version: string) => (
  { in: 'query', name, required: true, schema: { type: 'string', enum: [version] } }
)

t.test('of the parameters whose only value is the version, one specifies it', async (t) => {
  const make = (version: string, ...names: string[]) => (
    { parameters: ['version', ...names].map((name) => onlyIn(name, version)) }
  )
  t.strictSame(across(make('v1'), make('v2')), [])
  t.strictSame(across(make('v1'), make('v2', 'plan')), ['breaking: GET /a  query: "plan" is new and required'])
  t.strictSame(across(make('v1', 'plan'), make('v2')), ['breaking: GET /a  query: "plan" was removed'])
  t.strictSame(across(make('v1', 'plan'), {}), [
    'breaking: GET /a  query: "version" was removed', 'breaking: GET /a  query: "plan" was removed'
  ])
})

t.test('a media type with the version is not the same one without it, where a document has both', async (t) => {
  const make = (version: string, versioned: object, bare: object) => ({
    responses: {
      200: {
        content: {
          [`application/json; version=${version}`]: { schema: versioned }, 'application/json': { schema: bare }
        }
      }
    }
  })
  t.strictSame(across(make('v1', text, Room), make('v2', text, Room)), [])
  t.strictSame(across(make('v1', text, Room), make('v2', whole, Room)), [
    'breaking: GET /a  response 200 is integer now, was string'
  ])
  t.strictSame(across(make('v1', text, Room), make('v2', text, whole)), [
    'breaking: GET /a  response 200 is integer now, was object'
  ])
})

t.test('a version in the URL of a server does not count, where clients specify the version elsewhere', async (t) => {
  const make = (version: string, url: string) => (
    documentOf({}, '3.1.0', { info: { 'x-api-version': version }, servers: [{ url }] })
  )
  t.strictSame(compare(make('v1', 'https://a.example/v1'), make('v2', 'https://a.example/v1')), [])
  t.strictSame(compare(make('v1', 'https://a.example/v1'), make('v2', 'https://a.example/v2')), [])
  t.equal(compare(make('v1', 'https://a.example/v1'), make('v2', 'https://a.example/v3')).length, 1)
})

t.test('a list of itself is the same, however many alternatives of one are around it', async (t) => {
  const B = { $ref: '#/components/schemas/B' }
  const make = (list: object) => (
    { ...answering({ properties: { b: B }, patternProperties: { '^a': B } }), components: { schemas: { B: list } } }
  )
  const one = make({ type: 'array', items: { anyOf: [B] } })
  const other = make({ allOf: [{ type: 'array', items: { allOf: [{ anyOf: [{ allOf: [B] }] }] } }] })
  t.strictSame([...compare(one, other), ...compare(other, one)], [])
})

t.test('a schema that contains itself is the same, however it is written', async (t) => {
  const A = { $ref: '#/components/schemas/A' }
  const make = (schema: object) => ({ ...asking(A), components: { schemas: { A: schema } } })
  const forms = ['anyOf', 'oneOf', 'allOf'].map((name) => make({
    [name]: [{ additionalProperties: { allOf: [A] }, patternProperties: { '^a': text } }]
  }))
  const plain = make({ additionalProperties: A, patternProperties: { '^a': text } })
  for (const form of forms) t.strictSame([...compare(plain, form), ...compare(form, plain)], [])
})

for (const depth of [1, 2, 4, 7]) {
  t.test(`alternatives that lead back to each other are the same as one list, ${depth} deep`, async (t) => {
    const at = (i: number) => ({ $ref: `#/components/schemas/A${i}` })
    const object = (i: number) => (
      { ...tagged('a'), properties: { kind: { const: `${i}` }, next: i < 0 ? text : at(i) } }
    )
    const make = (listOf: (i: number) => object[]) => {
      const lists = Array.from({ length: depth + 1 }, (_, i) => [`A${i}`, { anyOf: listOf(i) }])
      // The schema that is read first has the last list, which has the list before it, and so on.
      const schemas = { ...Object.fromEntries(lists), [`A${depth + 1}`]: object(depth) }
      return { ...asking(at(depth + 1)), components: { schemas } }
    }
    const nested = make((i) => [at(i + 1), object(i - 1)])
    const flat = make((i) => [...Array.from({ length: depth + 1 - i }, (_, j) => object(i + j - 1)), at(depth + 1)])
    t.strictSame([...compare(nested, flat), ...compare(flat, nested)], [])
  })
}

t.test('a default is the same whether a property is undefined or left out', async (t) => {
  const make = (value: object, minProperties: number) => asking({ type: 'object', default: value, minProperties })
  t.strictSame(compare(make({ a: 1, b: undefined }, 2), make({ a: 1 }, 1)).map(({ kind }) => kind), ['added'])
})
