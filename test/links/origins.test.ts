import t from 'tap'

import versioning, { HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { appFor, badHost, option } from './app.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Call } from './app.ts'

t.test('a version in a host needs a host', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning })
  app.get('/', { name: 'home' }, () => {})
  t.throws(() => app.reverse('home', null, { version: 'v2' }), {
    ...option,
    message: /^Invalid link option "version": expected the option baseUrl or a request to take the origin from, got /
  })
})

t.test('outside a request an absolute link needs baseUrl', async (t) => {
  const app = await appFor(t, {}, () => '')
  t.throws(() => app.reverse('booking', { id: 7 }, { absolute: true }), {
    ...option,
    message: 'Invalid link option "absolute": ' +
      'expected the option baseUrl or a request to take the origin from, got neither.'
  })
})

t.test('a scheme outside a request takes the origin of a link from the baseUrl of its app', async (t) => {
  const scheme = new HostNameVersioning()
  const app = await appWith(t, { scheme, baseUrl: 'https://v1.example.com' })
  app.get('/', { name: 'root' }, async () => '')
  t.equal(scheme.reverse('root', { version: 'v2' }), 'https://v2.example.com/')
})

t.test('a link into another host without a request or a fitting baseUrl is refused', async (t) => {
  const app = await appFor(t, { scheme: HostNameVersioning, baseUrl: 'https://example.com' }, () => '')
  t.throws(() => app.reverse('booking', [7], { version: 'v2' }), option)
})

t.test('where the host of baseUrl has no version, the host of the request is used', async (t) => {
  const app = await appFor(
    t, { scheme: HostNameVersioning, baseUrl: 'https://example.com' },
    (reply) => reply.reverse('booking', [7], { version: 'v2' })
  )
  t.equal((await app.inject({ url: '/bookings/7', headers: { host: 'v1.a.b' } })).body, 'http://v2.a.b/bookings/7')
})

t.test('the version is replaced where the pattern matched it, even if its text occurs earlier', async (t) => {
  class Prefixed extends HostNameVersioning {
    override readonly hostnameRegex = /^api-v1-([a-z0-9]+)\.example\.com$/i
  }
  const app = await appFor(t, { scheme: Prefixed }, (reply) => reply.reverse(null, null, { version: 'v2' }))
  const { body } = await app.inject({ url: '/bookings/7', headers: { host: 'API-v1-v1.example.com' } })
  t.equal(body, 'http://API-v1-v2.example.com/bookings/7')
})

t.test('the pattern of a subclass may match the version elsewhere, or optionally', async (t) => {
  class Suffixed extends HostNameVersioning {
    override readonly hostnameRegex = /^api(?:-(v\d))?\.example\.com$/
  }
  const app = await appFor(t, { scheme: Suffixed }, (reply) => reply.reverse(null, null, { version: 'v2' }))
  const ask = async (host: string) => app.inject({ url: '/bookings/7', headers: { host } })
  t.equal((await ask('api-v1.example.com')).body, 'http://api-v2.example.com/bookings/7')
  t.match((await ask('api.example.com')).json(), badHost)
})

t.test('baseUrl gives absolute links their origin, and every link its path', async (t) => {
  for (const baseUrl of ['https://api.example.com/v/', new URL('https://api.example.com/v')]) {
    const app = await appFor(t, { baseUrl }, (reply) => reply.reverse(null, null, { absolute: true }))
    const { body } = await app.inject({ url: '/bookings/7', headers: { host: 'evil.example' } })
    t.equal(body, 'https://api.example.com/v/bookings/7')
    t.equal(app.reverse('booking', { id: 7 }), '/v/bookings/7')
    t.equal(app.reverse('booking', { id: 7 }, { absolute: true }), 'https://api.example.com/v/bookings/7')
  }
})

t.test('a child context inherits baseUrl, or has its own, or none', async (t) => {
  const app = await appWith(t, { baseUrl: 'https://api.example.com' })
  const contexts: FastifyInstance[] = []
  for (const options of [{}, { baseUrl: 'http://other.example' }, { baseUrl: null }]) {
    app.register(async (scope) => {
      await scope.register(versioning, options)
      contexts.push(scope)
    })
  }
  app.get('/', { name: 'root' }, async () => '')
  await app.ready()
  t.equal(contexts[0].reverse('root', null, { absolute: true }), 'https://api.example.com/')
  t.equal(contexts[1].reverse('root', null, { absolute: true }), 'http://other.example/')
  t.throws(() => contexts[2].reverse('root', null, { absolute: true }), option)
})

t.test('a scheme that a child context has registered links from the app above it, which has no baseUrl', async (t) => {
  const root = bareApp(t)
  const [scheme, hostScheme] = [new QueryParameterVersioning(), new HostNameVersioning()]
  root.register(async (scope) => {
    await scope.register(versioning, { scheme, baseUrl: 'https://v1.example.com/api' })
    scope.get('/', { name: 'root', versioning: hostScheme }, async () => '')
  })
  await root.ready()
  const request = { version: null, server: root, host: 'v1.a.b', protocol: 'http' }
  t.equal(scheme.reverse('root'), '/api/')
  t.equal(scheme.reverse('root', { server: root }), '/')
  t.equal(scheme.reverse('root', { request, absolute: true }), 'http://v1.a.b/')
  t.equal(hostScheme.reverse('root', { request, version: 'v2' }), 'http://v2.a.b/')
})

t.test('X-Forwarded-Host and -Proto are used under trustProxy only', async (t) => {
  const headers = {
    host: 'inner.example', 'x-forwarded-host': 'a.example, outer.example', 'x-forwarded-proto': 'https'
  }
  const call: Call = (reply) => reply.reverse(null, null, { absolute: true })
  const ask = async (server: FastifyServerOptions, more = {}) =>
    (await appFor(t, {}, call, server)).inject({ url: '/bookings/7', headers: { ...headers, ...more } })
  t.equal((await ask({})).body, 'http://inner.example/bookings/7')
  t.equal((await ask({ trustProxy: true })).body, 'https://outer.example/bookings/7')
  t.match((await ask({ trustProxy: true }, { 'x-forwarded-proto': 'javascript' })).json(), badHost)
})

for (const baseUrl of [
  '', 'example.com', '/api', 'ftp://example.com', 'javascript:alert(1)', 'https://user@example.com',
  'https://:pw@example.com', 'https://example.com/?a', 'https://example.com/#a', 'https://example.com//a', 7, {}
]) {
  t.test(`baseUrl cannot be ${JSON.stringify(baseUrl)}`, async (t) => {
    await t.rejects(async () => appWith(t, { baseUrl: baseUrl as never }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "baseUrl"/
    })
  })
}
