/**
 * The folders of `routes` are the versions: @fastify/autoload makes a prefix of each, and the files in it name the
 * namespace, which NamespaceVersioning takes as the version.
 */
import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import { join } from 'node:path'

import versioning, { NamespaceVersioning } from 'fastify-versioning'

const app = Fastify()

await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
await app.register(autoload, { dir: join(import.meta.dirname, 'routes') })

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

From routes/v1:         curl ${url}/v1/bookings/7
From routes/v2:         curl ${url}/v2/bookings/7`)
