import Fastify from 'fastify'
import http2 from 'node:http2'
import { inspect as show } from 'node:util'
import t from 'tap'

import versioning, {
  HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok, tell } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { connect } from '../wire/http1.ts'
import { AMBIGUOUS, readingApp, readings, versionIn } from './readings.ts'

import type { VersionParameter, VersioningSettings } from '../../types/index.d.ts'

// HeaderVersioning

const byHeader = { scheme: HeaderVersioning }
const sending = (value: string | string[]) => ({ url: '/', headers: { 'api-version': value } })

readings(t, byHeader, sending, [
  ['v1', 'v1'], [' \tv1\t ', 'v1'], ['a b', 'a b'], ['\u00a0 v1 ', '\u00a0 v1'], ['v1\u00a0 , v1\u00a0', 'v1\u00a0'],
  [' ', 'the default'], [' , \t,', 'the default'], ['v1 ,\t v1, ,v1', 'v1'], [['', 'v1'], 'v1'],
  ['constructor', 'constructor'], ['v'.repeat(10_000), 'v'.repeat(10_000)], [['v1', 'v2'], AMBIGUOUS],
  ['v1,V1', AMBIGUOUS], ['v8, v9, v8', AMBIGUOUS], ["it's, \u0085", AMBIGUOUS]
])

for (const versionHeader of ['X-API-Version', "!#$%&'*+.^_`|~-1", 'constructor', 'q']) {
  readings(t, { ...byHeader, versionHeader }, (name: string) => ({ url: '/', headers: { [name]: 'v1' } }), [
    [versionHeader, 'v1'], [versionHeader.toLowerCase(), 'v1'], [versionHeader.toUpperCase(), 'v1'],
    ['api-version', 'the default']
  ])
}

// It is not read from the prototype of objects.
readings(t, { ...byHeader, versionHeader: '__proto__' }, sending, [['v1', 'the default']])

class Mine extends HeaderVersioning {
  override readonly versionHeader = 'X-Mine'
}
class Assigning extends HeaderVersioning {
  constructor (settings: VersioningSettings) {
    super(settings)
    Object.assign(this, { versionHeader: 'X-Mine' })
  }
}

const text = '"X-Mine" header'
const parameter = { in: 'header', name: 'X-Mine' }
const derived = { placeText: text, invalidVersionMessage: `Invalid version in ${text}.`, vary: 'X-Mine', parameter }
const own = {
  placeText: 'own', invalidVersionMessage: 'Own.', vary: 'X-Mine, X-Own', parameter: { in: 'cookie', name: 'own' }
}

class Fields extends Mine {
  override readonly placeText = own.placeText
  override readonly invalidVersionMessage = own.invalidVersionMessage
  override readonly vary = own.vary
  override readonly parameter = own.parameter as VersionParameter
}

for (const [says, makeScheme, expected] of [
  ['a field with its name', () => new Mine(), derived],
  ['an assignment of its name', () => new Assigning({}), derived],
  ['fields', () => new Fields(), own],
  ['assignments', () => Object.assign(new Mine(), own), own]
] as const) {
  t.test(`what is said of the header follows ${says} of a subclass`, async (t) => {
    // Somebody has looked at the prototype, which has no settings.
    t.equal(HeaderVersioning.prototype.vary, undefined)
    const scheme = makeScheme() as HeaderVersioning
    const { placeText, invalidVersionMessage, vary, parameter } = scheme
    t.same({ placeText, invalidVersionMessage, vary, parameter }, expected)
    const response = await (await readingApp(t, { scheme })).inject({ url: '/', headers: { 'x-mine': 'v1' } })
    t.same([response.json(), response.headers.vary], [{ version: 'v1' }, expected.vary])
  })
}

t.test('the lines of a header on a connection of HTTP/1.1 are one list', async (t) => {
  const app = await readingApp(t, { ...byHeader, defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] })
  const connection = await connect(t, app)
  for (const [lines, answer] of [
    [['', 'v1'], { version: 'v1' }], [['v1', 'v2'], { code: AMBIGUOUS }], [[''], { version: 'v2' }]
  ] as const) {
    const fields = lines.map((line, i) => `${i === 0 ? 'API-Version' : 'api-VERSION'}: ${line}\r\n`)
    connection.write(`GET / HTTP/1.1\r\nhost: a\r\n${fields.join('')}\r\n`)
    t.match(JSON.parse((await connection.read('GET')).body), answer, show(lines))
  }
})

