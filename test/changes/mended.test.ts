import t from 'tap'

import { appBetween, ask } from './bookings.ts'
import { Guest, integer, names, object, refuses, text } from './kernel.ts'

import type { Json } from './kernel.ts'
import type { Change, RouteChange } from '../../types/index.d.ts'

const upgrade = (one: Json) => one
const downgrade = upgrade
const content = { 'application/json': { schema: {} } }

for (const [place, older] of [
  ['', {}],
  ['', { description: 'Anything.' }],
  ['', { anyOf: [{ type: 'null' }, {}] }],
  [' at /content/application/json/schema', { content }]
] as const) {
  t.test(`an older body that takes everything is refused at boot: ${JSON.stringify(older)}`, async (t) => {
    const message = new RegExp(`body: the older schema${place} needs "additionalProperties": false, or true if`)
    const routes = { bookings: { older: { body: older }, body: { upgrade } } }
    await refuses(t, { changes: [{ version: 'v2', description: 'A.', routes }] }, message)
    const changes = [{ ...names, schemas: { Guest: { older, upgrade, downgrade } } }]
    if (place === '') await refuses(t, { changes, schema: { body: { $ref: 'Guest#' } }, shared: [Guest] }, message)
  })
}

/** What an older response refuses, and how its serializer says it. */
const REFUSED: [title: string, older: Json, answer: unknown, message: string][] = [
  ['a missing property', object({ id: integer }), {}, '"id" is required!'],
  ['a wrong type', object({ at: { type: 'array', items: text } }), { at: 7 }, 'does not match schema'],
  ['no alternative', { anyOf: [object({ id: integer }), { type: 'null' }] }, { a: 1 }, 'does not match schema']
]
for (const [title, older, answer, message] of REFUSED) {
  for (const status of [200, 409]) {
    t.test(`a change whose downgrade the older schema refuses is at fault: ${title}, ${status}`, async (t) => {
      const response: RouteChange['response'] = { [status]: { older, downgrade: () => answer } }
      const change: Change = { version: 'v2', description: 'A.', routes: { a: { response } } }
      const app = await appBetween(t, change, [])
      app.get('/a', { name: 'a', schema: { response: { [status]: {} } } }, async () => {
        if (status === 200) return {}
        throw Object.assign(new Error('taken'), { statusCode: 409 })
      })
      const errors: Json[] = []
      app.addHook('onError', async (_request, _reply, error) => { errors.push(error) })
      t.match((await ask(app, 'v1', '/a')).json(), { statusCode: 500, code: 'FST_ERR_VERSION_CHANGE' })
      const blamed = `Change 'v2' (A.), GET /a, response ${status}: the older schema refuses what it made.`
      t.match(errors.at(-1).cause, { message: blamed, cause: { message } })
    })
  }
}

const nodeOf = (name: string) => (
  { $id: 'Node', ...object({ [name]: text }), properties: { [name]: text, in: { $ref: 'Node#' } } }
)

t.test('routes may have different inline schemas with one $id that no change names, as in Fastify', async (t) => {
  const app = await appBetween(t, { ...names, version: 'v2' }, [Guest])
  for (const name of ['a', 'b']) {
    const schema = object({ guest: { $ref: 'Guest#' }, at: nodeOf(name) })
    app.get(`/${name}`, { schema: { response: { 200: schema } } }, async () => (
      { guest: { name: 'Ada Lovelace' }, at: { [name]: '1', in: { [name]: '2' } } }
    ))
  }
  for (const name of ['a', 'b']) {
    const guest = { first: 'Ada', last: 'Lovelace' }
    t.same((await ask(app, 'v1', `/${name}`)).json(), { guest, at: { [name]: '1', in: { [name]: '2' } } })
  }
})

t.test('a reference to one of several inline schemas with its $id is an error at boot', async (t) => {
  const app = await appBetween(t, { ...names, version: 'v2' }, [Guest])
  for (const name of ['a', 'b', 'c']) {
    const properties = { guest: { $ref: 'Guest#' }, at: nodeOf(name), other: { $ref: 'Node#' } }
    app.get(`/${name}`, { schema: { response: { 200: { type: 'object', properties } } } }, async () => ({}))
  }
  const message = /GET \/a, response 200: "\$ref": "Node#" leads to no \$id and no JSON/
  await t.rejects(async () => { await app.ready() }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
})
