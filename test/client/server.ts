import Fastify from 'fastify'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersionPlace } from '../../types/client.d.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

/** A scheme of the server, and the place that a client has for it. */
export interface Pair {
  readonly name: string
  readonly options: VersioningOptions
  readonly place: VersionPlace
  /** The origin without a version, whose host every client finds on this machine. */
  readonly host?: string
  /** The versions that fit there. */
  readonly versions?: readonly string[]
}

const vendorType = 'application/vnd.acme.{version}+json'

export const pairs: readonly Pair[] = [
  { name: 'Accept', options: { scheme: AcceptHeaderVersioning }, place: { accept: 'application/json' } },
  {
    name: 'a vendor type',
    options: { scheme: AcceptHeaderVersioning, mediaTypes: [vendorType] },
    place: { accept: vendorType }
  },
  {
    name: 'another parameter',
    options: { scheme: AcceptHeaderVersioning, versionParam: 'v' },
    place: { accept: '*/*', param: 'v' }
  },
  {
    name: 'Content-Type',
    options: { scheme: ContentTypeVersioning },
    place: { accept: 'application/json', contentType: true }
  },
  {
    name: 'Accept and Content-Type',
    options: { scheme: [AcceptHeaderVersioning, ContentTypeVersioning] },
    place: { accept: 'application/json', contentType: true }
  },
  { name: 'a header', options: { scheme: HeaderVersioning }, place: { header: 'API-Version' } },
  { name: 'the path', options: { scheme: URLPathVersioning }, place: { path: '/{version}' } },
  { name: 'the namespace', options: { scheme: NamespaceVersioning }, place: { path: '/{version}' } },
  { name: 'the query', options: { scheme: QueryParameterVersioning }, place: { query: 'version' } },
  {
    name: 'the host',
    options: { scheme: HostNameVersioning },
    place: { host: '{version}.api.localhost' },
    host: 'api.localhost',
    versions: ['v1', 'v2', '3']
  }
]

export interface Answer { version: string | null, url: string, body?: unknown }

/**
 * Lets an app listen that answers with the version that its scheme has read, and with the URL.
 *
 * @param versions the versions that it serves
 * @returns its origin
 */
export async function serve (
  t: Test, { options, host = '127.0.0.1' }: Pair, versions: readonly string[], more: VersioningOptions = {},
  prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await prepare(app)
  await app.register(versioning, { allowedVersions: versions, ...options, ...more })
  const routes = async (scope: FastifyInstance) => {
    const answer = ({ version, url, body }: { version: string | null, url: string, body: unknown }): Answer => (
      { version, url, body }
    )
    scope.get('/*', async (request) => answer(request))
    scope.post('/*', async (request) => answer(request))
  }
  if (options.scheme === NamespaceVersioning) {
    for (const version of versions) app.register(routes, { prefix: `/${version}`, namespace: version })
  } else {
    app.register(routes, options.scheme === URLPathVersioning ? { prefix: '/:version' } : {})
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://${host}:${(app.server.address() as AddressInfo).port}`
}