// HostNameVersioning

const byHost = { scheme: HostNameVersioning }
const at = (host: string) => ({ url: '/', headers: { host } })

readings(t, { ...byHost, defaultVersion: null }, at, [
  ['v1.example.com:80:90', 'v1'], ['V1.EXAMPLE.COM', 'V1'], ['v1.example.com.', null], ['user@v1.example.com', null],
  ['v1.example.com/v2', null], ['[::1]:3000', null], ['::ffff:1.2.3', null]
])

function matching (pattern: RegExp) {
  return class Custom extends HostNameVersioning { override readonly hostnameRegex = pattern }
}

readings(t, { scheme: matching(/^(v\d+)\.api\./) }, at, [
  ['v12.api.example.com:3000', 'v12'], ['v1.example.com', 'the default']
])
readings(t, { scheme: matching(/-(v\d+)\.example\.com$/) }, at, [['api-v1.example.com', 'v1']])
readings(t, { scheme: matching(/^(?:(v\d+)\.)?example\.com$/) }, at, [['example.com', 'the default']])

for (const flags of ['g', 'y', 'd', 'dgy']) {
  t.test(`every request is matched from the start of its host by a pattern with the flags ${flags}`, async (t) => {
    const app = await readingApp(t, { scheme: matching(new RegExp('^(v[0-9]+)[.]api', flags)) })
    app.get('/link', { name: 'link' }, async (_request, reply) => reply.reverse('link', null, { version: 'v3' }))
    for (const host of ['v1.api', 'v2.api']) {
      t.equal(await versionIn(app, at(host)), host.slice(0, 2))
      t.equal((await app.inject({ ...at(host), url: '/link' })).body, 'http://v3.api/link')
    }
  })
}

for (const [host, version, other] of [
  ['v1.example.com:3000', 'v2', 'v2.example.com:3000'], ['v1.example.com', '2.0', null], ['example.com', 'v2', null]
] as const) {
  t.test(`the host for ${version} instead of "${host}" is ${other}`, async (t) => {
    t.equal(new HostNameVersioning().hostFor(version, host), other)
  })
}

for (const head of ['GET / HTTP/1.0', 'GET / HTTP/1.1\r\nHost:']) {
  t.test(`the version chooses the handler of the request ${JSON.stringify(head)}, which has no host`, async (t) => {
    const app = await appWith(t, { ...byHost, defaultVersion: 'the default' })
    for (const one of ['v1', 'the default']) app.get('/', { version: one }, tell)
    const connection = await connect(t, app)
    connection.write(`${head}\r\n\r\n`)
    const { status, body } = await connection.read('GET')
    t.same([status, body], [200, 'the default'])
  })
}

t.test('the authority of an HTTP/2 request is its host, before routing and after', async (t) => {
  for (const trustProxy of [false, true]) {
    const app = Fastify({ http2: true, trustProxy })
    t.teardown(() => app.close())
    await app.register(versioning, { ...byHost, allowedVersions: ['v1', 'v2'] })
    for (const version of ['v1', 'v2']) app.get('/', { version }, async (request) => `${version} ${request.version}`)
    const client = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    t.teardown(() => client.destroy())
    const bodyOf = async (authority: string) => {
      const stream = client.request({ ':path': '/', ':authority': authority })
      return (await stream.setEncoding('utf8').toArray()).join('')
    }
    t.equal(await bodyOf('v2.example.com:3000'), 'v2 v2')
    t.match(await bodyOf('v9.example.com'), places.host.refusal.message)
  }
})

// URLPathVersioning

const byPath = { scheme: URLPathVersioning }

