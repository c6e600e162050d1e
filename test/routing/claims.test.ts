import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'
import { accept, allowedVersions, byAccept, byQuery, mark, settings, tell } from './app.ts'

import type { InjectOptions, RouteShorthandOptions } from 'fastify'
import type { VersionError } from '../../src/index.ts'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

const CODE = 'FST_ERR_VERSIONING_OPTION'
const withNull = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2', 'v3', null] }
const DUPLICATE = { code: 'FST_ERR_DUPLICATED_ROUTE' }

/** How a client specifies a version under each scheme that can choose by header or host. */
const ways: [Scheme: typeof BaseVersioning, status: number, ask: (version: string) => InjectOptions][] = [
  [AcceptHeaderVersioning, 406, accept],
  [QueryParameterVersioning, 404, (version) => ({ query: { version } })],
  [HostNameVersioning, 404, (version) => ({ headers: { host: `${version}.example.com` } })],
  [HeaderVersioning, 400, (version) => ({ headers: { 'api-version': version } })]
]

/** Routes, and which answers no version, which means v2, v1, v2, v3 and v4; `-` where none does. */
const choices: [says: string, routes: [version: RouteVersions | null | undefined, mark: string][], string][] = [
  ['one version each', [['v1', 'a'], ['v2', 'b']], 'b a b - -'],
  ['a version and a range from it on', [['v1', 'a'], [{ from: 'v2' }, 'b']], 'b a b b b'],
  ['a range up to a version', [[{ to: 'v2' }, 'a'], [['v4', 'v3'], 'b']], 'a a a b b'],
  ['a list with a gap', [[['v1', 'v3'], 'a']], '- a - a -'],
  ['a range, and a version in it', [[{ from: 'v1' }, 'a'], ['v3', 'b']], 'a a a b a'],
  ['a version, and a range around it', [['v3', 'a'], [{ from: 'v1' }, 'b']], 'b b b a b'],
  ['ranges that overlap', [[{ from: 'v2' }, 'a'], [{ from: 'v3' }, 'b'], [{ to: 'v4' }, 'c']], 'a c a b b'],
  ['an open route', [[undefined, 'a'], ['v1', 'b']], 'a b a a a'],
  ['an open route, declared last', [['v1', 'a'], [null, 'b']], 'b a b b b']
]

for (const [Scheme, status, ask] of ways) {
  t.test(`under ${Scheme.name} the version chooses the handler of GET and HEAD`, async (t) => {
    for (const [says, routes, answers] of choices) {
      const app = await appWith(t, { ...settings, scheme: Scheme })
      for (const [version, name] of routes) app.get('/bookings/:id', { version }, mark(name))
      const wanted = answers.split(' ')
      for (const [i, version] of [undefined, 'v1', 'v2', 'v3', 'v4', 'v9'].entries()) {
        for (const method of ['GET', 'HEAD'] as const) {
          const request = version === undefined ? {} : ask(version)
          const response = await app.inject({ method, url: '/bookings/7', ...request })
          const { statusCode, headers } = response
          const served = wanted[i] === '-' ? undefined : wanted[i]
          t.same([headers['x-mark'], statusCode], [served, served === undefined ? status : 200], `${says}: ${version}`)
          if (served !== undefined) t.equal(headers['x-version'], version ?? 'v2')
          else if (method === 'GET') {
            const answered = allowedVersions.filter((_version, i) => wanted[i + 1] !== '-').join(', ')
            const { invalidVersionMessage } = new Scheme()
            const message = version === 'v9' ? invalidVersionMessage : `This URL answers GET in ${answered}.`
            t.equal(response.json().message.replace(/ Versions: .*/, ''), message)
          }
        }
      }
    }
  })
}

t.test('the config of a route has the versions that it serves, in release order', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/list', { version: ['v3', 'v1', 'v3'] }, tell(''))
  app.get('/range', { version: { from: 'v2', to: 'v3' } }, tell(''))
  app.get('/any', tell(''))
  t.same((await app.inject({ url: '/list', ...accept('v1') })).json().versions, ['v1', 'v3'])
  t.same((await app.inject({ url: '/range', ...accept('v3') })).json().versions, ['v2', 'v3'])
  t.equal((await app.inject({ url: '/any', ...accept('v3') })).json().versions, undefined)
})

