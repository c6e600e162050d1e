import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'
import {
  CODE, accept, allowedVersions, appOf, ask, byAccept, byQuery, expectAnswers, get, head, mark, settings
} from './app.ts'

import type { FastifyRequest, InjectOptions, RouteShorthandOptions } from 'fastify'
import type { RawRequest, RouteVersions, VersioningOptions } from '../../types/index.d.ts'
import type { Answers, Declare } from './app.ts'

const withNull = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2', 'v3', null] }
const DUPLICATE = { code: 'FST_ERR_DUPLICATED_ROUTE' }
const byHost = (host: string | RegExp) => ({ constraints: { host } })

/** How a client specifies a version under each scheme that can choose by header or host. */
const ways: [Scheme: typeof BaseVersioning, status: number, specify: (version: string) => InjectOptions][] = [
  [AcceptHeaderVersioning, 406, accept],
  [QueryParameterVersioning, 404, (version) => ({ query: { version } })],
  [HostNameVersioning, 404, (version) => ({ headers: { host: `${version}.example.com` } })],
  [HeaderVersioning, 400, (version) => ({ headers: { 'api-version': version } })]
]

/** Routes, and which answers no version, which means v2, v1, v2, v3 and v4; `-` where none does. */
const choices: [says: string, routes: [version: RouteVersions | null | undefined, mark: string][], string][] = [
  ['one version each', [['v1', 'a'], ['v2', 'b']], 'b a b - -'],
  ['a version and a range from it on', [['v1', 'a'], [{ from: 'v2' }, 'b']], 'b a b b b'],
  ['a list with a gap', [[['v1', 'v3'], 'a']], '- a - a -'],
  ['a range, and a version in it', [[{ from: 'v1' }, 'a'], ['v3', 'b']], 'a a a b a'],
  ['an open route, declared last', [['v1', 'a'], [null, 'b']], 'b a b b b']
]

t.test('a list of versions that grows between two routes is read for each', async (t) => {
  const app = await appWith(t, byAccept)
  const version = ['v1']
  app.get('/old', { version }, mark('old'))
  version.push('v3')
  app.get('/new', { version }, mark('new'))
  t.equal(await ask(app, '/old', accept('v1')), 'old v1')
  t.equal(await ask(app, '/new', accept('v3')), 'new v3')
})

for (const [Scheme, status, specify] of ways) {
  t.test(`under ${Scheme.name} the version chooses the handler of GET and HEAD`, async (t) => {
    const { invalidVersionMessage } = new Scheme()
    for (const [says, routes, answers] of choices) {
      const app = await appWith(t, { ...settings, scheme: Scheme })
      for (const [version, name] of routes) app.get('/bookings/:id', { version }, mark(name))
      const [byDefault, ...marks] = answers.split(' ')
      const answered = allowedVersions.filter((_version, i) => marks[i] !== '-').join(', ')
      const wanted = [[undefined, byDefault], ...allowedVersions.map((version, i) => [version, marks[i]]), ['v9', '-']]
      for (const [version, name] of wanted) {
        const request = version === undefined ? {} : specify(version)
        const message = version === 'v9' ? invalidVersionMessage : `This URL answers GET in ${answered}.`
        const served = `${name} ${version ?? 'v2'}`
        const answer = (await ask(app, '/bookings/7', request)).replace(/ Versions: .*/, '')
        t.equal(answer, name === '-' ? `${status} ${message}` : served, `${says}: ${version}`)
        t.equal(await ask(app, 'HEAD /bookings/7', request), name === '-' ? String(status) : served, says)
      }
    }
  })
}

const many = Array.from({ length: 40 }, (_, i) => `v${i + 1}`)
const tooMany = {
  code: CODE, message: /^Let a handler of GET \/a serve several versions, .*: Fastify's router takes at most 31/
}

t.test('a URL has 31 handlers, and one more is an error that says what to do', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: many })
  const declare = (version: RouteVersions | null) => app.get('/a', { version }, async (request) => request.version)
  for (const version of many.slice(0, 31)) declare(version)
  for (const version of ['v32', null]) t.throws(() => declare(version), tooMany)
  const last = await app.inject({ url: '/a', headers: { 'api-version': 'v31' } })
  t.equal(last.body, 'v31')
})

t.test('an open route is one of the 31, and other URLs and methods are not', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: many })
  app.get('/a', ok)
  for (const version of many.slice(0, 30)) {
    app.get('/a', { version }, ok)
    app.post('/a', { version }, ok)
    app.get('/b', { version }, ok)
  }
  t.throws(() => app.get('/a', { version: { from: 'v31' } }, ok), tooMany)
  t.doesNotThrow(() => app.post('/a', { version: { from: 'v31' } }, ok))
})

