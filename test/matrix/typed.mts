// What every TypeScript has to accept, and to refuse.
import Fastify from 'fastify'
import versioning, { AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, VersionError, routeTypes } from 'fastify-versioning'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningOptions } from 'fastify-versioning'

class AppVersioning extends BaseVersioning {
  override readonly vary = 'User-Agent'
  override readVersion ({ headers }: RawRequest) { return /^acme-app\/(\w+)/.exec(headers['user-agent'] ?? '')?.[1] }
}

class AccountVersioning extends BaseVersioning {
  override async determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-account']?.toString())
  }
}

const options: VersioningOptions = {
  scheme: [HeaderVersioning, QueryParameterVersioning],
  allowedVersions: new Set(['v1', 'v2']),
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: new Date(), info: '/leaving' } },
  reportVersions: true
}
const app = Fastify()
await app.register(versioning, options)
for (const scheme of [AppVersioning, AccountVersioning, AcceptHeaderVersioning, NamespaceVersioning, null]) {
  app.register(async (child) => { await child.register(versioning, { scheme }) }, { namespace: 'child' })
}
// @ts-expect-error: a version is a string
await app.register(versioning, { defaultVersion: 1 })
// @ts-expect-error: no such option
await app.register(versioning, { schema: QueryParameterVersioning })

app.get<{ Params: { id: string } }>('/bookings/:id', { name: 'booking', version: 'v1' }, async (request, reply) => {
  const version: string | null = request.version
  // @ts-expect-error: there may be no version
  const always: string = request.version
  // @ts-expect-error: not a value for a parameter
  reply.reverse('booking', { id: request })
  return { version, always, self: reply.reverse('booking', request.params) }
})
app.get('/rates', { version: { from: 'v2' }, deprecated: { sunset: '2027-01-01' } }, async (request) => (
  request.versioningScheme?.vary
))
// @ts-expect-error: a name is a string
app.get('/', { name: 1 }, async () => 'ok')

const { statusCode }: { statusCode: number } = new VersionError('notFound', 'Invalid version.')
const names: string[] = Object.keys(app.namedRoutes)
console.log(statusCode, names, routeTypes(app), app.versions[0]?.version, app.reverse('booking', [7], { version: 'v2' }))
