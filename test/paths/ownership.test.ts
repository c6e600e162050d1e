import t from 'tap'

import { appWith, bareApp } from '../fixtures/app-with.ts'
import versioning, { QueryParameterVersioning } from '../../src/index.ts'

t.test('a path that is added to a method later takes links away in this method alone', async (t) => {
  const app = await appWith(t)
  app.put('/users/:id', { name: 'user' }, async () => '')
  app.get('/users/me', async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
  app.put('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('of two paths the older one has a URL, whatever their order in another method', async (t) => {
  const app = await appWith(t)
  app.put('/users/:a.:b', async () => '')
  app.get('/users/:a-:b', { name: 'older' }, async () => 'older')
  app.get('/users/:a.:b', { name: 'younger' }, async () => 'younger')
  await app.ready()
  for (const [name, params] of [['older', ['1', '2.3']], ['younger', ['1-2', '3']]] as const) {
    let url: string | null = null
    try {
      url = app.reverse(name, params)
    } catch {}
    t.equal(url === null, (await app.inject('/users/1-2.3')).body !== name)
  }
})

t.test('paths that differ in a pattern alone, which versions set apart, have their own URLs each', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/users/:id(^\\d+$)', { name: 'number', version: 'v1' }, async () => '')
  app.get('/users/:name(^\\w+$)', { name: 'name', version: 'v2' }, async () => '')
  for (let i = 0; i < 2; i++) {
    t.equal(app.reverse('number', { id: 7 }), '/users/7')
    t.equal(app.reverse('name', { name: 'x' }), '/users/x')
  }
  app.get('/users/me', async () => '')
  t.throws(() => app.reverse('name', { name: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('name', { name: 'x' }), '/users/x')
})

t.test('a route whose parameters are empty links to itself', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', async ({ params }, reply) => ({ params, url: reply.reverse() }))
  app.get('/files/*', async ({ params }, reply) => ({ params, url: reply.reverse() }))
  t.same((await app.inject('/users/')).json(), { params: { id: '' }, url: '/users/' })
  t.same((await app.inject('/files/')).json(), { params: { '*': '' }, url: '/files/' })
})

t.test('an empty value that the caller gives is none', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', async (_request, reply) => reply.reverse(null, { id: '' }))
  t.match((await app.inject('/users/7')).json(), { statusCode: 500, message: /"id" missing/ })
})

t.test('a route that was declared before the plugin may link to itself', async (t) => {
  const app = bareApp(t)
  app.get('/files/*', async (_request, reply) => reply.reverse())
  await app.register(versioning)
  app.get('/files/:id/meta', async () => 'another')
  t.equal((await app.inject('/files/a/b')).body, '/files/a/b')
  t.equal((await app.inject('/files/a%2Fb')).body, '/files/a/b')
  t.match((await app.inject('/files/7%2Fmeta')).json(), { statusCode: 400 })
})

t.test('a path with a colon at its end has other URLs than one with a parameter there', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] }, {
    routerOptions: { caseSensitive: false }
  })
  app.get('/users/::', { name: 'colon', version: 'v1' }, async () => 'colon')
  app.get('/users/:id', { name: 'user', version: 'v1' }, async () => 'user')
  app.get('/users/me', async () => 'me')
  t.equal(app.reverse('colon'), '/users/:')
  t.equal(app.reverse('user', { id: 7 }), '/users/7')
  t.equal((await app.inject('/users/:?version=v1')).body, 'colon')
  t.equal((await app.inject('/users/7?version=v1')).body, 'user')
})
