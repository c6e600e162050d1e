/**
 * v0 is retired, v1 is deprecated and will be retired in a month, v2 is the latest version. Headers say so, and metrics
 * show who still uses which version.
 */
import Fastify from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, Registry } from 'prom-client'

import versioning, { URLPathVersioning } from 'fastify-versioning'

import type { VersionUsage } from 'fastify-versioning'

const DAY = 24 * 60 * 60 * 1000
const now = Date.now()

const app = Fastify()

await app.register(versioning, {
  scheme: URLPathVersioning,
  allowedVersions: ['v0', 'v1', 'v2'],
  // An app has dates here, as '2027-01-31'. These are for an example that is started on any day.
  lifecycle: {
    v0: { deprecated: new Date(now - 400 * DAY), sunset: new Date(now - 30 * DAY) },
    v1: {
      deprecated: new Date(now - 60 * DAY),
      sunset: new Date(now + 30 * DAY),
      info: 'https://example.com/leave-v1'
    }
  },
  reportVersions: true,
  enforceSunset: true
})

const register = new Registry()
/** Its labels have few values, whatever clients send. */
const requests = new Counter({
  name: 'api_version_requests_total',
  help: 'Requests by the version that they were answered in',
  labelNames: ['version', 'route', 'outcome'],
  registers: [register]
})

function count (message: unknown): void {
  const { request, version, route, outcome } = message as VersionUsage
  // All apps of the process share the channel.
  if (request.server.server === app.server) requests.inc({ version: version ?? 'none', route, outcome })
}
subscribe('fastify-versioning:version', count)
app.addHook('onClose', async () => { unsubscribe('fastify-versioning:version', count) })

app.get('/metrics', { versioning: false }, async (_request, reply) => {
  return reply.type(register.contentType).send(await register.metrics())
})

app.get('/:version/bookings/:id', { name: 'booking' }, async (request, reply) => ({
  version: request.version,
  self: reply.reverse()
}))

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

Retired in a month:       curl -i ${url}/v1/bookings/7
Retired:                  curl -i ${url}/v0/bookings/7
Who still uses what:      curl ${url}/metrics`)
