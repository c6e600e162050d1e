// Two apps with documents: at first @fastify/swagger-ui is not installed, then it is a bundle. Prints what they say.
import { register } from 'node:module'
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'

const hooks = `let isInstalled = false
export async function resolve (specifier, context, next) {
  if (specifier !== '@fastify/swagger-ui') return next(specifier, context)
  if (!isInstalled) throw new Error('Cannot find it', { cause: isInstalled = true })
  const text = 'export default { __esModule: true, default: async () => {} }'
  return { url: 'data:text/javascript,' + encodeURIComponent(text), format: 'module', shortCircuit: true }
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

for (let i = 0; i < 2; i++) {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning })
  app.register(openapi, { versions: ['v1'] })
  console.log(await app.ready().then(() => 'It starts.', ({ message }) => message))
}