for (const [path, url, version] of [
  ['/:version/list', '/a%2Fb/list', 'a/b'],
  ['/list/:version?', '/list/v1', 'v1'],
  ['/list/:version?', '/list', 'the default'],
  ['/v:version/list', '/v1.0/list', '1.0'],
  ['/:version(^v\\d+)/list', '/v12/list', 'v12']
]) {
  t.test(`the URL ${url} of ${path} specifies "${version}"`, async (t) => {
    const app = await appWith(t, { ...byPath, defaultVersion: 'the default' })
    app.get(path, tell)
    t.equal((await app.inject(url)).body, version)
  })
}

for (const versionParam of ['__proto__', 'constructor']) {
  t.test(`the parameter of the path may be named ${versionParam}, and a path may lack it`, async (t) => {
    const app = await appWith(t, { ...byPath, versionParam, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    app.get(`/:${versionParam}/list`, { name: 'list' }, async ({ version }, reply) => [version, reply.reverse('list')])
    for (const path of ['/list', '/list/:id']) app.get(path, tell)
    t.same((await app.inject('/v2/list')).json(), ['v2', '/v2/list'])
    t.equal((await app.inject('/v9/list')).statusCode, 404)
    for (const url of ['/list', '/list/7']) t.equal((await app.inject(url)).body, 'v1')
  })
}

for (const [says, name, params, url] of [
  ['positional values fill what the version leaves open', 'item', [7], '/v1/items/7'],
  ['an undefined version is none', 'item', { id: 7, version: undefined }, '/v1/items/7'],
  ['a null version fills no parameter', 'both', { version: null }, '/both']
] as const) {
  t.test(`in a link under URLPathVersioning ${says}`, async (t) => {
    const app = await appWith(t, byPath)
    app.get('/:version', async (_request, reply) => reply.reverse(name, Object.freeze(params)))
    app.get('/:version/items/:id', { name: 'item' }, ok)
    for (const path of ['/:version/both', '/both']) app.get(path, { name: 'both' }, ok)
    t.equal((await app.inject('/v1')).body, url)
  })
}

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

// QueryParameterVersioning

const byQuery = { scheme: QueryParameterVersioning }

readings(t, byQuery, (query) => `/${query}`, [
  ['', 'the default'], ['?version=v1&version', ''], ['?version', ''], ['?versions=v1&aversion=v2', 'the default'],
  ['?__proto__=v1&toString=v2', 'the default']
])

for (const [value, version] of [
  [['v1', 'v2'], 'v2'], [[], 'the default'], [{ major: '1' }, 'the default'], [['v1', { major: '1' }], 'the default']
]) {
  const querystringParser = () => ({ version: value })
  readings(t, byQuery, (query) => `/${query}`, [[`?${JSON.stringify(value)}`, version]], {
    routerOptions: { querystringParser }
  })
}

for (const [name, version, query] of [
  ...['api version', '日&=', '__proto__', 'toString'].map((name) => [name, 'v2', `${encodeURIComponent(name)}=v2`]),
  ['version', '', 'version='],
  ['version', 'a&b=c#d?e + 1', 'version=a%26b%3Dc%23d%3Fe%20%2B%201']
]) {
  t.test(`a link in the ${name} "${version}" ends in "${query}" and leads back to it`, async (t) => {
    const app = await appWith(t, { ...byQuery, versionParam: name, allowedVersions: [version] })
    app.get('/', { name: 'probe' }, async (request, reply) => [request.version, reply.reverse('probe')])
    for (const text of [new URLSearchParams([[name, version]]), query]) {
      t.same((await app.inject(`/?${text}`)).json(), [version, `/?${query}`])
    }
  })
}

t.test('documents have the parameter of the setting', async (t) => {
  t.same({ ...new QueryParameterVersioning({ versionParam: 'api' }).parameter }, { in: 'query', name: 'api' })
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

t.test('a request that is not routed yet has its query in its URL', async (t) => {
  const scheme = new QueryParameterVersioning()
  t.equal(scheme.readVersion({ url: '/?version=v1&version=v2', headers: {} } as never), 'v2')
})

t.test('a query that a parser of the app reads as null has no version', async (t) => {
  const routerOptions = { querystringParser: () => null as never }
  const app = await appWith(t, { scheme: QueryParameterVersioning, defaultVersion: 'v1' }, { routerOptions })
  app.get('/', async ({ version }) => version)
  t.equal((await app.inject('/?version=v2')).body, 'v1')
})
