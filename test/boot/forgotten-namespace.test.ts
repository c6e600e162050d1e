import Fastify from 'fastify'
import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const CODE = 'FST_WARN_VERSION_PREFIX'
const routes: FastifyPluginAsync = async (context) => { context.get('/b', async () => '') }

t.test('a prefix that is a version, and whose routes are in no namespace, causes a warning', async (t) => {
  const messages = await messagesOf((app) => {
    app.register(routes, { prefix: '/v1' })
    app.register(routes, { prefix: '/v2', namespace: 'v2' })
  })
  t.equal(messages.length, 1)
  t.match(messages[0], /\/v1\/b/)
  t.notMatch(messages[0], /\/v2/)
})

/** What an app warns of with the code while it becomes ready. */
async function messagesOf (
  declare: (app: FastifyInstance) => unknown, options: VersioningOptions = {}
): Promise<string[]> {
  const messages: string[] = []
  function note (warning: Error & { code?: string }) {
    if (warning.code === CODE) messages.push(warning.message)
  }
  process.on('warning', note)
  const app = Fastify()
  await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], ...options })
  await declare(app)
  await app.ready()
  await app.close()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return messages
}

interface Case {
  says: string
  options?: VersioningOptions
  declare: (app: FastifyInstance) => unknown
  /** What is warned of. Absent if nothing is. */
  route?: RegExp
}

const cases: Case[] = [
  {
    says: 'a version in the middle of a prefix',
    declare: (app) => {
      app.register(routes, { prefix: '/api/v1/public' })
      app.register(routes, { prefix: '/api/v2/public', namespace: 'v2' })
    },
    route: /\/api\/v1\/public\/b/
  },
  {
    says: 'a version in the prefix of an outer context',
    declare: (app) => {
      app.register(async (v1) => { v1.register(routes, { prefix: '/rooms' }) }, { prefix: '/v1' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    },
    route: /\/v1\/rooms\/b/
  },
  {
    says: 'a version in a prefix whose namespace is not a version',
    declare: (app) => {
      app.register(async (api) => {
        api.register(routes, { prefix: '/v1' })
        api.register(routes, { prefix: '/v2', namespace: 'v2' })
      }, { namespace: 'api' })
    },
    route: /\/v1\/b/
  },
  {
    says: 'a prefix that is the default version, though it is not listed,',
    options: { defaultVersion: 'v0' },
    declare: (app) => {
      app.register(routes, { prefix: '/v0' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    },
    route: /\/v0\/b/
  },
  {
    says: 'a version in the prefix of every route',
    declare: (app) => app.register(routes, { prefix: '/v1' }),
    route: /\/v1\/b/
  },
  {
    says: 'an app whose prefixes all have namespaces',
    declare: (app) => {
      for (const namespace of ['v1', 'v2']) app.register(routes, { prefix: `/${namespace}`, namespace })
    }
  },
  {
    says: 'a prefix in the namespace of an outer context',
    declare: (app) => app.register(async (v1) => {
      v1.register(routes, { prefix: '/rooms', namespace: 'rooms' })
      v1.register(routes, { prefix: '/seats' })
    }, { prefix: '/v1', namespace: 'v1' })
  },
  {
    says: 'a namespace that is a different version than the prefix',
    declare: (app) => app.register(routes, { prefix: '/v1', namespace: 'v2' })
  },
  {
    says: 'a prefix that only begins like a version',
    declare: (app) => {
      app.register(routes, { prefix: '/v10' })
      app.register(routes, { prefix: '/v1-beta' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    }
  },
  {
    says: 'a version in the path of a route without a prefix',
    declare: (app) => {
      app.get('/v1/b', async () => '')
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    }
  },
  {
    says: 'a prefix whose routes are all version-neutral',
    declare: (app) => {
      app.register(async (v1) => { v1.get('/b', { versioning: false }, async () => '') }, { prefix: '/v1' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    }
  },
  {
    says: 'a context where versioning is switched off',
    declare: (app) => {
      app.register(async (v1) => {
        await v1.register(versioning, { scheme: null })
        v1.get('/b', async () => '')
      }, { prefix: '/v1' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    }
  },
  {
    says: 'another scheme',
    options: { scheme: QueryParameterVersioning },
    declare: (app) => app.register(routes, { prefix: '/v1' })
  },
  {
    says: 'an app that allows every version',
    options: { allowedVersions: null },
    declare: (app) => {
      app.register(routes, { prefix: '/admin' })
      app.register(routes, { prefix: '/v2', namespace: 'v2' })
    }
  }
]

for (const { says, options, declare, route } of cases) {
  t.test(`${says} causes ${route === undefined ? 'no' : 'a'} warning about a missing namespace`, async (t) => {
    const messages = await messagesOf(declare, options)
    if (route === undefined) return t.same(messages, [])
    t.equal(messages.length, 1)
    t.match(messages[0], route)
  })
}
