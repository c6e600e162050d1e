/**
 * A small bookings API under every scheme: each has an encapsulation context of its own. A request for each goes to the
 * app itself when it starts. The page at / sends them from a browser, and /documentation shows a document for each
 * version.
 */
import { build } from 'esbuild'
import Fastify from 'fastify'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, defineChange
} from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from 'fastify-versioning'

/** A line of the page: a request for `{version}`, the options that answer it, and how the page shows them. */
interface Line {
  title: string
  code: string
  path: string
  headers?: Record<string, string>
  body?: object
  note?: string
  /** The context. A line without them asks one that is there. */
  prefix?: string
  options?: VersioningOptions
  declare?: (api: FastifyInstance, title: string) => void
}

const text = { type: 'string' }
const id = { type: 'string', examples: ['7'] }
const severalGuests = defineChange({
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    GroupBooking: {
      older: { type: 'object', properties: { version: text, id: text, guest: text, self: text } },
      downgrade: ({ guests, ...booking }: { guests: string[] }) => ({ ...booking, guest: guests[0] })
    }
  }
})
/** A client that sends this key, and no version, gets the version that it started with. */
const pins = new Map([['key-of-acme', 'v1']])

const lines: Line[] = [
  {
    title: 'URL path',
    code: 'URLPathVersioning',
    path: '/path/{version}/bookings/7',
    prefix: '/path',
    options: { scheme: URLPathVersioning },
    declare: (api, title) => { bookingsApi(api, title, '/:version') }
  },
  {
    title: 'Namespace',
    code: 'NamespaceVersioning',
    path: '/namespace/{version}/bookings/7',
    note: 'Each version has its own routes. There are none for v9, so its 404 is the one of Fastify.',
    prefix: '/namespace',
    options: { scheme: NamespaceVersioning },
    declare (api, title) {
      for (const version of ['v1', 'v2']) {
        api.register(async (inner) => { bookingsApi(inner, title) }, { prefix: `/${version}`, namespace: version })
      }
    }
  },
  {
    title: 'Header',
    code: 'HeaderVersioning',
    path: '/header/bookings/7',
    headers: { 'API-Version': '{version}' },
    prefix: '/header',
    options: { scheme: HeaderVersioning }
  },
  {
    title: 'Query parameter',
    code: 'QueryParameterVersioning',
    path: '/query/bookings/7?version={version}',
    prefix: '/query',
    options: { scheme: QueryParameterVersioning }
  },
  {
    title: 'Accept header',
    code: 'AcceptHeaderVersioning',
    path: '/accept/bookings/7',
    headers: { Accept: 'application/json; version={version}' },
    prefix: '/accept',
    options: { scheme: AcceptHeaderVersioning, mediaTypes: ['application/json'] }
  },
  {
    title: 'Content-Type',
    code: 'ContentTypeVersioning',
    path: '/content-type/bookings',
    headers: { 'Content-Type': 'application/json; version={version}' },
    body: { guest: 'Edsger' },
    prefix: '/content-type',
    options: { scheme: ContentTypeVersioning }
  },
  {
    title: 'Host name',
    code: 'HostNameVersioning',
    path: '/host/bookings/7',
    headers: { Host: '{version}.example.com' },
    note: 'A browser does not let a page choose the host: use curl.',
    prefix: '/host',
    // The host without a version, from which documents make the host of each version.
    options: { scheme: HostNameVersioning, baseUrl: 'http://api.example.com' }
  },
  {
    title: 'Several places',
    code: '[HeaderVersioning, QueryParameterVersioning]',
    path: '/several/bookings/7?version={version}',
    note: 'A header or the query parameter: an API can move from one to the other.',
    prefix: '/several',
    options: { scheme: [HeaderVersioning, QueryParameterVersioning] }
  },
  {
    title: 'Conflict',
    code: '[HeaderVersioning, QueryParameterVersioning]',
    path: '/several/bookings/7?version=v0',
    headers: { 'API-Version': '{version}' },
    note: 'A client may specify one version in two places. If the versions differ, the request is refused.'
  },
  {
    title: 'Pinned key',
    code: 'defaultVersion: { header, version }',
    path: '/pinned/bookings/7',
    headers: { 'X-API-Key': 'key-of-acme' },
    note: 'This client sends no version. It gets v1, the version that it started with, whatever you choose above.',
    prefix: '/pinned',
    options: {
      scheme: HeaderVersioning,
      defaultVersion: { header: 'X-API-Key', version: (key) => pins.get(key ?? '') ?? 'v2' }
    }
  },
  {
    title: 'Changes',
    code: 'changes: [severalGuests]',
    path: '/changes/bookings/7',
    headers: { 'API-Version': '{version}' },
    note: 'One handler, written for v2, answers both versions. In v1 a booking has one guest.',
    prefix: '/changes',
    options: { scheme: HeaderVersioning, changes: [severalGuests] },
    declare: groupsApi
  }
]

