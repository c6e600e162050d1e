import t from 'tap'

import { IncompatibleError, assertCompatible, compare, toMarkdown } from '../../src/check/index.ts'

import type { Difference } from '../../types/check.d.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const operation = { responses: { 200: { description: '' } } }
const before = { openapi: '3.0.3', paths: { '/a': { get: operation, put: operation }, '/b': { get: operation } } }
const parameters = [{ in: 'query', name: 'page', required: true }]
const after = { openapi: '3.0.3', paths: { '/a': { get: { ...operation, parameters } }, '/b': { get: operation } } }

t.test('assertCompatible() throws an error with a list for a version that may have broken', async (t) => {
  const message = `Clients may fail because of 2 differences:

breaking  GET /a  query: "page" is new and required
          #/paths/~1a/get/parameters/query/page
breaking  PUT /a  was removed
          #/paths/~1a/put
`
  const [name, code] = ['IncompatibleError', 'FST_ERR_VERSION_INCOMPATIBLE']
  const error = t.throws(() => assertCompatible(before, after), { name, code, message })
  t.match(error, { differences: compare(before, after) })
  t.type(error, IncompatibleError)
})

t.test('assertCompatible() accepts a version that has grown', async (t) => {
  const grown = { ...before, paths: { ...before.paths, '/c': { get: operation } } }
  t.doesNotThrow(() => assertCompatible(before, before))
  t.doesNotThrow(() => assertCompatible(before, grown))
})

t.test('assertCompatible() ignores differences at an accepted location and below it', async (t) => {
  t.doesNotThrow(() => assertCompatible(before, after, { accept: ['#/paths/~1a'] }))
  t.doesNotThrow(() => assertCompatible(before, after, { accept: new Set(['#/paths/~1a/put', '#/paths/~1a/get']) }))
  t.match(t.throws(() => assertCompatible(before, after, { accept: ['#/paths/~1a/put'] })), {
    differences: [{ at: '#/paths/~1a/get/parameters/query/page' }]
  })
  t.throws(() => assertCompatible(before, after, { accept: ['#/paths/~1a/g', '#/paths/~1a/p'] }), IncompatibleError)
})

for (const options of [{ acept: [] }, null, []]) {
  t.test(`compare() and assertCompatible() refuse the options ${JSON.stringify(options)}`, async (t) => {
    const refused = { name: 'TypeError', message: /^Expected an object with the options (?:accept, )?now, got / }
    t.throws(() => compare(before, before, options as never), refused)
    t.throws(() => assertCompatible(before, before, options as never), refused)
  })
}

t.test('toMarkdown() refuses what is no list of differences, such as releases', async (t) => {
  for (const value of [undefined, {}, [null], [{ version: 'v2', items: [] }]]) {
    t.throws(() => toMarkdown(value as never), { name: 'TypeError', message: /^Expected what compare\(\) returns/ })
  }
})

for (const accept of ['#/paths', [1], ['paths'], [undefined]]) {
  t.test(`assertCompatible() refuses accept: ${JSON.stringify(accept)}`, async (t) => {
    t.throws(() => assertCompatible(before, before, { accept: accept as never }), {
      name: 'TypeError', message: /^Expected "accept" to list locations that begin with "#\/", got /
    })
  })
}

t.test('the Markdown report lists breaking changes first, and additions last', async (t) => {
  const differences: Difference[] = [
    { kind: 'added', at: '#/paths/~1a/get/responses/200', message: 'GET /a  response 200: "b" is new' },
    { kind: 'breaking', at: '#/servers', message: 'servers have another address now' },
    { kind: 'breaking', at: '#/paths/~1a~1{id}/get', message: 'GET /a/{id}  was removed' }
  ]
  t.equal(toMarkdown(differences), `### Breaking changes

- servers have another address now
- **GET /a/{id}** was removed

### Additions

- **GET /a** response 200: "b" is new
`)
  t.equal(toMarkdown([]), 'No differences.\n')
  t.equal(toMarkdown(differences.slice(0, 1)), '### Additions\n\n- **GET /a** response 200: "b" is new\n')
})

t.test('text of a document is neither read as Markdown nor obeyed by a terminal', async (t) => {
  const differences: Difference[] = [{
    kind: 'breaking',
    at: '#/paths/~1a/get/\u001b[2J\n\u202e',
    message: 'GET /a`*b  body: "<b>[x](y)*\u001b\u202e" was removed'
  }]
  t.equal(toMarkdown(differences).split('\n')[2],
    '- **GET /a\\`\\*b** body: "\\<b\\>\\[x\\](y)\\*\\\\u001b\\\\u202e" was removed')
  const { message } = new IncompatibleError(differences)
  t.notMatch(message, '\u001b')
  t.notMatch(message, '\u202e')
  t.match(message, '#/paths/~1a/get/\\u001b[2J\\u000a\\u202e')
})

