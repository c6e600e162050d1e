// An app with documents where @fastify/swagger-ui is not installed: prints why it does not start.
import { register } from 'node:module'
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

const hooks = `export async function resolve (specifier, context, next) {
  if (specifier !== '@fastify/swagger-ui') return next(specifier, context)
  throw new Error('Cannot find it')
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const app = Fastify()
await app.register(versioning, { scheme: HeaderVersioning })
app.register(openapi, { versions: ['v1'] })
try {
  await app.ready()
} catch (error) {
  console.log((error as Error).message)
}