t.test('the option version of a context applies to routes without their own', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (legacy) => {
    legacy.get('/a', tell('old'))
    legacy.get('/b', { version: 'v2' }, tell('own'))
    legacy.get('/c', { version: null }, tell('any'))
    legacy.get('/health', { versioning: false }, tell('health'))
    legacy.register(async (inner) => { inner.get('/d', tell('inner')) })
    legacy.register(async (off) => {
      await off.register(versioning, { scheme: null })
      off.get('/e', tell('off'))
    })
  }, { version: 'v1' })
  app.get('/a', { version: { from: 'v2' } }, tell('new'))
  const answers: [url: string, version: string, mark: string | undefined][] = [
    ['/a', 'v1', 'old'], ['/a', 'v3', 'new'], ['/b', 'v1', undefined], ['/c', 'v4', 'any'], ['/d', 'v1', 'inner'],
    ['/d', 'v2', undefined], ['/health', 'v9', 'health'], ['/e', 'v9', 'off']
  ]
  for (const [url, version, wanted] of answers) {
    t.equal((await app.inject({ url, ...accept(version) })).json().mark, wanted, `${url} ${version}`)
  }
})

t.test('null in a list serves requests without a version', async (t) => {
  for (const allowed of [[...allowedVersions, null], null]) {
    const app = await appWith(t, { scheme: [HeaderVersioning, QueryParameterVersioning], allowedVersions: allowed })
    app.get('/a', { version: ['v1', null] }, mark('one'))
    app.get('/a', { version: 'v2' }, mark('two'))
    app.get('/b', tell('open'))
    app.get('/b', { version: [null] }, tell('none'))
    for (const method of ['GET', 'HEAD'] as const) {
      t.equal((await app.inject({ method, url: '/a' })).headers['x-mark'], 'one')
      t.equal((await app.inject({ method, url: '/a?version=v1' })).headers['x-mark'], 'one')
      t.equal((await app.inject({ method, url: '/a', headers: { 'api-version': 'v2' } })).headers['x-mark'], 'two')
      t.equal((await app.inject({ method, url: '/a?version=v3' })).statusCode, 404)
    }
    t.match((await app.inject('/b')).json(), { mark: 'none', version: null, versions: [null] })
    t.match((await app.inject('/b?version=v3')).json(), { mark: 'open', version: 'v3' })
    t.equal((await app.inject('/a?version=v3')).json().message, 'This URL answers GET in v1, v2.')
  }
})

t.test('a route may serve only null, or null by its context, and a refused version does not come there', async (t) => {
  for (const { Scheme, naming, refusal: { statusCode } } of [
    places.accept, places.header, places.query, places.contentType
  ]) {
    const app = await appWith(t, { scheme: Scheme, allowedVersions: [...allowedVersions, null], reportVersions: true })
    app.setErrorHandler<VersionError>(async ({ allowedVersions, statusCode }, _request, reply) => (
      reply.code(statusCode).send(allowedVersions)
    ))
    app.get('/a', { version: [null] }, tell('none'))
    app.get('/a', { version: { from: 'v2' } }, tell('later'))
    app.register(async (context) => { context.get('/b', tell('b')) }, { version: ['v1', null] })
    const ask = async (url: string, version?: string) => {
      const namings = version === undefined ? [] : [naming(version)]
      const { headers, ...response } = await app.inject(requestOf(url, ...namings))
      return [response.statusCode, response.json().mark ?? response.json(), headers['api-supported-versions']]
    }
    t.same(await ask('/a'), [200, 'none', 'v2, v3, v4'])
    t.same(await ask('/a', 'v1'), [statusCode, ['v2', 'v3', 'v4', null], 'v2, v3, v4'])
    t.same(await ask('/a', 'v3'), [200, 'later', 'v2, v3, v4'])
    t.same(await ask('/b'), [200, 'b', 'v1'])
    t.same(await ask('/b', 'v9'), [statusCode, ['v1', null], 'v1'])
  }
})

t.test('a URL still serves null when its version is gone, under a host as well', async (t) => {
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', null],
    lifecycle: { v1: { sunset: '2025-01-01' } },
    enforceSunset: true
  })
  app.get('/a', { version: ['v1', null], constraints: { host: /^a/ } }, tell('one'))
  const ask = async (headers = {}) => (await app.inject({ url: '/a', headers: { host: 'a.b', ...headers } })).json()
  t.match(await ask(), { mark: 'one', version: null })
  t.match(await ask({ 'api-version': 'v1' }), { statusCode: 410, message: "Version 'v1' was retired on " })
  t.match(await ask({ 'api-version': 'v2' }), { statusCode: 400, message: 'This URL answers GET without a version.' })
})

t.test('app.versions lists a route for null under its version and under null', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', null] })
  app.get('/a', { version: ['v1', null], exposeHeadRoute: false }, tell('one'))
  app.get('/a', { exposeHeadRoute: false, name: 'open' }, tell('open'))
  await app.ready()
  const served = app.versions.map(({ version, routes }) => [version, routes.map(({ name }) => name)])
  t.same(served, [['v1', [null]], ['v2', ['open']], [null, [null]]])
})

class Unread extends BaseVersioning {
  override determineVersion () { return null }
}

