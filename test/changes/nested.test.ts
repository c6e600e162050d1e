import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import { appBetween, ask } from './bookings.ts'
import { both, converts, text } from './kernel.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Json } from './kernel.ts'
import type { Change } from '../../types/index.d.ts'

const closed = (properties: object, others: object = {}) => (
  { type: 'object', additionalProperties: false, properties, ...others }
)
const required = (properties: object) => closed(properties, { required: Object.keys(properties) })

/** v2: a user has a name. */
const change = {
  version: 'v2',
  description: 'A user has a name.',
  schemas: {
    User: {
      older: required({ login: text }),
      upgrade: ({ login, ...rest }: Json) => ({ ...rest, name: login }),
      downgrade: ({ name, ...rest }: Json) => ({ ...rest, login: name })
    }
  }
} satisfies Change
const user = { $ref: 'User#' }
const User = { $id: 'User', type: 'object', properties: { name: text }, required: ['name'] }

function answer (app: FastifyInstance, schema: object, value: unknown, options: object = {}): void {
  app.get('/', { schema: { response: { 200: schema } } as FastifySchema, ...options }, async () => value)
}

async function inV1 (app: FastifyInstance): Promise<unknown> {
  return (await ask(app, 'v1', '/')).json()
}

const ada = { name: 'Ada', password: 'secret' }
const kind = (value: string, more: object = {}) => (
  { type: 'object', properties: { kind: { const: value }, ...more }, required: ['kind'] }
)
const either = { anyOf: [closed({ a: text }), closed({ b: text })] }
const Tree = { $id: 'Tree', ...closed({ user, in: { allOf: [{ $ref: 'Tree#' }] } }) }
const login = { login: 'Ada' }
/** What v1 gets of a value by its schema. */
const ANSWERS: [title: string, schema: object, value: unknown, older: unknown][] = [
  ['drops what it does not know next to null', { anyOf: [user, { type: 'null' }] }, ada, login],
  ['drops what it does not know in a list', { oneOf: [{ type: 'array', items: user }, text] }, [ada], [login]],
  ['drops what it does not know next to a constant', { oneOf: [kind('a', { of: user, any: true }), kind('b')] },
    { kind: 'a', of: ada, more: 1 }, { kind: 'a', of: login }],
  ['keeps alternatives that only additionalProperties tells apart', closed({ user, either }),
    { user: ada, either: { b: 'b' } }, { user: login, either: { b: 'b' } }],
  ['has schemas that contain themselves by allOf alone', { $ref: 'Tree#' }, { user: ada, in: { user: ada, in: {} } },
    { user: login, in: { user: login, in: {} } }],
  ['may have one object several times in its schema', closed({ a: text, b: text, user }),
    { a: '1', b: '2', user: ada }, { a: '1', b: '2', user: login }],
  ['resolves references within its own schema',
    closed({ a: { $ref: '#/definitions/user' } }, { definitions: { user } }), { a: ada }, { a: login }],
  ['may have an $id that is a fragment, and names nothing', { $id: '#local', ...closed({ user }) },
    { user: ada }, { user: login }]
]
for (const [title, schema, value, older] of ANSWERS) {
  t.test(`an older version ${title}`, async (t) => {
    const app = await appBetween(t, change, [User, Tree])
    answer(app, schema, value)
    t.same(await inV1(app), older)
    t.equal((await ask(app, 'v2', '/')).statusCode, 200)
  })
}

t.test('app.downgrade leaves alone what no change is about', async (t) => {
  const Page = { $id: 'Page', anyOf: [user, { type: 'null' }] }
  const app = await appBetween(t, change, [User, Page, { $id: 'Text', ...text }])
  answer(app, { $ref: 'Page#' }, ada)
  await app.ready()
  t.equal(app.downgrade('Page', undefined, 'v1'), undefined)
  t.equal(app.downgrade('Text', 'a', 'v1'), 'a')
})

t.test('properties beyond a strict older Zod object are dropped', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'StrictPerson' })
  const schemas = { StrictPerson: { ...change.schemas.User, older: z.strictObject({ login: z.string() }) } }
  const app = await appBetween(t, { ...change, schemas }, [])
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  app.post('/', { schema: { body: Person, response: { 200: z.array(Person) } } }, async () => [ada])
  t.same((await ask(app, 'v1', '/', login)).json(), [login])
  t.equal((await ask(app, 'v1', '/', { ...login, role: 'admin' })).statusCode, 400)
})

t.test('a recursive schema in a union by a constant that changes is converted', async (t) => {
  const entry = { oneOf: [{ $ref: 'Folder#' }, { $ref: 'File#' }] }
  // In alternatives Ajv would remove what another one describes.
  const open = (properties: object) => ({ ...required(properties), additionalProperties: true })
  const folder = (kind: string) => open({ kind: { const: kind }, entries: { type: 'array', items: entry } })
  const rename = (kind: string) => (value: Json) => ({ ...value, kind })
  const schemas = { Folder: { older: folder('dir'), upgrade: rename('folder'), downgrade: rename('dir') } }
  const file = { $id: 'File', ...open({ kind: { const: 'file' } }) }
  const shared = [{ $id: 'Folder', ...folder('folder') }, file]
  const tree = (kind: string) => ({ kind, entries: [{ kind, entries: [{ kind: 'file' }] }, { kind: 'file' }] })
  const options = { changes: [{ ...change, schemas }], schema: both(entry), shared }
  const app = await converts(t, options, tree('dir'), tree('folder'), () => {})
  t.same((await ask(app, 'v2', '/bookings', tree('folder'))).json(), tree('folder'))
  t.equal((await ask(app, 'v1', '/bookings', tree('folder'))).statusCode, 400)
})

