import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { inVersion } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

type Json = ReturnType<JSON['parse']>
const scheme = HeaderVersioning
const text = { type: 'string' }
const closed = (properties: Record<string, unknown>) => (
  { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
)

/** v2: a user has a name. */
const change: Change = {
  version: 'v2',
  description: 'A user has a name.',
  schemas: {
    User: {
      older: closed({ login: text }),
      upgrade: ({ login, ...rest }) => ({ ...rest, name: login }),
      downgrade: ({ name, ...rest }) => ({ ...rest, login: name })
    }
  }
}
const User = { $id: 'User', type: 'object', properties: { name: text }, required: ['name'] }

async function appOf (t: Test, schemas: object[], changes: Change[] = [change]): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], changes })
  for (const schema of schemas) app.addSchema(schema)
  return app
}

const ada = { name: 'Ada', password: 'secret' }
for (const [title, schema, payload, older] of [
  ['null', { anyOf: [{ $ref: 'User#' }, { type: 'null' }] }, ada, { login: 'Ada' }],
  ['a list', { oneOf: [{ type: 'array', items: { $ref: 'User#' } }, text] }, [ada], [{ login: 'Ada' }]],
  ['a constant', {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'a' }, of: { $ref: 'User#' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] }
    ]
  }, { kind: 'a', of: ada, more: 1 }, { kind: 'a', of: { login: 'Ada' } }]
] as const) {
  t.test(`properties beyond an older schema are dropped in alternatives that differ by ${title}`, async (t) => {
    const app = await appOf(t, [User])
    app.get('/users', { schema: { response: { 200: schema } } }, async () => payload)
    const response = await app.inject(inVersion('v1', '/users'))
    t.same(response.json(), older)
    t.equal((await app.inject(inVersion('v2', '/users'))).statusCode, 200)
  })
}

t.test('alternatives that only additionalProperties tells apart stay as they are', async (t) => {
  const app = await appOf(t, [User])
  const either = { anyOf: [{ ...closed({ a: text }), required: [] }, { ...closed({ b: text }), required: [] }] }
  const schema = { type: 'object', properties: { user: { $ref: 'User#' }, either } }
  app.get('/users', { schema: { response: { 200: schema } } }, async () => ({ user: ada, either: { b: 'b' } }))
  t.same((await app.inject(inVersion('v1', '/users'))).json(), { user: { login: 'Ada' }, either: { b: 'b' } })
})

t.test('properties beyond a strict older Zod object are dropped', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'StrictPerson' })
  const older = z.strictObject({ login: z.string() })
  const { upgrade, downgrade } = change.schemas?.User as Json
  const app = await appWith(t, {
    scheme,
    allowedVersions: ['v1', 'v2'],
    changes: [{ ...change, schemas: { StrictPerson: { older, upgrade, downgrade } } }]
  })
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  app.post('/users', { schema: { body: Person, response: { 200: z.array(Person) } } }, async () => [ada])
  t.same((await app.inject(inVersion('v1', '/users', { login: 'Ada' }))).json(), [{ login: 'Ada' }])
  t.equal((await app.inject(inVersion('v1', '/users', { login: 'Ada', role: 'admin' }))).statusCode, 400)
})

t.test('a recursive schema in a union by a constant that changes is converted', async (t) => {
  const entry = { oneOf: [{ $ref: 'Folder#' }, { $ref: 'File#' }] }
  // In alternatives Ajv would remove what another one describes.
  const open = (properties: Record<string, unknown>) => ({ ...closed(properties), additionalProperties: true })
  const folder = (kind: string) => open({ kind: { const: kind }, entries: { type: 'array', items: entry } })
  const rename = (kind: string) => (value: Json) => ({ ...value, kind })
  const renamed: Change = {
    version: 'v2',
    description: 'A dir is a folder.',
    schemas: { Folder: { older: folder('dir'), upgrade: rename('folder'), downgrade: rename('dir') } }
  }
  const file = { $id: 'File', ...open({ kind: { const: 'file' } }) }
  const app = await appOf(t, [{ $id: 'Folder', ...folder('folder') }, file], [renamed])
  app.post('/tree', { schema: { body: entry, response: { 200: entry } } }, async (request) => request.body)
  const tree = (kind: string) => ({ kind, entries: [{ kind, entries: [{ kind: 'file' }] }, { kind: 'file' }] })
  for (const [version, kind] of [['v1', 'dir'], ['v2', 'folder']] as const) {
    const response = await app.inject(inVersion(version, '/tree', tree(kind)))
    t.same(response.json(), tree(kind), version)
  }
  t.equal((await app.inject(inVersion('v1', '/tree', tree('folder')))).statusCode, 400)
})

t.test('an older schema may refer to a schema that the newest version has only inline', async (t) => {
  const Address = { $id: 'Address', ...closed({ city: text }) }
  const moved: Change = {
    version: 'v2',
    description: 'A user has addresses.',
    schemas: {
      Person: {
        older: closed({ address: { $ref: 'Address#' } }),
        upgrade: ({ address }) => ({ addresses: [address] }),
        downgrade: ({ addresses }) => ({ address: addresses[0] })
      }
    }
  }
  const Person = { $id: 'Person', ...closed({ addresses: { type: 'array', items: Address } }) }
  const app = await appOf(t, [Person], [moved])
  const schema = { body: { $ref: 'Person#' }, response: { 200: { $ref: 'Person#' } } }
  app.post('/people', { schema }, async (request) => request.body)
  const older = { address: { city: 'Paris' } }
  t.same((await app.inject(inVersion('v1', '/people', older))).json(), older)
})