class Late extends BaseVersioning {
  override readonly knownAfterRouting = 'the session has the version'
  override readVersion () { return 'v1' }
}

const EXPECTED = 'expected a version, a list of versions, or a range { from, to } of allowedVersions'
const NO_NULL = 'expected no null, because a request without a version has the default one or is refused'

const wrong: [version: unknown, says: string, options?: VersioningOptions, own?: RouteShorthandOptions][] = [
  ['v9', "expected one of allowedVersions, [ 'v1', 'v2', 'v3' ], got 'v9'"],
  [['v1', 'v9'], "got 'v9'"],
  [[], `${EXPECTED}, got []`],
  [['v1', null], `${NO_NULL}, got [ 'v1', null ]`, { allowedVersions: ['v1'] }],
  [['v1', null], NO_NULL, { allowedVersions: ['v1'], scheme: HostNameVersioning }],
  [[null], `${NO_NULL}, got [ null ]`, { defaultVersion: 'v1' }],
  [2, `${EXPECTED}, got 2`],
  [[2], `${EXPECTED}, got 2`, { allowedVersions: null }],
  [{}, `${EXPECTED}, got {}`],
  [{ from: 'v1', until: 'v2' }, "got { from: 'v1', until: 'v2' }"],
  [{ from: 'v9' }, "got 'v9'"],
  [{ to: 9 }, `${EXPECTED}, got 9`],
  [{ from: 'v3', to: 'v1' }, 'expected a range in the order of allowedVersions'],
  [{ to: 'v1' }, "expected a version or a list, because a range needs allowedVersions, got { to: 'v1' }", {
    allowedVersions: null
  }],
  ['v1', 'expected none, because the version is a namespace', { scheme: NamespaceVersioning }],
  ['v1', "expected a scheme that reads one, got 'v1'", { scheme: null }],
  ['v1', "expected a scheme that reads one, got 'v1'", { scheme: AcceptHeaderVersioning }, { versioning: false }],
  ['v1', "expected none, because the session has the version, got 'v1'", { scheme: Late }],
  ['v1', "expected a scheme that has readVersion(), which Unread has not, got 'v1'", { scheme: Unread }]
]

for (const [version, says, options, own] of wrong) {
  t.test(`the version ${JSON.stringify(version)}${own ? ' of a neutral route' : ''} is refused: ${says}`, async (t) => {
    const app = await appWith(t, { ...withNull, ...options })
    const seen: Error[] = []
    try {
      app.get('/a', { ...own, version } as RouteShorthandOptions, tell(''))
    } catch (error) {
      seen.push(error as Error)
    }
    t.match(seen, [{ code: CODE, message: /^Invalid "version": .*\. The route is GET \/a\. See / }])
    t.ok(seen[0].message.includes(says))
  })
}

t.test('equal claims, and two open routes, are duplicates to Fastify', async (t) => {
  for (const version of ['v1', ['v1', 'v2'], { from: 'v1' }, undefined]) {
    const app = await appWith(t, byAccept)
    app.get('/a/:id', { version }, tell(''))
    t.throws(() => app.get('/a/:other', { version }, tell('')), DUPLICATE)
  }
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1', constraints: { host: 'c', version: '1.0.0' } }, tell(''))
  t.throws(() => app.get('/a', { version: 'v1', constraints: { version: '1.0.0', host: 'c' } }, tell('')), DUPLICATE)
})

const SCHEMES = 'have one URL, where versions choose: give both the same scheme, not AcceptHeaderVersioning and '
const HOSTS = 'have one URL, where versions choose: give both a constraint for host, or leave it out and look at the ' +
  'request in the handler'
const PATHS = 'share only one of two paths, so that these are served in different versions: declare a route for ' +
  'each path'
const byHost = (host: string | RegExp) => ({ constraints: { host } })

interface Pair {
  says: string
  first: RouteShorthandOptions
  /** Of the path `/a`, unless it has another one. */
  second: RouteShorthandOptions & { path?: string }
  /** What is wrong, or null if both can be declared. */
  conflict: string | null
}

