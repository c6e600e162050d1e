import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'

interface ProcessWarning extends Error { code?: string }

/** The warnings that the process emits while an app becomes ready. */
async function warningsOf (t: Test, { build, server }: Pick<Case, 'build' | 'server'>): Promise<string[]> {
  const warnings: string[] = []
  function note (warning: ProcessWarning) {
    if (warning.name === 'FastifyVersioningWarning') warnings.push(`${warning.code}: ${warning.message}`)
  }
  process.on('warning', note)
  const app = bareApp(t, server)
  await build(app)
  await app.ready()
  await app.close()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

const handler = async () => ''
const DEFAULT = "FST_WARN_VERSION_DEFAULT: The default version 'v0' is not in allowedVersions, [ 'v1' ]: it is the " +
  'version of a request without one, and allowed for one that specifies it.'
function unseen (routes: string): string {
  return 'FST_WARN_VERSION_UNSEEN: Routes were declared before fastify-versioning was loaded: they have no version, ' +
    'and their options "name", "version" and "versioning" are not read. Await its registration first.\n' + routes
}

function inNamespace (namespace: string) {
  return { prefix: `/${namespace}`, namespace }
}

interface Case {
  of: string
  build: (app: FastifyInstance) => unknown
  server?: FastifyServerOptions
  warnings: string[]
}

const cases: Case[] = [
  {
    of: 'a default version that is not listed',
    build: (app) => app.register(versioning, {
      scheme: AcceptHeaderVersioning, defaultVersion: 'v0', allowedVersions: ['v1']
    }),
    warnings: [DEFAULT]
  },
  {
    of: 'an instance with a default version that is not listed',
    build: (app) => app.register(versioning, {
      scheme: new AcceptHeaderVersioning({ defaultVersion: 'v0', allowedVersions: ['v1'] })
    }),
    warnings: [DEFAULT]
  },
  {
    of: 'a route whose default version is not listed, twice',
    build: async (app) => {
      const scheme = new AcceptHeaderVersioning({ defaultVersion: 'v0', allowedVersions: ['v1'] })
      await app.register(versioning)
      app.get('/a', { versioning: scheme }, handler)
      app.get('/b', { versioning: scheme }, handler)
    },
    warnings: [DEFAULT]
  },
  {
    of: 'defaults that are listed, null, or allowed with all others',
    build: async (app) => {
      await app.register(versioning, { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1'] })
      app.register(async (context) => { await context.register(versioning, { defaultVersion: null }) })
      app.register(async (context) => { await context.register(versioning, { allowedVersions: [] }) })
      app.register(async (context) => { await context.register(versioning, { allowedVersions: null }) })
    },
    warnings: []
  },
  {
    of: 'routes of a namespaced app in a context that only sets another option',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning })
      app.options('*', handler)
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('v1'))
      app.register(async (context) => {
        await context.register(versioning, { logVersion: true })
        context.get('/admin', handler)
      })
    },
    warnings: []
  },
  {
    of: 'a prefix that is a version, and whose routes are in no namespace',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
      app.register(async (context) => { context.get('/a', handler) }, { prefix: '/v1' })
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('v2'))
    },
    warnings: [
      'FST_WARN_VERSION_PREFIX: A segment of their prefix is an allowed version, but no namespace of these routes ' +
      'is: GET /v1/a. Give the option "namespace" next to "prefix".'
    ]
  },
  {
    of: 'more routes below such a prefix than a message shows',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
      app.register(async (context) => {
        for (let i = 0; i < 7; i++) context.get(`/${i}`, handler)
      }, { prefix: '/v1' })
    },
    warnings: [
      'FST_WARN_VERSION_PREFIX: A segment of their prefix is an allowed version, but no namespace of these routes ' +
      'is: GET /v1/0, GET /v1/1, GET /v1/2, GET /v1/3, GET /v1/4 and 2 more. Give the option "namespace" next to ' +
      '"prefix".'
    ]
  },
  {
    of: 'a plugin registered in contexts next to and below each other',
    build: async (app) => {
      for (let i = 0; i < 2; i++) {
        app.register(async (context) => {
          await context.register(versioning)
          context.register(async (inner) => { await inner.register(versioning) })
        })
      }
    },
    warnings: []
  },
  {
    of: 'the routes of other plugins that answer preflights',
    build: async (app) => {
      app.options('*', handler)
      await app.register(versioning)
    },
    warnings: []
  },
  {
    of: 'routes declared before the plugin is loaded',
    build: (app) => {
      app.register(versioning)
      app.route({ method: ['PUT', 'DELETE'], url: '/a', handler })
      app.options('/b', handler)
    },
    warnings: [unseen('└── /\n    ├── a (PUT, DELETE)\n    └── b (OPTIONS)\n')]
  },
  {
    of: 'a context with routes loaded before the plugin',
    build: (app) => {
      app.register(async (context) => { context.get('/a', { name: 'a' }, handler) })
      app.register(versioning)
    },
    warnings: [unseen('└── /\n    └── a (GET, HEAD)\n')]
  },
  {
    of: 'routes around the child context that has the plugin',
    build: async (app) => {
      app.get('/a', handler)
      app.register(async (context) => {
        await context.register(versioning)
        context.get('/b', handler)
      })
    },
    warnings: []
  },
  {
    of: 'an app whose contexts have the plugin before it has',
    build: async (app) => {
      app.register(async (context) => {
        await context.register(versioning)
        context.get('/a', handler)
      })
      await app.register(versioning)
    },
    warnings: []
  }
]

