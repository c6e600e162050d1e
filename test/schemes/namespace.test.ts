import t from 'tap'

import { NamespaceVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

const scheme = NamespaceVersioning

async function tell ({ version }: FastifyRequest): Promise<object> {
  return { version }
}

/** Declares a route inside all the namespaces, the first of them outermost. */
async function nest (app: FastifyInstance, namespaces: readonly string[], route: (app: FastifyInstance) => void) {
  const [namespace, ...inner] = namespaces
  if (namespace === undefined) return route(app)
  await app.register(async (nested) => nest(nested, inner, route), { namespace })
}

for (const [namespaces, settings, version] of [
  [['api', 'v1'], {}, 'api'],
  [['api', 'v1'], { allowedVersions: ['v1'] }, 'v1'],
  [['v1', 'api'], { allowedVersions: ['v1'] }, 'v1'],
  [['v1', 'v2'], { allowedVersions: ['v2', 'v1'] }, 'v1'],
  [['api', 'v1', 'v2'], { allowedVersions: ['v2'], defaultVersion: 'v1' }, 'v1'],
  [['__proto__'], { allowedVersions: ['__proto__'] }, '__proto__'],
  [['api', 'admin'], { allowedVersions: ['v1'] }, undefined],
  [['api', 'admin'], { allowedVersions: ['v1'], defaultVersion: 'v1' }, undefined],
  [['api', 'admin'], { allowedVersions: [null] }, undefined],
  [[], { allowedVersions: ['v1'], defaultVersion: 'v2' }, 'v2'],
  [[], { allowedVersions: ['v1'] }, null]
] as const) {
  const outcome = version === undefined ? 'no allowed version' : `the version ${JSON.stringify(version)}`
  t.test(`the namespace "${namespaces.join(':')}" has ${outcome} under ${JSON.stringify(settings)}`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    await nest(app, namespaces, (app) => { app.get('/', tell) })
    const response = await app.inject('/')
    t.equal(response.statusCode, version === undefined ? 404 : 200)
    t.equal(response.json().version, version)
  })
}

for (const [says, to, url] of [
  ['stays in the version of the request', 'list', '/v1/list'],
  ['may lead into a nested namespace', 'admin:list', '/v1/admin/list'],
  ['may specify another version', 'v2:list', '/v2/list'],
  ['may specify the version itself', 'v1:list', '/v1/list'],
  ['may lead to a route without versions', 'health', '/health']
]) {
  t.test(`a link under NamespaceVersioning ${says}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
    app.get('/list', { name: 'list' }, tell)
    app.get('/health', { name: 'health' }, tell)
    for (const namespace of ['v1', 'v2']) {
      app.register(async (versioned) => {
        versioned.get('/', async (_request, reply) => reply.reverse(to))
        versioned.get('/list', { name: 'list' }, tell)
        await nest(versioned, ['admin'], (admin) => { admin.get('/admin/list', { name: 'list' }, tell) })
      }, { prefix: namespace, namespace })
    }
    t.equal((await app.inject('/v1')).body, url)
  })
}

t.test('only names in an allowed version have a short name', async (t) => {
  const app = await appWith(t, { scheme, allowedVersions: ['v1'] })
  for (const [namespaces, name] of [
    [[], 'v1'], [[], 'health'], [['v1'], 'list'], [['v1', 'admin'], 'list'], [['v2'], 'list']
  ] as const) {
    await nest(app, namespaces, (app) => { app.get(`/${[...namespaces, name].join('/')}`, { name }, tell) })
  }
  await app.ready()
  t.same(Object.fromEntries(app.namedRoutes.map(({ name, shortName }) => [name, shortName])), {
    v1: null, health: null, 'v1:list': 'list', 'v1:admin:list': 'admin:list', 'v2:list': null
  })
})

t.test('a namespace chooses no handler, and the error shows how to register routes instead', async (t) => {
  const app = await appWith(t, { scheme })
  t.throws(() => app.get('/list', { version: 'v1' }, tell), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected none, because the version is a namespace: register\(routes, \{ prefix/
  })
})