const pairs: Pair[] = [
  {
    says: 'lists that share a version',
    first: { version: ['v1', 'v2'] },
    second: { version: ['v2', 'v3'] },
    conflict: 'both claim version \'v2\': remove \'v2\' from the option "version" of one of them'
  },
  {
    says: 'ranges with one beginning',
    first: { version: { from: 'v1', to: 'v2' } },
    second: { version: { from: 'v1' } },
    conflict: 'both claim version \'v1\': remove \'v1\' from the option "version" of one of them'
  },
  {
    says: 'lists that share null',
    first: { version: ['v1', null] },
    second: { version: ['v2', null] },
    conflict: 'both claim requests without a version: remove null from the option "version" of one of them'
  },
  { says: 'a list and a range', first: { version: 'v1' }, second: { version: { from: 'v1' } }, conflict: null },
  {
    says: 'a neutral route',
    first: { version: 'v1' },
    second: { versioning: false },
    conflict: 'have one URL, where versions choose: give both a scheme, or another URL to the one without versions'
  },
  {
    says: 'another class of schemes',
    first: { version: 'v1' },
    second: { version: 'v2', versioning: QueryParameterVersioning },
    conflict: `${SCHEMES}QueryParameterVersioning`
  },
  {
    says: 'another instance of a class',
    first: { version: 'v1' },
    second: { versioning: new AcceptHeaderVersioning() },
    conflict: SCHEMES.replace(/ and $/, " with the allowedVersions [ 'v1', 'v2', 'v3', null ] and null")
  },
  {
    says: 'the same class of schemes, written twice',
    first: { version: 'v1', versioning: QueryParameterVersioning },
    second: { version: 'v2', versioning: QueryParameterVersioning },
    conflict: null
  },
  {
    says: 'one list of schemes, written twice',
    first: { version: 'v1', versioning: [AcceptHeaderVersioning, QueryParameterVersioning] },
    second: { version: 'v2', versioning: [AcceptHeaderVersioning, QueryParameterVersioning] },
    conflict: null
  },
  { says: 'one host', first: { version: 'v1' }, second: { version: 'v2', ...byHost('a.example') }, conflict: HOSTS },
  {
    says: 'a version for each of two hosts',
    first: { version: 'v1', ...byHost('a.example') },
    second: { version: ['v1', 'v2'], ...byHost('b.example') },
    conflict: null
  },
  {
    says: 'two equal RegExps of hosts',
    first: { version: 'v1', ...byHost(/^a\./) },
    second: { version: 'v2', ...byHost(/^a\./) },
    conflict: 'have the host /^a\\./, for which the router only finds the first: serve both versions by one route, ' +
      'and look at the host in the handler'
  },
  {
    says: 'an open route under an equal RegExp of hosts',
    first: { version: 'v1', ...byHost(/^a\./) },
    second: byHost(/^a\./),
    conflict: 'have the host /^a\\./, for which the router only finds the first: serve both versions by one route, ' +
      'and look at the host in the handler'
  },
  { says: 'other RegExps', first: { version: 'v1', ...byHost(/^a/) }, second: { ...byHost(/^b/) }, conflict: null },
  {
    says: 'an open route with an optional parameter',
    first: { version: 'v1' },
    second: { path: '/a/:id?' },
    conflict: PATHS
  },
  {
    says: 'a version with an optional parameter',
    first: {},
    second: { path: '/a/:id?', version: 'v1' },
    conflict: PATHS
  }
]

for (const { says, first, second: { path = '/a', ...second }, conflict } of pairs) {
  t.test(`a version next to ${says} is ${conflict === null ? 'declared' : 'refused'} in either order`, async (t) => {
    for (const isSwapped of [false, true]) {
      const app = await appWith(t, withNull)
      const declare = [
        () => app.get('/a', { ...first, name: 'one' }, tell('')),
        () => app.get(path, { ...second, name: 'two' }, tell(''))
      ]
      for (const one of isSwapped ? declare.toReversed() : declare) one()
      if (conflict === null) {
        await t.resolves(async () => app.ready())
        continue
      }
      const labels = ["GET /a (named 'one')", `GET ${path} (named 'two')`]
      const routes = isSwapped ? labels.toReversed() : labels
      const what = isSwapped ? '' : `${conflict}. See `
      await t.rejects(async () => app.ready(), { code: CODE, message: `${routes.join(' and ')} ${what}` })
    }
  })
}

for (const [options, both] of [
  [{ versionParam: 'v' }, "QueryParameterVersioning with the versionParam 'version' and 'v'"],
  [{ versionParam: 'version' }, 'two instances of QueryParameterVersioning']
] as const) {
  t.test(`schemes of two contexts cannot read the versions of one URL if these are ${both}`, async (t) => {
    const app = await appWith(t, byQuery)
    app.get('/a', { version: 'v1' }, tell(''))
    app.register(async (context) => {
      await context.register(versioning, options)
      context.get('/a', { version: 'v2' }, tell(''))
    })
    const message = 'GET /a and GET /a have one URL, where versions choose: give both the same scheme, not '
    await t.rejects(async () => app.ready(), { code: CODE, message: `${message}${both}.` })
  })
}

