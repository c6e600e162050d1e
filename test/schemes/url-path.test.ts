import t from 'tap'

import { URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { versionIn } from './readings.ts'

import type { FastifyRequest } from 'fastify'

const scheme = URLPathVersioning

async function tell ({ version }: FastifyRequest): Promise<object> {
  return { version }
}

for (const [path, url, version] of [
  ['/:version/list', '/v%31/list', 'v1'],
  ['/:version/list', '/v%2531/list', 'v%31'],
  ['/:version/list', '/a%2Fb/list', 'a/b'],
  ['/:version/list', '/%E6%97%A5/list', '日'],
  ['/:version/list', '//list', ''],
  ['/:version/list', '/v1/list?version=v2', 'v1'],
  ['/list/:version?', '/list/v1', 'v1'],
  ['/list/:version?', '/list', 'the default'],
  ['/v:version/list', '/v1.0/list', '1.0'],
  ['/:version(^v\\d+)/list', '/v12/list', 'v12'],
  ['/list', '/list', 'the default'],
  ['/list/:id', '/list/7', 'the default']
]) {
  t.test(`the URL ${url} of ${path} specifies "${version}"`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'the default' })
    app.get(path, tell)
    t.equal(await versionIn(app, url), version)
  })
}

for (const versionParam of ['v', '__proto__', 'constructor', 'toString']) {
  t.test(`the parameter of the path may be named ${versionParam}, and a path may lack it`, async (t) => {
    const app = await appWith(t, { scheme, versionParam, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    app.get(`/:${versionParam}/list`, { name: 'list' }, async ({ version }, reply) => [version, reply.reverse('list')])
    app.get('/list', tell)
    app.get('/list/:id', tell)
    t.same((await app.inject('/v2/list')).json(), ['v2', '/v2/list'])
    t.equal((await app.inject('/v9/list')).statusCode, 404)
    for (const url of ['/list', '/list/7']) t.equal(await versionIn(app, url), 'v1')
  })
}

for (const [says, name, params, url] of [
  ['the version joins the values by name', 'item', { id: 7 }, '/v1/items/7'],
  ['positional values fill what the version leaves open', 'item', [7], '/v1/items/7'],
  ['a version given by name has priority', 'item', { version: 'v9', id: 7 }, '/v9/items/7'],
  ['an undefined version is none', 'item', { id: 7, version: undefined }, '/v1/items/7'],
  ['a null version fills no parameter', 'both', { version: null }, '/both'],
  ['a route without the parameter is found', 'plain', {}, '/plain']
] as const) {
  t.test(`in a link under URLPathVersioning ${says}`, async (t) => {
    const app = await appWith(t, { scheme })
    app.get('/:version', async (_request, reply) => reply.reverse(name, Object.freeze(params)))
    app.get('/:version/items/:id', { name: 'item' }, tell)
    app.get('/:version/both', { name: 'both' }, tell)
    app.get('/both', { name: 'both' }, tell)
    app.get('/plain', { name: 'plain' }, tell)
    t.equal((await app.inject('/v1')).body, url)
  })
}

t.test('reverse() of URLPathVersioning finds no route without the parameter', async (t) => {
  const own = new URLPathVersioning()
  const server = await appWith(t, { scheme: own })
  server.get('/plain', { name: 'plain' }, tell)
  await server.ready()
  const request = { version: 'v1', server }
  t.throws(() => own.reverse('plain', { request }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a parameter that a schema has turned into a number no longer specifies a version', async (t) => {
  const app = await appWith(t, { scheme })
  const params = { type: 'object', properties: { version: { type: 'integer' } } }
  app.get('/:version/list', { schema: { params } }, async (request) => {
    const { version, params, versioningScheme } = request
    return { version, params, read: versioningScheme?.readVersion?.(request) }
  })
  t.same((await app.inject('/1/list')).json(), { version: '1', params: { version: 1 }, read: null })
})