for (const [says, urlOf, routerOptions = {}] of [
  ['names of a parameter', (i) => `/a/:name${i}`],
  ['slashes', (i) => i % 2 === 0 ? '/a' : '//a/', { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true }],
  ['letters', (i) => i % 2 === 0 ? '/a' : '/A', { caseSensitive: false }]
] as [says: string, urlOf: (i: number) => string, routerOptions?: object][]) {
  t.test(`31 handlers, and one more is an error, also where paths differ in ${says} alone`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: many }, { routerOptions })
    for (const [i, version] of many.slice(0, 31).entries()) app.get(urlOf(i), { version }, ok)
    t.throws(() => app.get(urlOf(31), { version: 'v32' }, ok), { code: CODE, message: /router takes at most 31/ })
  })
}

t.test('too many handlers of an app without versions are an error of the router', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: many })
  for (let i = 0; i < 31; i++) app.get('/a', { constraints: { host: `${i}.example.com` } }, ok)
  t.throws(() => app.get('/a', { constraints: { host: 'more.example.com' } }, ok), { message: /^find-my-way supports/ })
})

const byV = new QueryParameterVersioning({ allowedVersions, versionParam: 'v' })

/** Routes that are declared in this order and in the other one, and what answers requests to them. */
const chosen: [says: string, routes: Declare[], answers: Answers, options?: VersioningOptions][] = [
  ['the option version of a context applies to routes without their own', [
    (app) => app.register(async (legacy) => {
      legacy.get('/a', mark('old'))
      legacy.get('/b', { version: 'v2' }, mark('own'))
      legacy.get('/c', { version: null }, mark('any'))
      legacy.get('/health', { versioning: false }, mark('health'))
      legacy.register(async (inner) => { inner.get('/d', mark('inner')) })
      legacy.register(async (off) => {
        await off.register(versioning, { scheme: null })
        off.get('/e', mark('off'))
      })
    }, { version: 'v1' }),
    get('/a', 'new', { from: 'v2' })
  ], [
    ['/a?version=v1', 'old v1'], ['/a?version=v3', 'new v3'], ['/b?version=v1', '404 This URL answers GET in v2.'],
    ['/c?version=v4', 'any v4'], ['/d?version=v1', 'inner v1'], ['/d?version=v2', '404 This URL answers GET in v1.'],
    ['/health?version=v9', 'health null'], ['/e?version=v9', 'off null']
  ]],
  ['HEAD routes, and those of several GET routes, answer the versions that the others leave', [
    head('/a', 'own one', 'v1'),
    (app) => app.route({ method: ['GET', 'POST'], url: '/a', version: { from: 'v1' }, handler: mark('range') }),
    get('/a', 'list', 'v3'), head('/a', 'own two', { from: 'v2', to: 'v2' }), get('/a/:id', 'other', { from: 'v1' })
  ], [
    ['HEAD /a?version=v1', 'own one v1'], ['HEAD /a?version=v2', 'own two v2'], ['HEAD /a?version=v3', 'list v3'],
    ['HEAD /a?version=v4', 'range v4'], ['HEAD /a/7?version=v2', 'other v2']
  ]],
  ['versions work together with methods and hosts', [
    (app) => app.route({ method: ['GET', 'POST'], url: '/a', version: 'v1', handler: mark('old') }),
    (app) => app.route({ method: ['GET'], url: '/a', version: 'v2', handler: mark('new') }),
    (app) => app.route({ method: ['POST'], url: '/a', handler: mark('any') }),
    get('/host', 'a', 'v1', byHost('a.example')), get('/host', 'b', 'v2', byHost('b.example')),
    get('/:any', 'fallback', 'v3')
  ], [
    ['/a?version=v1', 'old v1'], ['/a?version=v2', 'new v2'], ['/a?version=v3', '404 This URL answers GET in v1, v2.'],
    ['POST /a?version=v3', 'any v3'], ['http://a.example/host?version=v1', 'a v1'],
    ['http://b.example/host?version=v1', '404 This URL answers GET in v2.'],
    ['http://c.example/host?version=v3', 'fallback v3'],
    ['http://c.example/host?version=v1', '404 This URL answers GET in v3.']
  ]],
  ['an optional parameter is in both paths of a version and of an open route', [
    get('/a/:id?', 'open'), get('/a/:other?', 'one', 'v1')
  ], [
    ['/a?version=v1', 'one v1'], ['/a/7?version=v1', 'one v1'], ['/a?version=v3', 'open v3'],
    ['/a/7?version=v3', 'open v3']
  ]],
  ['a refusal names the method and its versions, and other URLs and methods are plain 404s', [
    get('/a', 'one', 'v1'), get('/a', 'three', 'v3'),
    (app) => app.post('/a', { version: 'v2' }, mark('two')),
    get('/b', 'one', 'v1'), get('/b', 'rest')
  ], [
    ['/a?version=v4', '404 This URL answers GET in v1, v3.'],
    ['POST /a?version=v4', '404 This URL answers POST in v2.'],
    ['PUT /a?version=v9', '404 Route PUT:/a?version=v9 not found'],
    ['/c?version=v9', '404 Route GET:/c?version=v9 not found']
  ], { allowedVersions: [...allowedVersions, null] }],
  ['routes of different methods and paths may have different schemes', [
    get('/a', 'get', 'v1'),
    (app) => app.post('/a', { version: 'v1', versioning: byV }, mark('post')),
    get('/b', 'b', 'v1', { versioning: byV })
  ], [['/a?version=v1', 'get v1'], ['POST /a?v=v1', 'post v1'], ['/b?v=v1', 'b v1']]],
  ['a path that only another version serves is refused, even if a path with a parameter matches', [
    get('/a/b', 'exact', 'v1'), get('/a/:x', 'x', 'v2')
  ], [['/a/b?version=v2', '404 This URL answers GET in v1.'], ['/a/c?version=v2', 'x v2']]]
]

