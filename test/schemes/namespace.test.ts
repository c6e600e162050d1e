import t from 'tap'

import { NamespaceVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningSettings } from '../../types/index.d.ts'

const lookalikes = ['V1', 'v10', 'v', 'v1.0', ' v1']

schemeContract(t, {
  Scheme: NamespaceVersioning,
  routes (app, probe) {
    app.route({ ...probe, url: '/probe' })
    for (const namespace of ['v0', 'v1', 'v2', 'v9', ...lookalikes]) {
      app.register(async (versioned) => {
        versioned.route({ ...probe, url: '/probe' })
      }, { prefix: namespace, namespace })
    }
  },
  naming: (version) => ({ url: `/${encodeURIComponent(version)}/probe` }),
  unnamed: { url: '/probe' },
  lookalikes,
  refusal: {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version in URL path. Does not match any version namespace.'
  },
  isDefaultChecked: false,
  link: (version) => ['v1', 'v2'].includes(String(version)) ? `/${version}/probe` : '/probe'
})

async function tell (request: FastifyRequest): Promise<object> {
  return { version: request.version }
}

/** Declares a route inside all the namespaces, the first of them outermost. */
async function nest (app: FastifyInstance, namespaces: readonly string[], route: (app: FastifyInstance) => void) {
  const [namespace, ...inner] = namespaces
  if (namespace === undefined) return route(app)
  await app.register(async (nested) => nest(nested, inner, route), { namespace })
}

interface Nested { namespaces: string[], settings: VersioningSettings, version: string | null | undefined }

const nested: Nested[] = [
  { namespaces: ['api', 'v1'], settings: {}, version: 'api' },
  { namespaces: ['api', 'v1'], settings: { allowedVersions: ['v1'] }, version: 'v1' },
  { namespaces: ['v1', 'api'], settings: { allowedVersions: ['v1'] }, version: 'v1' },
  { namespaces: ['v1', 'v2'], settings: { allowedVersions: ['v2', 'v1'] }, version: 'v1' },
  { namespaces: ['api', 'v1', 'v2'], settings: { allowedVersions: ['v2'], defaultVersion: 'v1' }, version: 'v1' },
  { namespaces: ['__proto__'], settings: { allowedVersions: ['__proto__'] }, version: '__proto__' },
  { namespaces: ['api', 'admin'], settings: { allowedVersions: ['v1'] }, version: undefined },
  { namespaces: ['api', 'admin'], settings: { allowedVersions: ['v1'], defaultVersion: 'v1' }, version: undefined },
  { namespaces: ['api', 'admin'], settings: { allowedVersions: [null] }, version: undefined },
  { namespaces: [], settings: { allowedVersions: ['v1'], defaultVersion: 'v2' }, version: 'v2' },
  { namespaces: [], settings: { allowedVersions: ['v1'] }, version: null }
]

for (const { namespaces, settings, version } of nested) {
  const outcome = version === undefined ? 'no allowed version' : `the version ${JSON.stringify(version)}`
  t.test(`the namespace "${namespaces.join(':')}" has ${outcome} under ${JSON.stringify(settings)}`, async (t) => {
    const app = await appWith(t, { scheme: NamespaceVersioning, ...settings })
    await nest(app, namespaces, (app) => { app.get('/probe', tell) })
    const response = await app.inject('/probe')
    t.equal(response.statusCode, version === undefined ? 404 : 200)
    t.equal(response.json().version, version)
  })
}

function linking (to: string) {
  return async (_request: FastifyRequest, reply: FastifyReply) => reply.reverse(to)
}

interface Link { says: string, to: string, url: string }

const links: Link[] = [
  { says: 'stays in the version of the request', to: 'list', url: '/v1/list' },
  { says: 'may lead into a nested namespace', to: 'admin:list', url: '/v1/admin/list' },
  { says: 'may specify another version', to: 'v2:list', url: '/v2/list' },
  { says: 'may specify the version itself', to: 'v1:list', url: '/v1/list' },
  { says: 'may lead to a route without versions', to: 'health', url: '/health' }
]

for (const { says, to, url } of links) {
  t.test(`a link under NamespaceVersioning ${says}`, async (t) => {
    const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
    app.get('/list', { name: 'list' }, tell)
    app.get('/health', { name: 'health' }, tell)
    for (const namespace of ['v1', 'v2']) {
      app.register(async (versioned) => {
        versioned.get('/', linking(to))
        versioned.get('/list', { name: 'list' }, tell)
        versioned.register(async (admin) => {
          admin.get('/admin/list', { name: 'list' }, tell)
        }, { namespace: 'admin' })
      }, { prefix: namespace, namespace })
    }
    t.equal((await app.inject('/v1')).body, url)
  })
}

t.test('only names in an allowed version have a short name', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
  app.get('/v1', { name: 'v1' }, tell)
  app.get('/health', { name: 'health' }, tell)
  await nest(app, ['v1'], (app) => { app.get('/v1/list', { name: 'list' }, tell) })
  await nest(app, ['v1', 'admin'], (app) => { app.get('/v1/admin', { name: 'list' }, tell) })
  await nest(app, ['v2'], (app) => { app.get('/v2/list', { name: 'list' }, tell) })
  await app.ready()
  t.same(Object.fromEntries(app.namedRoutes.map(({ name, shortName }) => [name, shortName])), {
    v1: null, health: null, 'v1:list': 'list', 'v1:admin:list': 'admin:list', 'v2:list': null
  })
})

t.test('a namespace chooses no handler, and the error shows how to register routes instead', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  t.throws(() => app.get('/list', { version: 'v1' }, tell), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected none, because the version is a namespace: register\(routes, \{ prefix/
  })
})
