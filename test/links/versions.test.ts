import t from 'tap'

import versioning, {
  HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { appFor, option } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

t.test('the counterpart of a route in another version may be in no version', async (t) => {
  const app = await appFor(t, { scheme: NamespaceVersioning }, (reply) => reply.reverse(null, null, { version: null }))
  t.match((await app.inject('/api/v1/deep/7')).json(), {
    message: /^The current route, '.*\/deep\/:id', has no URL that specifies the version null\.$/
  })
  t.equal((await app.inject('/deep/7')).body, '/deep/7')
})

t.test('the link option version may be any string where every version is allowed', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/', { name: 'home' }, () => {})
  t.equal(app.reverse('home', null, { version: 'any' }), '/?version=any')
  t.throws(() => app.reverse('home', null, { version: 5 as never }), {
    ...option, message: 'Invalid link option "version": expected a string, or null, got 5.'
  })
})

t.test('a context without versioning links into a version by the nearest scheme above', async (t) => {
  for (const [scheme, url] of [[QueryParameterVersioning, '/q?version=v2'], [URLPathVersioning, '/v2/q']] as const) {
    const app = await appWith(t, { scheme })
    app.get(scheme === URLPathVersioning ? '/:version/q' : '/q', { name: 'q' }, () => {})
    app.register(async (context) => {
      await context.register(versioning, { scheme: null })
      context.get('/told', async (_request, reply) => reply.reverse('q', null, { version: 'v2' }))
      t.equal(context.reverse('q', null, { version: 'v2' }), url)
    })
    t.equal((await app.inject('/told')).body, url)
  }
})

t.test('a link to the current route is in no version where no context has a scheme', async (t) => {
  const app = await appWith(t)
  app.get('/q', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
  t.equal((await app.inject('/q')).body, '/q')
})

t.test('a context without versioning links by the scheme of the route', async (t) => {
  class Marking extends QueryParameterVersioning {
    override reverse (viewName: string | null, options = {}) {
      return `${super.reverse(viewName, options)}#marked`
    }
  }
  const app = await appWith(t, { scheme: Marking })
  app.get('/q', { name: 'q' }, () => {})
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/untold', async (_request, reply) => reply.reverse('q'))
    t.equal(context.reverse('q'), '/q#marked')
    t.equal(context.reverse('q', null, { version: null }), '/q#marked')
    t.equal(context.reverse('q', null, { version: 'v2' }), '/q?version=v2#marked')
  })
  t.equal((await app.inject('/untold')).body, '/q#marked')
  t.equal(app.reverse('q'), '/q#marked')
})

t.test('a reverse function of a child context also makes links in the app above it', async (t) => {
  const app = bareApp(t)
  let reverse: FastifyInstance['reverse'] | undefined
  app.register(async (context) => {
    await context.register(versioning, { scheme: QueryParameterVersioning })
    context.get('/q', { name: 'q' }, () => {})
    reverse = context.reverse
  })
  await app.ready()
  t.equal(reverse?.call(app, 'q'), '/q')
  t.equal(reverse?.call(app, 'q', null, { version: 'v2' }), '/q?version=v2')
})

t.test('a reverse function of another app finds no name', async (t) => {
  const { reverse } = await appWith(t)
  for (const version of [undefined, 'v2']) {
    t.throws(() => reverse.call(bareApp(t), 'q', null, { version }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  }
})

t.test('a link to a route without versions builds no error message, however many names there are', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, defaultVersion: 'v1' })
  const links: string[] = []
  for (let i = 0; i < 20; i++) app.get(`/r${i}`, { name: `r${i}` }, () => {})
  app.get('/', async (_request, reply) => {
    const { captureStackTrace } = Error
    let explanations = 0
    Error.captureStackTrace = (...args) => {
      explanations++
      captureStackTrace(...args)
    }
    for (let i = 0; i < 20; i++) links.push(reply.reverse(`r${i}`))
    Error.captureStackTrace = captureStackTrace
    return explanations
  })
  t.equal((await app.inject('/')).json(), 0)
  t.same(links, Array.from({ length: 20 }, (_, i) => `/r${i}`))
})

t.test('outside a request a link may have the option version', async (t) => {
  const into = async (scheme: VersioningOptions['scheme'], options: VersioningOptions = {}) =>
    (await appFor(t, { scheme, ...options }, () => '') as FastifyInstance)
  const v2 = { version: 'v2' }
  t.equal((await into(QueryParameterVersioning)).reverse('booking', { id: 7 }, v2), '/bookings/7?version=v2')
  t.equal((await into(URLPathVersioning)).reverse('room', { id: 7 }, v2), '/v2/rooms/7')
  t.equal((await into(NamespaceVersioning)).reverse('seat', { id: 7 }, v2), '/ns-v2/seats/7')
  const baseUrl = 'https://v1.example.com/api'
  const app = await into(HostNameVersioning, { baseUrl })
  t.equal(app.reverse('booking', [7], v2), 'https://v2.example.com/api/bookings/7')
})

t.test('the link option version is used where no scheme determined the version of the request', async (t) => {
  const app = await appFor(t, { scheme: QueryParameterVersioning }, () => '')
  app.setNotFoundHandler(async (_request, reply) => reply.reverse('booking', [7], { version: 'v2' }))
  t.equal((await app.inject('/nowhere')).body, '/bookings/7?version=v2')
  const off = await appFor(t, { scheme: null }, () => '')
  off.setNotFoundHandler(async (_request, reply) => reply.reverse('booking', [7], { version: 'v2' }))
  t.equal((await off.inject('/nowhere')).body, '/bookings/7')
})
