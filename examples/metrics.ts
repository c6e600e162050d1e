/**
 * Shows who still uses v1: a counter of prom-client for every version, route and outcome, at `/metrics`. Its labels
 * have few values, whatever clients send.
 */
import Fastify from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, Registry } from 'prom-client'

import versioning, { AcceptHeaderVersioning } from 'fastify-versioning'

import type { VersionUsage } from 'fastify-versioning'

export async function build () {
  const app = Fastify()
  const register = new Registry()
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

  await app.register(versioning, {
    scheme: AcceptHeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2026-01-01' } }
  })
  app.get('/bookings/:id', async (request) => request.version)
  app.get('/metrics', { versioning: false }, async (_request, reply) => {
    return reply.type(register.contentType).send(await register.metrics())
  })
  return app
}
