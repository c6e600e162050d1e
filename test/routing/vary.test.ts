import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { HeaderVersioning, accept, byAccept, byQuery, tell } from './app.ts'

import type { FastifyReply } from 'fastify'

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`every response of a URL varies, with a version-neutral route declared ${when}`, async (t) => {
    const app = await appWith(t, byAccept)
    const tellOrigin = async (_request: unknown, reply: FastifyReply) => reply.header('vary', 'Origin').send('neutral')
    const neutral = () => app.get('/a', { versioning: false }, tellOrigin)
    if (isFirst) neutral()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) neutral()
    app.get('/a', { version: 'v3' }, async () => new Response('three', { headers: { vary: 'Cookie' } }))
    t.equal((await app.inject({ url: '/a', ...accept('v1') })).headers.vary, 'Accept')
    t.equal((await app.inject({ url: '/a', ...accept('v2') })).headers.vary, 'Origin, Accept')
    t.equal((await app.inject({ url: '/a', ...accept('v3') })).headers.vary, 'Cookie, Accept')
  })

  t.test(`a web response of an open route under another scheme, declared ${when}, varies`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a', { versioning: QueryParameterVersioning }, async () => (
      new Response('open', { headers: { vary: 'Cookie' } })
    ))
    if (isFirst) open()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    t.equal((await app.inject('/a?version=v3')).headers.vary, 'Cookie, Accept')
    t.equal((await app.inject('/a?version=v9')).headers.vary, 'Accept')
  })
}

t.test('an open route under a scheme that reads another header varies by both', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { versioning: HeaderVersioning }, tell('open'))
  t.equal((await app.inject({ url: '/a', ...accept('v1') })).headers.vary, 'Accept')
  t.equal((await app.inject({ url: '/a', ...accept('v3') })).headers.vary, 'Accept, X-API-Version')
})

t.test('a web response at a URL without versions only has its own Vary', async (t) => {
  const app = await appWith(t, byQuery)
  const rest = async () => new Response('rest', { headers: { vary: 'Cookie' } })
  app.get('/a', { version: 'v1', versioning: AcceptHeaderVersioning }, tell('one'))
  app.get('/a', rest)
  app.get('/a/:id', rest)
  const response = await app.inject('/a/7')
  t.equal(response.statusCode, 200)
  t.equal(response.headers.vary, 'Cookie')
  t.equal((await app.inject('/a?version=v3')).headers.vary, 'Cookie, Accept')
})

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