const app = Fastify()

await app.register(versioning, {
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2099-12-31' } },
  servedVersion: 'API-Version',
  reportVersions: true
})
await app.register(openapi, {
  openapi: { info: { title: 'Bookings', version: '2.4.0', description: 'One API, seven places for the version.' } }
})

for (const { title, prefix, options, declare = bookingsApi } of lines) {
  if (prefix === undefined || options === undefined) continue
  app.register(async function byScheme (api) {
    await api.register(versioning, options)
    declare(api, title)
  }, { prefix })
}

/** The same routes under every scheme. The title makes names of routes, and their tag in documents. */
function bookingsApi (api: FastifyInstance, title: string, prefix = ''): void {
  const tags = [title]
  const response = { 200: { type: 'object', properties: { version: text, id: text, guest: text, self: text } } }

  api.get<{ Params: { id: string } }>(`${prefix}/bookings/:id`, {
    name: `${title}, one booking`,
    schema: { tags, summary: 'One booking', params: { type: 'object', properties: { id } }, response }
  }, async function show (request, reply) {
    return { version: request.version, ...request.params, guest: 'Ada', self: reply.reverse() }
  })

  api.post<{ Body: { guest: string } }>(`${prefix}/bookings`, {
    schema: { tags, summary: 'Book', body: { type: 'object', properties: { guest: text } }, response }
  }, async function book (request, reply) {
    const self = reply.reverse(`${title}, one booking`, { id: 9 })
    return { version: request.version, id: '9', guest: request.body.guest, self }
  })
}

/** One handler for both versions. */
function groupsApi (api: FastifyInstance, title: string): void {
  const guests = { type: 'array', items: text }
  api.addSchema({ $id: 'GroupBooking', type: 'object', properties: { version: text, id: text, guests, self: text } })
  api.get<{ Params: { id: string } }>('/bookings/:id', {
    schema: {
      tags: [title],
      summary: 'One booking',
      params: { type: 'object', properties: { id } },
      response: { 200: { $ref: 'GroupBooking#' } }
    }
  }, async function showGroup (request, reply) {
    return { version: request.version, ...request.params, guests: ['Ada', 'Grace'], self: reply.reverse() }
  })
}

const page = await readFile(new URL('index.html', import.meta.url))
// The page's script imports fastify-versioning/client, which a browser does not find by this name.
const { outputFiles: [script] } = await build({
  entryPoints: [fileURLToPath(new URL('page.js', import.meta.url))], bundle: true, format: 'esm', write: false
})
const hidden = { schema: { hide: true } }
app.get('/', hidden, async (_request, reply) => reply.type('text/html').send(page))
app.get('/page.js', hidden, async (_request, reply) => reply.type('text/javascript').send(script.text))
app.get('/lines', hidden, async () => lines.map(({ title, code, path, headers, body, note }) => (
  { title, code, path, headers, body, note }
)))

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })

for (const line of lines) await show(line, 'v2')
await show({ ...lines[3]!, title: 'Refused' }, 'v9')
console.log(`
Look at:    ${url}/
Documents:  ${url}/documentation
Try it:     curl -H 'Accept: application/json; version=v2' ${url}/accept/bookings/7
More:       npx tsx examples/usage/server.ts shows who still calls v1, and what each client must change`)

/** Sends the request of a line, and prints it with what became of it. */
async function show ({ title, path, headers = {}, body }: Line, version: string): Promise<void> {
  const method = body === undefined ? 'GET' as const : 'POST' as const
  const request = { method, url: path, headers, ...body && { body } }
  const named = JSON.parse(JSON.stringify(request).replaceAll('{version}', version)) as typeof request
  const response = await app.inject(named)
  const answer = response.json() as { version: string, self: string, message: string }
  const outcome = response.statusCode === 200 ? `version ${answer.version}, link ${answer.self}` : answer.message
  const sent = Object.entries(named.headers).map(([name, value]) => `  [${name}: ${value}]`).join('')
  console.log(`${title.padEnd(15)}  ${named.method} ${named.url}${sent}`)
  console.log(`${' '.repeat(15)}  → ${response.statusCode} ${outcome}`)
}
