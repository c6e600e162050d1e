import Fastify from 'fastify'
import http2 from 'node:http2'
import net from 'node:net'
import t from 'tap'

import versioning, { HostNameVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'

schemeContract(t, {
  Scheme: HostNameVersioning,
  routes: (app, probe) => app.route({ ...probe, url: '/probe' }),
  naming: (version) => ({ url: '/probe', headers: { host: `${version}.example.com` } }),
  unnamed: { url: '/probe', headers: { host: 'example.com' } },
  lookalikes: ['V1', 'v10', 'v', '1'],
  refusal: {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version in hostname.'
  },
  isDefaultChecked: false,
  link: () => '/probe'
})

async function tell (request: FastifyRequest): Promise<object> {
  return { version: request.version }
}

interface Reading { host: string, version: string | null }

const readings: Reading[] = [
  { host: 'v1.example.com', version: 'v1' },
  { host: 'v1.example.com:3000', version: 'v1' },
  { host: 'v1.example.com:80:90', version: 'v1' },
  { host: 'V1.EXAMPLE.COM', version: 'V1' },
  { host: '1.2.3', version: '1' },
  { host: 'localhost', version: null },
  { host: 'example.com', version: null },
  { host: 'api.v1.example.com', version: null },
  { host: 'v1.example.com.', version: null },
  { host: '.v1.example.com', version: null },
  { host: 'v-1.example.com', version: null },
  { host: 'v1.my-example.com', version: null },
  { host: '__proto__.example.com', version: null },
  { host: '*.example.com', version: null },
  { host: 'user@v1.example.com', version: null },
  { host: 'v1.example.com/v2', version: null },
  { host: 'v1.example.com, v2.example.com', version: null },
  { host: '[::1]:3000', version: null },
  { host: '::ffff:1.2.3', version: null }
]

for (const { host, version } of readings) {
  t.test(`the host "${host}" specifies ${version ?? 'no version'}`, async (t) => {
    const app = await appWith(t, { scheme: HostNameVersioning })
    app.get('/probe', tell)
    t.same((await app.inject({ url: '/probe', headers: { host } })).json(), { version })
  })
}

interface Forwarding { trustProxy: boolean | string, forwarded: string, version: string }

const forwardings: Forwarding[] = [
  { trustProxy: false, forwarded: 'v2.example.com', version: 'v1' },
  { trustProxy: true, forwarded: 'v2.example.com', version: 'v2' },
  { trustProxy: true, forwarded: 'v9.example.com, v2.example.com', version: 'v2' },
  { trustProxy: '127.0.0.1', forwarded: 'v2.example.com', version: 'v2' },
  { trustProxy: '192.0.2.1', forwarded: 'v2.example.com', version: 'v1' }
]

for (const { trustProxy, forwarded, version } of forwardings) {
  t.test(`the host forwarded as "${forwarded}" specifies ${version} with trustProxy ${trustProxy}`, async (t) => {
    const app = await appWith(t, { scheme: HostNameVersioning, defaultVersion: 'the default' }, { trustProxy })
    app.get('/probe', tell)
    const headers = { host: 'v1.example.com', 'x-forwarded-host': forwarded }
    t.same((await app.inject({ url: '/probe', headers })).json(), { version })
  })
}

interface Custom { pattern: RegExp, host: string, version: string | null }

const customs: Custom[] = [
  { pattern: /^(v\d+)\.api\./, host: 'v12.api.example.com:3000', version: 'v12' },
  { pattern: /^(v\d+)\.api\./, host: 'v1.example.com', version: null },
  { pattern: /-(v\d+)\.example\.com$/, host: 'api-v1.example.com', version: 'v1' },
  { pattern: /^(?:(v\d+)\.)?example\.com$/, host: 'example.com', version: null }
]

for (const { pattern, host, version } of customs) {
  t.test(`the host "${host}" specifies ${version ?? 'no version'} to a subclass with ${pattern}`, async (t) => {
    class Custom extends HostNameVersioning {
      override readonly hostnameRegex = pattern
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/probe', tell)
    t.same((await app.inject({ url: '/probe', headers: { host } })).json(), { version })
  })
}

t.test('every request is matched from the start of its host, whatever flags the pattern has', async (t) => {
  for (const flags of ['g', 'y', 'd', 'dgy']) {
    class Custom extends HostNameVersioning {
      override readonly hostnameRegex = new RegExp('^(v[0-9]+)[.]api', flags)
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/probe', tell)
    app.get('/link', { name: 'link' }, async (_request, reply) => reply.reverse('link', null, { version: 'v3' }))
    for (const host of ['v1.api', 'v2.api']) {
      t.same((await app.inject({ url: '/probe', headers: { host } })).json(), { version: host.slice(0, 2) })
      t.equal((await app.inject({ url: '/link', headers: { host } })).body, 'http://v3.api/link')
    }
  }
})

interface Other { host: string, version: string, other: string | null }

const others: Other[] = [
  { host: 'v1.example.com:3000', version: 'v2', other: 'v2.example.com:3000' },
  { host: 'v1.example.com', version: '2.0', other: null },
  { host: 'example.com', version: 'v2', other: null }
]

for (const { host, version, other } of others) {
  t.test(`the host for ${version} instead of "${host}" is ${other}`, async (t) => {
    t.equal(new HostNameVersioning().hostFor(version, host), other)
  })
}

interface Raw { says: string, head: string[], version: string }

const raws: Raw[] = [
  { says: 'without a host', head: ['GET /probe HTTP/1.0'], version: 'the default' },
  { says: 'with an empty host', head: ['GET /probe HTTP/1.1', 'Host:', 'Connection: close'], version: 'the default' },
  { says: 'in HTTP/1.0 with a host', head: ['GET /probe HTTP/1.0', 'Host: v1.example.com'], version: 'v1' },
  {
    says: 'with space around the host, and its name in another case',
    head: ['GET /probe HTTP/1.1', 'hOST:  v1.example.com:3000 ', 'Connection: close'],
    version: 'v1'
  }
]

for (const { says, head, version } of raws) {
  t.test(`a request ${says} is answered`, async (t) => {
    const app = await appWith(t, { scheme: HostNameVersioning, defaultVersion: 'the default' })
    for (const one of ['v1', 'v2', 'the default']) app.get('/probe', { version: one }, tell)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const socket = net.connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.end(`${head.join('\r\n')}\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    t.match(answer, /^HTTP\/1\.1 200 /)
    t.equal(answer.split('\r\n\r\n')[1], JSON.stringify({ version }))
  })
}

t.test('the authority of an HTTP/2 request is its host, before routing and after', async (t) => {
  const app = Fastify({ http2: true })
  t.teardown(() => app.close())
  await app.register(versioning, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) app.get('/', { version }, async (request) => `${version} ${request.version}`)
  const client = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(() => client.destroy())
  const stream = client.request({ ':path': '/', ':authority': 'v2.example.com:3000' })
  let body = ''
  for await (const chunk of stream.setEncoding('utf8')) body += chunk
  t.equal(body, 'v2 v2')
})
