import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, Registry } from 'prom-client'

import type { FastifyInstance } from 'fastify'
import type { VersionUsage } from 'fastify-versioning'

/**
 * Shows who still uses v1: a counter of prom-client for every version, route and outcome, at `/metrics`. Its labels
 * have few values, whatever clients send.
 */
export function addMetrics (app: FastifyInstance): void {
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

  app.get('/metrics', { versioning: false }, async (_request, reply) => {
    return reply.type(register.contentType).send(await register.metrics())
  })
}