t.test('the root of a prefix is two URLs with the same versions', async (t) => {
  const app = await appWith(t, byQuery)
  app.register(async (context) => {
    context.get('/', { version: 'v1' }, mark('one'))
    context.get('/', { version: 'v2' }, mark('two'))
  }, { prefix: '/p' })
  app.register(async (context) => {
    context.get('', { version: 'v1' }, mark('without'))
    context.get('/', { version: 'v1', prefixTrailingSlash: 'slash' }, mark('with'))
  }, { prefix: '/q' })
  const answers = [['/p', 'v1', 'one'], ['/p/', 'v2', 'two'], ['/q', 'v1', 'without'], ['/q/', 'v1', 'with']]
  for (const [url, version, wanted] of answers) {
    for (const method of ['GET', 'HEAD'] as const) {
      t.equal((await app.inject({ method, url: `${url}?version=${version}` })).headers['x-mark'], wanted, url)
    }
    t.equal((await app.inject(`${url}?version=v3`)).statusCode, 404)
  }
  const other = await appWith(t, byQuery)
  other.register(async (context) => { context.get('/', { version: 'v1' }, tell('')) }, { prefix: '/p' })
  other.get('/p/', tell('open'))
  await t.rejects(async () => other.ready(), { code: CODE, message: `GET /p/ and GET /p ${PATHS}. See ` })
})

t.test('an added HEAD route yields to explicit ones, whatever comes first', async (t) => {
  const heads: [head: RouteVersions, get: RouteVersions, own: string[], added: string[]][] = [
    [['v1', 'v2'], 'v1', ['v1', 'v2'], []],
    ['v1', ['v1', 'v2'], ['v1'], ['v2']],
    [{ to: 'v1' }, { from: 'v1' }, ['v1'], ['v2', 'v3', 'v4']],
    ['v2', { from: 'v1' }, ['v2'], ['v1', 'v3', 'v4']],
    [{ from: 'v1' }, { from: 'v1', to: 'v2' }, ['v1', 'v2', 'v3', 'v4'], []]
  ]
  for (const [head, get, own, added] of heads) {
    for (const isLater of [false, true]) {
      const app = await appWith(t, byAccept)
      if (isLater) app.get('/a', { version: get }, mark('added'))
      app.head('/a', { version: head }, mark('own'))
      if (!isLater) app.get('/a', { version: get }, mark('added'))
      for (const version of allowedVersions) {
        const { headers } = await app.inject({ method: 'HEAD', url: '/a', ...accept(version) })
        const wanted = own.includes(version) ? 'own' : added.includes(version) ? 'added' : undefined
        t.equal(headers['x-mark'], wanted, `${JSON.stringify(head)} ${version}`)
      }
    }
  }
})

t.test('HEAD routes, and those of several GET routes, answer the versions that the others leave', async (t) => {
  const app = await appWith(t, byAccept)
  app.head('/a', { version: 'v1' }, mark('own one'))
  app.route({ method: ['GET', 'POST'], url: '/a', version: { from: 'v1' }, handler: mark('range') })
  app.get('/a', { version: 'v3' }, mark('list'))
  app.head('/a', { version: { from: 'v2', to: 'v2' } }, mark('own two'))
  app.get('/a/:id', { version: { from: 'v1' } }, mark('other'))
  const answers = [
    ['/a', 'v1', 'own one'], ['/a', 'v2', 'own two'], ['/a', 'v3', 'list'], ['/a', 'v4', 'range'],
    ['/a/7', 'v2', 'other']
  ]
  for (const [url, version, wanted] of answers) {
    const { headers } = await app.inject({ method: 'HEAD', url, ...accept(version) })
    t.equal(headers['x-mark'], wanted, `${url} ${version}`)
  }
})

t.test('HEAD routes that share versions, a scheme or a path only in part are refused', async (t) => {
  const wrong: [head: RouteShorthandOptions, path: string, get: RouteShorthandOptions, message: string][] = [
    [{ version: 'v1', versioning: QueryParameterVersioning }, '/a', { version: 'v2' }, 'HEAD /a and HEAD /a (which ' +
      'Fastify adds to GET /a) have one URL, where versions choose: give both the same scheme, not '],
    [{ version: { from: 'v2' } }, '/a/:id?', { version: 'v2' }, 'HEAD /a and HEAD /a/:id? (which Fastify adds to GET ' +
      `/a/:id?) ${PATHS}.`],
    [{}, '/a/:id?', { version: 'v2' }, `HEAD /a and HEAD /a/:id? (which Fastify adds to GET /a/:id?) ${PATHS}.`]
  ]
  for (const [head, path, get, message] of wrong) {
    const app = await appWith(t, byAccept)
    app.head('/a', head, tell(''))
    app.get(path, get, tell(''))
    await t.rejects(async () => app.ready(), { code: CODE, message })
  }
  for (const isNextToGet of [true, false]) {
    const app = await appWith(t, byAccept)
    if (isNextToGet) app.get('/a', { version: 'v3' }, tell(''))
    app.head('/a', { version: ['v1', 'v2'] }, tell(''))
    app.head('/a', { version: 'v1' }, tell(''))
    await t.rejects(async () => app.ready(), { code: CODE, message: "HEAD /a and HEAD /a both claim version 'v1': " })
  }
})

