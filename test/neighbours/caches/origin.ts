import compress from '@fastify/compress'
import cors from '@fastify/cors'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../../src/index.ts'
import { bareApp } from '../../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../../types/index.d.ts'

export interface Origin {
  readonly app: FastifyInstance
  readonly port: number
  /** How many requests have arrived on the socket. */
  readonly arrived: () => number
}

const SCHEMES: Record<string, VersioningOptions['scheme']> = {
  accept: AcceptHeaderVersioning,
  content: ContentTypeVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  namespace: NamespaceVersioning,
  path: URLPathVersioning,
  query: QueryParameterVersioning,
  several: [AcceptHeaderVersioning, HeaderVersioning]
}

/** The contexts of the origin, each with a scheme. */
export const contexts = Object.keys(SCHEMES)

/** An app with a context for each scheme, alone or next to compress and cors. All that it answers may be cached. */
export async function startOrigin (t: Test, { isCrowded }: { isCrowded: boolean }): Promise<Origin> {
  const app = bareApp(t)
  let count = 0
  app.server.on('request', () => { count++ })
  app.addHook('onSend', async (_request, reply) => { reply.header('Cache-Control', 'public, max-age=600') })
  if (isCrowded) {
    await app.register(compress, { threshold: 0 })
    await app.register(cors, { origin: true })
  }
  await app.register(versioning, {
    allowedVersions: ['v1', 'v2', 'v3'],
    defaultVersion: 'v1',
    servedVersion: 'Served-Version',
    reportVersions: true,
    lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { sunset: '2026-01-01' } },
    enforceSunset: true
  })
  for (const [name, scheme] of Object.entries(SCHEMES)) {
    app.register(async (context) => {
      await context.register(versioning, { scheme: scheme ?? null })
      declare(context, name)
    }, { prefix: `/${name}` })
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, port: (app.server.address() as AddressInfo).port, arrived: () => count }
}

function declare (app: FastifyInstance, name: string): void {
  if (name === 'path') {
    app.get('/:version/bookings', answer)
  } else if (name === 'namespace') {
    for (const version of ['v1', 'v2', 'v3', 'v9']) {
      app.register(async (app) => { app.get('/bookings', answer) }, { prefix: `/${version}`, namespace: version })
    }
  } else {
    app.get('/bookings', answer)
    app.get('/rates', { version: 'v1' }, async (request) => ['the old rates', request.version])
    app.get('/rates', { version: { from: 'v2' } }, async (request) => ['the rates', request.version])
    app.get('/old', { version: 'v1' }, async (request) => ['only in v1', request.version])
  }
}

async function answer ({ version, url }: FastifyRequest) {
  return { version, url, text: 'so long that it is worth to be compressed. '.repeat(4) }
}
