import { addRoutes } from './make.ts'

import type { FastifyInstance } from 'fastify'

export default async function plugin (app: FastifyInstance, _options: object) {
  await addRoutes(app)
}