for (const [says, routes, answers, options] of chosen) {
  t.test(`${says}, in either order`, async (t) => {
    for (const declared of [routes, routes.toReversed()]) {
      const app = await appOf(t, { ...byQuery, ...options }, declared)
      await expectAnswers(t, app, answers)
    }
  })
}

t.test('routes under RegExp hosts are reached, with HEAD', async (t) => {
  const app = await appOf(t, byQuery, [
    head('/a', 'own', ['v1', 'v2'], byHost(/^a\./)), get('/a', 'a', 'v1', byHost(/^a\./)),
    get('/a', 'b', 'v2', byHost(/^b\./)), get('/b', 'open', undefined, byHost(/^a\./)),
    get('/b', 'open', undefined, { constraints: { host: /^a\./, version: '1.0.0' } })
  ])
  await expectAnswers(t, app, [
    ['http://a.c/a?version=v1', 'a v1'], ['HEAD http://a.c/a?version=v1', 'own v1'],
    ['http://b.c/a?version=v2', 'b v2'], ['HEAD http://b.c/a?version=v2', 'b v2']
  ])
})

t.test('null in a list serves requests without a version, with HEAD, whether versions are listed or not', async (t) => {
  for (const allowed of [[...allowedVersions, null], null]) {
    const app = await appOf(t, { ...byQuery, allowedVersions: allowed, defaultVersion: null }, [
      get('/a', 'one', ['v1', null]), get('/a', 'two', 'v2'), get('/b', 'open'), get('/b', 'none', [null])
    ])
    await expectAnswers(t, app, [
      ['/a', 'one null'], ['HEAD /a', 'one null'], ['HEAD /a?version=v1', 'one v1'], ['HEAD /a?version=v3', '404'],
      ['/a?version=v3', '404 This URL answers GET in v1, v2.'], ['/b', 'none null'], ['/b?version=v3', 'open v3']
    ])
  }
})

for (const { Scheme, naming, refusal } of [places.accept, places.header, places.query, places.contentType]) {
  t.test(`under ${Scheme.name} a route may serve only null, and a refused version does not come there`, async (t) => {
    const app = await appWith(t, { scheme: Scheme, allowedVersions: [...allowedVersions, null], reportVersions: true })
    get('/a', 'none', [null])(showRefusals(app))
    get('/a', 'later', { from: 'v2' })(app)
    app.register(async (context) => { get('/b', 'b')(context) }, { version: ['v1', null] })
    const answers: [url: string, version: string | null, answer: string | (string | null)[], supported: string][] = [
      ['/a', null, 'none null', 'v2, v3, v4'],
      ['/a', 'v1', ['v2', 'v3', 'v4', null], 'v2, v3, v4'],
      ['/a', 'v3', 'later v3', 'v2, v3, v4'],
      ['/b', null, 'b null', 'v1'],
      ['/b', 'v9', ['v1', null], 'v1']
    ]
    for (const [url, version, answer, supported] of answers) {
      const response = await app.inject(requestOf(url, ...version === null ? [] : [naming(version)]))
      const { headers, statusCode } = response
      t.same(headers['x-answer'] ?? response.json().allowedVersions, answer)
      t.same([statusCode, headers['api-supported-versions']], [
        typeof answer === 'string' ? 200 : refusal.statusCode, supported
      ])
    }
  })
}

