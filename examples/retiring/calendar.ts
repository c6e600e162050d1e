import type { FastifyInstance } from 'fastify'

/** An instant as calendars have it: `20261201T100000Z`. */
function stamp (date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '')
}

/** `GET /calendar.ics`: when versions are deprecated and retired, for the calendars of their users (RFC 5545). */
export function addCalendar (app: FastifyInstance): void {
  app.get('/calendar.ics', { versioning: false }, async (_request, reply) => {
    const events = app.versions.flatMap(({ version, deprecated, sunset }) => [
      { what: `${version} is deprecated`, id: `${version}-deprecated`, at: deprecated },
      { what: `${version} is retired`, id: `${version}-retired`, at: sunset }
    ])
    const lines = events.flatMap(({ what, id, at }) => at === null
      ? []
      : [
          'BEGIN:VEVENT', `UID:${id}@api.example.com`, `DTSTAMP:${stamp(new Date())}`, `DTSTART:${stamp(at)}`,
      `SUMMARY:${what}`, 'END:VEVENT'
        ])
    const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//api//EN', ...lines, 'END:VCALENDAR', '']
    return reply.type('text/calendar; charset=utf-8').send(calendar.join('\r\n'))
  })
}
