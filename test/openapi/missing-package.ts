// Registers the plugin where a package cannot be loaded, and prints what happens:
// missing-package.ts <name> missing|broken
import Fastify from 'fastify'
import { register } from 'node:module'

import versioning from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

const [name, how] = process.argv.slice(2)
const failure = how === 'missing' ? "{ code: 'ERR_MODULE_NOT_FOUND' }" : '{}'
const loader = `export async function resolve (specifier, context, next) {
  if (specifier !== ${JSON.stringify(name)}) return next(specifier, context)
  throw Object.assign(new Error('broken'), ${failure})
}`
register(`data:text/javascript,${encodeURIComponent(loader)}`)

const app = Fastify()
await app.register(versioning, { allowedVersions: ['v1'] })
try {
  await app.register(openapi)
  console.log('registered')
} catch (error) {
  const { code, message } = error as { code?: string, message: string }
  console.log(code, message)
}
