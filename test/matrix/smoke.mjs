// The apps that every runtime runs: what the README promises, asked of the packed package.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import http from 'node:http'

const versions = { allowedVersions: ['v1', 'v2'] }

/**
 * Runs every case, and ends with the first that fails.
 * @param {Function} Fastify - the module `fastify`
 * @param {object} plugin - the module `fastify-versioning`
 * @param {object} documents - the module `fastify-versioning/openapi`
 * @param {object} client - the module `fastify-versioning/client`
 * @returns {Promise<number>} how many cases there are
 */
export async function smoke (Fastify, plugin, documents, client) {
  const cases = [
    ...schemes(plugin), severalPlaces, handlersByVersion, links, namespaces, lifecycle, aSchemeOfOnesOwn, settings,
    wire, documentsByVersion, clientOfVersion
  ]
  for (const run of cases) {
    const app = Fastify()
    try {
      await run(app, plugin, documents, client)
    } catch (error) {
      throw new Error(`${run.name} failed: ${error.stack}`, { cause: error })
    } finally {
      await app.close()
    }
  }
  return cases.length
}

/** The seven schemes: what a client sends in v2, and the status of a refusal. */
function schemes (plugin) {
  return [
    ['AcceptHeaderVersioning', 406, (version) => ({ headers: { accept: `application/json; version=${version}` } })],
    ['ContentTypeVersioning', 415, (version) => (
      { method: 'POST', payload: '{}', headers: { 'content-type': `application/json; version=${version}` } }
    )],
    ['HeaderVersioning', 400, (version) => ({ headers: { 'api-version': version } })],
    ['HostNameVersioning', 404, (version) => ({ headers: { host: `${version}.example.com` } })],
    ['NamespaceVersioning', 404, (version) => ({ url: `/in-${version}/bookings` })],
    ['QueryParameterVersioning', 404, (version) => ({ url: `/bookings?version=${version}` })],
    ['URLPathVersioning', 404, (version) => ({ url: `/${version}/bookings` })]
  ].map(([name, status, asking]) => Object.defineProperty(async function (app) {
    const scheme = plugin[name]
    await app.register(plugin.default, { scheme, ...versions })
    const read = async (request) => ({ version: request.version, read: request.versioningScheme instanceof scheme })
    const declare = (app, url) => app.route({ method: ['GET', 'POST'], url, handler: read })
    declare(app, name === 'URLPathVersioning' ? '/:version/bookings' : '/bookings')
    if (name === 'NamespaceVersioning') {
      for (const version of ['v1', 'v2', 'v9']) {
        app.register(async (app) => declare(app, '/bookings'), { prefix: `/in-${version}`, namespace: version })
      }
    }
    for (const version of ['v1', 'v2']) {
      const response = await app.inject({ url: '/bookings', ...asking(version) })
      deepEqual(response.json(), { version, read: true })
    }
    const refused = await app.inject({ url: '/bookings', ...asking('v9') })
    equal(refused.statusCode, status)
    equal(refused.json().statusCode, status)
    equal(refused.headers.vary, (await app.inject({ url: '/bookings', ...asking('v1') })).headers.vary)
  }, 'name', { value: name }))
}

async function severalPlaces (app, { default: versioning, HeaderVersioning, QueryParameterVersioning }) {
  await app.register(versioning, { scheme: [HeaderVersioning, QueryParameterVersioning], ...versions })
  app.get('/bookings', { name: 'bookings' }, async (request, reply) => [request.version, reply.reverse('bookings')])
  const ask = (url, header) => app.inject({ url, headers: header === undefined ? {} : { 'api-version': header } })
  deepEqual((await ask('/bookings?version=v2')).json(), ['v2', '/bookings?version=v2'])
  // The client specifies the version in the header again, so the link does without.
  deepEqual((await ask('/bookings', 'v2')).json(), ['v2', '/bookings'])
  equal((await ask('/bookings?version=v2', 'v2')).json()[0], 'v2')
  const ambiguous = await ask('/bookings?version=v1', 'v2')
  equal(ambiguous.statusCode, 400)
  equal(ambiguous.json().code, 'FST_ERR_VERSION_AMBIGUOUS')
}

async function handlersByVersion (app, { default: versioning, AcceptHeaderVersioning }) {
  await app.register(versioning, {
    scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1'
  })
  app.get('/bookings', { version: 'v1' }, async () => 'the first list')
  app.get('/bookings', { version: { from: 'v2' } }, async () => 'the later list')
  app.get('/rates', { version: ['v1', 'v3'] }, async (request) => request.routeOptions.config.versions)
  const ask = (url, version, method) => app.inject({ method, url, headers: { accept: `*/*; version=${version}` } })
  equal((await app.inject('/bookings')).payload, 'the first list')
  equal((await ask('/bookings', 'v1')).payload, 'the first list')
  equal((await ask('/bookings', 'v3')).payload, 'the later list')
  equal((await ask('/bookings', 'v3', 'HEAD')).headers['content-length'], '14')
  deepEqual((await ask('/rates', 'v3')).json(), ['v1', 'v3'])
  const refused = await ask('/rates', 'v2')
  equal(refused.statusCode, 406)
  equal(refused.json().message, 'This URL answers GET in v1, v3.')
  equal(refused.headers.vary, 'Accept')
  equal((await ask('/nowhere', 'v2')).statusCode, 404)
}

