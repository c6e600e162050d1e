import Fastify from 'fastify'
import http2 from 'node:http2'
import t from 'tap'

import versioning, { HostNameVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { connect } from '../wire/http1.ts'
import { readingApp, readings, versionIn } from './readings.ts'

const scheme = HostNameVersioning
const at = (host: string) => ({ url: '/', headers: { host } })

readings(t, { scheme, defaultVersion: null }, at, [
  ['v1.example.com', 'v1'],
  ['v1.example.com:80:90', 'v1'],
  ['V1.EXAMPLE.COM', 'V1'],
  ['example.com', null],
  ['api.v1.example.com', null],
  ['v1.example.com.', null],
  ['v1.my-example.com', null],
  ['user@v1.example.com', null],
  ['v1.example.com/v2', null],
  ['[::1]:3000', null],
  ['::ffff:1.2.3', null]
])

function matching (pattern: RegExp) {
  return class Custom extends HostNameVersioning {
    override readonly hostnameRegex = pattern
  }
}

readings(t, { scheme: matching(/^(v\d+)\.api\./) }, at, [
  ['v12.api.example.com:3000', 'v12'], ['v1.example.com', 'the default']
])
readings(t, { scheme: matching(/-(v\d+)\.example\.com$/) }, at, [['api-v1.example.com', 'v1']])
readings(t, { scheme: matching(/^(?:(v\d+)\.)?example\.com$/) }, at, [['example.com', 'the default']])

for (const flags of ['g', 'y', 'd', 'dgy']) {
  t.test(`every request is matched from the start of its host by a pattern with the flags ${flags}`, async (t) => {
    const app = await readingApp(t, { scheme: matching(new RegExp('^(v[0-9]+)[.]api', flags)) })
    app.get('/link', { name: 'link' }, async (_request, reply) => reply.reverse('link', null, { version: 'v3' }))
    for (const host of ['v1.api', 'v2.api']) {
      t.equal(await versionIn(app, at(host)), host.slice(0, 2))
      t.equal((await app.inject({ ...at(host), url: '/link' })).body, 'http://v3.api/link')
    }
  })
}

for (const [host, version, other] of [
  ['v1.example.com:3000', 'v2', 'v2.example.com:3000'],
  ['v1.example.com', '2.0', null],
  ['example.com', 'v2', null]
] as const) {
  t.test(`the host for ${version} instead of "${host}" is ${other}`, async (t) => {
    t.equal(new HostNameVersioning().hostFor(version, host), other)
  })
}

for (const [head, version] of [['GET / HTTP/1.0', 'the default'], ['GET / HTTP/1.1\r\nHost:', 'the default']]) {
  t.test(`the request ${JSON.stringify(head)}, which has no host, is answered`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'the default' })
    for (const one of ['v1', 'the default']) app.get('/', { version: one }, async (request) => request.version)
    const connection = await connect(t, app)
    connection.write(`${head}\r\n\r\n`)
    const { status, body } = await connection.read('GET')
    t.same([status, body], [200, version])
  })
}

t.test('the authority of an HTTP/2 request is its host, before routing and after', async (t) => {
  const app = Fastify({ http2: true })
  t.teardown(() => app.close())
  await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) app.get('/', { version }, async (request) => `${version} ${request.version}`)
  const client = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(() => client.destroy())
  const stream = client.request({ ':path': '/', ':authority': 'v2.example.com:3000' })
  let body = ''
  for await (const chunk of stream.setEncoding('utf8')) body += chunk
  t.equal(body, 'v2 v2')
})
