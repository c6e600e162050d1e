import 'fastify-versioning'

declare module 'fastify-versioning' {
  interface Versions {
    v1: true
    v2: true
    '2026-03-01': true
    3: true
  }

  // Names that a request finds in its version and outside of it.
  interface NamedRoutes {
    booking: { slug: string }
    home: Record<string, never>
  }

  interface RequestNamedRoutes {
    booking: { id: number, slug?: never } | { slug: string, id?: never }
    bookings: Record<string, never>
    report: { format: string }
  }
}
