import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { accept, byAccept, byQuery, tell } from './app.ts'

t.test('no hook is added for Vary where versions are in the URL or the host', async (t) => {
  const app = await appWith(t, byQuery)
  const hooks: unknown[] = []
  app.addHook('onRoute', ({ method, onSend }) => { if (method === 'GET') hooks.push(onSend) })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', tell('rest'))
  t.same(hooks, [undefined, undefined])
})

t.test('responses of versioned routes vary, and preflights are answered without a version', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.options('/a', { version: 'v1' }, tell('options'))
  for (const version of ['v1', 'v2', 'v9']) {
    t.equal((await app.inject({ url: '/a', ...accept(version) })).headers.vary, 'Accept')
  }
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.match((await app.inject({ url: '/a', method: 'OPTIONS', headers })).json(), { mark: 'options', version: null })
})

t.test('a preflight is answered by the route without version', async (t) => {
  const app = await appWith(t, byAccept)
  app.options('/a', tell('open'))
  app.options('/a', { version: { from: 'v1' } }, tell('range'))
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.match((await app.inject({ url: '/a', method: 'OPTIONS', headers })).json(), { mark: 'open', version: null })
  t.match((await app.inject({ url: '/a', method: 'OPTIONS' })).json(), { mark: 'range', version: 'v2' })
})
