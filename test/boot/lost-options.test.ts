import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { join } from 'node:path'
import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { expectWarning } from '../fixtures/expect-warning.ts'

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

// Not every Node loads TypeScript by itself, and autoload does not see that a loader does it here.
process.env.FASTIFY_AUTOLOAD_TYPESCRIPT = '1'

const allowedVersions = ['v1', 'v2']
const byHeader = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions }
const folder = (name: string) => join(import.meta.dirname, 'fixtures', 'lost-options', name)
const handler = async () => ''

async function bookings (api: FastifyInstance) {
  api.get('/bookings', handler)
}

/** A plugin without its own context; fastify-plugin marks the function itself. */
function shared (plugin: FastifyPluginAsync<object>, name = 'bookings'): FastifyPluginAsync<object> {
  return fp(async (api, options) => plugin(api, options), { name })
}

const WRAPPED = 'a plugin that is wrapped in fastify-plugin, or autoloaded with "encapsulate: false", has no ' +
  'context. Register it as a plain function, or write the option on its routes.'
const FUNCTION = 'Fastify calls a function that returns options too late. Give the options as an object.'

function lost (option: string, plugin: string, why: string): string {
  return `The option "${option}" of the plugin '${plugin}' has no effect on its routes: ${why}`
}

const change: Change = {
  version: 'v2',
  description: 'A room is an object.',
  routes: { room: { response: { 200: { downgrade: ({ room }) => room } } } }
}

/** Declares a route that the change touches. */
function touched (app: FastifyInstance): void {
  app.get('/room', { name: 'room', schema: { response: { 200: {} } } }, handler)
}

interface Case {
  of: string
  register: (app: FastifyInstance) => unknown
  options?: VersioningOptions
  warnings: string[]
}

const cases: Case[] = [
  {
    of: 'a version of a plugin that shares its context',
    register: (app) => app.register(shared(bookings), { version: 'v2' }),
    warnings: [lost('version', 'bookings', WRAPPED)]
  },
  {
    of: 'a range of versions of a module that shares its context',
    register: (app) => app.register({ default: shared(bookings) } as never, { version: { from: 'v2' } } as object),
    warnings: [lost('version', 'bookings', WRAPPED)]
  },
  {
    of: 'a version of a plugin whose routes are in contexts inside of it',
    register: (app) => app.register(shared(async (api) => { await api.register(bookings) }), { version: 'v2' }),
    warnings: [lost('version', 'bookings', WRAPPED)]
  },
  {
    of: 'a version that a function returns',
    register: (app) => app.register(bookings, (() => ({ prefix: '/a', version: 'v2' })) as never),
    warnings: [lost('version', 'bookings', FUNCTION)]
  },
  {
    of: 'a version among the options of a folder that autoload does not encapsulate',
    register: (app) => app.register(autoload, { dir: folder('plain'), encapsulate: false, options: { version: 'v2' } }),
    warnings: [lost('version', 'rates', WRAPPED)]
  },
  {
    of: 'a version that autoConfig returns as a function',
    register: (app) => app.register(autoload, { dir: folder('function'), options: {} }),
    warnings: [lost('version', 'rates', FUNCTION)]
  },
  {
    of: 'a namespace of a plugin that shares its context, under NamespaceVersioning',
    register: (app) => app.register(shared(bookings), { namespace: 'v2' }),
    options: { scheme: [HeaderVersioning, NamespaceVersioning] },
    warnings: [lost('namespace', 'bookings', WRAPPED)]
  },
  {
    of: 'a namespace of a plugin that shares its context and names a route',
    register: (app) => app.register(shared(async (api) => {
      api.get('/a', { name: 'a' }, handler)
    }), { namespace: 'v2' }),
    warnings: [lost('namespace', 'bookings', WRAPPED)]
  },
  {
    of: 'the newest version of handlers of a plugin that shares its context',
    register: (app) => {
      touched(app)
      app.register(shared(bookings), { writtenFor: 'v2' })
    },
    options: { changes: [change] },
    warnings: [lost('writtenFor', 'bookings', WRAPPED)]
  },
  {
    of: 'the newest version of handlers that say it themselves, or that is not allowed',
    register: (app) => {
      touched(app)
      app.register(shared(async (api) => { api.get('/a', { writtenFor: 'v2' }, handler) }), { writtenFor: 'v2' })
      app.register(shared(bookings), { writtenFor: 'v9' })
      app.register(async (api) => { api.register(shared(bookings), { writtenFor: 'v2' }) }, {
        prefix: '/in', writtenFor: 'v2'
      })
    },
    options: { changes: [change] },
    warnings: []
  },
  {
    of: 'the newest version of handlers where there are no changes',
    register: (app) => app.register(shared(bookings), { writtenFor: 'v2' }),
    warnings: []
  },
  {
    of: 'options of a plugin with its own context',
    register: (app) => app.register(bookings, { version: 'v2', namespace: 'v2' }),
    warnings: []
  },
  {
    of: 'a function that returns other options',
    register: (app) => app.register(bookings, () => ({ prefix: '/a' })),
    warnings: []
  },
  {
    of: 'a version for the use of the plugin, which is not in allowedVersions',
    register: (app) => app.register(shared(bookings), { version: '1.0.0' }),
    warnings: []
  },
  {
    of: 'a version for the use of the plugin where no versions are listed',
    register: (app) => app.register(shared(bookings), { version: 'v2' }),
    options: { allowedVersions: null },
    warnings: []
  },
  {
    of: 'a version for the use of the plugin where versioning is off',
    register: (app) => app.register(shared(bookings), { version: 'v2' }),
    options: { scheme: null },
    warnings: []
  },
  {
    of: 'a version and a namespace of a plugin without routes, before other routes',
    register: async (app) => {
      await app.register(shared(async () => {}, 'client'), { version: 'v2', namespace: 'cache' })
      app.get('/a', { name: 'a' }, handler)
    },
    warnings: []
  },
  {
    of: 'a namespace for the use of a plugin whose routes have no names',
    register: (app) => app.register(shared(bookings), { namespace: 'cache' }),
    warnings: []
  },
  {
    of: 'a version of a plugin whose routes have their own',
    register: (app) => app.register(shared(async (api) => {
      api.get('/a', { version: 'v2' }, handler)
      api.get('/b', { version: null }, handler)
      api.get('/c', { versioning: false }, handler)
      api.register(bookings, { version: 'v1' })
    }), { version: 'v2' }),
    warnings: []
  },
  {
    of: 'a namespace of a plugin whose contexts have their own',
    register: (app) => app.register(shared(async (api) => {
      api.register(async (inner) => { inner.get('/a', { name: 'a' }, handler) }, { namespace: 'v1' })
    }), { namespace: 'v2' }),
    warnings: []
  },
  {
    of: 'a null version, which says nothing',
    register: (app) => app.register(shared(bookings), { version: null }),
    warnings: []
  }
]