async function links (app, { default: versioning, QueryParameterVersioning, routeTypes }) {
  await app.register(versioning, { scheme: QueryParameterVersioning, baseUrl: 'https://api.example.com', ...versions })
  app.get('/calendar/:year/:month?', { name: 'calendar' }, async (request, reply) => ({
    self: reply.reverse(null),
    next: reply.reverse('calendar', { year: 2026, month: 'ü/1' }),
    absolute: reply.reverse('calendar', [2026], { absolute: true, hash: 'june' })
  }))
  await app.ready()
  equal(app.reverse('calendar', [2026], { version: 'v2' }), '/calendar/2026?version=v2')
  deepEqual((await app.inject('/calendar/2025?version=v1')).json(), {
    self: '/calendar/2025?version=v1',
    next: '/calendar/2026/%C3%BC%2F1?version=v1',
    absolute: 'https://api.example.com/calendar/2026?version=v1#june'
  })
  equal(routeTypes(app).includes('calendar'), true)
  throws(() => app.reverse('calender', [2026]), { code: 'FST_ERR_NO_REVERSE_MATCH' })
}

async function namespaces (app, { default: versioning, NamespaceVersioning }) {
  await app.register(versioning, { scheme: NamespaceVersioning, ...versions })
  for (const version of ['v1', 'v2']) {
    app.register(async (app) => {
      app.get('/bookings', { name: 'bookings' }, async (request, reply) => [request.version, reply.reverse('bookings')])
    }, { prefix: `/${version}`, namespace: version })
  }
  deepEqual((await app.inject('/v2/bookings')).json(), ['v2', '/v2/bookings'])
}

async function lifecycle (app, { default: versioning, URLPathVersioning }) {
  const events = []
  subscribe('fastify-versioning:version', ({ version, outcome, place, scheme }) => (
    events.push([version, outcome, place, scheme])
  ))
  await app.register(versioning, {
    scheme: URLPathVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: { v1: { sunset: '2026-01-01' }, v2: { deprecated: '2026-01-01', sunset: '2026-12-31T23:59:59Z' } },
    reportVersions: true,
    enforceSunset: true,
    now: () => Date.parse('2026-10-01')
  })
  app.get('/:version/bookings/:id', async (request) => request.version)
  const { headers, payload } = await app.inject('/v2/bookings/7')
  equal(payload, 'v2')
  equal(headers.deprecation, '@1767225600')
  equal(headers.sunset, 'Thu, 31 Dec 2026 23:59:59 GMT')
  const link = '</v3/bookings/7>; rel="successor-version", </v3/bookings/7>; rel="latest-version"'
  equal([headers.link].flat().join(', '), link)
  equal(headers['api-supported-versions'], 'v2, v3')
  equal(headers['api-deprecated-versions'], 'v2')
  const gone = await app.inject('/v1/bookings/7')
  equal(gone.statusCode, 410)
  equal(gone.headers['cache-control'], 'no-store')
  equal(gone.json().code, 'FST_ERR_VERSION_GONE')
  deepEqual(app.versions.map(({ version }) => version), ['v1', 'v2', 'v3'])
  // A minifier shortens the names of classes.
  const scheme = URLPathVersioning.name
  deepEqual(events, [['v2', 'ok', 'path', scheme], ['v1', 'gone', 'path', scheme]])
}

async function aSchemeOfOnesOwn (app, { default: versioning, BaseVersioning }) {
  class AppVersioning extends BaseVersioning {
    vary = 'User-Agent'
    readVersion ({ headers }) { return /^acme-app\/(\w+)/.exec(headers['user-agent'] ?? '')?.[1] }
  }
  await app.register(versioning, { scheme: AppVersioning, ...versions })
  app.get('/bookings', { version: 'v2' }, async (request) => request.version)
  const response = await app.inject({ url: '/bookings', headers: { 'user-agent': 'acme-app/v2' } })
  equal(response.payload, 'v2')
  equal(response.headers.vary, 'User-Agent')
}

async function settings (app, { default: versioning }) {
  await rejects(async () => app.register(versioning, { allowedVersions: 1 }), { code: 'FST_ERR_VERSIONING_OPTION' })
}

async function wire (app, { default: versioning, HostNameVersioning }) {
  await app.register(versioning, { scheme: HostNameVersioning, ...versions })
  app.get('/bookings', { version: 'v2' }, async (request) => request.version)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address()
  const ask = (host) => new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', path: '/bookings', headers: { host }, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve([response.statusCode, text])
    }).on('error', reject)
  })
  deepEqual(await ask(`v2.example.com:${port}`), [200, 'v2'])
  equal((await ask('v1.example.com'))[0], 404)
}

async function documentsByVersion (app, { default: versioning, HeaderVersioning }, { default: openapi }) {
  await app.register(versioning, { scheme: HeaderVersioning, ...versions })
  await app.register(openapi, { openapi: { info: { title: 'Bookings', version: '1.0.0' } }, ui: false })
  app.get('/first', { version: 'v1' }, async () => 'ok')
  app.get('/second', { version: 'v2' }, async () => 'ok')
  await app.ready()
  deepEqual(Object.keys(app.openapi('v1').paths), ['/first'])
  deepEqual(Object.keys(app.openapi('v2').paths), ['/second'])
  equal(app.openapi('v2').info['x-api-version'], 'v2')
}

async function clientOfVersion (app, { default: versioning, HeaderVersioning }, _documents, { versionedFetch }) {
  const lifecycle = { v1: { deprecated: '2020-01-01' } }
  await app.register(versioning, { scheme: HeaderVersioning, ...versions, lifecycle })
  app.get('/bookings', async (request) => ({ version: request.version }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const notices = []
  const place = { header: 'API-Version' }
  const api = versionedFetch({ version: 'v1', place, onNotice: (notice) => { notices.push(notice.isDeprecated) } })
  const response = await api(`http://127.0.0.1:${app.server.address().port}/bookings`, { headers: { connection: 'close' } })
  deepEqual(await response.json(), { version: 'v1' })
  deepEqual(notices, [true])
}