t.test('routes under RegExp hosts are reached, with HEAD', async (t) => {
  const app = await appWith(t, byAccept)
  app.head('/a', { version: ['v1', 'v2'], ...byHost(/^a\./) }, mark('own'))
  app.get('/a', { version: 'v1', ...byHost(/^a\./) }, mark('a'))
  app.get('/a', { version: 'v2', ...byHost(/^b\./) }, mark('b'))
  app.get('/b', byHost(/^a\./), mark('open'))
  app.get('/b', { constraints: { host: /^a\./, version: '1.0.0' } }, mark('open'))
  for (const [method, host, version, wanted] of [
    ['GET', 'a.c', 'v1', 'a'], ['HEAD', 'a.c', 'v1', 'own'], ['GET', 'b.c', 'v2', 'b'], ['HEAD', 'b.c', 'v2', 'b']
  ] as const) {
    const { headers } = await app.inject({ method, url: '/a', headers: { host, ...accept(version).headers } })
    t.equal(headers['x-mark'], wanted, `${method} ${host}`)
  }
})

t.test('an error about an added HEAD route says to which route it belongs', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', byHost('a.example'), tell(''))
  app.head('/a', { version: 'v1' }, tell(''))
  const message = `HEAD /a (which Fastify adds to GET /a) and HEAD /a ${HOSTS}.`
  await t.rejects(async () => app.ready(), { code: CODE, message })
})

t.test('versions work together with methods, hosts, custom constraints and Accept-Version', async (t) => {
  const app = await appWith(t, byQuery)
  const values = new Map()
  app.addConstraintStrategy({
    name: 'tenant',
    storage: () => ({ get: (key) => values.get(key) ?? null, set: (key, value) => { values.set(key, value) } }),
    deriveConstraint: (request) => request.headers['x-tenant']
  } as Parameters<typeof app.addConstraintStrategy>[0])
  app.route({ method: ['GET', 'POST'], url: '/a', version: 'v1', handler: tell('old') })
  app.route({ method: ['GET'], url: '/a', version: 'v2', handler: tell('new') })
  app.route({ method: ['POST'], url: '/a', handler: tell('any') })
  app.get('/host', { version: 'v1', ...byHost('a.example') }, tell('a'))
  app.get('/host', { version: 'v2', ...byHost('b.example') }, tell('b'))
  app.get('/accept', { version: 'v1', constraints: { version: '1.0.0' } }, tell('1'))
  app.get('/accept', { version: 'v1', constraints: { version: '2.0.0' } }, tell('2'))
  app.get('/tenant', { version: 'v1', constraints: { tenant: 'own' } }, tell('own'))
  app.get('/:any', { version: 'v3' }, tell('fallback'))
  const answers: [url: string, version: string, headers: Record<string, string>, wanted: string][] = [
    ['/a', 'v1', {}, 'old'],
    ['/a', 'v2', {}, 'new'],
    ['/a', 'v3', {}, 'This URL answers GET in v1, v2.'],
    ['/host', 'v1', { host: 'a.example' }, 'a'],
    ['/host', 'v1', { host: 'b.example' }, 'This URL answers GET in v2.'],
    ['/host', 'v3', { host: 'c.example' }, 'fallback'],
    ['/host', 'v1', { host: 'c.example' }, 'This URL answers GET in v3.'],
    ['/accept', 'v1', { 'accept-version': '2.x' }, '2'],
    ['/tenant', 'v1', { 'x-tenant': 'own' }, 'own'],
    ['/tenant', 'v1', {}, 'This URL answers GET in v3.']
  ]
  for (const [url, version, headers, wanted] of answers) {
    const { mark: found, message } = (await app.inject({ url: `${url}?version=${version}`, headers })).json()
    t.equal(found ?? message, wanted, `${url} ${version}`)
  }
  t.match((await app.inject({ method: 'POST', url: '/a?version=v3' })).json(), { mark: 'any' })
})

