/**
 * A small bookings API under all seven schemes. There is an encapsulation context for each place where a client can
 * specify the version, one for a client whose version is pinned, and one with changes between versions. The script
 * sends itself a request for each row of its page and one that is refused, and then keeps listening. The page is at /,
 * and a document for each version at /documentation.
 */
import { build } from 'esbuild'
import Fastify from 'fastify'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, defineChange
} from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AddressInfo } from 'node:net'

/** A request in `{version}`, or `{other}`. The page shows `code`, the option that matters, and `note`. */
interface Question {
  scheme: string, code: string, path: string, headers?: Record<string, string>, body?: object, note?: string
}
interface Answer { statusCode: number, body: { version: string, booking: { self: string }, message: string } }

const bookings = [{ id: '7', guest: 'Ada' }, { id: '8', guest: 'Grace' }]
const text = { type: 'string' }
const schemas = [
  { $id: 'NewBooking', type: 'object', required: ['guest'], properties: { guest: { ...text, examples: ['Edsger'] } } },
  { $id: 'Booking', type: 'object', properties: { id: text, guest: text, self: text } },
  { $id: 'BookingAnswer', type: 'object', properties: { version: text, booking: { $ref: 'Booking#' } } },
  {
    $id: 'BookingList',
    type: 'object',
    properties: { version: text, bookings: { type: 'array', items: { $ref: 'Booking#' } } }
  }
]

const severalGuests = defineChange({
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    GroupBooking: {
      older: { type: 'object', properties: { id: text, guest: text, self: text } },
      downgrade: ({ guests, ...booking }: { guests: string[] }) => ({ ...booking, guest: guests[0] })
    }
  }
})

const app = Fastify()
for (const schema of schemas) app.addSchema(schema)

await app.register(versioning, {
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2099-12-31' } },
  servedVersion: 'API-Version',
  reportVersions: true
})
await app.register(openapi, {
  openapi: { info: { title: 'Bookings', version: '2.4.0', description: 'One API, seven places for the version.' } },
  refResolver: { buildLocalReference: ({ $id }) => String($id) }
})

app.register(async function byAcceptHeader (api) {
  await api.register(versioning, { scheme: AcceptHeaderVersioning, mediaTypes: ['application/json'] })
  api.register(bookingsApi, { tag: 'Accept header', detail: 'accept:booking-detail' })
}, { prefix: '/accept', namespace: 'accept' })

app.register(async function byContentType (api) {
  await api.register(versioning, { scheme: ContentTypeVersioning })
  api.register(bookingsApi, { tag: 'Content-Type', detail: 'content-type:booking-detail' })
}, { prefix: '/content-type', namespace: 'content-type' })

app.register(async function byHeader (api) {
  await api.register(versioning, { scheme: HeaderVersioning })
  api.register(bookingsApi, { tag: 'Header', detail: 'header:booking-detail' })
}, { prefix: '/header', namespace: 'header' })

app.register(async function byPath (api) {
  await api.register(versioning, { scheme: URLPathVersioning })
  api.register(bookingsApi, { prefix: '/:version', tag: 'URL path', detail: 'path:booking-detail' })
}, { prefix: '/path', namespace: 'path' })

app.register(async function byNamespace (api) {
  await api.register(versioning, { scheme: NamespaceVersioning })
  api.register(bookingsApi, { prefix: '/v1', namespace: 'v1', tag: 'Namespace', detail: 'booking-detail' })
  api.register(bookingsApi, { prefix: '/v2', namespace: 'v2', tag: 'Namespace', detail: 'booking-detail' })
}, { prefix: '/namespace' })

app.register(async function byHostName (api) {
  // The host without a version, from which documents make the host of each version.
  await api.register(versioning, { scheme: HostNameVersioning, baseUrl: 'http://api.example.com' })
  api.register(bookingsApi, { tag: 'Host name', detail: 'host:booking-detail' })
}, { prefix: '/host', namespace: 'host' })

