import t from 'tap'

import versioning, {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, VersioningOptions } from '../../types/index.d.ts'

const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }
const settings = { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v2' }

/** What `reply.reverse(name, null, options)` gives in each of the routes: a URL, or an error. */
async function linking (
  t: Test, options: VersioningOptions, name: string | null, link: LinkOptions, paths: readonly string[]
): Promise<(url: string, headers?: Record<string, string>) => Promise<string | object>> {
  const app = await appWith(t, { ...settings, ...options })
  const answer = async (_request: unknown, reply: FastifyReply) => ({ url: reply.reverse(name, null, link) })
  for (const path of paths) app.get(path, { name: 'item' }, answer)
  return async (url, headers = {}) => {
    const body = (await app.inject({ url, headers })).json()
    return body.url ?? body
  }
}

t.test('the current route has no link into a version for which its path has no place', async (t) => {
  const paths = ['/:version/items/:id', '/items/:id']
  for (const scheme of [URLPathVersioning, [URLPathVersioning]]) {
    for (const version of ['v1', 'v3']) {
      t.match(await (await linking(t, { scheme }, null, { version }, paths))('/items/1'), {
        ...noMatch, message: `The current route, '/items/:id', has no URL that specifies the version '${version}'.`
      })
    }
    const intoDefault = await linking(t, { scheme }, null, { version: 'v2' }, paths)
    t.equal(await intoDefault('/items/1'), '/items/1')
    t.equal(await intoDefault('/v1/items/1'), '/v2/items/1')
    t.equal(await (await linking(t, { scheme }, null, {}, paths))('/items/1'), '/items/1')
  }
})

t.test('a scheme that reads a header, the query or the host has no such error', async (t) => {
  const into = { version: 'v1' }
  t.equal(await (await linking(t, { scheme: HeaderVersioning }, null, into, ['/items/:id']))('/items/1'), '/items/1')
  const query = await linking(t, { scheme: QueryParameterVersioning }, null, into, ['/items/:id'])
  t.equal(await query('/items/1'), '/items/1?version=v1')
  const host = await linking(t, { scheme: HostNameVersioning }, null, into, ['/items/:id'])
  t.equal(await host('/items/1', { host: 'v3.example.com' }), 'http://v1.example.com/items/1')
})

t.test('a name outside of namespaces is not linked into a version that the caller gives', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  app.get('/items', { name: 'items' }, async () => '')
  app.get('/health', { name: 'health', versioning: false }, async () => '')
  app.register(async (v1) => {
    v1.get('/', async (_request, reply) => [
      reply.reverse('items'), reply.reverse('items', null, { version: 'v2' }),
      reply.reverse('health', null, { version: 'v3' })
    ])
  }, { prefix: '/v1', namespace: 'v1' })
  t.same((await app.inject('/v1')).json(), ['/items', '/items', '/health'])
  t.throws(() => app.reverse('items', null, { version: 'v3' }), {
    ...noMatch, message: "Route 'items' has no URL that specifies the version 'v3'."
  })
})

t.test('without a version, a link does not keep the version in the path', async (t) => {
  for (const scheme of [URLPathVersioning, [URLPathVersioning, HeaderVersioning]]) {
    const app = await linking(t, { scheme }, null, { version: null }, ['/:version/items/:id', '/plain/:version?'])
    t.match(await app('/v1/items/1'), { ...noMatch, message: /"version" missing/ })
    t.equal(await app('/plain/v1'), '/plain')
  }
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  app.register(async (v1) => {
    v1.get('/items', async (_request, reply) => reply.reverse(null, null, { version: null }))
  }, { prefix: '/v1', namespace: 'v1' })
  t.match((await app.inject('/v1/items')).json(), noMatch)
})

t.test('a short name does not lead into another version than the given one', async (t) => {
  const scheme = new NamespaceVersioning(settings)
  const app = await appWith(t, { scheme })
  const declare = (names: readonly string[]) => async (context: FastifyInstance): Promise<void> => {
    const [first, ...others] = names
    if (first !== undefined) {
      context.register(declare(others), { prefix: `/${first}`, namespace: first })
      return
    }
    context.get('/list', { name: 'list' }, async (_request, reply) => ['list', 'v2:list', 'v1:list'].map((name) => {
      try {
        return reply.reverse(name, null, { version: 'v1' })
      } catch (error) {
        return (error as { code: string }).code
      }
    }))
  }
  app.register(declare(['v2', 'v1']))
  app.register(declare(['v3']))
  // `v2:v1:list` is in v2: its first allowed namespace is the version.
  for (const url of ['/v3/list', '/v2/v1/list']) {
    t.same((await app.inject(url)).json(), Array(3).fill('FST_ERR_NO_REVERSE_MATCH'))
  }
})

