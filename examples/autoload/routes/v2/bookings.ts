import type { FastifyInstance } from 'fastify'

export const autoConfig = { namespace: 'v2' }

export default async function bookings (api: FastifyInstance) {
  api.get('/bookings/:id', { name: 'booking' }, async (request, reply) => ({
    version: request.version,
    self: reply.reverse('booking', request.params as { id: string }),
    guest: { name: 'Ada', email: 'ada@example.com' }
  }))
}