t.test('open routes of several hosts, methods and paths are no duplicates, and keep their constraints', async (t) => {
  const app = await appWith(t, { ...byAccept, reportVersions: true })
  const constraints = { host: 'a.example' }
  app.get('/a', { version: null, constraints }, tell('a'))
  app.get('/a', { version: null, ...byHost('b.example') }, tell('b'))
  app.post('/a', { constraints }, tell('post'))
  app.get('/a', tell('any'))
  app.get('/c', { constraints }, tell('open'))
  app.get('/c', { constraints, version: 'v1', deprecated: { deprecated: '2020-01-01' } }, tell('one'))
  app.get('/c', { version: ['v1', 'v2'], ...byHost('b.example') }, tell('b'))
  app.post('/c', { version: 'v1' }, tell('post'))
  for (const [host, mark, deprecated] of [['a.example', 'a', 'v1'], ['b.example', 'b', undefined]] as const) {
    t.match((await app.inject({ url: '/a', headers: { host } })).json(), { mark })
    const { headers } = await app.inject({ url: '/c', headers: { host, ...accept('v2').headers } })
    t.equal(headers['api-deprecated-versions'], deprecated)
  }
  t.match((await app.inject({ url: '/a', headers: { host: 'c.example' } })).json(), { mark: 'any' })
  t.same(constraints, { host: 'a.example' })
  t.equal(app.hasRoute({ method: 'GET', url: '/c', constraints }), true)
  t.ok(app.findRoute({ method: 'GET', url: '/c', constraints }))
  t.equal(app.hasRoute({ method: 'POST', url: '/c' }), false)
})

t.test('an optional parameter is in both paths of a version and of an open route, in either order', async (t) => {
  for (const isFirst of [true, false]) {
    const app = await appWith(t, byAccept)
    if (isFirst) app.get('/a/:id?', tell('open'))
    app.get('/a/:other?', { version: 'v1' }, tell('one'))
    if (!isFirst) app.get('/a/:id?', tell('open'))
    for (const url of ['/a', '/a/7']) {
      t.match((await app.inject({ url, ...accept('v1') })).json(), { mark: 'one' })
      t.match((await app.inject({ url, ...accept('v3') })).json(), { mark: 'open' })
    }
  }
})

t.test('a refusal names the method and its versions, and other URLs and methods are plain 404s', async (t) => {
  const app = await appWith(t, { ...byQuery, allowedVersions: [...allowedVersions, null] })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v3' }, tell('three'))
  app.post('/a', { version: 'v2' }, tell('two'))
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', tell('rest'))
  const messageOf = async (method: 'GET' | 'POST' | 'PUT', url: string) => (
    (await app.inject({ method, url })).json().message
  )
  t.equal(await messageOf('GET', '/a?version=v4'), 'This URL answers GET in v1, v3.')
  t.equal(await messageOf('POST', '/a?version=v4'), 'This URL answers POST in v2.')
  t.equal(await messageOf('PUT', '/a?version=v9'), 'Route PUT:/a?version=v9 not found')
  t.equal(await messageOf('GET', '/c?version=v9'), 'Route GET:/c?version=v9 not found')
})

t.test('the last value of a parameter chooses, even after a thousand others, and a comma makes no list', async (t) => {
  const app = await appWith(t, { ...byQuery, allowedVersions: [...allowedVersions, 'v1, v2'] })
  for (const version of ['v1', 'v2', 'v1, v2']) app.get('/a', { version }, tell(version))
  const answers = [
    ['version=v2&version=v1', 'v1'], ['x&version=%761', 'v1'], ['version=v9&a=b&version=v1#version=v2', 'v1'],
    [`${'x=1&'.repeat(1500)}version=v1`, 'v1'], ['version=v1,%20v2', 'v1, v2'], ['version=v2', 'v2']
  ]
  for (const [query, version] of answers) {
    t.match((await app.inject(`/a?${query}`)).json(), { mark: version, version }, query.slice(0, 40))
  }
})

t.test('requests that wait in an earlier hook keep the route that the router chose', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async () => { await setImmediate() })
  await app.register(versioning, byQuery)
  for (const version of ['v1', 'v2']) app.get('/a', { version }, tell(version))
  const versions = ['v1', 'v2', 'v1', 'v2']
  const responses = await Promise.all(versions.map((version) => app.inject(`/a?version=${version}`)))
  t.same(responses.map((response) => response.json().mark), versions)
})

t.test('a route with options copied from a versioned one has their version, unless it has its own', async (t) => {
  const app = await appWith(t, byAccept)
  app.addHook('onRoute', (route) => {
    if (route.url !== '/a' || route.method !== 'GET') return
    app.route({ ...route, url: '/alias' })
    app.route({ ...route, url: '/open', version: null })
  })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/alias', tell('rest'))
  t.match((await app.inject({ url: '/alias', ...accept('v1') })).json(), { mark: 'one', versions: ['v1'] })
  t.match((await app.inject({ url: '/alias', ...accept('v2') })).json(), { mark: 'rest' })
  t.same((await app.inject({ url: '/open', ...accept('v3') })).json(), { mark: 'one', version: 'v3' })
  t.equal(app.hasRoute({ method: 'GET', url: '/open' }), true)
})

