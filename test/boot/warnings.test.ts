import cors from '@fastify/cors'
import fp from 'fastify-plugin'
import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { ending } from '../fixtures/lifecycle.ts'

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
  return `FST_WARN_VERSION_UNSEEN: Routes were declared before fastify-versioning was loaded: ${routes}. ` +
    'Their options "name", "version" and "versioning" are not read. Await its registration first.'
}

function unversioned (why: string): string {
  return `FST_WARN_VERSION_NAMESPACE: No route under NamespaceVersioning can be requested in a version: ${why}.`
}

function bare (param: string, routes: string, fate = 'never has a version', scheme = 'URLPathVersioning'): string {
  const where = `Under ${scheme} a route without the parameter '${param}'`
  return `FST_WARN_VERSION_PARAM: ${where} ${fate}: ${routes}.`
}

function unread (option: string, why: string): string {
  return `FST_WARN_VERSION_SETTING: The option "${option}" has no effect: ${why}.`
}

function inNamespace (namespace: string) {
  return { prefix: `/${namespace}`, namespace }
}

class Custom extends BaseVersioning {
  override determineVersion () {
    return this.permit(null)
  }
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
    of: 'routes without the parameter of URLPathVersioning',
    build: async (app) => {
      await app.register(versioning, { scheme: URLPathVersioning })
      app.get('/:version/ok', handler)
      app.get('/optional/:version?', handler)
      app.get('/neutral', { versioning: false }, handler)
      app.get('/query', { versioning: QueryParameterVersioning }, handler)
      app.options('*', handler)
      app.route({ method: ['GET', 'POST'], url: '/a', handler })
      for (const path of ['/b', '/c', '/d/:id', '/e/*', '/f', '/g']) app.get(path, handler)
    },
    warnings: [bare('version', 'GET, POST /a, GET /b, GET /c, GET /d/:id, GET /e/* and 2 more')]
  },
  {
    of: 'routes that are refused without the parameter',
    build: async (app) => {
      await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1'] })
      app.get('/a', handler)
      app.get('/:versions/b', handler)
      app.get('/::version/c', handler)
      app.get('/:::version/ok', handler)
      app.route({ method: ['HEAD', 'OPTIONS'], url: '/d', handler })
    },
    warnings: [bare('version', 'GET /a, GET /:versions/b, GET /::version/c', 'is always refused')]
  },
  {
    of: 'a path without the version where clients have their own defaults',
    build: async (app) => {
      const defaultVersion = { header: 'x-api-key', version: () => 'v1' }
      await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1'], defaultVersion })
      app.get('/a', handler)
    },
    warnings: [bare('version', 'GET /a', 'is always in the default version of the client')]
  },
  {
    of: 'a subclass that also reads the version elsewhere',
    build: async (app) => {
      await app.register(versioning, {
        scheme: class extends URLPathVersioning {
          override determineVersion () {
            return 'v1'
          }
        }
      })
      app.get('/a', handler)
    },
    warnings: []
  },
  {
    of: 'a setting that another scheme inherits and reads',
    build: async (app) => {
      await app.register(versioning, { scheme: HostNameVersioning, versionParam: 'v', mediaTypes: ['a/b'] })
      app.get('/a', { versioning: QueryParameterVersioning }, handler)
      app.register(async (context) => {
        await context.register(versioning, { scheme: AcceptHeaderVersioning })
        context.get('/b', handler)
      })
    },
    warnings: []
  },
  {
    of: 'settings that are the defaults',
    build: (app) => app.register(versioning, { scheme: HostNameVersioning, versionParam: 'version', mediaTypes: null }),
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
    of: 'an object that is a scheme',
    build: async (app) => {
      const { determineVersion, isAllowedVersion, readVersion, reverse } = URLPathVersioning.prototype
      const scheme = Object.assign(Object.create(null), {
        determineVersion,
        isAllowedVersion,
        readVersion,
        reverse,
        defaultVersion: 'v0',
        allowedVersions: ['v1'],
        versionParam: 'v',
        impliedParam: 'v'
      })
      await app.register(versioning, { scheme, versionParam: 'w' })
      app.get('/a', handler)
    },
    warnings: [
      DEFAULT, unread('versionParam', 'the instance of an object keeps its own'),
      bare('v', 'GET /a', "is always in the default version, 'v0'", 'an object')
    ]
  },
  {
    of: 'a route in a context whose parameter has another name',
    build: async (app) => {
      await app.register(versioning, { scheme: URLPathVersioning })
      app.register(async (context) => {
        context.get('/a', handler)
        await context.register(versioning, { versionParam: 'v' })
        context.get('/b', handler)
      }, { prefix: '/:version' })
      app.register(async (context) => {
        await context.register(versioning, { versionParam: 'v' })
        context.get('/b', handler)
      }, { prefix: '/ok/:v' })
    },
    warnings: [bare('v', 'GET /:version/a, GET /:version/b')]
  },
  {
    of: 'an app under NamespaceVersioning without a namespace',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning })
      app.get('/a', handler)
    },
    warnings: [unversioned('none is in a namespace')]
  },
  {
    of: 'an app under NamespaceVersioning whose namespaces are not allowed',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('1'))
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('2'))
    },
    warnings: [unversioned('none of their namespaces is allowed, 1, 2')]
  },
  {
    of: 'an app under NamespaceVersioning with one namespace that is allowed',
    build: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1'] })
      app.get('/a', handler)
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('v2'))
      app.register(async (context) => { context.get('/a', handler) }, inNamespace('v1'))
    },
    warnings: []
  },
  {
    of: 'an app under NamespaceVersioning without routes',
    build: (app) => app.register(versioning, { scheme: NamespaceVersioning }),
    warnings: []
  },
  {
    of: 'settings that a scheme does not read',
    build: async (app) => {
      const given = { versionParam: 'v', mediaTypes: ['a/b'] }
      for (const scheme of [
        AcceptHeaderVersioning, URLPathVersioning, NamespaceVersioning, HostNameVersioning, QueryParameterVersioning,
        Custom
      ]) {
        await app.register(async (context) => { await context.register(versioning, { ...given, scheme }) })
      }
    },
    warnings: [
      unread('mediaTypes', 'URLPathVersioning does not read it'),
      unread('versionParam', 'NamespaceVersioning does not read it'),
      unread('mediaTypes', 'NamespaceVersioning does not read it'),
      unread('versionParam', 'HostNameVersioning does not read it'),
      unread('mediaTypes', 'HostNameVersioning does not read it'),
      unread('mediaTypes', 'QueryParameterVersioning does not read it')
    ]
  },
  {
    of: 'a setting that a subclass reads in its own way, and says so',
    build: (app) => app.register(versioning, {
      versionParam: 'v',
      scheme: class extends HostNameVersioning {
        override readonly settingsRead = ['versionParam']
        override determineVersion () {
          return this.versionParam
        }
      }
    }),
    warnings: []
  },
  {
    of: 'a setting that a custom scheme does not list as one that it reads',
    build: (app) => app.register(versioning, {
      versionParam: 'v',
      mediaTypes: ['a/b'],
      scheme: class extends Custom {
        override readonly label = 'Named'
        override readonly settingsRead = ['mediaTypes']
      }
    }),
    warnings: [unread('versionParam', 'Named does not read it')]
  },
  {
    of: 'a setting that a context hands on to others',
    build: (app) => app.register(versioning, { versionParam: 'v' }),
    warnings: []
  },
  {
    of: 'settings next to an instance',
    build: (app) => app.register(versioning, {
      scheme: new QueryParameterVersioning(), defaultVersion: 'v1', allowedVersions: undefined, baseUrl: 'http://a'
    }),
    warnings: [
      unread('defaultVersion', 'the instance of QueryParameterVersioning keeps its own')
    ]
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
    of: 'links to successors under a forwarded host',
    server: { trustProxy: true },
    build: async (app) => {
      await app.register(versioning, { ...ending, scheme: HostNameVersioning })
      app.get('/a', handler)
    },
    warnings: [
      'FST_WARN_VERSION_FORWARDED_HOST: Under HostNameVersioning and trustProxy the links to successors hold the ' +
      'host that X-Forwarded-Host names, which caches do not tell apart. Set the option "baseUrl".'
    ]
  },
  {
    of: 'a subclass of the scheme whose links hold the host of the request, under a forwarded host',
    server: { trustProxy: true },
    build: async (app) => {
      await app.register(versioning, {
        ...ending,
        scheme: class extends HostNameVersioning { override readonly label = 'Named' }
      })
      app.get('/a', handler)
    },
    warnings: [
      'FST_WARN_VERSION_FORWARDED_HOST: Under Named and trustProxy the links to successors hold the ' +
      'host that X-Forwarded-Host names, which caches do not tell apart. Set the option "baseUrl".'
    ]
  },
  {
    of: 'a custom scheme whose versions are namespaces, of which there are none',
    build: async (app) => {
      await app.register(versioning, {
        scheme: class extends Custom {
          override readonly label = 'Named'
          versionIn (namespaces: readonly string[]) { return namespaces[0] ?? null }
        }
      })
      app.get('/a', handler)
    },
    warnings: [
      'FST_WARN_VERSION_NAMESPACE: No route under Named can be requested in a version: none is in a namespace.'
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
    of: 'a route declared before the plugin is loaded',
    build: (app) => {
      app.register(versioning)
      app.get('/a', { name: 'a' }, handler)
    },
    warnings: [unseen('GET /a')]
  },
  {
    of: 'routes of many kinds declared before the plugin is loaded',
    build: async (app) => {
      app.route({ method: ['PUT', 'DELETE'], url: '/a/b/:id', handler })
      app.get('/a/c', handler)
      app.get('/a/d/:id?', { exposeHeadRoute: false }, handler)
      app.get('/a/d/:name/e', { constraints: { host: 'a' } }, handler)
      app.head('/*', handler)
      await app.register(versioning)
      app.get('/a/d/:later/f', handler)
      app.post('/a/c', handler)
    },
    warnings: [unseen('PUT /a/b/:id, DELETE /a/b/:id, GET /a/c, GET /a/d, GET /a/d/:id|:name and 2 more')]
  },
  {
    of: 'a route declared before the plugin is loaded in its child context, as fastify-cli registers every app',
    build: (app) => app.register(async (context) => {
      context.get('/a', { name: 'a' }, handler)
      await context.register(versioning)
      context.get('/b', handler)
    }),
    warnings: [unseen('GET /a')]
  },
  {
    of: 'a route that an autoloaded folder declares before the plugin is loaded in its child context',
    build: (app) => app.register(async (context) => {
      context.register(fp(async (shared) => { shared.get('/a', handler) }))
      context.register(async (routes) => { routes.get('/b', handler) }, { prefix: '/inner' })
      await context.register(fp(async (shared) => { await shared.register(versioning) }))
    }),
    warnings: [unseen('GET /a, GET /inner/b')]
  },
  {
    of: 'an option of a plugin that has no context',
    build: async (app) => {
      await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] })
      app.register(fp(async (shared) => { shared.get('/a', handler) }, { name: 'a' }), { version: 'v2' } as object)
    },
    warnings: [
      'FST_WARN_VERSION_LOST_OPTION: The option "version" of the plugin \'a\' has no effect on its routes: a plugin ' +
      'that is wrapped in fastify-plugin, or autoloaded with "encapsulate: false", has no context. ' +
      'Register it as a plain function, or write the option on its routes.'
    ]
  },
  {
    of: 'routes around and next to the child context that has the plugin',
    build: async (app) => {
      app.get('/a', handler)
      app.register(async (sibling) => { sibling.get('/b', handler) })
      app.register(async (sibling) => {
        await sibling.register(versioning)
        sibling.get('/c', handler)
      })
      app.register(async (context) => {
        await context.register(cors)
        await context.register(versioning)
        context.get('/d', handler)
      })
      app.register(async (sibling) => { sibling.get('/e', handler) })
    },
    warnings: []
  },
  {
    of: 'a context with routes loaded before the plugin',
    build: (app) => {
      app.register(async (context) => { context.get('/a', { name: 'a' }, handler) })
      app.register(versioning)
    },
    warnings: [unseen('GET /a')]
  },
  {
    of: 'a route with a constraint declared before the plugin is loaded',
    build: async (app) => {
      app.get('/a', { constraints: { host: 'a' } }, handler)
      await app.register(versioning)
    },
    warnings: [unseen('GET /a {"host":"a"}')]
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
  },
  {
    of: 'routes of other contexts declared before the plugin is loaded',
    build: async (app) => {
      app.get('/a', handler)
      app.register(async (context) => { await context.register(versioning) })
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
  const files = ['../../src/boot/warnings.ts', '../../docs/errors.md']
  const [source, readme] = await Promise.all(files.map((path) => readFile(new URL(path, import.meta.url), 'utf8')))
  t.same(codes(readme), codes(source))
  t.same(codes(cases.flatMap(({ warnings }) => warnings).join()), codes(source))
})
