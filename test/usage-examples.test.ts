import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import diagnosticsChannel from 'node:diagnostics_channel'
import t from 'tap'

import { build as buildMetrics } from '../examples/metrics.ts'
import { build as buildTracing } from '../examples/tracing.ts'

const naming = (version: string) => ({ url: '/bookings/7', headers: { accept: `*/*;version=${version}` } })

t.test('the example of metrics counts requests by version, route and outcome', async (t) => {
  const app = await buildMetrics()
  const other = await buildMetrics()
  t.teardown(() => Promise.all([app.close(), other.close()]))
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

t.test('the example of tracing puts the version on the span of the request', async (t) => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  t.teardown(() => context.disable())
  const tracer = provider.getTracer('test')
  const app = await buildTracing()
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
  t.same(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes]), [
    ['v2', { 'api.version': 'v2', 'api.version.outcome': 'ok' }],
    ['v9', { 'api.version': 'none', 'api.version.outcome': 'refused' }]
  ])
})
