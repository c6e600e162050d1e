/**
 * The version on the span of its request, for whichever tracer the app has set up: the API of OpenTelemetry alone,
 * which does nothing without one.
 */
import { trace } from '@opentelemetry/api'
import Fastify from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import versioning, { AcceptHeaderVersioning } from 'fastify-versioning'

import type { VersionUsage } from 'fastify-versioning'

/** Subscribers run inside the request, so that its span is the active one. */
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
