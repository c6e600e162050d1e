import { trace } from '@opentelemetry/api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import type { FastifyInstance } from 'fastify'
import type { VersionUsage } from 'fastify-versioning'

/**
 * Adds the version to the span of its request. This needs only the API of OpenTelemetry, which does nothing until the
 * app sets up a tracer.
 */
export function addTracing (app: FastifyInstance): void {
  subscribe('fastify-versioning:version', setAttributes)
  app.addHook('onClose', async () => { unsubscribe('fastify-versioning:version', setAttributes) })
}

/** Subscribers run during the request, so its span is the active one. */
function setAttributes (message: unknown): void {
  const { version, outcome } = message as VersionUsage
  trace.getActiveSpan()?.setAttributes({ 'api.version': version ?? 'none', 'api.version.outcome': outcome })
}
