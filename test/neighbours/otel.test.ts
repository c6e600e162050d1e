import { FastifyOtelInstrumentation } from '@fastify/otel'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'

const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }

for (const order of orders) {
  const hasSpan = order === 'registered before the plugin'

  t.test(`a refused request has ${hasSpan ? 'a' : 'no'} span, with otel ${order}`, async (t) => {
    const exporter = new InMemorySpanExporter()
    const instrumentation = new FastifyOtelInstrumentation()
    instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    const app = await appInOrder(t, order, byHeader, (app) => app.register(instrumentation.plugin()))
    app.get('/bookings', async (request) => request.version)
    const statusesOf = async (version: string) => {
      exporter.reset()
      await app.inject({ url: '/bookings', headers: { 'api-version': version } })
      const spans = exporter.getFinishedSpans().filter(({ name }) => name === 'request')
      return spans.map(({ attributes }) => attributes['http.response.status_code'])
    }
    t.same(await statusesOf('v2'), [200])
    t.same(await statusesOf('v9'), hasSpan ? [400] : [])
  })
}
