import t from 'tap'

import {
  AcceptHeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { registryOf } from '../../src/links/scope.ts'
import { canServe, isServedBy, ownVersionsOf } from '../../src/routing/coverage.ts'
import { slotsOf } from '../../src/routing/slots.ts'
import { appWith } from '../fixtures/app-with.ts'
import { tell } from './app.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { Route } from '../../src/routes.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

type Declare = (app: FastifyInstance) => void

/** The routes of an app in the order of their declaration, and whether one serves a version. */
async function routesOf (
  t: Test, options: VersioningOptions, declare: Declare, serverOptions: FastifyServerOptions = {}
): Promise<{ list: readonly Route[], isServedBy: (route: Route, method: string, version: string | null) => boolean }> {
  const app = await appWith(t, options, { exposeHeadRoutes: false, ...serverOptions })
  declare(app)
  await app.ready()
  const { routes: { list }, options: router } = registryOf(app)
  const slots = slotsOf(list, router)
  return { list, isServedBy: (route, method, version) => isServedBy(route, method, version, slots) }
}

const ASKED = ['v1', 'v2', 'v3']

interface Reached {
  says: string
  options: VersioningOptions
  declare: Declare
  versions: (string | null)[]
  /** In which of v1, v2 and v3 requests reach it; default: the versions without null. */
  reached?: string[]
}

const get = (url: string, options = {}): Declare => (app) => { app.get(url, options, tell('')) }

const inNamespace = (namespace: string): Declare => (app) => {
  app.register(async (inner) => { inner.get('/a', tell('')) }, { namespace, prefix: '/p' })
}

const byPath = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }
const byNamespace = { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] }
const byHeader = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] }

