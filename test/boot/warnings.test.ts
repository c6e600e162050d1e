import Fastify from 'fastify'
import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyPluginAsync, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** The warnings of the plugin while something is done. */
async function warningsDuring (t: Test, run: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  function note (warning: Error & { code?: string }) {
    if (warning.name === 'FastifyVersioningWarning') warnings.push(`${warning.code}: ${warning.message}`)
  }
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  await run()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

/** The warnings while an app becomes ready. */
async function warningsOf (t: Test, { build, server }: Pick<Case, 'build' | 'server'>): Promise<string[]> {
  const app = bareApp(t, server)
  return warningsDuring(t, async () => {
    await build(app)
    await app.ready()
  })
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
    of: 'an instance with a default version that is not listed, in each of two apps',
    build: async (app) => {
      const scheme = new AcceptHeaderVersioning({ defaultVersion: 'v0', allowedVersions: ['v1'] })
      await app.register(versioning, { scheme })
      const other = Fastify()
      await other.register(versioning, { scheme })
      await other.close()
    },
    warnings: [DEFAULT, DEFAULT]
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
    of: 'contexts that only set other options, next to and below each other',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning })
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('v1'))
      for (const path of ['/admin', '/other']) {
        app.register(async (context) => {
          await context.register(versioning, { logVersion: true })
          context.get(path, handler)
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

const routes: FastifyPluginAsync = async (context) => { context.get('/b', handler) }

interface Prefix {
  says: string
  options?: VersioningOptions
  declare: (app: FastifyInstance) => unknown
  /** The route that is warned of. Absent if none is. */
  route?: string
}

const prefixes: Prefix[] = [
  {
    says: 'a version in the middle of a prefix',
    declare: (app) => app.register(routes, { prefix: '/api/v1/public' }),
    route: '/api/v1/public/b'
  },
  {
    says: 'a version in the prefix of an outer context',
    declare: (app) => app.register(async (v1) => { v1.register(routes, { prefix: '/rooms' }) }, { prefix: '/v1' }),
    route: '/v1/rooms/b'
  },
  {
    says: 'a version in a prefix whose namespace is not a version',
    declare: (app) => app.register(async (api) => { api.register(routes, { prefix: '/v1' }) }, { namespace: 'api' }),
    route: '/v1/b'
  },
  {
    says: 'a prefix that is the default version, though it is not listed,',
    options: { defaultVersion: 'v0' },
    declare: (app) => app.register(routes, { prefix: '/v0' }),
    route: '/v0/b'
  },
  {
    says: 'a prefix in the namespace of an outer context',
    declare: (app) => app.register(async (v1) => { v1.register(routes, { prefix: '/seats' }) }, inNamespace('v1'))
  },
  {
    says: 'a namespace that is a different version than the prefix',
    declare: (app) => app.register(routes, { prefix: '/v1', namespace: 'v2' })
  },
  {
    says: 'a prefix that only begins like a version',
    declare: (app) => { for (const prefix of ['/v1-beta', '/v10', '/admin']) app.register(routes, { prefix }) }
  },
  {
    says: 'one of two versions in prefixes',
    declare: (app) => app.register(routes, { prefix: '/v1' }).register(routes, inNamespace('v2')),
    route: '/v1/b'
  },
  {
    says: 'a context where versioning is switched off',
    declare: (app) => app.register(async (v1) => {
      await v1.register(versioning, { scheme: null })
      v1.get('/b', handler)
    }, { prefix: '/v1' })
  },
  { says: 'a version in the path of a route without a prefix', declare: (app) => app.get('/v1/b', handler) },
  {
    says: 'a prefix whose routes are all version-neutral',
    declare: (app) => app.register(async (v1) => { v1.get('/b', { versioning: false }, handler) }, { prefix: '/v1' })
  },
  {
    says: 'another scheme',
    options: { scheme: QueryParameterVersioning },
    declare: (app) => app.register(routes, { prefix: '/v1' })
  },
  {
    says: 'an app that allows every version',
    options: { allowedVersions: null },
    declare: (app) => app.register(routes, { prefix: '/v1' })
  }
]

for (const { says, options, declare, route } of prefixes) {
  t.test(`${says} causes ${route === undefined ? 'no' : 'a'} warning about a missing namespace`, async (t) => {
    const messages = await warningsOf(t, {
      build: async (app) => {
        await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], ...options })
        await declare(app)
      }
    })
    const ofPrefix = messages.filter((message) => message.startsWith('FST_WARN_VERSION_PREFIX'))
    t.equal(ofPrefix.length, route === undefined ? 0 : 1)
    if (route !== undefined) t.match(ofPrefix[0], `GET ${route}. Give`)
  })
}

t.test('the page of warnings lists every code, and no other', async (t) => {
  const codes = (text: string) => [...new Set(text.match(/FST_WARN_\w+/g))].sort()
  const files = ['../../src/requests/warnings.ts', '../../docs/errors.md']
  const [source, readme] = await Promise.all(files.map((path) => readFile(new URL(path, import.meta.url), 'utf8')))
  t.same(codes(readme), codes(source))
})

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

t.test('a context that was loaded before the plugin answers as it did', async (t) => {
  const app = bareApp(t)
  app.register(async (context) => {
    context.setNotFoundHandler(async (_request, reply) => reply.code(404).send('none'))
    context.get('/early', async () => 'ok')
    context.get('/broken', async () => { throw Object.assign(new Error('teapot'), { statusCode: 418 }) })
  }, { prefix: '/x' })
  app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'], reportVersions: true })
  await warningsDuring(t, async () => {
    const answers: [url: string, status: number, text: string][] = [
      ['/early', 200, 'ok'], ['/broken', 418, 'teapot'], ['/no', 404, 'none']
    ]
    for (const [url, status, text] of answers) {
      const { statusCode, body, headers } = await app.inject(`/x${url}`)
      t.equal(statusCode, status)
      t.match(body, text)
      t.equal(headers.vary, undefined)
    }
  })
})

t.test('a route with a version at the URL of a route declared before the plugin is refused', async (t) => {
  const app = bareApp(t)
  app.register(async (context) => {
    context.get('/a', handler)
    await context.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    context.get('/a', { version: 'v1' }, handler)
  })
  await warningsDuring(t, async () => t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^GET \/a was declared before fastify-versioning was loaded, and again with a version: await /
  }))
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
