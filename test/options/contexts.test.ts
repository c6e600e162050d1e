import t from 'tap'

import versioning, { HeaderVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const lifecycle = { v1: { sunset: '2026-12-31T00:00:00Z' } }
const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }

/** An option, what resets it, and what it does to the response of a request for v1: with it, and without it. */
type Cross = [option: VersioningOptions, reset: VersioningOptions, read: (seen: LightMyRequestResponse) => unknown,
  on: unknown, off: unknown]

const crosses: Record<string, Cross> = {
  defaultVersion: [{ defaultVersion: 'v2' }, { defaultVersion: null }, ({ body }) => body.slice(0, 2), 'v2', '{"'],
  allowedVersions: [
    { allowedVersions: ['v2'] }, { allowedVersions: ['v1', 'v2'] }, ({ statusCode }) => statusCode, 400, 200
  ],
  resolveVersion: [
    { resolveVersion: () => 'v2' }, { resolveVersion: null }, ({ body }) => body.slice(0, 2), 'v2', 'v1'
  ],
  versionHeader: [
    { versionHeader: 'X-Version' }, { versionHeader: 'API-Version' }, ({ headers }) => headers.vary, 'X-Version',
    'API-Version'
  ],
  baseUrl: [
    { baseUrl: 'https://api.example.com/base' }, { baseUrl: null }, ({ body }) => body.includes(' /base/'), true, false
  ],
  lifecycle: [
    { lifecycle }, { lifecycle: null }, ({ headers }) => headers.sunset, 'Thu, 31 Dec 2026 00:00:00 GMT', undefined
  ],
  reportVersions: [
    { reportVersions: true }, { reportVersions: false }, ({ headers }) => headers['api-supported-versions'], 'v1, v2',
    undefined
  ],
  enforceSunset: [
    { enforceSunset: true, lifecycle, now: () => Date.parse('2027-01-01') }, { enforceSunset: false },
    ({ statusCode }) => statusCode, 410, 200
  ],
  logVersion: [{ logVersion: true }, { logVersion: false }, ({ body }) => body.endsWith(',version'), true, false],
  servedVersion: [
    { servedVersion: 'Served' }, { servedVersion: null }, ({ headers }) => headers.served, 'v1', undefined
  ]
}

function declare (app: FastifyInstance, path: string): void {
  app.get(path, { name: path }, async (request, reply) => (
    `${request.version} ${reply.reverse(path)} ${Object.keys(Object(request.log).bindings())}`
  ))
}

for (const [name, [option, reset, read, on, off]] of Object.entries(crosses)) {
  t.test(`a child context inherits ${name}, has its own, or resets it`, async (t) => {
    const headers = name === 'defaultVersion' ? {} : { 'api-version': 'v1', 'x-version': 'v1' }
    const answers = async (root: VersioningOptions, child: VersioningOptions) => {
      const app = await appWith(t, { ...byHeader, ...root }, { logger: { level: 'silent' } })
      declare(app, '/root')
      app.register(async (context) => {
        await context.register(versioning, child)
        declare(context, '/child')
      })
      return [read(await app.inject({ url: '/root', headers })), read(await app.inject({ url: '/child', headers }))]
    }
    t.same(await answers(option, {}), [on, on])
    t.same(await answers({}, option), [off, on])
    t.same(await answers(option, reset), [on, off])
    const [, inherited] = await answers({ ...option, scheme: URLPathVersioning }, { scheme: HeaderVersioning })
    t.same(inherited, on, 'under another scheme')
  })
}
