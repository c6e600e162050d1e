import autoload from '@fastify/autoload'
import { join } from 'node:path'
import t from 'tap'

import { HeaderVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { AutoloadPluginOptions } from '@fastify/autoload'
import type { InjectOptions } from 'fastify'

const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
const byNamespace = { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] }

// Not every Node loads TypeScript by itself, and autoload does not see that a loader does it here.
process.env.FASTIFY_AUTOLOAD_TYPESCRIPT = '1'

const folder = (...names: string[]) => join(import.meta.dirname, 'fixtures', 'autoload', ...names)

for (const version of ['v1', 'v2']) {
  t.test(`a folder whose files have their namespace in autoConfig answers in ${version}`, async (t) => {
    const app = await appWith(t, byNamespace)
    app.register(autoload, { dir: folder('config') })
    t.same((await app.inject(`/${version}/bookings`)).json(), [version, `/${version}/bookings`])
  })

  t.test(`a folder that is loaded with a namespace among the options answers in ${version}`, async (t) => {
    const app = await appWith(t, byNamespace)
    for (const namespace of ['v1', 'v2']) {
      app.register(autoload, { dir: folder('options'), options: { prefix: `/${namespace}`, namespace } })
    }
    t.same((await app.inject(`/${version}/bookings`)).json(), [version, `/${version}/bookings`])
  })
}

t.test('a namespace among the options replaces the one in autoConfig', async (t) => {
  const app = await appWith(t, byNamespace)
  app.register(autoload, { dir: folder('config', 'v1'), options: { namespace: 'v2' } })
  t.same((await app.inject('/bookings')).json(), ['v2', '/bookings'])
})

t.test('a folder inside a context joins the namespace of the context', async (t) => {
  const app = await appWith(t, byNamespace)
  app.register(async (partners) => {
    partners.register(autoload, { dir: folder('config') })
  }, { prefix: '/partners', namespace: 'partners' })
  await app.ready()
  t.equal(app.reverse('partners:v2:bookings'), '/partners/v2/bookings')
})

t.test('a namespace that is refused stops the app from starting', async (t) => {
  const app = await appWith(t, byNamespace)
  app.register(autoload, { dir: folder('options'), options: { namespace: 'v1:rc' } })
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION' })
})

t.test('one folder may have the plugin, and the next one the routes', async (t) => {
  const app = bareApp(t)
  app.register(autoload, { dir: folder('plugins') })
  app.register(autoload, { dir: folder('config') })
  t.same((await app.inject('/v2/bookings')).json(), ['v2', '/v2/bookings'])
})

t.test('the name of a folder may be the parameter that URLPathVersioning reads', async (t) => {
  const app = await appWith(t, { ...byNamespace, scheme: URLPathVersioning })
  app.register(autoload, { dir: folder('parameter'), routeParams: true })
  t.same((await app.inject('/v2/bookings')).json(), ['v2', '/v2/bookings'])
})

const withHooks = { autoHooks: true, cascadeHooks: true }
const withoutVersions: Partial<AutoloadPluginOptions> = {
  dirNameRoutePrefix: (_parent, name) => /^v\d+$/.test(name) ? false : name
}

for (const version of ['v1', 'v2']) {
  const trees: [tree: string, asked: InjectOptions][] = [
    ['tree', { url: '/bookings', headers: { 'api-version': version } }],
    ['namespaces', { url: `/${version}/bookings` }]
  ]
  for (const [tree, asked] of trees) {
    t.test(`the hooks at the root of ${tree} run in ${version}`, async (t) => {
      const isByHeader = tree === 'tree'
      const app = await appWith(t, isByHeader ? byHeader : byNamespace)
      app.register(autoload, { dir: folder(tree), ...withHooks, ...isByHeader ? withoutVersions : {} })
      t.equal((await app.inject(asked)).statusCode, 401)
      const response = await app.inject({ ...asked, headers: { ...asked.headers, authorization: 'Bearer secret' } })
      t.match(response.json(), [version, asked.url])
    })
  }
}

t.test('a folder inside the folder of a version keeps its prefix', async (t) => {
  const app = await appWith(t, byHeader)
  app.register(autoload, { dir: folder('tree'), ...withoutVersions })
  const response = await app.inject({ url: '/rooms', headers: { 'api-version': 'v2' } })
  t.same(response.json(), ['v2', '/rooms'])
})

t.test('a CommonJS file that exports its plugin as default keeps its version in a second app', async (t) => {
  for (const app of [await appWith(t, byHeader), await appWith(t, byHeader)]) {
    app.register(autoload, { dir: folder('commonjs') })
    t.equal((await app.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).statusCode, 400)
    const response = await app.inject({ url: '/bookings', headers: { 'api-version': 'v2' } })
    t.same(response.json(), ['v2', '/bookings'])
  }
})

for (const plugins of ['ordered', 'named']) {
  t.test(`a plugin in the folder ${plugins} that depends on fastify-versioning is loaded after it`, async (t) => {
    const app = bareApp(t)
    app.register(autoload, { dir: folder(plugins) })
    t.equal((await app.inject('/health')).body, 'up')
  })
}