class Unread extends BaseVersioning { override determineVersion () { return null } }

class Late extends BaseVersioning {
  override readonly knownAfterRouting = 'the session has the version'
  override readVersion () { return 'v1' }
}

const EXPECTED = 'expected a version, a list of versions, or a range { from, to } of allowedVersions'
const NO_NULL = 'Remove null from "version": a request without a version '
const REFUSED = `${NO_NULL}is refused. To serve it, add null to "allowedVersions".`

const NO_SCHEME = 'Set "scheme" where you register fastify-versioning: without a scheme, no request has a version, and '

const wrong: [version: unknown, says: string, options?: VersioningOptions, own?: RouteShorthandOptions][] = [
  ['v9', "expected one of allowedVersions, [ 'v1', 'v2', 'v3' ], got 'v9'"],
  [['v1', 'v9'], "got 'v9'"],
  [[], `${EXPECTED}, got []`],
  [['v1', null], REFUSED, { allowedVersions: ['v1'] }],
  [['v1', null], REFUSED, { allowedVersions: ['v1'], scheme: HostNameVersioning }],
  [[null], `${NO_NULL}gets the default version 'v1', so it never has the version null.`, { defaultVersion: 'v1' }],
  [2, `${EXPECTED}, got 2`],
  [[2], `${EXPECTED}, got 2`, { allowedVersions: null }],
  [{}, `${EXPECTED}, got {}`],
  [{ from: 'v1', until: 'v2' }, "got { from: 'v1', until: 'v2' }"],
  [{ from: 'v9' }, "got 'v9'"],
  [{ to: 9 }, `${EXPECTED}, got 9`],
  [{ from: 'v3', to: 'v1' }, 'Invalid "version": \'v3\' ("from") is newer than \'v1\' ("to"). allowedVersions lists '],
  [{ to: 'v1' }, 'Set "allowedVersions": without this list, the range { to: \'v1\' } has no order.',
    { allowedVersions: null }],
  ['v1', 'Remove "version": under NamespaceVersioning, the namespace is the version. Write reg',
    { scheme: NamespaceVersioning }],
  ['v1', NO_SCHEME, { scheme: null }],
  ['v1', 'Remove "version": with "versioning: false", this route has no version.', { scheme: AcceptHeaderVersioning },
    { versioning: false }],
  ['v1', 'Remove "version": the session has the version.', { scheme: Late }],
  ['v1', 'Give the scheme Unread a method readVersion(): "version" chooses a route before Unread',
    { scheme: Unread }],
  ['v1', 'Make "defaultVersion.version" synchronous: this app has routes with "version", and the router does not ',
    { defaultVersion: { header: 'x-key', version: async () => null } }]
]

for (const [version, says, options, own] of wrong) {
  t.test(`the version ${JSON.stringify(version)}${own ? ' of a neutral route' : ''} is refused: ${says}`, async (t) => {
    const app = await appWith(t, { ...withNull, ...options })
    const declare = () => get('/a', '', version as RouteVersions, own)(app)
    const page = /default/.test(says) && /Make/.test(says) ? 'which-version' : 'handlers'
    const message = new RegExp(`. Route: GET /a \\(version .*\\)\\. See https:.*/${page}\\.md`)
    t.throws(declare, { code: CODE, message })
    t.throws(declare, { message: says })
  })
}

t.test('equal claims, and two open routes, are duplicates to Fastify', async (t) => {
  for (const version of ['v1', ['v1', 'v2'], { from: 'v1' }, undefined]) {
    const app = await appWith(t, byAccept)
    app.get('/a/:id', { version }, ok)
    t.throws(() => app.get('/a/:other', { version }, ok), DUPLICATE)
  }
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1', constraints: { host: 'c', version: '1.0.0' } }, ok)
  t.throws(() => app.get('/a', { version: 'v1', constraints: { version: '1.0.0', host: 'c' } }, ok), DUPLICATE)
})

const RANGES = "have ranges that begin at 'v1': version { from: 'v1', to: 'v2' } and version { from: 'v1' }. Let the " +
  "longer range begin at 'v3': where ranges overlap, the one that begins last wins."
const HOSTS = 'Only one of the two routes for GET /a (named \'one\') has the constraint "host". Give it to both ' +
  "(version 'v1' and version 'v2'), or remove it and look at the request in the handler: where a route of a URL has " +
  '"version", all its routes need the same constraints.'
const PATHS = "Declare a route for each path of GET /a (named 'one') and GET /a/:id? (named 'two'): they share only on"
const REG_EXPS = 'Serve both versions of GET /a (named \'one\') by one route, and look at the host in the handler: ' +
  'for the host /^a\\./, the router finds only the first of two routes.'

