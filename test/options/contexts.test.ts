import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
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

const schemes: Record<string, VersioningOptions['scheme']> = {
  'one scheme': HeaderVersioning,
  'a list': [HeaderVersioning, QueryParameterVersioning]
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
  for (const [what, scheme] of Object.entries(schemes)) {
    const all = { scheme, allowedVersions: ['v1', 'v2'] }
    const answers = async (app: FastifyInstance) => [
      read(await answerOf(app, '/root', name)), read(await answerOf(app, '/child', name))
    ]

    t.test(`under ${what} a child context inherits ${name}`, async (t) => {
      t.same(await answers(await appFor(t, { ...all, ...option }, { logVersion: true })), [on, on])
    })

    t.test(`under ${what} a child context has its own ${name}`, async (t) => {
      t.same(await answers(await appFor(t, all, option)), [off, on])
    })

    t.test(`under ${what} a child context resets ${name}`, async (t) => {
      t.same(await answers(await appFor(t, { ...all, ...option }, reset)), [on, off])
    })

    t.test(`under ${what} of a child context with another scheme around it, ${name} is inherited`, async (t) => {
      const app = await appFor(t, { ...all, ...option, scheme: URLPathVersioning }, { scheme })
      t.same(read(await answerOf(app, '/child', name)), on)
    })
  }
}