const reaches: Reached[] = [
  {
    says: 'a neutral route',
    options: byHeader,
    declare: get('/a', { versioning: false }),
    versions: [null],
    reached: ASKED
  },
  {
    says: 'a route that lists versions',
    options: { ...byHeader, allowedVersions: ASKED },
    declare: get('/a', { version: ['v3', 'v1'] }),
    versions: ['v1', 'v3']
  },
  { says: 'an open route by a header', options: byHeader, declare: get('/a'), versions: ['v1', 'v2'] },
  {
    says: 'an open route by a header where no version is a version',
    options: { ...byHeader, allowedVersions: ['v1', null] },
    declare: get('/a'),
    versions: ['v1', null]
  },
  {
    says: 'an open route by a header with a default version where no version is one',
    options: { ...byHeader, allowedVersions: ['v1', 'v2', null], defaultVersion: 'v1' },
    declare: get('/a'),
    versions: ['v1', 'v2']
  },
  {
    says: 'an open route by a header where every version is allowed',
    options: { ...byHeader, allowedVersions: null },
    declare: get('/a'),
    versions: [null],
    reached: ASKED
  },
  {
    says: 'an open route by a header where the list is empty',
    options: { ...byHeader, allowedVersions: [] },
    declare: get('/a'),
    versions: [null],
    reached: ASKED
  },
  { says: 'a parameter of the path', options: byPath, declare: get('/:version/a'), versions: ['v1', 'v2'] },
  { says: 'another parameter of the path', options: byPath, declare: get('/:v/a'), versions: [] },
  {
    says: 'a parameter of the path with another name',
    options: { ...byPath, versionParam: 'v' },
    declare: get('/:v/a'),
    versions: ['v1', 'v2']
  },
  { says: 'a parameter with a pattern', options: byPath, declare: get('/:version(^v1$)/a'), versions: ['v1', 'v2'] },
  {
    says: 'a parameter with a pattern and a text behind it',
    options: byPath,
    declare: get('/:version(^v2$).json'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a parameter that shares its segment',
    options: byPath,
    declare: get('/:version(^v1$)-:id(^\\d$)'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a wildcard that is the version',
    options: { ...byPath, versionParam: '*' },
    declare: get('/a/*'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a parameter where every version is allowed',
    options: { ...byPath, allowedVersions: null },
    declare: get('/:version/a'),
    versions: [null],
    reached: ['v1', 'v2', 'v3']
  },
  {
    says: 'an optional parameter, without a default version',
    options: byPath,
    declare: get('/a/:version?'),
    versions: ['v1', 'v2']
  },
  {
    says: 'an optional parameter, and a default version that it takes as well',
    options: { ...byPath, defaultVersion: 'v2' },
    declare: get('/a/:version?'),
    versions: ['v1', 'v2']
  },
  {
    says: 'an optional parameter where every version is allowed, and a default version',
    options: { ...byPath, allowedVersions: null, defaultVersion: 'v2' },
    declare: get('/a/:version?'),
    versions: [null, 'v2'],
    reached: ASKED
  },
  { says: 'a path without the parameter', options: byPath, declare: get('/a'), versions: [] },
  {
    says: 'a path without the parameter, and a default version',
    options: { ...byPath, defaultVersion: 'v3' },
    declare: get('/a'),
    versions: ['v3']
  },
  {
    says: 'a path without the parameter where every version is allowed, and a default version',
    options: { ...byPath, allowedVersions: null, defaultVersion: 'v2' },
    declare: get('/a'),
    versions: ['v2']
  },
  {
    says: 'a path without the parameter where no version is a version',
    options: { ...byPath, allowedVersions: ['v1', null] },
    declare: get('/a'),
    versions: [null]
  },
  { says: 'a namespace', options: byNamespace, declare: inNamespace('v1'), versions: ['v1'] },
  { says: 'another namespace', options: byNamespace, declare: inNamespace('v3'), versions: [] },
  {
    says: 'a namespace where every version is allowed',
    options: { ...byNamespace, allowedVersions: null },
    declare: inNamespace('v3'),
    versions: ['v3']
  },
  {
    says: 'a route outside of namespaces',
    options: byNamespace,
    declare: get('/p/a'),
    versions: [null],
    reached: []
  },
  {
    says: 'a route outside of namespaces, and a default version',
    options: { ...byNamespace, defaultVersion: 'v3' },
    declare: get('/p/a'),
    versions: ['v3']
  },
  {
    says: 'a namespace where a header is read',
    options: byHeader,
    declare: inNamespace('v1'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a path without the parameter where a query is read as well',
    options: { ...byPath, scheme: [URLPathVersioning, QueryParameterVersioning] },
    declare: get('/a'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a parameter with a pattern where a query is read as well',
    options: { ...byPath, scheme: [QueryParameterVersioning, URLPathVersioning] },
    declare: get('/:version(^v1$)/a'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a namespace where a query is read as well',
    options: { ...byPath, scheme: [QueryParameterVersioning, NamespaceVersioning] },
    declare: inNamespace('v2'),
    versions: ['v2']
  },
  {
    says: 'a route outside of namespaces where a query is read as well',
    options: { ...byPath, scheme: [QueryParameterVersioning, NamespaceVersioning] },
    declare: get('/p/a'),
    versions: ['v1', 'v2']
  },
  {
    says: 'a route outside of namespaces and without the parameter',
    options: { ...byPath, scheme: [NamespaceVersioning, URLPathVersioning] },
    declare: get('/p/a'),
    versions: []
  },
  {
    says: 'a route outside of namespaces with the parameter',
    options: { ...byPath, scheme: [NamespaceVersioning, URLPathVersioning] },
    declare: get('/:version/a'),
    versions: ['v1', 'v2']
  }
]

for (const { says, options, declare, versions, reached = versions.filter((one) => one !== null) } of reaches) {
  const listed = versions.map(String).join(' and ') || 'no version'
  t.test(`${says} is listed under ${listed}, and serves ${reached.join(' and ') || 'none'}`, async (t) => {
    const { list: [route] } = await routesOf(t, options, declare)
    t.same(ownVersionsOf(route), versions)
    t.same(ASKED.filter((version) => canServe(route, version)), reached)
  })
}

const chosen: VersioningOptions = { scheme: AcceptHeaderVersioning, allowedVersions: ASKED }

interface Serving {
  says: string
  declare: Declare
  /** In which versions each route serves the URL, in the order of declaration. */
  served: string[][]
}

const ONE = { constraints: { host: 'one.example' } }

const servings: Serving[] = [
  { says: 'only one route', declare: get('/a'), served: [ASKED] },
  {
    says: 'an open route next to a version',
    declare: (app) => { get('/a')(app); get('/a', { version: 'v1' })(app) },
    served: [['v2', 'v3'], ['v1']]
  },
  {
    says: 'a range next to a version of it',
    declare: (app) => { get('/a', { version: { from: 'v1' } })(app); get('/a', { version: 'v2' })(app) },
    served: [['v1', 'v3'], ['v2']]
  },
  {
    says: 'an open route of one host next to a version of another host',
    declare: (app) => {
      get('/a', { constraints: { host: 'b.example' } })(app)
      get('/a', { version: 'v1', ...ONE })(app)
    },
    served: [ASKED, ['v1']]
  },
  {
    says: 'an open route with an optional parameter next to a version of both URLs',
    declare: (app) => { get('/a/:id?')(app); get('/a/:other?', { version: ['v1', 'v2'] })(app) },
    served: [['v3'], ['v1', 'v2']]
  },
  {
    says: 'an open route next to two versions',
    declare: (app) => {
      get('/a', { version: 'v1' })(app)
      get('/a')(app)
      get('/a', { version: 'v3' })(app)
    },
    served: [['v1'], ['v2'], ['v3']]
  }
]

for (const { says, declare, served } of servings) {
  t.test(`with ${says} the routes serve ${JSON.stringify(served)}`, async (t) => {
    const { list, isServedBy } = await routesOf(t, chosen, declare)
    t.same(list.map((route) => ASKED.filter((version) => isServedBy(route, 'GET', version))), served)
  })
}

t.test('a version of one method leaves the other methods to an open route', async (t) => {
  const { list: [open], isServedBy } = await routesOf(t, chosen, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/a', handler: tell('') })
    app.get('/a', { version: 'v1' }, tell(''))
  })
  t.equal(isServedBy(open, 'GET', 'v1'), false)
  t.equal(isServedBy(open, 'POST', 'v1'), true)
})

t.test('an automatic HEAD route serves nothing if an explicit one leaves it no version', async (t) => {
  const { list: [own, get, automatic], isServedBy } = await routesOf(t, chosen, (app) => {
    app.head('/a', { version: ['v1', 'v2'] }, tell(''))
    app.get('/a', { version: 'v1' }, tell(''))
  }, { exposeHeadRoutes: true })
  t.same([own, get, automatic].map(({ methods }) => methods), [['HEAD'], ['GET'], ['HEAD']])
  t.equal(isServedBy(own, 'HEAD', 'v1'), true)
  t.equal(isServedBy(get, 'GET', 'v1'), true)
  t.equal(isServedBy(automatic, 'HEAD', 'v1'), false)
})

t.test('routes whose paths are equal for the router share a slot', async (t) => {
  const declare: Declare = (app) => {
    app.get('/a/:id', tell(''))
    app.get('/a/:other/', { version: 'v1' }, tell(''))
  }
  const routerOptions = { ignoreTrailingSlash: true }
  for (const [server, isServed] of [[{ routerOptions }, false], [{}, true]] as const) {
    const { list: [open], isServedBy } = await routesOf(t, chosen, declare, server)
    t.equal(isServedBy(open, 'GET', 'v1'), isServed)
  }
})
