import Fastify from 'fastify'
import t from 'tap'

import versioning, { HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const CODE = 'FST_WARN_VERSION_FORWARDED_HOST'
const lifecycle = { v1: { deprecated: '2026-01-01' } }
const host: VersioningOptions = { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] }

t.test('a forwarded host in the Link of a response causes a warning', async (t) => {
  const { app, messages } = await boot(t, { trustProxy: true }, (app) => (
    app.register(versioning, { ...host, lifecycle })
  ))
  const headers = { host: 'v1.example.com', 'x-forwarded-host': 'v1.evil.example' }
  t.match((await app.inject({ url: '/', headers })).headers.link, 'http://v2.evil.example/')
  t.equal(messages.length, 1)
  t.match(messages[0], /baseUrl/)
})

/** An app with a route, and what it warns of with the code while it becomes ready. */
async function boot (t: Test, server: FastifyServerOptions, register: (app: FastifyInstance) => unknown) {
  const messages: string[] = []
  function note (warning: Error & { code?: string }) {
    if (warning.code === CODE) messages.push(warning.message)
  }
  process.on('warning', note)
  const app = Fastify(server)
  await register(app)
  app.get('/', async () => '')
  await app.ready()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  t.teardown(() => app.close())
  return { app, messages }
}

interface Case { says: string, server: FastifyServerOptions, options: VersioningOptions, isWarned: boolean }

const trustProxy = true
const baseUrl = 'https://v1.example.com'

const cases: Case[] = [
  { says: 'trustProxy and lifecycle', server: { trustProxy }, options: { ...host, lifecycle }, isWarned: true },
  {
    says: 'a proxy that is trusted by its address',
    server: { trustProxy: '127.0.0.1' },
    options: { ...host, lifecycle },
    isWarned: true
  },
  {
    says: 'an instance of the scheme',
    server: { trustProxy },
    options: { scheme: new HostNameVersioning({ allowedVersions: ['v1', 'v2'] }), lifecycle },
    isWarned: true
  },
  { says: 'a baseUrl', server: { trustProxy }, options: { ...host, lifecycle, baseUrl }, isWarned: false },
  { says: 'no trustProxy', server: {}, options: { ...host, lifecycle }, isWarned: false },
  { says: 'trustProxy: false', server: { trustProxy: false }, options: { ...host, lifecycle }, isWarned: false },
  { says: 'no lifecycle', server: { trustProxy }, options: host, isWarned: false },
  {
    says: 'another scheme',
    server: { trustProxy },
    options: { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], lifecycle },
    isWarned: false
  }
]

for (const { says, server, options, isWarned } of cases) {
  t.test(`with ${says} there is ${isWarned ? 'a' : 'no'} warning about the forwarded host`, async (t) => {
    const { messages } = await boot(t, server, (app) => app.register(versioning, options))
    t.equal(messages.length, isWarned ? 1 : 0)
  })
}

t.test('a scheme of a child context causes a warning about the forwarded host, unless it has a baseUrl', async (t) => {
  for (const own of [{}, { baseUrl }]) {
    const { messages } = await boot(t, { trustProxy }, async (app) => {
      await app.register(versioning, { scheme: null, allowedVersions: ['v1', 'v2'] })
      app.register(async (context) => {
        await context.register(versioning, { ...host, lifecycle, ...own })
        context.get('/child', async () => '')
      })
    })
    t.equal(messages.length, 'baseUrl' in own ? 0 : 1)
  }
})
