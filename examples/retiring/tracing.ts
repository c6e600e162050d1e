import { trace } from '@opentelemetry/api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import type { Span } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { VersionUsage } from 'fastify-versioning'

/** A request, with the method that `@fastify/otel` adds. */
type TracedRequest = FastifyRequest & { opentelemetry?: () => { span: Span | null } }

/**
 * Adds the version to the span of its request. This needs only the API of OpenTelemetry, which does nothing until the
 * app sets up a tracer.
 */
export function addTracing (app: FastifyInstance): void {
  subscribe('fastify-versioning:version', setAttributes)
  app.addHook('onClose', async () => { unsubscribe('fastify-versioning:version', setAttributes) })
}

function setAttributes (message: unknown): void {
  const { request, version, outcome } = message as VersionUsage
  spanOf(request)?.setAttributes({ 'api.version': version ?? 'none', 'api.version.outcome': outcome })
}

/**
 * The span of a request. While a subscriber runs, the request's span is the active one, unless `@fastify/otel` is
 * registered. That starts another span for each hook, and has its own method for the span of the request.
 */
function spanOf (request: TracedRequest): Span | undefined {
  return request.opentelemetry?.().span ?? trace.getActiveSpan()
}
