import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import diagnosticsChannel from 'node:diagnostics_channel'
import t from 'tap'

import { addCalendar } from '../../examples/retiring/calendar.ts'
import { addMetrics } from '../../examples/retiring/metrics.ts'
import { addTracing } from '../../examples/retiring/tracing.ts'
import versioning, { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

async function appThat (t: Test, add: (app: FastifyInstance) => void): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] })
  add(app)
  app.get('/bookings/:id', async (request) => request.version)
  return app
}

const naming = (version: string) => ({ url: '/bookings/7', headers: { accept: `*/*;version=${version}` } })

t.test('the example of metrics counts requests by version, route and outcome', async (t) => {
  const app = await appThat(t, addMetrics)
  const other = await appThat(t, addMetrics)
  for (const version of ['v1', 'v1', 'v2', 'v9', 'v10']) await app.inject(naming(version))
  await other.inject(naming('v2'))
  const { body, headers } = await app.inject('/metrics')
  t.match(headers['content-type'], 'text/plain')
  t.same(body.match(/^api_.*$/gm)?.sort(), [
    'api_version_requests_total{version="none",route="/bookings/:id",outcome="refused"} 2',
    'api_version_requests_total{version="v1",route="/bookings/:id",outcome="ok"} 2',
    'api_version_requests_total{version="v2",route="/bookings/:id",outcome="ok"} 1'
  ])
})

t.test('the example of a calendar has the deprecation and the end of each version', async (t) => {
  const app = await appWith(t, {
    scheme: AcceptHeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2026-12-31' } }
  })
  addCalendar(app)
  app.get('/bookings/:id', async (request) => request.version)
  const { body, headers } = await app.inject('/calendar.ics')
  t.match(headers['content-type'], 'text/calendar')
  const shown = body.split('\r\n').filter((line) => /^(?:DTSTART|SUMMARY)/.test(line))
  t.same(shown, [
    'DTSTART:20260101T000000Z', 'SUMMARY:v1 is deprecated', 'DTSTART:20261231T000000Z', 'SUMMARY:v1 is retired'
  ])
})

/** A provider that keeps the spans it makes, with a context that follows promises. */
function tracing (t: Test): { exporter: InMemorySpanExporter, provider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  t.teardown(() => context.disable())
  return { exporter, provider }
}

const isOfVersion = (name: string) => name.startsWith('api.version')

/** The attributes of the example, by the span that has them. */
function versionsIn (exporter: InMemorySpanExporter): [span: string, attributes: object][] {
  return exporter.getFinishedSpans().flatMap(({ name, attributes }) => {
    const own = Object.entries(attributes).filter(([name]) => isOfVersion(name))
    return own.length === 0 ? [] : [[name, Object.fromEntries(own)]]
  })
}

t.test('the example of tracing puts the version on the active span', async (t) => {
  const { exporter, provider } = tracing(t)
  const tracer = provider.getTracer('test')
  const app = await appThat(t, addTracing)
  await app.inject(naming('v1'))
  for (const version of ['v2', 'v9']) {
    await tracer.startActiveSpan(version, async (span) => {
      await app.inject(naming(version))
      span.end()
    })
  }
  await app.close()
  t.equal(diagnosticsChannel.hasSubscribers('fastify-versioning:version'), false)
  t.equal(trace.getActiveSpan(), undefined)
  t.same(versionsIn(exporter), [
    ['v2', { 'api.version': 'v2', 'api.version.outcome': 'ok' }],
    ['v9', { 'api.version': 'none', 'api.version.outcome': 'refused' }]
  ])
})

t.test('the example of tracing puts the version on the span that @fastify/otel makes of a request', async (t) => {
  const { exporter, provider } = tracing(t)
  const instrumentation = new FastifyOtelInstrumentation()
  instrumentation.setTracerProvider(provider)
  const app = bareApp(t)
  await app.register(instrumentation.plugin())
  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] })
  addTracing(app)
  app.get('/bookings/:id', async (request) => request.version)
  for (const version of ['v2', 'v9']) await app.inject(naming(version))
  t.ok(exporter.getFinishedSpans().some(({ name }) => name.startsWith('onRequest')), 'hooks have spans, too')
  t.same(versionsIn(exporter), [
    ['request', { 'api.version': 'v2', 'api.version.outcome': 'ok' }],
    ['request', { 'api.version': 'none', 'api.version.outcome': 'refused' }]
  ])
})
