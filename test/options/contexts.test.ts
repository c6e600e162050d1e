import t from 'tap'

import versioning, { HeaderVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

interface Seen { statusCode: number, headers: OutgoingHttpHeaders, body: string }

/** What an option does to the response of a request for v1, and what the response is like without it. */
interface Cross {
  option: VersioningOptions
  reset: VersioningOptions
  read: (seen: Seen) => unknown
  on: unknown
  off: unknown
}

const sunset = '2026-12-31T00:00:00Z'
const gone: VersioningOptions = { lifecycle: { v1: { sunset } }, now: () => Date.parse('2027-01-01') }

const crosses: Record<string, Cross> = {
  defaultVersion: {
    option: { defaultVersion: 'v2' },
    reset: { defaultVersion: null },
    read: ({ statusCode, body }) => [statusCode, body.slice(0, 2)],
    on: [200, 'v2'],
    off: [400, '{"']
  },
  allowedVersions: {
    option: { allowedVersions: ['v2'] },
    reset: { allowedVersions: ['v1', 'v2'] },
    read: ({ statusCode }) => statusCode,
    on: 400,
    off: 200
  },
  resolveVersion: {
    option: { resolveVersion: () => 'v2' },
    reset: { resolveVersion: null },
    read: ({ body }) => body.slice(0, 2),
    on: 'v2',
    off: 'v1'
  },
  versionHeader: {
    option: { versionHeader: 'X-Version' },
    reset: { versionHeader: 'API-Version' },
    read: ({ headers }) => headers.vary,
    on: 'X-Version',
    off: 'API-Version'
  },
  baseUrl: {
    option: { baseUrl: 'https://api.example.com/base' },
    reset: { baseUrl: null },
    read: ({ body }) => body.includes(' /base/'),
    on: true,
    off: false
  },
  lifecycle: {
    option: { lifecycle: { v1: { sunset } } },
    reset: { lifecycle: null },
    read: ({ headers }) => headers.sunset,
    on: 'Thu, 31 Dec 2026 00:00:00 GMT',
    off: undefined
  },
  reportVersions: {
    option: { reportVersions: true },
    reset: { reportVersions: false },
    read: ({ headers }) => headers['api-supported-versions'],
    on: 'v1, v2',
    off: undefined
  },
  enforceSunset: {
    option: { enforceSunset: true, ...gone },
    reset: { enforceSunset: false },
    read: ({ statusCode }) => statusCode,
    on: 410,
    off: 200
  },
  servedVersion: {
    option: { servedVersion: 'Served' },
    reset: { servedVersion: null },
    read: ({ headers }) => headers.served,
    on: 'v1',
    off: undefined
  }
}

function declare (app: FastifyInstance, path: string): void {
  app.get(path, { name: path }, async (request, reply) => `${request.version} ${reply.reverse(path)}`)
}

async function answerOf (app: FastifyInstance, path: string, name: string): Promise<Seen> {
  const headers = name === 'defaultVersion' ? {} : { 'api-version': 'v1', 'x-version': 'v1' }
  return app.inject({ url: path, headers }) as unknown as Promise<Seen>
}

async function appFor (t: Test, root: VersioningOptions, child: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, root)
  declare(app, '/root')
  app.register(async (context) => {
    await context.register(versioning, child)
    declare(context, '/child')
  })
  return app
}

for (const [name, { option, reset, read, on, off }] of Object.entries(crosses)) {
  t.test(`a child context inherits ${name}, has its own, or resets it`, async (t) => {
    const answers = async (root: VersioningOptions, child: VersioningOptions) => {
      const app = await appFor(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], ...root }, child)
      return [read(await answerOf(app, '/root', name)), read(await answerOf(app, '/child', name))]
    }
    t.same(await answers(option, { logVersion: true }), [on, on])
    t.same(await answers({}, option), [off, on])
    t.same(await answers(option, reset), [on, off])
    const [, inherited] = await answers({ ...option, scheme: URLPathVersioning }, { scheme: HeaderVersioning })
    t.same(inherited, on, 'under another scheme')
  })
}