/** Where there is no conflict, both can be declared. The second route is at `/a`, unless it has another path. */
const pairs: [
  says: string, first: RouteShorthandOptions, second: RouteShorthandOptions & { path?: string }, conflict?: string
][] = [
  ['lists that share a version', { version: ['v1', 'v2'] }, { version: ['v2', 'v3'] },
    "Two routes for GET /a (named 'one') serve 'v2': version [ 'v1', 'v2' ] and version [ 'v2', 'v3' ]. Remove "],
  ['ranges with one beginning', { version: { from: 'v1', to: 'v2' } }, { version: { from: 'v1' } }, RANGES],
  ['lists that share null', { version: ['v1', null] }, { version: ['v2', null] },
    'serve requests without a version: version [ \'v1\', null ] and version [ \'v2\', null ]. Remove null from '],
  ['a list and a range', { version: 'v1' }, { version: { from: 'v1' } }],
  ['a neutral route', { version: 'v1' }, { versioning: false },
    'is declared with a scheme and again without one ("versioning: false"), and the router cannot choose. Give bot'],
  ['another class of schemes', { version: 'v1' }, { version: 'v2', versioning: QueryParameterVersioning },
    "is declared under two schemes, AcceptHeaderVersioning (version 'v1') and QueryParameterVersioning (version 'v2')"],
  ['another instance of a class', { version: 'v1' }, { versioning: new AcceptHeaderVersioning() },
    'is declared under two instances of AcceptHeaderVersioning (version \'v1\' and no "version"). Use one of the'],
  ['the same class of schemes, written twice', { version: 'v1', versioning: QueryParameterVersioning },
    { version: 'v2', versioning: QueryParameterVersioning }],
  ['one host', { version: 'v1' }, { version: 'v2', ...byHost('a.example') }, HOSTS],
  ['a constraint beside a host of both', { version: 'v1', ...byHost('a.example') },
    { version: 'v2', constraints: { host: 'a.example', version: '1.0.0' } }, 'has the constraint "version". Give it'],
  ['two other constraints', { version: 'v1', ...byHost('a.example') },
    { version: 'v2', constraints: { version: '1.0.0' } }, 'has the constraints "host" and "version". Give them to '],
  ['a version for each of two hosts', { version: 'v1', ...byHost('a.example') },
    { version: ['v1', 'v2'], ...byHost('b.example') }],
  ['two equal RegExps of hosts', { version: 'v1', ...byHost(/^a\./) }, { version: 'v2', ...byHost(/^a\./) }, REG_EXPS],
  ['an open route under an equal RegExp of hosts', { version: 'v1', ...byHost(/^a\./) }, byHost(/^a\./), REG_EXPS],
  ['other RegExps', { version: 'v1', ...byHost(/^a/) }, byHost(/^b/)],
  ['an open route with an optional parameter', { version: 'v1' }, { path: '/a/:id?' }, PATHS],
  ['a version with an optional parameter', {}, { path: '/a/:id?', version: 'v1' }, PATHS]
]

for (const [says, first, { path = '/a', ...second }, conflict] of pairs) {
  t.test(`a version next to ${says} is ${conflict ? 'refused' : 'declared'} in either order`, async (t) => {
    const labels = ["GET /a (named 'one')", `GET ${path} (named 'two')`]
    const declare = [
      get('/a', '', undefined, { ...first, name: 'one' }), get(path, '', undefined, { ...second, name: 'two' })
    ]
    for (const isSwapped of [false, true]) {
      const app = await appOf(t, withNull, isSwapped ? declare.toReversed() : declare)
      const message = isSwapped ? labels[1] : conflict
      if (conflict === undefined) await t.resolves(async () => app.ready())
      else await t.rejects(async () => app.ready(), { code: CODE, message })
    }
  })
}

const heads: [head: RouteVersions, get: RouteVersions, own: string[], added: string[]][] = [
  [['v1', 'v2'], 'v1', ['v1', 'v2'], []],
  ['v1', ['v1', 'v2'], ['v1'], ['v2']],
  [{ to: 'v1' }, { from: 'v1' }, ['v1'], ['v2', 'v3', 'v4']],
  ['v2', { from: 'v1' }, ['v2'], ['v1', 'v3', 'v4']],
  [{ from: 'v1' }, { from: 'v1', to: 'v2' }, ['v1', 'v2', 'v3', 'v4'], []]
]

