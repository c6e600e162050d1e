import type { FastifyInstance } from 'fastify'

/** An instant as calendars have it: `20261201T100000Z`. */
function stamp (date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '')
}

/** `GET /calendar.ics`: when versions do not answer, and when they end, for the calendars of their users (RFC 5545). */
export function addCalendar (app: FastifyInstance): void {
  app.get('/calendar.ics', { versioning: false }, async (_request, reply) => {
    const events = app.versions.flatMap(({ version, sunset, brownouts }) => [
      ...brownouts.map(({ from, to }, i) => ({ what: `${version} does not answer`, id: `${version}-${i}`, from, to })),
      // An instant has no end.
      ...sunset === null ? [] : [{ what: `${version} ends`, id: `${version}-end`, from: sunset, to: null }]
    ])
    const lines = events.flatMap(({ what, id, from, to }) => [
      'BEGIN:VEVENT', `UID:${id}@api.example.com`, `DTSTAMP:${stamp(new Date())}`, `DTSTART:${stamp(from)}`,
      ...to === null ? [] : [`DTEND:${stamp(to)}`], `SUMMARY:${what}`, 'END:VEVENT'
    ])
    const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//api//EN', ...lines, 'END:VCALENDAR', '']
    return reply.type('text/calendar; charset=utf-8').send(calendar.join('\r\n'))
  })
}
