/**
 * A document of OpenAPI for each version, made of the routes and their schemas. Swagger UI shows them, and sends
 * requests in the version of the document.
 */
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'

const app = Fastify()

await app.register(versioning, {
  scheme: HeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01' } }
})
await app.register(openapi, { openapi: { info: { title: 'Bookings', version: '2.0.0' } } })

const text = { type: 'string' }
const params = { type: 'object', properties: { id: { type: 'integer', examples: [7] } } }

app.get('/bookings/:id', {
  version: 'v1',
  schema: {
    summary: 'One booking',
    params,
    response: { 200: { type: 'object', properties: { id: { type: 'integer' }, guest: text } } }
  }
}, async (request) => ({ ...request.params as { id: number }, guest: 'Ada' }))

app.get('/bookings/:id', {
  version: 'v2',
  schema: {
    summary: 'One booking',
    params,
    response: {
      200: {
        type: 'object',
        properties: { id: { type: 'integer' }, guest: { type: 'object', properties: { name: text, email: text } } }
      }
    }
  }
}, async (request) => ({ ...request.params as { id: number }, guest: { name: 'Ada', email: 'ada@example.com' } }))

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

Swagger UI:             ${url}/documentation
The document of v2:     curl ${url}/documentation/v2.json
A request for v2:       curl -i -H 'API-Version: v2' ${url}/bookings/7`)