t.test('a preflight is answered by the open route, without a version', async (t) => {
  const app = await appWith(t, byAccept)
  app.options('/a', tell('open'))
  app.options('/a', { version: { from: 'v1' } }, tell('range'))
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.match((await app.inject({ url: '/a', method: 'OPTIONS', headers })).json(), { mark: 'open', version: null })
  t.match((await app.inject({ url: '/a', method: 'OPTIONS' })).json(), { mark: 'range', version: 'v2' })
})

t.test('the version is read again for a request that a handler routes again', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, async ({ raw }, reply) => {
    reply.hijack()
    raw.url = '/b?version=v2'
    app.routing(raw, reply.raw)
  })
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', { version: 'v2' }, tell('two'))
  t.match((await app.inject('/a?version=v1')).json(), { mark: 'two', version: 'v2' })
})

t.test('printRoutes(), hasRoute() and namedRoutes show claims and open routes', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1', name: 'a' }, tell('old'))
  app.get('/a', { version: { from: 'v2', to: 'v3' }, name: 'a' }, tell('new'))
  app.get('/a', tell('rest'))
  app.get('/b', { version: 'v1', ...byHost('b.example') }, tell('b'))
  await app.ready()
  t.equal(app.printRoutes(), `└── /
    ├── a (GET, HEAD) {"fastifyVersioning":["v1"]}
    │   a (GET, HEAD) {"fastifyVersioning":{"from":"v2","to":"v3"}}
    │   a (GET, HEAD)
    └── b (GET, HEAD) {"host":"b.example","fastifyVersioning":["v1"]}
`)
  t.same(['/a', '/b'].map((url) => app.hasRoute({ method: 'GET', url })), [true, false])
  t.equal(app.namedRoutes.length, 1)
})

t.test('later onRoute hooks must keep the url, the constraints and the config', async (t) => {
  const hooks: [says: string, hook: (route: RouteShorthandOptions & { url: string }) => void, isRefused: boolean][] = [
    ['replaces the constraints', (route) => { route.constraints = { host: 'a.example' } }, true],
    ['adds a constraint', (route) => { Object.assign(route.constraints as object, { host: 'a.example' }) }, true],
    ['copies the constraints and adds one', (route) => {
      route.constraints = { ...route.constraints, host: 'a' }
    }, true],
    ['removes the constraints', (route) => { delete route.constraints }, true],
    ['replaces the config', (route) => { route.config = {} as never }, true],
    ['changes the url', (route) => { route.url = `/moved${route.url}` }, true],
    ['copies what it finds', (route) => {
      Object.assign(route, { config: { ...route.config }, constraints: { ...route.constraints } })
    }, false]
  ]
  for (const [says, hook, isRefused] of hooks) {
    const app = await appWith(t, byQuery)
    app.addHook('onRoute', hook as never)
    app.get('/a', { version: 'v1', exposeHeadRoute: false }, tell('one'))
    const message = 'A later onRoute hook has replaced the url, the constraints or the config of GET /a. Add that hook '
    if (isRefused) await t.rejects(async () => app.ready(), { code: CODE, message }, says)
    else t.match((await app.inject('/a?version=v1')).json(), { mark: 'one' })
  }
  const message = 'A later onRoute hook has replaced the url, the constraints or the config of GET /api/a. Add '
  const app = await appWith(t)
  app.register(async (context) => {
    context.addHook('onRoute', (route) => { route.url = route.url.replace('a', 'b') })
    context.get('/a', { name: 'a', exposeHeadRoute: false }, tell(''))
  }, { prefix: '/api' })
  await t.rejects(async () => app.ready(), { code: CODE, message })
})

t.test('a value of the internal constraint is refused, and other constraints are left to Fastify', async (t) => {
  const app = await appWith(t, byQuery)
  t.throws(() => app.get('/a', { constraints: { fastifyVersioning: 'v1' } as never }, tell('')), {
    code: CODE,
    message: 'Invalid "constraints.fastifyVersioning": expected the route option "version" instead, got \'v1\'. The '
  })
  t.throws(() => app.get('/a', { constraints: 5 as never }, tell('')), { message: /Constraints should be an object/ })
})

t.test('a scheme registered after routes with versions is refused', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    context.get('/a', { version: 'v1' }, tell(''))
    await context.register(versioning, { scheme: QueryParameterVersioning })
  })
  const message = 'Register fastify-versioning before declaring GET /a, which has a version.'
  await t.rejects(async () => app.ready(), { code: CODE, message })
})

t.test('a path that only another version serves is refused, even if a path with a parameter matches', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a/b', { version: 'v1' }, tell('exact'))
  app.get('/a/:x', { version: 'v2' }, tell('x'))
  t.equal((await app.inject({ url: '/a/b', ...accept('v2') })).json().message, 'This URL answers GET in v1.')
  t.match((await app.inject({ url: '/a/c', ...accept('v2') })).json(), { mark: 'x' })
})