for (const [ofHead, ofGet, own, added] of heads) {
  const says = `an added HEAD route of ${JSON.stringify(ofGet)} yields to an explicit one of ${JSON.stringify(ofHead)}`
  t.test(`${says}, in either order`, async (t) => {
    const declare = [head('/a', 'own', ofHead), get('/a', 'added', ofGet)]
    for (const declared of [declare, declare.toReversed()]) {
      const app = await appOf(t, byQuery, declared)
      for (const version of allowedVersions) {
        const name = own.includes(version) ? 'own' : added.includes(version) ? 'added' : null
        t.equal(await ask(app, `HEAD /a?version=${version}`), name === null ? '404' : `${name} ${version}`)
      }
    }
  })
}

const wrongHeads: [says: string, declare: Declare[], message: string][] = [
  ['have two schemes', [head('/a', '', 'v1', { versioning: QueryParameterVersioning }), get('/a', '', 'v2')],
    'HEAD /a is declared under two schemes, QueryParameterVersioning (version '],
  ['share a version, next to a GET route', [get('/a', '', 'v3'), head('/a', '', ['v1', 'v2']), head('/a', '', 'v1')],
    "Two routes for HEAD /a serve 'v1': version [ 'v1', 'v2' ] and version 'v1'. Remove 'v1' from one of them."]
]

for (const [says, declare, message] of wrongHeads) {
  t.test(`HEAD routes that ${says} are refused`, async (t) => {
    const app = await appOf(t, byAccept, declare)
    await t.rejects(async () => app.ready(), { code: CODE, message })
  })
}

t.test('versions work together with custom constraints and Accept-Version', async (t) => {
  const app = await appWith(t, byQuery)
  const values = new Map()
  app.addConstraintStrategy({
    name: 'tenant',
    storage: () => ({ get: (key) => values.get(key) ?? null, set: (key, value) => { values.set(key, value) } }),
    deriveConstraint: (request) => request.headers['x-tenant']
  } as Parameters<typeof app.addConstraintStrategy>[0])
  get('/accept', '1', 'v1', { constraints: { version: '1.0.0' } })(app)
  get('/accept', '2', 'v1', { constraints: { version: '2.0.0' } })(app)
  get('/tenant', 'own', 'v1', { constraints: { tenant: 'own' } })(app)
  get('/:any', 'fallback', 'v3')(app)
  t.equal(await ask(app, '/accept?version=v1', { headers: { 'accept-version': '2.x' } }), '2 v1')
  t.equal(await ask(app, '/tenant?version=v1', { headers: { 'x-tenant': 'own' } }), 'own v1')
  t.equal(await ask(app, '/tenant?version=v1'), '404 This URL answers GET in v3.')
})

t.test('open routes of several hosts, methods and paths are no duplicates, and keep their constraints', async (t) => {
  const constraints = { host: 'a.example' }
  const app = await appOf(t, { ...byQuery, reportVersions: true }, [
    get('/a', 'a', null, { constraints }), get('/a', 'b', null, byHost('b.example')),
    (app) => app.post('/a', { constraints }, ok), get('/a', 'any'), get('/c', 'open', undefined, { constraints }),
    get('/c', 'one', 'v1', { constraints, deprecated: { deprecated: '2020-01-01' } }),
    get('/c', 'b', ['v1', 'v2'], byHost('b.example')), (app) => app.post('/c', { version: 'v1' }, ok)
  ])
  await expectAnswers(t, app, [
    ['http://a.example/a', 'a v2'], ['http://b.example/a', 'b v2'], ['http://c.example/a', 'any v2']
  ])
  for (const [host, deprecated] of [['a.example', 'v1'], ['b.example', undefined]]) {
    const { headers } = await app.inject({ url: '/c?version=v2', headers: { host } })
    t.equal(headers['api-deprecated-versions'], deprecated)
  }
  t.same(constraints, { host: 'a.example' })
  t.equal(app.hasRoute({ method: 'GET', url: '/c', constraints }), true)
  t.ok(app.findRoute({ method: 'GET', url: '/c', constraints }))
  t.equal(app.hasRoute({ method: 'POST', url: '/c' }), false)
})

t.test('a route with options copied from a versioned one has their version, unless it has its own', async (t) => {
  const app = await appWith(t, byQuery)
  app.addHook('onRoute', (route) => {
    if (route.url !== '/a' || route.method !== 'GET') return
    app.route({ ...route, url: '/alias' })
    app.route({ ...route, url: '/open', version: null })
  })
  app.get('/a', { version: 'v1', config: { own: true } as object }, async ({ version, routeOptions }) => {
    const { url, method, ...config } = routeOptions.config
    return { version, config }
  })
  get('/alias', 'rest')(app)
  t.same((await app.inject('/alias?version=v1')).json(), { version: 'v1', config: { own: true, versions: ['v1'] } })
  t.equal(await ask(app, '/alias?version=v2'), 'rest v2')
  t.same((await app.inject('/open?version=v3')).json(), { version: 'v3', config: { own: true } })
  t.equal(app.hasRoute({ method: 'GET', url: '/open' }), true)
})

