// The versions and the named routes of this app, as routeTypes() of fastify-versioning writes them.
import 'fastify-versioning'

declare module 'fastify-versioning' {
  interface Versions {
    v1: true
    v2: true
  }

  interface NamedRoutes {
    'booking-detail': { id: string | number }
    calendar: { year: string | number, month: string | number } | { year: string | number, month?: never }
    export: { format: string | number }
    file: { '*': string | number }
    home: Record<string, never>
    'partners:rates': Record<string, never>
    room: { version?: string | number | undefined, id: string | number }
    'v1:seat': { id: string | number }
  }

  interface RequestNamedRoutes {
    seat: { id: string | number }
  }
}
