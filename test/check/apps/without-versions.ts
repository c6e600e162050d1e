import Fastify from 'fastify'

import versioning from '../../../src/index.ts'
import openapi from '../../../src/openapi.ts'

const app = Fastify()
await app.register(versioning)
await app.register(openapi, { ui: false, versions: ['v1'] })
app.get('/health', async () => 'up')

export default app
