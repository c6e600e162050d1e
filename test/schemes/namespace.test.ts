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

t.test('a namespace chooses no handler, and the error shows how to register routes instead', async (t) => {
  const app = await appWith(t, { scheme })
  t.throws(() => app.get('/list', { version: 'v1' }, tell), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected none, because the version is a namespace: register\(routes, \{ prefix/
  })
})
