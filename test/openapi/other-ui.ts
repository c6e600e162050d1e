// An app with documents where @fastify/swagger-ui is not installed, or is a bundle of CommonJS: prints what it says.
import { register } from 'node:module'
import process from 'node:process'
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

const hooks = `export async function resolve (specifier, context, next) {
  if (specifier !== '@fastify/swagger-ui') return next(specifier, context)
  if ('${process.argv[2]}' === 'missing') throw new Error('Cannot find it')
  const text = 'export default { __esModule: true, default: async () => { console.log(1) } }'
  return { url: 'data:text/javascript,' + encodeURIComponent(text), format: 'module', shortCircuit: true }
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
