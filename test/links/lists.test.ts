import { inspect } from 'node:util'
import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { noMatch, option } from './app.ts'

import type { FastifyReply } from 'fastify'
import type { LinkOptions, VersioningOptions } from '../../types/index.d.ts'

const accept = AcceptHeaderVersioning
const header = HeaderVersioning
const hosts = HostNameVersioning
const path = URLPathVersioning
const query = QueryParameterVersioning
const v1 = { version: 'v1' }
const v2 = { version: 'v2' }

/** What the client specifies where the scheme is not asked. */
class Throwing extends HeaderVersioning {
  override readVersion () { return ['v1', 'v2'] }
}
const queryOfV1 = new QueryParameterVersioning({ allowedVersions: ['v1'] })

type Row = [
  list: VersioningOptions['scheme'], url: string, headers: Record<string, string>, options: LinkOptions,
  link: string | object
]

const rows: Row[] = [
  // Where the request has the version
  [[query, header], '/items/7', { 'api-version': 'v2' }, {}, '/items/7'],
  [[header, query], '/items/7?version=v2', {}, {}, '/items/7?version=v2'],
  [[header, query], '/items/7', { 'api-version': 'v2' }, {}, '/items/7'],
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, {}, '/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'localhost' }, {}, '/items/7?version=v2'],
  [[query, path], '/v2/items/7', {}, {}, '/v2/items/7'],
  // A version that the caller gives must be in the URL.
  [[header, query], '/items/7', { 'api-version': 'v2' }, v1, '/items/7?version=v1'],
  [[query, hosts], '/items/7', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[hosts, query], '/items/7?version=v2', { host: 'v2.a.b' }, v1, 'http://v1.a.b/items/7'],
  [[path, header], '/items/7', { 'api-version': 'v2' }, { version: 'v3' }, { ...noMatch, message: /version 'v3'\.$/ }],
  // The client sends its header again, which has just this version.
  [[path, header], '/items/7', { 'api-version': 'v2' }, v2, '/items/7'],
  [[accept, header], '/items/7', { 'api-version': 'v2' }, v1, '/items/7'],
  [[accept, header], '/items/7', {}, v2, '/items/7'],
  // Elsewhere, where a URL can have it
  [[header, query], '/items/7', {}, {}, '/items/7?version=v1'],
  [[hosts, header], '/items/7', { host: 'localhost' }, {}, '/items/7'],
  // Members with their own settings
  [[queryOfV1, hosts], '/items/7', { host: 'v1.a.b' }, v2, 'http://v2.a.b/items/7'],
  [[queryOfV1, new HeaderVersioning({ allowedVersions: ['v1'] })], '/items/7', {}, v2, option],
  [[Throwing, query], '/items/7', {}, v2, '/items/7?version=v2']
]

for (const [scheme, url, headers, options, link] of rows) {
  const by = [scheme].flat().map((one) => (one as { name?: string }).name ?? 'an instance')
  const asked = inspect([headers, options])
  t.test(`under ${by} the route at ${url} with ${asked} has the link ${inspect(link)}`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2', 'v3'] })
    const answer = async (_request: unknown, reply: FastifyReply) => reply.reverse(null, null, options)
    app.setErrorHandler(async (error, _request, reply) => {
      if ((error as { code?: string }).code !== 'FST_ERR_VERSION_AMBIGUOUS') throw error
      return reply.reverse(null, null, options)
    })
    app.get('/items/:id', answer)
    app.get('/:version/items/:id', answer)
    const { body } = await app.inject({ url, headers })
    if (typeof link === 'string') t.equal(body, link)
    else t.match(JSON.parse(body), link)
  })
}

t.test('a scheme must return the version of a link, not a promise', async (t) => {
  class Late extends QueryParameterVersioning {
    override linkVersion (): never { return Promise.resolve('v1') as never }
  }
  const app = await appWith(t, { scheme: Late })
  app.get('/', { name: 'root' }, async () => '')
  t.throws(() => app.reverse('root'), { code: 'FST_ERR_VERSION_INVALID', statusCode: 500 })
})

t.test('a host without a version that a link needs is the mistake of the client', async (t) => {
  const app = await appWith(t, { scheme: [HostNameVersioning, HeaderVersioning], allowedVersions: ['v1', 'v2'] })
  app.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a', null, { version: 'v2' }))
  const ask = (host: string) => app.inject({ url: '/a', headers: { host, 'api-version': 'v1' } })
  t.equal((await ask('v1.example.com')).body, 'http://v2.example.com/a')
  const { statusCode, json } = await ask('localhost')
  t.equal(statusCode, 400)
  t.equal(json().code, 'FST_ERR_REVERSE_HOST')
})
