import t from 'tap'

import { NamespaceVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

t.test('names are found in their version after many look-ups of unknown names', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) {
    app.register(async (api) => { api.get('/rooms', { name: 'rooms' }, () => {}) }, {
      prefix: `/${version}`, namespace: version
    })
  }
  await app.ready()
  for (let i = 0; i <= 10_000; i++) {
    try {
      app.reverse(`unknown-${i}`, null, { version: 'v1' })
      t.fail('an unknown name has no link')
    } catch {}
  }
  t.equal(app.reverse('rooms', null, { version: 'v1' }), '/v1/rooms')
  t.equal(app.reverse('rooms', null, { version: 'v2' }), '/v2/rooms')
})

t.test('a name is found in each of many versions, repeatedly', async (t) => {
  const versions = Array.from({ length: 50 }, (_, i) => `v${i}`)
  const app = await appWith(t, { scheme: NamespaceVersioning })
  for (const version of versions) {
    app.register(async (api) => { api.get('/rooms', { name: 'rooms' }, () => {}) }, {
      prefix: `/${version}`, namespace: version
    })
  }
  await app.ready()
  for (let turn = 0; turn < 3; turn++) {
    t.same(
      versions.map((version) => app.reverse('rooms', null, { version })),
      versions.map((version) => `/${version}/rooms`)
    )
  }
})
