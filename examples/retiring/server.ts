/**
 * v0 is retired, v1 is deprecated and will be retired in a month, v2 is the latest version. Headers say so, metrics
 * show who still uses which version, and a calendar shows the dates.
 */
import Fastify from 'fastify'

import versioning, { URLPathVersioning } from 'fastify-versioning'

import { addCalendar } from './calendar.ts'
import { addMetrics } from './metrics.ts'
import { addTracing } from './tracing.ts'

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
addMetrics(app)
addTracing(app)
addCalendar(app)

app.get('/:version/bookings/:id', { name: 'booking' }, async (request, reply) => ({
  version: request.version,
  self: reply.reverse()
}))

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

Retired in a month:       curl -i ${url}/v1/bookings/7
Retired:                  curl -i ${url}/v0/bookings/7
Who still uses what:      curl ${url}/metrics
The dates:                curl ${url}/calendar.ics`)