app.register(async function byQueryParameter (api) {
  await api.register(versioning, { scheme: QueryParameterVersioning })
  api.register(bookingsApi, { tag: 'Query parameter', detail: 'query:booking-detail' })
}, { prefix: '/query', namespace: 'query' })

app.register(async function byHeaderOrQuery (api) {
  await api.register(versioning, { scheme: [HeaderVersioning, QueryParameterVersioning] })
  api.register(bookingsApi, { tag: 'Several places', detail: 'several:booking-detail' })
}, { prefix: '/several', namespace: 'several' })

/** A client that sends this key, and no version, gets the version that it started with. */
const pins = new Map([['key-of-acme', 'v1']])

app.register(async function byPinnedKey (api) {
  await api.register(versioning, {
    scheme: HeaderVersioning,
    defaultVersion: { header: 'X-API-Key', version: (key) => pins.get(key ?? '') ?? 'v2' }
  })
  api.register(bookingsApi, { tag: 'Pinned key', detail: 'pinned:booking-detail' })
}, { prefix: '/pinned', namespace: 'pinned' })

app.register(async function byChanges (api) {
  await api.register(versioning, { scheme: HeaderVersioning, changes: [severalGuests] })
  api.addSchema({
    $id: 'GroupBooking',
    type: 'object',
    properties: { id: text, guests: { type: 'array', items: text }, self: text }
  })
  api.get('/bookings/:id', {
    name: 'booking-detail',
    schema: {
      tags: ['Changes'],
      summary: 'One booking',
      params: { type: 'object', properties: { id: { type: 'string', examples: ['7'] } } },
      response: { 200: { type: 'object', properties: { version: text, booking: { $ref: 'GroupBooking#' } } } }
    }
  }, async function showGroup (request, reply) {
    const { id } = request.params as { id: string }
    return { version: request.version, booking: { id, guests: ['Ada', 'Grace'], self: reply.reverse() } }
  })
}, { prefix: '/changes', namespace: 'changes' })

/** The same routes under every scheme; `detail` is the name for links to a booking in this context. */
async function bookingsApi (api: FastifyInstance, { tag, detail }: { tag: string, detail: string }) {
  const tags = [tag]
  const params = { type: 'object', properties: { id: { type: 'string', examples: ['7'] } } }

  api.get('/bookings', {
    name: 'booking-list',
    schema: { tags, summary: 'All bookings', response: { 200: { $ref: 'BookingList#' } } }
  }, async function list (request, reply) {
    return { version: request.version, bookings: bookings.map((booking) => present(booking, reply)) }
  })

  api.get('/bookings/:id', {
    name: 'booking-detail',
    schema: { tags, summary: 'One booking', params, response: { 200: { $ref: 'BookingAnswer#' } } }
  }, async function show (request, reply) {
    const { id } = request.params as { id: string }
    const booking = bookings.find((one) => one.id === id)
    if (booking === undefined) throw Object.assign(new Error(`There is no booking ${id}.`), { statusCode: 404 })
    return { version: request.version, booking: present(booking, reply) }
  })

  api.post('/bookings', {
    schema: { tags, summary: 'Book', body: { $ref: 'NewBooking#' }, response: { 200: { $ref: 'BookingAnswer#' } } }
  }, async function book (request, reply) {
    const { guest } = request.body as { guest: string }
    return { version: request.version, booking: present({ id: '9', guest }, reply) }
  })

  function present (booking: typeof bookings[number], reply: FastifyReply) {
    return { ...booking, self: reply.reverse(detail, { id: booking.id }) }
  }
}