t.test('a namespace inside another version is not the version of the current route', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  app.register(async (v1) => {
    v1.register(async (v2) => {
      v2.get('/list', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
    }, { prefix: '/v2', namespace: 'v2' })
  }, { prefix: '/v1', namespace: 'v1' })
  t.match((await app.inject('/v1/v2/list')).json(), noMatch)
})

t.test('a member of a list makes no link into a version that it does not allow', async (t) => {
  const scheme = [new QueryParameterVersioning({ allowedVersions: ['v1'] }), HostNameVersioning]
  const app = await linking(t, { scheme }, null, { version: 'v3' }, ['/items/:id'])
  const headers = { host: 'v1.example.com' }
  t.equal(await app('/items/1?version=v1', headers), 'http://v3.example.com/items/1')
})

t.test('the version of a host is what it resolves to', async (t) => {
  const resolveVersion = (version: string) => version === 'latest' ? 'v3' : version
  for (const scheme of [HostNameVersioning, [HeaderVersioning, HostNameVersioning]]) {
    const app = await linking(t, { scheme, resolveVersion }, null, {}, ['/items/:id'])
    t.equal(await app('/items/1', { host: 'latest.example.com' }), '/items/1')
  }
})

t.test('a link to a route under HostNameVersioning does not stay on a host with another version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
  app.get('/from', async (_request, reply) => [
    reply.reverse('there'), reply.reverse('there', null, { version: 'v1' })
  ])
  await app.register(async (context) => {
    await context.register(versioning, { scheme: HostNameVersioning })
    context.get('/there', { name: 'there' }, async () => '')
  })
  const ask = async (host: string) => (await app.inject({ url: '/from?version=v3', headers: { host } })).json()
  t.same(await ask('v3.example.com'), ['/there', 'http://v1.example.com/there'])
  t.same(await ask('v1.example.com'), ['http://v3.example.com/there', 'http://v1.example.com/there'])
})

t.test('values in the order of the path need a name', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning })
  const scheme = new URLPathVersioning(settings)
  app.get('/:version/pos/:id', async (request, reply) => {
    t.throws(() => scheme.reverse(null, { request, args: [8] }), { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500 })
    return reply.reverse(null, [8])
  })
  t.match((await app.inject('/v1/pos/7')).json(), {
    statusCode: 500,
    code: 'FST_ERR_REVERSE_OPTION',
    message: 'Invalid link option "params": expected an object, because there is no name, got [ 8 ].'
  })
})

t.test('values in the order of the path fit any URL of a name', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning })
  app.get('/:version/posts/:id', { name: 'post' }, async () => '')
  app.get('/:version/posts/:slug/:language', { name: 'post' }, async () => '')
  await app.ready()
  const into = { version: 'v1' }
  t.equal(app.reverse('post', [7], into), '/v1/posts/7')
  t.equal(app.reverse('post', ['a', 'en'], into), '/v1/posts/a/en')
  t.equal(app.reverse('post', ['v3', 'a', 'en']), '/v3/posts/a/en')
  t.throws(() => app.reverse('post', ['a', 'en', 'x'], into), { ...noMatch, message: /"args\[2\]" unknown/ })
})

t.test('a name of version-neutral and other routes leads to the one that fits', async (t) => {
  const app = await appWith(t, { ...settings, scheme: URLPathVersioning })
  const answer = async (_request: unknown, reply: FastifyReply) => [
    reply.reverse('a', null, { version: 'v3' }), reply.reverse('a', { '*': 'x' }),
    reply.reverse('a', { '*': 'x' }, { version: 'v3' })
  ]
  app.get('/:version/rooms', { name: 'a' }, answer)
  app.get('/files/*', { name: 'a', versioning: false }, answer)
  const links = ['/v3/rooms', '/files/x', '/files/x']
  for (const url of ['/v1/rooms', '/files/x']) t.same((await app.inject(url)).json(), links)
})

for (const version of ['v1', 'v3']) {
  t.test(`a parameter that a preHandler hook adds is in no link, which fails in ${version}`, async (t) => {
    const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
    app.addHook('preHandler', async (request) => { Object.assign(request.params as object, { more: '1' }) })
    app.get('/rooms/:id', { name: 'room' }, async (_request, reply) => reply.reverse())
    const { statusCode, message } = (await app.inject(`/rooms/b7?version=${version}`)).json()
    t.match([statusCode, message], [500, '"more" unknown'])
  })
}