t.test('functions of responses get values as JSON has them', async (t) => {
  const seen: unknown[] = []
  const { older, upgrade } = change.schemas?.User as Json
  const downgrade = (value: Json) => {
    seen.push(value)
    return { login: 'a' }
  }
  const watching = { ...change, schemas: { User: { older, upgrade, downgrade } } }
  const app = await appOf(t, [User], [watching])
  app.get('/users', { schema: { response: { 200: { $ref: 'User#' } } } }, async () => ({
    name: 'Ada',
    none: undefined,
    call () {},
    [Symbol('own')]: 1,
    list: [undefined, () => {}, NaN, Infinity, 1n],
    nested: { at: new Date(0), none: undefined, last: true }
  }))
  t.equal((await app.inject(inVersion('v1', '/users'))).statusCode, 200)
  t.strictSame(seen, [{
    name: 'Ada', list: [null, null, NaN, Infinity, 1n], nested: { at: '1970-01-01T00:00:00.000Z', last: true }
  }])
})

t.test('a BigInt among alternatives is a number', async (t) => {
  const app = await appOf(t, [User])
  const older = { anyOf: [{ $ref: 'User#' }, { type: ['integer', 'null'] }] }
  app.get('/users', { schema: { response: { 200: { type: 'object', properties: { a: older } } } } }, async () => (
    { a: 7n }
  ))
  const [v1, v2] = await Promise.all(['v1', 'v2'].map((version) => app.inject(inVersion(version, '/users'))))
  t.equal(v1.statusCode, v2.statusCode)
  t.equal(v1.body, v2.body)
})

t.test('an invalid body next to a changed query is a 400', async (t) => {
  const paged: Change = {
    version: 'v2',
    description: 'Pages.',
    routes: { search: { older: { querystring: closed({}) }, query: { upgrade: () => ({ page: 1 }) } } }
  }
  const app = await appOf(t, [], [paged])
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  const schema = { body: closed({ q: text }), querystring }
  app.post('/search', { name: 'search', schema }, async (request) => request.query)
  const refused = await app.inject(inVersion('v1', '/search', {}))
  t.equal(refused.statusCode, 400)
  t.match(refused.json(), { code: 'FST_ERR_VALIDATION', message: "body must have required property 'q'" })
  t.same((await app.inject(inVersion('v1', '/search', { q: 'a' }))).json(), { page: 1 })
})

for (const part of ['params', 'headers']) {
  t.test(`a changed schema in ${part} is an error at boot`, async (t) => {
    const app = await appOf(t, [User])
    app.get('/users/:name', { schema: { [part]: { type: 'object', properties: { name: User } } } }, async () => '')
    await t.rejects(async () => { await app.ready() }, {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      message: new RegExp(`Change 'v2' .*, GET /users/:name, ${part}: nothing is converted there: change it by route`)
    })
  })
}

t.test('nothing is converted in an undefined value', async (t) => {
  const Page = { $id: 'Page', anyOf: [{ $ref: 'User#' }, { type: 'null' }] }
  const app = await appOf(t, [User, Page])
  app.get('/users', { schema: { response: { 200: { $ref: 'Page#' } } } }, async () => '')
  await app.ready()
  t.equal(app.downgrade('Page', undefined, 'v1'), undefined)
})

t.test('fifty clients of several versions at once get their own answers', async (t) => {
  const app = await appOf(t, [User])
  const wait = () => new Promise((resolve) => { setTimeout(resolve, Math.random() * 5) })
  for (const hook of ['preValidation', 'preHandler', 'preSerialization', 'onSend'] as const) {
    app.addHook(hook as 'preHandler', async () => { await wait() })
  }
  const schema = { body: { $ref: 'User#' }, response: { 200: { $ref: 'User#' }, 409: { $ref: 'User#' } } }
  app.post('/users', { schema, validatorCompiler: undefined as never }, async (request, reply) => {
    const { name } = request.body as { name: string }
    if (name.endsWith('5')) throw Object.assign(new Error('taken'), { statusCode: 409, name })
    if (!name.startsWith('inner')) {
      const inner = await app.inject(inVersion('v1', '/users', { login: `inner ${name}` }))
      reply.header('x-inner', inner.body)
    }
    return request.body
  })
  await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    const [version, key] = i % 2 === 0 ? ['v2', 'name'] : ['v1', 'login']
    const { headers, statusCode, body } = await app.inject(inVersion(version, '/users', { [key]: `client ${i}` }))
    t.same(JSON.parse(body), { [key]: `client ${i}` })
    t.equal(statusCode, i % 10 === 5 ? 409 : 200)
    if (statusCode === 200) t.same(JSON.parse(String(headers['x-inner'])), { login: `inner client ${i}` })
  }))
})
