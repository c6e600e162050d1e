/**
 * Adds the version to the span of its request. This needs only the API of OpenTelemetry, which does nothing until the
 * app sets up a tracer.
 */
import { trace } from '@opentelemetry/api'
import Fastify from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import versioning, { AcceptHeaderVersioning } from 'fastify-versioning'

import type { VersionUsage } from 'fastify-versioning'

/** Subscribers run during the request, so its span is the active one. */
function setAttributes (message: unknown): void {
  const { version, outcome } = message as VersionUsage
  trace.getActiveSpan()?.setAttributes({ 'api.version': version ?? 'none', 'api.version.outcome': outcome })
}

export async function build () {
  const app = Fastify()
  subscribe('fastify-versioning:version', setAttributes)
  app.addHook('onClose', async () => { unsubscribe('fastify-versioning:version', setAttributes) })

  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings/:id', async (request) => request.version)
  return app
}
