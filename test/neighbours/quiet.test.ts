import autoload from '@fastify/autoload'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import underPressure from '@fastify/under-pressure'
import websocket from '@fastify/websocket'
import fp from 'fastify-plugin'
import { join } from 'node:path'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { bareApp, ok } from '../fixtures/app-with.ts'

import type { FastifyError, FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

process.env.FASTIFY_AUTOLOAD_TYPESCRIPT = '1'

const allowedVersions = ['v1', 'v2', 'v3']
const lifecycle = { v1: { deprecated: '2025-01-01', sunset: '2099-01-01' }, v3: { preview: true } } as const
const settings = { allowedVersions, defaultVersion: 'v2', lifecycle, enforceSunset: true, reportVersions: true }
const byHeader = { scheme: HeaderVersioning, ...settings }
const folder = join(import.meta.dirname, 'fixtures', 'autoload', 'tree')

/** Plugins around an API, most of which have routes of their own. */
async function addPlugins (app: FastifyInstance): Promise<void> {
  await app.register(cors, { origin: true })
  await app.register(helmet)
  await app.register(rateLimit)
  await app.register(websocket)
}

async function addRoutes (app: FastifyInstance): Promise<void> {
  await app.register(underPressure, { maxRssBytes: Infinity, exposeStatusRoute: '/alive' })
  await app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/files/' })
}

/** Routes as they are in many apps. */
function declare (api: FastifyInstance): void {
  api.register(fp(async (app) => { app.decorateRequest('account', '') }))
  for (const prefix of ['/trips', '/flats', '/v10', '/admin/v1-archive']) {
    api.register(async (context) => {
      context.get('/', { name: prefix.slice(1) }, ok)
      context.get('/:id', ok)
      context.head('/head', ok)
      context.options('/options', ok)
      context.get('/files/*', ok)
      context.route({ method: ['PUT', 'PATCH'], url: '/:id/:part?', handler: ok })
    }, { prefix })
  }
  api.get('/health', { versioning: false }, ok)
  api.get('/old', { deprecated: { sunset: '2099-01-01' } }, ok)
  api.register(async (outside) => {
    await outside.register(versioning, { scheme: null })
    outside.get('/v1/hooks', ok)
    outside.get('/live', { websocket: true }, () => {})
  })
}

const inPath = (api: FastifyInstance): void => {
  api.register(async (versioned) => { declare(versioned) }, { prefix: '/:version' })
}
const inNamespaces = (api: FastifyInstance): void => {
  for (const version of allowedVersions) {
    api.register(async (versioned) => { declare(versioned) }, { prefix: `/${version}`, namespace: version })
  }
  api.get('/health', ok)
}
const chosen = (api: FastifyInstance): void => {
  api.register(async (v1) => { v1.get('/prices', ok) }, { version: 'v1' })
  api.register(async (later) => { later.get('/prices', ok) }, { version: { from: 'v2' } })
  api.register(autoload, {
    dir: folder, dirNameRoutePrefix: (_parent, name) => /^v\d+$/.test(name) ? false : name
  })
  declare(api)
}

const apps: [says: string, options: VersioningOptions, declare: (api: FastifyInstance) => void][] = [
  ['URLPathVersioning', { ...settings, scheme: URLPathVersioning }, inPath],
  ['NamespaceVersioning', { ...settings, scheme: NamespaceVersioning }, inNamespaces],
  ['HeaderVersioning', byHeader, chosen],
  ['QueryParameterVersioning', { ...settings, scheme: QueryParameterVersioning }, chosen],
  ['AcceptHeaderVersioning', { ...settings, scheme: AcceptHeaderVersioning }, chosen],
  ['ContentTypeVersioning', { ...settings, scheme: ContentTypeVersioning }, declare],
  ['HostNameVersioning', { ...settings, scheme: HostNameVersioning }, declare],
  ['a list', { ...settings, scheme: [new HeaderVersioning({ versionHeader: 'X-Version' }), QueryParameterVersioning] },
    chosen],
  ['dates behind a prefix that is no version', {
    scheme: HeaderVersioning, allowedVersions: ['2025-01-01', '2026-01-01'], defaultVersion: '2025-01-01'
  }, (api) => { api.register(async (v1) => { declare(v1) }, { prefix: '/v1' }) }],
  ['no scheme, for links', { baseUrl: 'https://example.com' }, (app) => { app.get('/v1/bookings', { name: 'b' }, ok) }]
]

for (const [says, options, declareIn] of apps) {
  for (const isRoot of [true, false]) {
    t.test(`an ordinary app with ${says} at ${isRoot ? 'the root' : 'a context'} has no warning`, async (t) => {
      const warnings: Error[] = []
      const note = (warning: Error) => { if (warning.name === 'FastifyVersioningWarning') warnings.push(warning) }
      process.on('warning', note)
      t.teardown(() => process.off('warning', note))
      const app = bareApp(t)
      app.setErrorHandler(async (error: FastifyError, _request, reply) => (
        reply.code(error.statusCode ?? 500).send({ message: error.message })
      ))
      await addPlugins(app)
      const register = async (api: FastifyInstance): Promise<void> => {
        await api.register(versioning, options)
        if (options.allowedVersions) await api.register(openapi)
        declareIn(api)
      }
      if (!isRoot) await addRoutes(app)
      if (isRoot) await register(app)
      else app.register(register)
      await app.ready()
      for (const url of ['/trips', '/v2/trips', '/v9/trips', '/flats/7', '/bookings', '/alive', '/documentation']) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'] as const) {
          for (const headers of [{}, { 'api-version': 'v9', host: 'v9.example.com', accept: 'a/b;version=v9' }]) {
            const { statusCode } = await app.inject({ url, method, headers })
            t.ok(statusCode < 500, `${method} ${url}`)
          }
        }
      }
      await new Promise((resolve) => setImmediate(resolve))
      t.same(warnings, [])
    })
  }
}