t.test('an older schema may refer to a schema that the newest version has only inline', async (t) => {
  const schemas = {
    Person: {
      older: required({ address: { $ref: 'Address#' } }),
      upgrade: ({ address }: Json) => ({ addresses: [address] }),
      downgrade: ({ addresses }: Json) => ({ address: addresses[0] })
    }
  }
  const addresses = { type: 'array', items: { $id: 'Address', ...required({ city: text }) } }
  const shared = [{ $id: 'Person', ...required({ addresses }) }]
  const options = { changes: [{ ...change, schemas }], schema: both({ $ref: 'Person#' }), shared }
  const city = { city: 'Paris' }
  await converts(t, options, { address: city }, { addresses: [city] }, () => {})
})

t.test('functions of responses get values as JSON has them', async (t) => {
  const seen: unknown[] = []
  const downgrade = (value: Json) => {
    seen.push(value)
    return login
  }
  const app = await appBetween(t, { ...change, schemas: { User: { ...change.schemas.User, downgrade } } }, [User])
  answer(app, user, {
    name: 'Ada',
    none: undefined,
    call () {},
    [Symbol('own')]: 1,
    list: [undefined, () => {}, NaN, Infinity, 1n],
    nested: { at: new Date(0), none: undefined, last: true }
  })
  t.same(await inV1(app), login)
  t.strictSame(seen, [{
    name: 'Ada', list: [null, null, NaN, Infinity, 1n], nested: { at: '1970-01-01T00:00:00.000Z', last: true }
  }])
})

t.test('an invalid body next to a changed query is a 400', async (t) => {
  const search = { older: { querystring: closed({}) }, query: { upgrade: () => ({ page: 1 }) } }
  const app = await appBetween(t, { version: 'v2', description: 'Pages.', routes: { search } }, [])
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  const schema = { body: required({ q: text }), querystring }
  app.post('/', { name: 'search', schema }, async (request) => request.query)
  t.match((await ask(app, 'v1', '/', {})).json(), {
    statusCode: 400, code: 'FST_ERR_VALIDATION', message: "body must have required property 'q'"
  })
  t.same((await ask(app, 'v1', '/', { q: 'a' })).json(), { page: 1 })
})

t.test('schemas that contain each other are bundled once', async (t) => {
  const Stay = { $id: 'Stay', ...closed({ user: User }) }
  const same = { upgrade: (one: Json) => one, downgrade: (one: Json) => one }
  const schemas = {
    User: { older: closed({ name: text, of: Stay }), ...same },
    Stay: { older: closed({ user: User, old: text }), ...same }
  }
  const app = await appBetween(t, { ...change, schemas }, [User, Stay])
  answer(app, { $ref: 'Stay#' }, { user: { name: 'Ada' } })
  t.same(await inV1(app), { user: { name: 'Ada' } })
})

for (const reference of ['User#/properties/none', 'None#', '#/definitions/none']) {
  for (const options of [{}, { version: 'v1' }]) {
    t.test(`a reference to ${reference} is refused at boot, with ${JSON.stringify(options)}`, async (t) => {
      const app = await appBetween(t, change, [User])
      app.get('/users', { schema: { response: { 200: user } } }, async () => ada)
      answer(app, closed({ a: { $ref: reference }, user }), {}, options)
      await t.rejects(async () => app.ready())
    })
  }
}

t.test('a route of an older version alone keeps the schemas that no change has altered', async (t) => {
  const app = await appBetween(t, change, [User])
  answer(app, closed({ a: text }), { a: '1' })
  answer(app, user, ada, { version: 'v2' })
  const body = closed({ user, schema: { $ref: 'http://json-schema.org/draft-07/schema#' } })
  const schema = { body, querystring: required({ a: text }), response: { 200: text } }
  app.post('/old', { version: 'v1', schema }, async ({ body }) => JSON.stringify(body))
  t.same(await inV1(app), { a: '1' })
  const sent = { user: login, schema: { type: 'string' } }
  t.same((await ask(app, 'v1', '/old?a=1', sent)).json(), sent)
  t.equal((await ask(app, 'v1', '/old', sent)).statusCode, 400)
})

t.test('a route for requests without a version has the newest schemas', async (t) => {
  const app = await appBetween(t, change, [User])
  answer(app, user, ada, { version: [null] })
  app.get('/users', { schema: { response: { 200: user } } }, async () => ada)
  t.same((await app.inject('/')).json(), { name: 'Ada' })
})