t.test('a preflight is answered by the open route, without a version', async (t) => {
  const app = await appWith(t, byAccept)
  app.options('/a', mark('open'))
  app.options('/a', { version: { from: 'v1' } }, mark('range'))
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.equal(await ask(app, 'OPTIONS /a', { headers }), 'open null')
  t.equal(await ask(app, 'OPTIONS /a'), 'range v2')
})

for (const exposeHeadRoute of [true, false]) {
  const says = exposeHeadRoute ? 'a HEAD route, which is refused' : 'none'
  t.test(`at the root of a prefix, next to a route of all methods, a GET route has ${says}`, async (t) => {
    const app = await appWith(t, byQuery)
    app.register(async (api) => {
      api.all('/', { version: 'v1' }, mark('all'))
      api.get('/', { version: 'v2', exposeHeadRoute }, mark('get'))
    }, { prefix: '/a' })
    const message = /^Set "exposeHeadRoute: false" for the GET route of .*, or give it another path: it shares only /
    if (exposeHeadRoute) return await t.rejects(async () => app.ready(), { code: CODE, message })
    for (const [url, answer] of [['/a?version=v1', 'all v1'], ['/a/?version=v2', 'get v2']] as const) {
      t.equal(await ask(app, url), answer)
    }
  })
}

t.test('printRoutes(), hasRoute() and namedRoutes show claims and open routes', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1', name: 'a' }, ok)
  app.get('/a', { version: { from: 'v2', to: 'v3' }, name: 'a' }, ok)
  app.get('/a', ok)
  app.get('/b', { version: 'v1', ...byHost('b.example') }, ok)
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

type Hook = (route: RouteShorthandOptions & { url: string }) => unknown
const hooks: [says: string, hook: Hook, isRefused: boolean][] = [
  ['replaces the constraints', (route) => { route.constraints = { host: 'a.example' } }, true],
  ['replaces the config', (route) => { route.config = {} as never }, true],
  ['copies the claim', (route) => { route.constraints = structuredClone(route.constraints) as never }, true],
  ['adds a method', (route) => { Object.assign(route, { method: ['GET', 'POST'] }) }, true],
  ['changes the url', (route) => { route.url = `/moved${route.url}` }, true],
  ['copies what it finds', (route) => {
    Object.assign(route, { config: { ...route.config }, constraints: { ...route.constraints } })
  }, false]
]

for (const [says, hook, isRefused] of hooks) {
  t.test(`a later onRoute hook that ${says} is ${isRefused ? 'refused' : 'accepted'}`, async (t) => {
    const app = await appWith(t, byQuery)
    app.addHook('onRoute', hook as never)
    get('/a', 'one', 'v1', { exposeHeadRoute: false })(app)
    const message = /^An onRoute hook replaced the (?:url, the constraints or the config|methods) of GET \/a, so the /
    if (isRefused) await t.rejects(async () => app.ready(), { code: CODE, message })
    else t.equal(await ask(app, '/a?version=v1'), 'one v1')
  })
}

for (const [option, value] of [
  ['version', 'v1'], ['versioning', false], ['deprecated', { sunset: '2030-01-01' }]
] as const) {
  t.test(`a later onRoute hook that sets ${option}, which the plugin has read before, is refused`, async (t) => {
    const app = await appWith(t, byQuery)
    app.addHook('onRoute', (route) => { Object.assign(route, { [option]: value }) })
    app.get('/a', ok)
    await t.rejects(async () => app.ready(), {
      code: CODE, message: /^An onRoute hook replaced the "version", "versioning" or "deprecated" of GET \/a, so the /
    })
  })
}

t.test('a later onRoute hook may copy an option, or say what the context says', async (t) => {
  const app = await appWith(t, byQuery)
  app.register(async (context) => {
    context.addHook('onRoute', (route) => { Object.assign(route, { version: 'v1' }) })
    context.get('/a', { versioning: QueryParameterVersioning }, ok)
  }, { version: 'v1' })
  t.equal((await app.inject('/a?version=v1')).statusCode, 200)
})

t.test('a value of the internal constraint is refused, and other constraints are left to Fastify', async (t) => {
  const app = await appWith(t, byQuery)
  const message = 'Use the route option "version": the constraint "fastifyVersioning" belongs to fastify-versioning.'
  t.throws(() => app.get('/a', { constraints: { fastifyVersioning: 'v1' } as never }, ok), { code: CODE, message })
  t.throws(() => app.get('/a', { constraints: 5 as never }, ok), { message: /Constraints should be an object/ })
})

t.test("a version in Fastify's own constraint is refused with the way out", async (t) => {
  const app = await appWith(t, byQuery)
  t.throws(() => app.get('/a', { constraints: { version: 'v1' } }, ok), {
    code: CODE, message: /^Move "version" out of "constraints", where Fastify expects .* got 'v1'\. Route: GET \/a\./
  })
  const dated = await appWith(t, { ...byQuery, allowedVersions: ['1.0.0'] })
  dated.get('/a', { constraints: { version: '1.0.0' } }, ok)
  const custom = Fastify({
    constraints: {
      version: {
        name: 'version',
        storage: () => ({ get: () => null, set: () => {} }),
        deriveConstraint: () => 'v1',
        validate: () => {}
      }
    }
  })
  await custom.register(versioning, byQuery)
  custom.get('/a', { constraints: { version: 'v1' } }, ok)
  await t.resolves(async () => await custom.ready())
})

t.test('a scheme registered after routes with versions is refused', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    context.get('/a', { version: 'v1' }, ok)
    await context.register(versioning, { scheme: QueryParameterVersioning })
  })
  const message = 'GET /a has a version, but a later registration in its context changed the scheme. '
  await t.rejects(async () => app.ready(), { code: CODE, message })
  const without = await appWith(t, { allowedVersions: ['v1'] })
  without.register(async (context) => {
    context.get('/a', ok)
    await context.register(versioning, { scheme: QueryParameterVersioning })
  }, { version: 'v1' })
  await t.rejects(async () => without.ready(), { code: CODE, message })
})