const questions: Question[] = [
  {
    scheme: 'Accept header',
    code: 'AcceptHeaderVersioning',
    path: '/accept/bookings/7',
    headers: { Accept: 'application/json; version={version}' }
  },
  {
    scheme: 'Content-Type',
    code: 'ContentTypeVersioning',
    path: '/content-type/bookings',
    headers: { 'Content-Type': 'application/json; version={version}' },
    body: { guest: 'Edsger' }
  },
  { scheme: 'Header', code: 'HeaderVersioning', path: '/header/bookings/7', headers: { 'API-Version': '{version}' } },
  { scheme: 'URL path', code: 'URLPathVersioning', path: '/path/{version}/bookings/7' },
  {
    scheme: 'Namespace',
    code: 'NamespaceVersioning',
    path: '/namespace/{version}/bookings/7',
    note: 'Each version has its own routes. There are none for v9, so its 404 is the one of Fastify.'
  },
  {
    scheme: 'Host name',
    code: 'HostNameVersioning',
    path: '/host/bookings/7',
    headers: { Host: '{version}.example.com' },
    note: 'A browser does not let a page choose the host: use curl.'
  },
  { scheme: 'Query parameter', code: 'QueryParameterVersioning', path: '/query/bookings/7?version={version}' },
  {
    scheme: 'Several places',
    code: '[HeaderVersioning, QueryParameterVersioning]',
    path: '/several/bookings/7?version={version}',
    note: 'A header or the query parameter: an API can move from one to the other.'
  },
  {
    scheme: 'Conflict',
    code: '[HeaderVersioning, QueryParameterVersioning]',
    path: '/several/bookings/7?version={other}',
    headers: { 'API-Version': '{version}' },
    note: 'A client may specify one version in two places. If the versions differ, the request is refused.'
  },
  {
    scheme: 'Pinned key',
    code: 'defaultVersion: { header, version }',
    path: '/pinned/bookings/7',
    headers: { 'X-API-Key': 'key-of-acme' },
    note: 'This client sends no version. It gets v1, the version that it started with, whatever you choose above.'
  },
  {
    scheme: 'Changes',
    code: 'changes: [severalGuests]',
    path: '/changes/bookings/7',
    headers: { 'API-Version': '{version}' },
    note: 'One handler, written for v2, answers both versions. In v1 a booking has one guest.'
  }
]

const page = await readFile(new URL('index.html', import.meta.url))
// The page's script imports fastify-versioning/client, which a browser does not find by this name.
const { outputFiles: [script] } = await build({
  entryPoints: [fileURLToPath(new URL('page.js', import.meta.url))], bundle: true, format: 'esm', write: false
})
app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.type('text/html').send(page))
app.get('/page.js', { schema: { hide: true } }, async (_request, reply) => (
  reply.type('text/javascript').send(script.text)
))
app.get('/questions', { schema: { hide: true } }, async () => questions)

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
const { port } = app.server.address() as AddressInfo

for (const question of questions) await show(question, 'v2')
await show({ ...questions[6], scheme: 'Refused' }, 'v9')
console.log(`
Look at:    http://127.0.0.1:${port}/
Documents:  http://127.0.0.1:${port}/documentation
Try it:     curl -H 'Accept: application/json; version=v2' http://127.0.0.1:${port}/accept/bookings`)

/** Prints a request and its answer. */
async function show (question: Question, version: string): Promise<void> {
  const { scheme, path, headers = {}, body } = JSON.parse(
    JSON.stringify(question).replaceAll('{version}', version).replaceAll('{other}', version === 'v1' ? 'v2' : 'v1')
  ) as Question
  const { statusCode, body: answer } = await ask({ path, headers, ...body && { body } })
  const outcome = statusCode === 200 ? `version ${answer.version}, link ${answer.booking.self}` : answer.message
  const header = Object.entries(headers).map(([name, value]) => `  [${name}: ${value}]`).join('')
  console.log(`${scheme.padEnd(15)}  ${body === undefined ? 'GET' : 'POST'} ${path}${header}`)
  console.log(`${' '.repeat(15)}  → ${statusCode} ${outcome}`)
}

/** One request over HTTP. Not by `fetch`, which does not let a client choose its Host header. */
function ask ({ path, headers, body }: Pick<Question, 'path' | 'headers' | 'body'>): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    request({ method, host: '127.0.0.1', port, path, headers, agent: false }, async (response) => {
      const answer = JSON.parse(Buffer.concat(await response.toArray()).toString())
      resolve({ statusCode: response.statusCode ?? 0, body: answer })
    }).on('error', reject).end(body && JSON.stringify(body))
  })
}
