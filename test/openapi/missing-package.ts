// Registers the plugin where a package cannot be loaded, and prints the error: missing-package.ts <name> [broken]
import Fastify from 'fastify'
import { register } from 'node:module'

import versioning from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

const [name, broken] = process.argv.slice(2)
const loader = `export async function resolve (specifier, context, next) {
  if (specifier !== ${JSON.stringify(name)}) return next(specifier, context)
  throw Object.assign(new Error('broken'), ${broken === undefined ? "{ code: 'ERR_MODULE_NOT_FOUND' }" : '{}'})
}`
register(`data:text/javascript,${encodeURIComponent(loader)}`)

const app = Fastify()
await app.register(versioning, { allowedVersions: ['v1'] })
try {
  await app.register(openapi)
} catch (error) {
  const { code, message } = error as { code?: string, message: string }
  console.log(code, message)
}