t.test('a scheme of a route has the settings of a later registration in its context', async (t) => {
  const app = await appWith(t, { ...byAccept, allowedVersions: ['v1', 'v2'] })
  app.register(async (context) => {
    context.get('/a', { versioning: QueryParameterVersioning }, async (request) => request.version)
    await context.register(versioning, { allowedVersions: ['v1', 'v2', 'v3'] })
  })
  t.equal((await app.inject('/a?version=v3')).body, 'v3')
})

// Schemes of the app

/** Reads a header, perhaps in a way that fails. */
class Reading extends BaseVersioning {
  override readVersion ({ headers }: RawRequest | FastifyRequest) {
    const read = headers['x-read']
    return read === '[]' ? [] : read?.toString()
  }
}

const reading = (read: string) => ({ headers: { 'x-read': read } })
const fail = () => { throw new Error('failed') }

for (const [says, own] of [
  ['readVersion() throws', { readVersion: fail }],
  ['isAllowedVersion() throws', { isAllowedVersion: fail }],
  ['isAllowedVersion() returns null', { isAllowedVersion: () => null }],
  ['isAllowedVersion() returns an object', { isAllowedVersion: () => ({}) }]
] as const) {
  t.test(`a request is answered 500, over a socket as well, if ${says}`, async (t) => {
    const app = await appOf(t, { scheme: Object.assign(new Reading(settings), own) as BaseVersioning }, [
      get('/a', 'one', 'v1'), get('/open', 'open')
    ])
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.equal((await fetch(`${address}/a`, reading('v1'))).status, 500)
    for (const url of ['/a', '/open']) t.match(await ask(app, url, reading('v1')), /^500 /)
  })
}

t.test('a scheme of a list that reads [] specifies no version', async (t) => {
  const app = await appOf(t, { scheme: [Reading, QueryParameterVersioning], defaultVersion: 'v3' }, [
    get('/a', 'listed', 'v1'), get('/a', 'default', 'v3')
  ])
  await expectAnswers(t, app, [['/a', 'default v3'], ['/a?version=v1', 'listed v1']], reading('[]'))
})

t.test('the default version chooses where a scheme determines the version itself, or members differ', async (t) => {
  class Itself extends Reading {
    override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
  }
  for (const scheme of [Itself, [new QueryParameterVersioning({ allowedVersions: ['v1'] }), Reading]]) {
    const app = await appWith(t, { ...settings, scheme })
    for (const version of ['v1', 'v2', 'v3']) get('/a', version, version)(app)
    await expectAnswers(t, app, [['/a', 'v2 v2']])
  }
})

t.test('a version that the context of a route has is named in a conflict', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.register(async (api) => { api.get('/b', async () => 'b') }, { version: 'v1' })
  app.register(async (api) => { api.get('/b', { version: ['v1', 'v2'] }, async () => 'b') })
  const message = /serve 'v1': version \[ 'v1' \] and version/
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
})
