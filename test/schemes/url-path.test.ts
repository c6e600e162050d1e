import t from 'tap'

import { URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

schemeContract(t, {
  Scheme: URLPathVersioning,
  routes (app, probe) {
    app.route({ ...probe, url: '/probe' })
    app.route({ ...probe, url: '/:version/probe' })
  },
  naming: (version) => ({ url: `/${encodeURIComponent(version)}/probe` }),
  unnamed: { url: '/probe' },
  lookalikes: ['V1', 'v10', 'v', 'v1.0', ' v1', 'v%31', ''],
  refusal: {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version in URL path.'
  },
  isDefaultChecked: true,
  link: (version) => version === null ? '/probe' : `/${version}/probe`
})

async function tell (request: FastifyRequest): Promise<object> {
  return { version: request.version }
}

interface Reading { path: string, url: string, version: string }

const readings: Reading[] = [
  { path: '/:version/list', url: '/v%31/list', version: 'v1' },
  { path: '/:version/list', url: '/v%2531/list', version: 'v%31' },
  { path: '/:version/list', url: '/a%2Fb/list', version: 'a/b' },
  { path: '/:version/list', url: '/%E6%97%A5/list', version: '日' },
  { path: '/:version/list', url: '//list', version: '' },
  { path: '/:version/list', url: '/v1/list?version=v2', version: 'v1' },
  { path: '/list/:version?', url: '/list/v1', version: 'v1' },
  { path: '/list/:version?', url: '/list', version: 'the default' },
  { path: '/v:version/list', url: '/v1.0/list', version: '1.0' },
  { path: '/:version(^v\\d+)/list', url: '/v12/list', version: 'v12' },
  { path: '/list', url: '/list', version: 'the default' }
]

for (const { path, url, version } of readings) {
  t.test(`the URL ${url} of ${path} specifies "${version}"`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, defaultVersion: 'the default' })
    app.get(path, tell)
    t.same((await app.inject(url)).json(), { version })
  })
}

for (const versionParam of ['v', '__proto__', 'constructor', 'toString']) {
  t.test(`the parameter of the path may be named ${versionParam}`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, versionParam, allowedVersions: ['v1', 'v2'] })
    app.get(`/:${versionParam}/list`, { name: 'list' }, async (request, reply) => {
      return { version: request.version, self: reply.reverse('list') }
    })
    t.same((await app.inject('/v2/list')).json(), { version: 'v2', self: '/v2/list' })
    t.equal((await app.inject('/v9/list')).statusCode, 404)
  })

  t.test(`a path without the parameter ${versionParam} has the default version`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, versionParam, defaultVersion: 'v1' })
    app.get('/list', tell)
    app.get('/list/:id', tell)
    t.same((await app.inject('/list')).json(), { version: 'v1' })
    t.same((await app.inject('/list/7')).json(), { version: 'v1' })
  })
}

interface Link { says: string, name: string, params: ReverseKwargs | ReverseArgs, url: string }

const links: Link[] = [
  { says: 'the version joins the values by name', name: 'item', params: { id: 7 }, url: '/v1/items/7' },
  { says: 'positional values fill what the version leaves open', name: 'item', params: [7], url: '/v1/items/7' },
  { says: 'a version given by name has priority', name: 'item', params: { version: 'v9', id: 7 }, url: '/v9/items/7' },
  { says: 'an undefined version is none', name: 'item', params: { id: 7, version: undefined }, url: '/v1/items/7' },
  { says: 'a null version fills no parameter', name: 'both', params: { version: null }, url: '/both' },
  { says: 'a route without the parameter is found', name: 'plain', params: {}, url: '/plain' }
]

for (const { says, name, params, url } of links) {
  t.test(`in a link under URLPathVersioning ${says}`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning })
    app.get('/:version', async (_request: FastifyRequest, reply: FastifyReply) => {
      return reply.reverse(name, Object.freeze(params))
    })
    app.get('/:version/items/:id', { name: 'item' }, tell)
    app.get('/:version/both', { name: 'both' }, tell)
    app.get('/both', { name: 'both' }, tell)
    app.get('/plain', { name: 'plain' }, tell)
    t.equal((await app.inject('/v1')).body, url)
  })
}

t.test('reverse() of URLPathVersioning finds no route without the parameter', async (t) => {
  const scheme = new URLPathVersioning()
  const server = await appWith(t, { scheme })
  server.get('/plain', { name: 'plain' }, tell)
  await server.ready()
  const request = { version: 'v1', server }
  t.throws(() => scheme.reverse('plain', { request }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a parameter that a schema has turned into a number no longer specifies a version', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning })
  const params = { type: 'object', properties: { version: { type: 'integer' } } }
  app.get('/:version/list', { schema: { params } }, async (request) => {
    const { version, params, versioningScheme } = request
    return { version, params, read: versioningScheme?.readVersion?.(request) }
  })
  t.same((await app.inject('/1/list')).json(), { version: '1', params: { version: 1 }, read: null })
})
