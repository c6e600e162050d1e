import autoload from '@fastify/autoload'
import { join } from 'node:path'
import t from 'tap'

import { HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
const byNamespace = { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] }

// Not every Node loads TypeScript by itself, and autoload does not see that a loader does it here.
process.env.FASTIFY_AUTOLOAD_TYPESCRIPT = '1'

const folder = (...names: string[]) => join(import.meta.dirname, 'fixtures', 'autoload', ...names)

t.test('files have their namespace in autoConfig, also inside a namespace', async (t) => {
  const app = await appWith(t, byNamespace)
  app.register(autoload, { dir: folder('config') })
  app.register(async (partners) => {
    partners.register(autoload, { dir: folder('config') })
  }, { prefix: '/partners', namespace: 'partners' })
  for (const version of ['v1', 'v2']) {
    t.same((await app.inject(`/${version}/bookings`)).json(), [version, `/${version}/bookings`])
  }
  t.equal(app.reverse('partners:v2:bookings'), '/partners/v2/bookings')
})

t.test('a folder is loaded with a namespace among the options, which replaces the one in autoConfig', async (t) => {
  const app = await appWith(t, byNamespace)
  app.register(autoload, { dir: folder('options'), options: { prefix: '/v1', namespace: 'v1' } })
  app.register(autoload, { dir: folder('config', 'v1'), options: { namespace: 'v2' } })
  t.same((await app.inject('/v1/bookings')).json(), ['v1', '/v1/bookings'])
  t.same((await app.inject('/bookings')).json(), ['v2', '/bookings'])
})

t.test('files have their version in autoConfig, in folders that are no prefix', async (t) => {
  const app = await appWith(t, byHeader)
  app.register(autoload, {
    dir: folder('tree'), dirNameRoutePrefix: (_parent, name) => /^v\d+$/.test(name) ? false : name
  })
  for (const [version, url] of [['v1', '/bookings'], ['v2', '/bookings'], ['v2', '/rooms']]) {
    t.same((await app.inject({ url, headers: { 'api-version': version } })).json(), [version, url])
  }
})

t.test('a CommonJS file that exports its plugin as default keeps its version in a second app', async (t) => {
  for (const app of [await appWith(t, byHeader), await appWith(t, byHeader)]) {
    app.register(autoload, { dir: folder('commonjs') })
    t.equal((await app.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })).statusCode, 400)
    const response = await app.inject({ url: '/bookings', headers: { 'api-version': 'v2' } })
    t.same(response.json(), ['v2', '/bookings'])
  }
})
