import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import { Ownership } from '../../src/paths/ownership.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { strict } from '../fixtures/router-options.ts'

import type { RouterOptions } from '../../src/paths/pattern.ts'

t.test('a path that is added to a method later takes away links in that method only', async (t) => {
  const app = await appWith(t)
  app.put('/users/:id', { name: 'user' }, async () => '')
  app.get('/users/me', async () => '')
  t.equal(app.reverse('user', { id: 'me' }), '/users/me')
  app.put('/users/me', async () => '')
  t.throws(() => app.reverse('user', { id: 'me' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('the older of two paths has a URL, whatever their order in another method', async (t) => {
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

t.test('paths of different versions that differ only in a pattern each have their own URLs', async (t) => {
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

t.test('the newer of two paths that differ only in a pattern stays behind earlier ones', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/users/:a(^[a-z]).:b', { version: 'v1' }, async () => 'first')
  app.get('/users/:a-:b', { versioning: false }, async () => 'second')
  app.get('/users/:a.:b(^\\d+)', { name: 'third', version: 'v2' }, async () => 'third')
  t.throws(() => app.reverse('third', ['1-2', '3']), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal((await app.inject('/users/1-2.3?version=v2')).body, 'second')
  t.equal(app.reverse('third', ['1', '2']), '/users/1.2')
  t.equal((await app.inject('/users/1.2?version=v2')).body, 'third')
})

t.test('a path that is declared twice stays where it was declared first', async (t) => {
  const ownership = new Ownership(strict)
  for (const path of ['/users/:a-:b', '/users/:a.:b', '/users/:x.:y']) ownership.add(['GET'], path)
  const owned = ownership.find(['GET'], '/users/:a.:b')
  t.notOk(ownership.isOwn(owned, '/users/1-2.3'))
  t.ok(ownership.isOwn(owned, '/users/1.2'))
})

t.test('a route whose parameters are empty links to itself', async (t) => {
  const app = await appWith(t)
  app.get('/users/:id', async ({ params }, reply) => ({ params, url: reply.reverse() }))
  app.get('/files/*', async ({ params }, reply) => ({ params, url: reply.reverse() }))
  t.same((await app.inject('/users/')).json(), { params: { id: '' }, url: '/users/' })
  t.same((await app.inject('/files/')).json(), { params: { '*': '' }, url: '/files/' })
})

t.test('an empty value that the caller gives is treated as missing', async (t) => {
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

t.test('a path with a colon at its end and a path with a parameter there have different URLs', async (t) => {
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

interface Doubt {
  path: string
  /** The other paths of the app, by path or by method and path. */
  others: string[]
  options?: Partial<RouterOptions>
  /** URLs of the path that need not be looked up. */
  clear: string[]
  /** URLs that must be looked up. */
  doubtful: string[]
}

function pathsLike (count: number): string[] {
  return Array.from({ length: count }, (_, i) => `/users/me-${i}`)
}

const doubts: Doubt[] = [
  { path: '/users/:id', others: [], clear: ['/users/7'], doubtful: [] },
  { path: '/users/:id', others: ['/users/:name'], clear: ['/users/7'], doubtful: [] },
  { path: '/users/:id', others: ['/rooms/:id', '/users', '/*'], clear: ['/users/7'], doubtful: [] },
  { path: '/users/:id', others: ['PUT /users/me'], clear: ['/users/me'], doubtful: [] },
  { path: '/users/me', others: ['/users/:id', '/:a/me', '/*'], clear: ['/users/me'], doubtful: [] },
  { path: '/users', others: ['/users/:id'], options: { ignoreTrailingSlash: true }, clear: ['/users'], doubtful: [] },
  { path: '/users/:id', others: ['/users/me'], clear: ['/users/you', '/users/men'], doubtful: ['/users/me'] },
  { path: '/users/:id', others: ['/users/a.b'], clear: ['/users/axb'], doubtful: ['/users/a.b'] },
  { path: '/users/:id', others: ['/users/new-:x'], clear: ['/users/old-7'], doubtful: ['/users/new-7', '/users/new-'] },
  { path: '/:a/:b/:c', others: ['/x/:b/y', '/z/*'], clear: ['/x/1/z'], doubtful: ['/x/1/y', '/z/1/2'] },
  { path: '/users/:id', others: pathsLike(50), clear: ['/users/me'], doubtful: ['/users/me-0', '/users/me-49'] },
  { path: '/users/:id', others: pathsLike(51), clear: [], doubtful: ['/users/me', '/users/me-50'] },
  { path: '/users/:id', others: ['/users/me', '/users/100%'], clear: [], doubtful: ['/users/you'] },
  {
    path: '/users/:id',
    others: [],
    options: { caseSensitive: false },
    clear: ['/users/7'],
    doubtful: ['/users/%C4%B0']
  },
  { path: '/users/:id', others: ['/users/me'], options: { caseSensitive: false }, clear: [], doubtful: ['/users/you'] },
  {
    path: '/users/:id',
    others: ['/users/me'],
    options: { ignoreDuplicateSlashes: true },
    clear: [],
    doubtful: ['/users/you']
  },
  {
    path: '/users/:id',
    others: ['/users/me'],
    options: { ignoreTrailingSlash: true },
    clear: [],
    doubtful: ['/users/you']
  },
  {
    path: '/users/:id',
    others: ['/users/me'],
    options: { useSemicolonDelimiter: true },
    clear: [],
    doubtful: ['/users/you']
  },
  { path: '/:id/100%', others: [], clear: [], doubtful: ['/7/100%25'] },
  { path: '/a//:id', others: [], clear: [], doubtful: ['/a//7'] },
  { path: '/:id(v(\\d))', others: [], clear: [], doubtful: ['/v1'] },
  { path: '/:id((?:v)\\d)', others: [], clear: [], doubtful: ['/v1'] },
  { path: '/:a(\\d)-:b(\\d)', others: [], clear: ['/1-2'], doubtful: [] }
]

for (const { path, others, options, clear, doubtful } of doubts) {
  const company = others.length === 0 ? 'alone' : `next to ${others.slice(-3).join(' and ')} (${others.length})`
  const looked = doubtful.length === 0 ? 'none of its URLs' : doubtful.join(' and ')
  t.test(`the path ${path} ${company} looks up ${looked} with ${JSON.stringify(options ?? {})}`, async (t) => {
    const ownership = new Ownership({ ...strict, ...options })
    ownership.add(['GET'], path)
    for (const other of others) {
      const [method, otherPath] = other.startsWith('/') ? ['GET', other] : other.split(' ')
      ownership.add([method], otherPath)
    }
    const owned = ownership.find(['GET'], path)
    t.equal(owned.doubtful === null, doubtful.length === 0)
    for (const url of clear) {
      t.notMatch(url, owned.doubtful ?? /$^/)
      t.ok(ownership.isOwn(owned, url), 'and it would be found')
    }
    for (const url of doubtful) t.match(url, owned.doubtful)
  })
}

t.test('a path that was never added has the URLs that no other path answers', async (t) => {
  const ownership = new Ownership(strict)
  ownership.add(['GET'], '/users/me')
  const owned = ownership.find(['GET'], '/users/:id')
  t.ok(ownership.isOwn(owned, '/users/you'))
  t.notOk(ownership.isOwn(owned, '/users/me'))
})

t.test('a path has its own URLs if the router treats it like one with a different spelling', async (t) => {
  const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
  const app = await appWith(t, options, { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false } })
  app.get('/users/:id', { version: 'v1' }, async () => 'v1')
  app.get('/Users/:name/', { name: 'named', version: 'v2' }, async () => 'v2')
  app.get('/users/me', async () => 'me')
  t.equal(app.reverse('named', { name: 'you' }, { version: 'v2' }), '/Users/you/?version=v2')
  t.throws(() => app.reverse('named', { name: 'me' }, { version: 'v2' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal((await app.inject('/Users/you/?version=v2')).body, 'v2')
})
