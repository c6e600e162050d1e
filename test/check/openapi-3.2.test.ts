import t from 'tap'

import { compare } from '../../src/check/index.ts'

const text = { type: 'string' }
const responses = { 200: { description: 'ok' } }
const object = (...names: string[]) => ({
  type: 'object', properties: Object.fromEntries(names.map((name) => [name, text]))
})
const documentOf = (item: object, others: object = {}) => ({ openapi: '3.2.0', paths: { '/a': item }, ...others })
const answering = (media: object) => ({ get: { responses: { 200: { content: { 'application/jsonl': media } } } } })
const asking = (parameter: object) => ({ get: { responses, parameters: [parameter] } })
const form = (schema: object) => ({ content: { 'application/x-www-form-urlencoded': { schema } } })

const CASES: [what: string, before: object, after: object, expected: string[]][] = [
  ['a query operation was removed', { query: { responses } }, {}, ['breaking: QUERY /a  was removed']],
  ['the body of a query operation needs more', { query: { requestBody: form(object()), responses } },
    { query: { requestBody: form({ ...object('a'), required: ['a'] }), responses } },
    ['breaking: QUERY /a  body (application/x-www-form-urlencoded): "a" is new and required']],
  ['an operation of another method was removed', { additionalOperations: { COPY: { responses } } }, {},
    ['breaking: COPY /a  was removed']],
  ['an operation of another method needs more', { additionalOperations: { COPY: { responses } } },
    { additionalOperations: { COPY: { responses, parameters: [{ in: 'query', name: 'to', required: true }] } } },
    ['breaking: COPY /a  query: "to" is new and required']],
  ['an item of a sequence lost a property', answering({ itemSchema: object('a', 'b') }),
    answering({ itemSchema: object('a') }),
    ['breaking: GET /a  response 200 (application/jsonl): "[].b" was removed']],
  ['the whole query lost a property', asking({ in: 'querystring', name: 'q', ...form(object('a', 'b')) }),
    asking({ in: 'querystring', name: 'q', ...form(object('a')) }), ['breaking: GET /a  querystring: "q" was removed']],
  ['an item of a sequence is the same', answering({ itemSchema: object('a') }),
    answering({ itemSchema: object('a') }), []]
]

for (const [what, before, after, expected] of CASES) {
  t.test(`compare() reports ${expected.length} if ${what}`, async (t) => {
    const found = compare(documentOf(before), documentOf(after))
    t.strictSame(found.map(({ kind, message }) => `${kind}: ${message}`), expected)
  })
}

t.test('a document may refer to itself by its address, and may have tags below tags', async (t) => {
  const address = 'https://example.com/openapi.json'
  const schema = (prefix: string) => ({ $ref: `${prefix}#/components/schemas/A` })
  const make = ($self: string, prefix: string, A: object) => documentOf(answering({ schema: schema(prefix) }), {
    $self, components: { schemas: { A }, mediaTypes: { one: {} } }, tags: [{ name: 'a', parent: 'b', kind: 'nav' }]
  })
  t.strictSame(compare(make(address, address, object('a')), make('', '', object('a'))), [])
  for (const [self, prefix] of [[address, 'openapi.json'], [address, '/openapi.json'], ['/a/b', './b'], ['', '']]) {
    t.strictSame(compare(make(self!, prefix!, object('a')), make('', '', object('a'))), [], prefix)
  }
  t.match(compare(make(address, address, object('a')), make(`${address}#x`, address, object())), [
    { kind: 'breaking', schema: { name: 'A' } }
  ])
  for (const prefix of ['https://example.com/other.json', 'other.json', 'http://[']) {
    t.throws(() => compare(make(address, prefix, {}), make('', '', {})), TypeError)
  }
})

t.test('the address that describes an authorization server counts', async (t) => {
  const make = (oauth2MetadataUrl: string) => documentOf({ get: { responses, security: [{ a: [] }] } }, {
    components: { securitySchemes: { a: { type: 'oauth2', oauth2MetadataUrl, flows: {} } } }
  })
  t.match(compare(make('https://a.example'), make('https://b.example')), [
    { kind: 'breaking', message: 'GET /a  security needs more now' }
  ])
})

t.test('a difference of a shared schema names the operations of other methods', async (t) => {
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } }
  const item = { query: { requestBody: body }, additionalOperations: { COPY: { requestBody: body } } }
  const make = (A: object) => documentOf(item, { components: { schemas: { A } } })
  t.match(compare(make(object('a', 'b')), make(object('a'))), [{ operations: ['QUERY /a', 'COPY /a'] }])
})