for (const { of, warnings, ...app } of cases) {
  t.test(`${warnings.length === 0 ? 'no warning is' : 'a warning is'} emitted for ${of}`, async (t) => {
    t.same(await warningsOf(t, app), warnings)
  })
}

t.test('every app emits its own warnings', async (t) => {
  const [{ warnings, ...app }] = cases
  t.same(await warningsOf(t, app), warnings)
  t.same(await warningsOf(t, app), warnings)
})

t.test('the page of warnings lists every code, and no other', async (t) => {
  const codes = (text: string) => [...new Set(text.match(/FST_WARN_\w+/g))].sort()
  const files = ['../../src/requests/warnings.ts', '../../docs/errors.md']
  const [source, readme] = await Promise.all(files.map((path) => readFile(new URL(path, import.meta.url), 'utf8')))
  t.same(codes(readme), codes(source))
})

/** The warnings of the plugin while requests are sent. */
async function warningsDuring (t: Test, send: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  function note (warning: ProcessWarning) {
    if (warning.name === 'FastifyVersioningWarning') warnings.push(`${warning.code}: ${warning.message}`)
  }
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  await send()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

t.test('the first request to a route declared before the plugin names it, and ten are named', async (t) => {
  const app = bareApp(t)
  await app.register(async (context) => {
    for (let i = 0; i < 12; i++) context.get(`/early/${i}/:id`, handler)
    context.options('/early', handler)
    await context.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
    context.get('/late', { version: 'v1' }, handler)
  })
  const warnings = await warningsDuring(t, async () => {
    await app.inject({ method: 'OPTIONS', url: '/early' })
    await app.inject('/late?version=v1')
    await app.inject('/missing')
    for (const time of ['first', 'second']) {
      for (let i = 0; i < 12; i++) await app.inject(`/early/${i}/${time}`)
    }
  })
  t.equal(warnings.length, 10)
  t.equal(warnings[0], 'FST_WARN_VERSION_UNSEEN: GET /early/0/:id was declared before fastify-versioning was loaded: ' +
    'it has no version, and its options "name", "version" and "versioning" are not read. Await the registration of ' +
    'the plugin first.')
  t.match(warnings[9], 'GET /early/9/:id')
})

t.test('a route declared before the plugin has no version, no Vary and no refusal', async (t) => {
  const app = bareApp(t)
  await app.register(async (context) => {
    context.get('/early', async (request, reply) => ({
      version: request.version, scheme: request.versioningScheme, link: reply.reverse('late')
    }))
    await context.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1'] })
    context.get('/late', { name: 'late' }, handler)
  })
  await warningsDuring(t, async () => {
    const response = await app.inject({ url: '/early', headers: { accept: 'application/json; version=v9' } })
    t.same(response.json(), { version: null, scheme: null, link: '/late' })
    t.equal(response.headers.vary, undefined)
    t.equal((await app.inject({ url: '/late', headers: { accept: 'a/b; version=v9' } })).statusCode, 406)
  })
})

t.test('a host that begins with a version but does not match causes one warning for each context', async (t) => {
  const app = bareApp(t)
  for (const prefix of ['/a', '/b']) {
    await app.register(async (context) => {
      await context.register(versioning, {
        scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
      })
      context.get('/', async ({ version }) => version)
    }, { prefix })
  }
  const warnings = await warningsDuring(t, async () => {
    for (const host of ['v3.api.example.com', 'v1.example.com', 'api.example', 'v2x.my-company.com']) {
      t.equal((await app.inject({ url: '/a', headers: { host } })).statusCode, 200)
    }
    for (const host of ['v2.my-company.com', 'v2.api.example.com', 'v1.my-company.com:80']) {
      t.equal((await app.inject({ url: '/a', headers: { host } })).body, 'v1')
    }
    await app.inject({ url: '/b', headers: { host: 'v1.my-company.com' } })
  })
  t.equal(warnings.length, 2)
  t.match(warnings[0], /^FST_WARN_VERSION_HOST: .*v2.*hostnameRegex/)
  t.match(warnings[1], /v1.*hostnameRegex/)
  t.notMatch(warnings.join(), 'my-company')
})