const content = 'content/application~1json/schema'
const bodyOf = (type: string, schema: object) => ({ requestBody: { content: { [type]: { schema } } } })
const map = (properties: object, others: object = {}) => ({ type: 'object', properties, ...others })
const body = (properties: object, others?: object) => bodyOf('application/json', map(properties, others))
const listOf = (properties: object) => ({ type: 'array', items: map(properties) })
const query = (others: object) => ({ parameters: [{ in: 'query', name: 'page', ...others }] })
const header = (others: object) => ({ responses: { 200: { headers: { 'X-Total': others } } } })
const documentOf = (operation: object) => ({ openapi: '3.1.0', paths: { '/bookings': { post: operation } } })

const calling = (method: string, ...names: string[]) => (
  { callbacks: { done: { '{$url}': { [method]: body(Object.fromEntries(names.map((name) => [name, text]))) } } } }
)
const SENTENCES: readonly (readonly [before: object, after: object, at: string, message: string])[] = [
  [body({ guest: text }), body({ guest: text }, { required: ['guest'] }), `requestBody/${content}/properties/guest`,
    'body: "guest" is required now'],
  [body({ rooms: listOf({ beds: text }) }), body({ rooms: listOf({}) }),
    `requestBody/${content}/properties/rooms/items/properties/beds`, 'body: "rooms[].beds" was removed'],
  [{ requestBody: {} }, { requestBody: { required: true } }, 'requestBody', 'body is required now'],
  [bodyOf('text/csv', text), bodyOf('text/csv', whole), 'requestBody/content/text~1csv/schema',
    'body (text/csv) is integer now, was string'],
  [bodyOf('text/csv', text), bodyOf('text/plain', text), 'requestBody/content/text~1csv',
    'body: "text/csv" was removed'],
  [query({ schema: text }), query({ schema: { ...text, maxLength: 3 } }), 'parameters/query/page/schema/maxLength',
    'query: "page" has maxLength 3 now'],
  [query({ schema: listOf({ a: text }) }), query({ schema: listOf({}) }),
    'parameters/query/page/schema/items/properties/a', 'query: "page[].a" was removed'],
  [body({}, { additionalProperties: false }), body({ b: text }, { additionalProperties: text }),
    `requestBody/${content}/additionalProperties`, 'body: "*" is allowed now'],
  [body({ a: map({}, { additionalProperties: text }) }), body({ a: map({}, { additionalProperties: whole }) }),
    `requestBody/${content}/properties/a/additionalProperties`, 'body: "a.*" is integer now, was string'],
  [body({}, { additionalProperties: map({ a: text }) }), body({}, { additionalProperties: map({}) }),
    `requestBody/${content}/additionalProperties/properties/a`, 'body: "*.a" was removed'],
  [header({ required: true }), header({}), 'responses/200/headers/X-Total',
    'response 200: header "X-Total" is not required any more'],
  [{}, { security: [{ key: [] }] }, 'security', 'security needs more now'],
  [calling('post', 'a', 'b'), calling('post', 'a'), `callbacks/done/{$url}/post/requestBody/${content}/properties/b`,
    'callback "done" body: "b" was removed'],
  [calling('post'), calling('put'), 'callbacks/done', 'callback "done" has changed'],
  [{ callbacks: { done: {} } }, { callbacks: { done: { a: {} } } }, 'callbacks/done', 'callback "done" has changed']
]

for (const [before, after, at, message] of SENTENCES) {
  t.test(`a difference is a sentence: ${message}`, async (t) => {
    const differences = compare(documentOf(before), documentOf(after))
    const difference = differences.find((one) => one.at === `#/paths/~1bookings/post/${at}`)
    t.equal(difference?.message, `POST /bookings  ${message}`)
  })
}

t.test('a difference in the body of a webhook names the webhook', async (t) => {
  const make = (type: string) => {
    const requestBody = { content: { 'application/json': { schema: { type } } } }
    return { ...documentOf({}), webhooks: { made: { post: { requestBody } } } }
  }
  t.match(compare(make('string'), make('number')), [{
    at: '#/webhooks/made/post/requestBody/content/application~1json/schema',
    message: 'webhook "made"  body is number now, was string'
  }])
})

t.test('the difference of a webhook and of the servers is a sentence', async (t) => {
  const one = { ...documentOf({}), webhooks: { done: {} } }
  t.same(compare(one, { ...documentOf({}), servers: [{ url: '/b' }] }).map(({ message }) => message), [
    'servers have another address now', 'webhook "done" was removed'
  ])
})
