import t from 'tap'

import { checkChanges } from '../../src/index.ts'
import { appBetween, ask } from './bookings.ts'
import { text } from './kernel.ts'

import type { Change } from '../../types/index.d.ts'
import type { Json } from './kernel.ts'

/** A schema that contains itself, with what its text is called, and by what it refers to others. */
const node = (name: string, reference: string, rest: object = {}): Json => ({
  type: 'object',
  properties: { [name]: text, kids: { type: 'array', items: { $ref: reference } } },
  additionalProperties: false,
  ...rest
})
const title = { upgrade: ({ title, ...rest }: Json) => ({ ...rest, label: title }) }
const label = { downgrade: ({ label, ...rest }: Json) => ({ ...rest, title: label }) }
const labelled = (older: object): Change => (
  { version: 'v2', description: 'A title is a label.', schemas: { Node: { older, ...title, ...label } } }
)

for (const [newer, older] of [['Node#', 'Node#'], ['#', '#'], ['Node', '#'], ['#', 'Node'], ['Twig#', 'Twig#']]) {
  t.test(`a body may contain itself by ${newer}, and by ${older} as it was`, async (t) => {
    const shared = [node('label', newer, { $id: 'Node' }), node('label', 'Node#', { $id: 'Twig' })]
    const app = await appBetween(t, labelled(node('title', older)), shared)
    const schema = { body: { $ref: 'Node#' }, response: { 200: { $ref: 'Node#' } } }
    app.post('/nodes', { schema }, async ({ body }) => body)
    app.post('/older', { schema, version: 'v1' }, async ({ body }) => body)
    const isTwig = older === 'Twig#'
    const tree = (name: string) => ({ [name]: 'a', kids: [{ [isTwig ? 'label' : name]: 'b', kids: [] }] })
    for (const [url, name] of [['/nodes', 'title'], ['/older', 'title'], ['/nodes', 'label']]) {
      const { statusCode, body } = await ask(app, name === 'title' ? 'v1' : 'v2', url, tree(name))
      t.equal(statusCode, 200, body)
      t.same(JSON.parse(body), tree(name))
    }
    const wrong = await ask(app, 'v1', '/nodes', { title: 'a', kids: [{ kids: [{ kids: 1 }] }] })
    t.match(wrong.json(), { statusCode: 400, message: 'body/kids/0/kids/0/kids/0 must be object' })
    t.same(checkChanges(app, { Node: [tree('label')] }), [])
  })
}

const upgrade = (one: Json) => one
const downgrade = upgrade
const closed = { type: 'object', additionalProperties: false }
const ofRoute = (route: Json): Change => ({ version: 'v2', description: 'A.', routes: { a: route } })

const content = (...types: string[]) => ({ content: Object.fromEntries(types.map((type) => [type, { schema: closed }])) })
const HAL = 'application/hal+json'
const answered = (older: object): Change => ofRoute({ response: { 200: { older, downgrade } } })

/** Apps that do not boot, and why: with the schema of POST /a. */
const MISTAKES: readonly (readonly [title: string, Change, message: RegExp, schema?: Json])[] = [
  ['an older body inside "body"', ofRoute({ body: { older: closed, upgrade } }),
    /routes\.a\.body has "older", which belongs to the route: write older: { body: … } next to body\. See/],
  ['an older query inside "query"', ofRoute({ query: { older: closed, upgrade } }),
    /routes\.a\.querystring has "older", which .*: write older: { querystring: … } next to querystring\. See/],
  ['"lossless" of a part of a route', ofRoute({ older: { body: closed }, body: { upgrade, lossless: true } }),
    /routes\.a\.body has no option "lossless", but upgrade, downgrade\. See/],
  ['a part of a route that is not an object', ofRoute({ body: upgrade }),
    /Invalid change .*, routes\.a\.body: expected an object, got/],
  ['the older query twice', ofRoute({ older: { query: closed, querystring: closed }, query: { upgrade } }),
    /routes\.a has both "query" and "querystring": they are the same\. See/],
  ['a response that had no schema for a media type', answered(content('application/json')),
    /POST \/a, response 200: its older "content" needs 'application\/hal\+json', which the route can answer with\. See/,
    { response: { 200: content('text/csv', 'application/json', HAL) } }],
  ['a response that had schemas for other media types', answered(content(HAL)),
    /POST \/a, response 200: its older "content" needs 'application\/json', which/, { response: { 200: closed } }]
]

for (const [title, change, message, schema = {}] of MISTAKES) {
  t.test(`an error at boot is caused by ${title}`, async (t) => {
    await t.rejects(async () => {
      const app = await appBetween(t, change, [{ $id: 'A', ...closed, properties: { a: text } }])
      app.post('/a', { name: 'a', schema: { body: { $ref: 'A#' }, ...schema } }, ({ body }) => body)
      await app.ready()
    }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
}

t.test('an older response has schemas for the JSON that the route can answer with', async (t) => {
  const newer = content('application/json', HAL, 'text/csv')
  for (const older of [closed, content('*/*'), content(HAL, 'application/json')]) {
    const change = ofRoute({ response: { 200: { older, downgrade: () => ({}) } } })
    const app = await appBetween(t, change, [])
    app.get('/a', { name: 'a', schema: { response: { 200: newer } } }, (_request, reply) => reply.type(HAL).send({ b: 1 }))
    t.equal((await ask(app, 'v1', '/a')).body, '{}')
  }
})