for (const { of, register, options, warnings } of cases) {
  const outcome = warnings.length === 0 ? 'no warning is' : 'a warning is'
  t.test(`${outcome} emitted if register() is given ${of}`, async (t) => {
    const emitted: (string | undefined)[][] = []
    const note = ({ name, message, code }: Error & { code?: string }) => {
      if (name === 'FastifyVersioningWarning' && code === 'FST_WARN_VERSION_LOST_OPTION') emitted.push([message])
    }
    process.on('warning', note)
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(versioning, { ...byHeader, ...options })
    await register(app)
    await app.ready()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    t.same(emitted, warnings.map((message) => [message]))
  })
}

t.test('a plugin gets the options that it was registered with, and its prefix', async (t) => {
  expectWarning(t, 'FST_WARN_VERSION_LOST_OPTION')
  const app = Fastify()
  await app.register(versioning, byHeader)
  const given: unknown[] = []
  const note = async (api: FastifyInstance, options: object) => {
    given.push(options)
    api.get('/a', handler)
  }
  const options = { version: 'v2', own: 1 }
  const made = { version: 'v2', own: 2 }
  await app.register(shared(note), options)
  await app.register(note, Object.assign(() => made, { prefix: '/made' }))
  t.equal(given[0], options)
  t.equal(given[1], made)
  t.ok(app.hasRoute({ method: 'GET', url: '/made/a', constraints: {} }))
})

t.test('an error of a plugin whose options are lost reaches the next after()', async (t) => {
  const app = Fastify()
  await app.register(versioning, byHeader)
  const failing = shared(async () => { throw new Error('not loaded') })
  let failure: Error | null = null
  app.register(failing, { version: 'v2' }).after((error) => { failure = error })
  await app.ready()
  t.match(failure, { message: 'not loaded' })
})
