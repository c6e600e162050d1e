import type { FastifyInstance } from 'fastify'

export const autoConfig = { namespace: 'v1' }

export default async function bookings (api: FastifyInstance) {
  api.get('/bookings/:id', { name: 'booking' }, async (request, reply) => ({
    version: request.version,
    self: reply.reverse('booking', request.params as { id: string }),
    guest: 'Ada'
  }))
}
