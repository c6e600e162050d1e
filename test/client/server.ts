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

const json = 'application/json'
const vendorType = 'application/vnd.acme.{version}+json'

const written: [name: string, scheme: VersioningOptions['scheme'], place: VersionPlace, more?: VersioningOptions][] = [
  ['Accept', AcceptHeaderVersioning, { accept: json }],
  ['a vendor type', AcceptHeaderVersioning, { accept: vendorType }, { mediaTypes: [vendorType] }],
  ['another parameter', AcceptHeaderVersioning, { accept: '*/*', param: 'v' }, { versionParam: 'v' }],
  ['Content-Type', ContentTypeVersioning, { accept: json, contentType: true }],
  ['Accept and Content-Type', [AcceptHeaderVersioning, ContentTypeVersioning], { accept: json, contentType: true }],
  ['a header', HeaderVersioning, { header: 'API-Version' }],
  ['the path', URLPathVersioning, { path: '/{version}' }],
  ['the namespace', NamespaceVersioning, { path: '/{version}' }],
  ['the query', QueryParameterVersioning, { query: 'version' }]
]

export const pairs: readonly Pair[] = [
  ...written.map(([name, scheme, place, more]) => ({ name, options: { scheme, ...more }, place })),
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
    scope.route({
      method: ['GET', 'POST'],
      url: '/*',
      handler: async ({ version, url, body }): Promise<Answer> => ({ version, url, body })
    })
  }
  if (options.scheme === NamespaceVersioning) {
    for (const version of versions) app.register(routes, { prefix: `/${version}`, namespace: version })
  } else {
    app.register(routes, options.scheme === URLPathVersioning ? { prefix: '/:version' } : {})
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://${host}:${(app.server.address() as AddressInfo).port}`
}
