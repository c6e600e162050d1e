import t from 'tap'

import {
  AcceptHeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'

import type { RouteShorthandOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Declare } from './app.ts'

const get = (url: string, options: RouteShorthandOptions = {}): Declare => (app) => app.get(url, options, ok)
const inNamespace = (namespace: string): Declare => (app) => {
  app.register(async (inner) => { inner.get('/a', ok) }, { namespace, prefix: '/p' })
}

const two = ['v1', 'v2']
const byPath: VersioningOptions = { scheme: URLPathVersioning, allowedVersions: two }
const byNamespace: VersioningOptions = { scheme: NamespaceVersioning, allowedVersions: two }
const byHeader: VersioningOptions = { scheme: AcceptHeaderVersioning, allowedVersions: two }
const all: VersioningOptions = { ...byPath, allowedVersions: null, defaultVersion: 'v2' }
const byPathOrNamespace = { ...byPath, scheme: [NamespaceVersioning, URLPathVersioning] }
const byPathOrQuery: VersioningOptions = { ...byPath, scheme: [URLPathVersioning, QueryParameterVersioning] }
const byNamespaceOrQuery = { ...byPath, scheme: [QueryParameterVersioning, NamespaceVersioning] }

const reaches: [says: string, options: VersioningOptions, declare: Declare, versions: (string | null)[]][] = [
  ['a neutral route', byHeader, get('/a', { versioning: false }), [null]],
  ['a route that lists one, beside a default', { ...byHeader, defaultVersion: 'v0' }, get('/a', { version: 'v2' }), [
    'v2'
  ]],
  ['an open route by a header', byHeader, get('/a'), two],
  ['an open route where null is allowed', { ...byHeader, allowedVersions: ['v1', null] }, get('/a'), ['v1', null]],
  ['an open route with a default version that is not listed', { ...byHeader, defaultVersion: 'v0' }, get('/a'), [
    ...two, 'v0'
  ]],
  ['an open route where every version is allowed', { ...byHeader, allowedVersions: null }, get('/a'), [null]],
  ['a parameter of the path', byPath, get('/:version/a'), two],
  ['a parameter of the path with another name', { ...byPath, versionParam: 'v' }, get('/:v/a'), two],
  ['a parameter with a pattern', byPath, get('/:version(^v1$)/a'), two],
  ['a wildcard that is the version', { ...byPath, versionParam: '*' }, get('/a/*'), two],
  ['a parameter where every version is allowed', { ...byPath, allowedVersions: null }, get('/:version/a'), [null]],
  ['an optional parameter and a default version', { ...byPath, defaultVersion: 'v3' }, get('/a/:version?'), [
    ...two, 'v3'
  ]],
  ['a path without the parameter where every version is allowed, and a default', all, get('/a'), ['v2']],
  ['a path without the parameter, and a default of the client', {
    ...byPath, defaultVersion: { header: 'x-key', version: () => 'v1' }
  }, get('/a'), two],
  ['a path without the parameter', byPath, get('/a'), []],
  ['a path without the parameter, and null', { ...byPath, allowedVersions: ['v1', null] }, get('/a'), [null]],
  ['a namespace', byNamespace, inNamespace('v1'), ['v1']],
  ['a namespace that is not allowed', byNamespace, inNamespace('v3'), []],
  ['a route outside of namespaces', byNamespace, get('/p/a'), [null]],
  ['a route outside of namespaces, and a default', { ...byNamespace, defaultVersion: 'v3' }, get('/p/a'), ['v3']],
  ['a path without the parameter where a query is read as well', byPathOrQuery, get('/a'), two],
  ['a route outside of namespaces, but with the parameter', byPathOrNamespace, get('/:version/a'), two],
  ['a namespace where a query is read as well', byNamespaceOrQuery, inNamespace('v2'), ['v2']],
  ['a route outside of namespaces where a query is read as well', byNamespaceOrQuery, get('/p/a'), two],
  ['a route outside of namespaces and without the parameter', byPathOrNamespace, get('/p/a'), []],
]

for (const [says, options, declare, versions] of reaches) {
  t.test(`${says} is listed under ${versions.map(String).join(' and ') || 'no version'}`, async (t) => {
    const app = await appWith(t, options, { exposeHeadRoutes: false })
    declare(app)
    await app.ready()
    t.same(app.versions.map(({ version }) => version), versions)
  })
}

const listed: [says: string, options: VersioningOptions, declare: Declare[], Record<string, string>][] = [
  ['the versions that no other route takes', byHeader, [
    (app) => app.route({ method: ['GET', 'POST'], url: '/a/:id', name: 'open', handler: ok }),
    get('/a/:other/', { version: 'v1', name: 'one', exposeHeadRoute: true }),
    (app) => app.head('/a/:other', { version: ['v1', 'v2'], name: 'head' }, ok)
  ], { v1: 'GET one,HEAD head,POST open', v2: 'GET open,HEAD head,POST open' }],
  ['the versions that no other route with its host takes', { ...byHeader, allowedVersions: ['v1', 'v2', 'v3'] }, [
    get('/a', { version: { from: 'v1' }, name: 'range' }),
    get('/a', { version: 'v2', name: 'list' }),
    get('/b', { constraints: { host: 'b.example' }, name: 'open' }),
    get('/b', { constraints: { host: 'a.example' }, version: 'v1', name: 'one' })
  ], { v1: 'GET one,GET open,GET range', v2: 'GET list,GET open', v3: 'GET open,GET range' }],
  ['its version and null', { ...byHeader, allowedVersions: [...two, null] }, [
    get('/a', { version: ['v1', null], name: 'one' }), get('/a', { name: 'open' })
  ], { v1: 'GET one', v2: 'GET open', null: 'GET one' }]
]

for (const [says, options, declare, served] of listed) {
  t.test(`app.versions lists each route under ${says}`, async (t) => {
    const app = await appWith(t, options, {
      exposeHeadRoutes: false, routerOptions: { ignoreTrailingSlash: true }
    })
    for (const one of declare) one(app)
    await app.ready()
    t.same(app.versions.map(({ version, routes }) => (
      [String(version), routes.map(({ method, name }) => `${method} ${name}`).sort().join()]
    )), Object.entries(served))
  })
}
