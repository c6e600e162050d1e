import Fastify from 'fastify'
import t from 'tap'

import { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { readingApp, readings, versionIn } from './readings.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

const byPath = { scheme: URLPathVersioning }
const byQuery = { scheme: QueryParameterVersioning }

async function tell ({ version }: FastifyRequest): Promise<object> {
  return { version }
}

for (const [path, url, version] of [
  ['/:version/list', '/v%31/list', 'v1'],
  ['/:version/list', '/v%2531/list', 'v%31'],
  ['/:version/list', '/a%2Fb/list', 'a/b'],
  ['/:version/list', '//list', ''],
  ['/:version/list', '/v1/list?version=v2', 'v1'],
  ['/list/:version?', '/list/v1', 'v1'],
  ['/list/:version?', '/list', 'the default'],
  ['/v:version/list', '/v1.0/list', '1.0'],
  ['/:version(^v\\d+)/list', '/v12/list', 'v12'],
  ['/list/:id', '/list/7', 'the default']
]) {
  t.test(`the URL ${url} of ${path} specifies "${version}"`, async (t) => {
    const app = await appWith(t, { ...byPath, defaultVersion: 'the default' })
    app.get(path, tell)
    t.equal(await versionIn(app, url), version)
  })
}

for (const versionParam of ['v', '__proto__', 'constructor']) {
  t.test(`the parameter of the path may be named ${versionParam}, and a path may lack it`, async (t) => {
    const app = await appWith(t, { ...byPath, versionParam, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
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
    const app = await appWith(t, byPath)
    app.get('/:version', async (_request, reply) => reply.reverse(name, Object.freeze(params)))
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

t.test('a parameter that a schema has turned into a number no longer specifies a version, but links do', async (t) => {
  const app = await appWith(t, byPath)
  const params = { type: 'object', properties: { version: { type: 'integer' } } }
  app.get('/:version/list', { schema: { params } }, async (request, reply) => {
    const { version, params, versioningScheme } = request
    return { version, params, read: versioningScheme?.readVersion?.(request), self: reply.reverse() }
  })
  const answer = { version: '01', params: { version: 1 }, read: null, self: '/01/list' }
  t.same((await app.inject('/01/list')).json(), answer)
})

/** Declares a route inside all the namespaces, the first of them outermost. */
async function nest (app: FastifyInstance, namespaces: readonly string[], route: (app: FastifyInstance) => void) {
  const [namespace, ...inner] = namespaces
  if (namespace === undefined) return route(app)
  await app.register(async (nested) => nest(nested, inner, route), { namespace })
}

for (const [namespaces, settings, version] of [
  [['api', 'v1'], {}, 'api'],
  [['v1', 'api'], { allowedVersions: ['v1'] }, 'v1'],
  [['v1', 'v2'], { allowedVersions: ['v2', 'v1'] }, 'v1'],
  [['api', 'v1', 'v2'], { allowedVersions: ['v2'], defaultVersion: 'v1' }, 'v1'],
  [['__proto__'], { allowedVersions: ['__proto__'] }, '__proto__'],
  [['api', 'admin'], { allowedVersions: ['v1'], defaultVersion: 'v1' }, undefined],
  [['api', 'admin'], { allowedVersions: [null] }, undefined],
  [[], { allowedVersions: ['v1'], defaultVersion: 'v2' }, 'v2']
] as const) {
  const outcome = version === undefined ? 'no allowed version' : `the version ${JSON.stringify(version)}`
  t.test(`the namespace "${namespaces.join(':')}" has ${outcome} under ${JSON.stringify(settings)}`, async (t) => {
    const app = await appWith(t, { scheme: NamespaceVersioning, ...settings })
    await nest(app, namespaces, (app) => { app.get('/', tell) })
    const response = await app.inject('/')
    t.equal(response.statusCode, version === undefined ? 404 : 200)
    t.equal(response.json().version, version)
  })
}

t.test('a namespace chooses no handler, and the error shows how to register routes instead', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  t.throws(() => app.get('/list', { version: 'v1' }, tell), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected none, because the version is a namespace: register\(routes, \{ prefix/
  })
})

readings(t, byQuery, (query) => `/${query}`, [
  ['', 'the default'],
  ['?version=v1', 'v1'],
  ['?version=v1&page=2&version=v2&version=v3', 'v3'],
  ['?version=v1&version', ''],
  ['?version', ''],
  ['?Version=v1', 'the default'],
  ['?versions=v1&aversion=v2', 'the default'],
  ['?v%65rsion=v1', 'v1'],
  ['?version=1+0', '1 0'],
  ['?__proto__=v1&toString=v2', 'the default']
])

for (const [value, version] of [
  [['v1', 'v2'], 'v2'],
  [[], 'the default'],
  [{ major: '1' }, 'the default'],
  [['v1', { major: '1' }], 'the default']
]) {
  t.test(`the parsed query value ${JSON.stringify(value)} specifies "${version}"`, async (t) => {
    const querystringParser = () => ({ version: value })
    const options = { ...byQuery, defaultVersion: 'the default' }
    const app = await readingApp(t, options, { routerOptions: { querystringParser } })
    t.equal(await versionIn(app, '/?version=v1'), version)
  })
}

for (const [name, version, query] of [
  ...['v', 'api version', '日&=', '__proto__', 'toString'].map((name) => [name, 'v2', `${encodeURIComponent(name)}=v2`]),
  ['version', '', 'version='],
  ['version', '1 + 1', 'version=1%20%2B%201'],
  ['version', 'a&b=c#d?e', 'version=a%26b%3Dc%23d%3Fe']
]) {
  t.test(`a link in the ${name} "${version}" ends in "${query}" and leads back to it`, async (t) => {
    const app = await appWith(t, { ...byQuery, versionParam: name, allowedVersions: [version] })
    app.get('/', { name: 'probe' }, async (request, reply) => [request.version, reply.reverse('probe')])
    for (const text of [new URLSearchParams([[name, version]]), query]) {
      t.same((await app.inject(`/?${text}`)).json(), [version, `/?${query}`])
    }
  })
}

t.test('documents have the parameter of the setting, or of a class field', async (t) => {
  class Own extends QueryParameterVersioning {
    override readonly versionParam = 'v'
  }
  t.same({ ...new QueryParameterVersioning({ versionParam: 'api' }).parameter }, { in: 'query', name: 'api' })
  t.same({ ...new Own().parameter }, { in: 'query', name: 'v' })
})

for (const [query, version, route = 'open'] of [
  ['version=%zz', '%zz'],
  ['%zz%41=v1&version=%zz%41', '%zz%41', '%zz%41'],
  ['version=%zz&version=v1', 'v1', 'v1'],
  ['version=%761', 'v1', 'v1'],
  ['&&v%65rsion=v1&', 'v1', 'v1']
] as const) {
  t.test(`the query ${query} specifies ${JSON.stringify(version)} before routing and after`, async (t) => {
    const app = Fastify()
    app.get('/', async (request) => request.query)
    const expected = (await app.inject(`/?${query}`)).json()
    t.equal([expected.version].flat().at(-1), version, 'by the parser of Fastify')
    const choosing = await appWith(t, byQuery)
    for (const one of ['v1', '%zz%41', undefined]) {
      choosing.get('/', { version: one }, async (request) => [one ?? 'open', request.version, request.query])
    }
    t.same((await choosing.inject(`/?${query}`)).json(), [route, version, expected])
  })
}
