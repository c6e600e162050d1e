import net from 'node:net'
import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { schemeNames, schemes } from '../fixtures/schemes.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { SchemeName } from '../fixtures/schemes.ts'

const DEFAULT = '200 v1'
const NOT_ACCEPTABLE = '406 FST_ERR_VERSION_NOT_ACCEPTABLE'
const NOT_FOUND = '404 FST_ERR_VERSION_NOT_FOUND'
const BAD_URL = '400 FST_ERR_BAD_URL'
const HOST = 'Host: localhost'

interface Sent {
  readonly path?: string
  readonly head?: readonly string[]
  readonly protocol?: string
  readonly versionParam?: string
}

const manyRanges = Array.from({ length: 1000 }, (_, i) => `a/b;q=.${i}`).join()
const accepting = (accept: string) => ({ head: [HOST, `Accept: ${accept}`] })
const asHost = (host: string) => ({ head: [`Host: ${host}`] })
const withParam = (versionParam: string, sent: Sent = {}) => ({ ...sent, versionParam })

/** The responses of the schemes that are affected; the others answer in the default version, or as `all` says. */
const attacks: [says: string, sent: Sent, answers?: { [scheme in SchemeName | 'all']?: string }][] = [
  ['an empty Accept header', { head: [HOST, 'Accept:'] }],
  ['an Accept header of 15 KB', accepting('x'.repeat(15_000))],
  ['a forwarded host of 15 KB', { head: [HOST, `X-Forwarded-Host: ${'v9.'.repeat(5000)}`] }],
  ['a host of 15 KB', asHost(`${'v'.repeat(15_000)}.example.com`), { host: NOT_FOUND }],
  ['a query of 15 KB', { path: `/probe?${'version=v9&'.repeat(1400)}version=v2` }, { query: '200 v2' }],

  ['a thousand media ranges', accepting(manyRanges)],
  ['a thousand media ranges and a version', accepting(`${manyRanges},a/b;version=v9`), { accept: NOT_ACCEPTABLE }],
  ['a quote without an end', accepting('a/b;version="v9')],
  ['an escape without an end', accepting('a/b;version="v9\\')],
  ['thousands of quotes', accepting(`a/b;version=${'"'.repeat(12_001)}`)],
  ['thousands of escapes', accepting(`a/b;version="${'\\"'.repeat(6000)}`)],
  ['thousands of semicolons', accepting(`a/b${';'.repeat(12_000)}`)],
  ['bytes beyond ASCII', accepting('a/b;version="\xff\xfe"'), { accept: NOT_ACCEPTABLE }],
  ['a repeated Accept header', accepting('a/b;version=v2\r\nAccept: a/b;version=v9'), { accept: '200 v2' }],
  ['a repeated Accept header with a quote', accepting('a/b;version="v9\r\nAccept: a/b;version=v9')],
  ['a repeated forwarded host',
    { head: [HOST, 'X-Forwarded-Host: v2.example.com', 'X-Forwarded-Host: v9.example.com'] }, { host: NOT_FOUND }],

  ['no host', { head: [], protocol: 'HTTP/1.0' }],
  ['no host where there must be one', { head: [] }, { all: '400' }],
  ['an empty host', { head: ['Host:'] }],
  ['a port for a host', asHost(':80')],
  ['an IPv6 host', asHost('[::1]')],
  ['an IPv6 host with a port', asHost('[2001:db8::1]:3000')],
  ['an IPv6 host without an end', asHost('[::1')],
  ['an unknown version in the host', asHost('constructor.example.com'), { host: NOT_FOUND }],
  ['a host of dots', asHost('.'.repeat(12_000))],

  ['__proto__ in the path', { path: '/__proto__/probe' }, { path: NOT_FOUND }],
  ['__proto__ in the query', { path: '/probe?version=__proto__' }, { query: NOT_FOUND }],
  ['__proto__ in the host', asHost('__proto__.example.com')],
  ['__proto__ in the Accept header', accepting('*/*;version=__proto__'), { accept: NOT_ACCEPTABLE }],
  ['__proto__ as another parameter', { path: '/probe?__proto__=v9&__proto__[version]=v9' }],
  ['__proto__ as the parameter, which is not there', withParam('__proto__')],
  ['__proto__ as the parameter', withParam('__proto__', { path: '/probe?__proto__=v2' }), { query: '200 v2' }],
  ['__proto__ as the parameter', withParam('__proto__', { path: '/v2/probe' }), { path: '200 v2' }],
  ['__proto__ as the parameter', withParam('__proto__', accepting('*/*;__proto__=v2')), { accept: '200 v2' }],
  ['toString as the parameter, which is not there', withParam('toString')],
  ['constructor as the parameter, which is not there', withParam('constructor', { path: '/probe?page=1' })],

  ['a path that cannot be decoded', { path: '/%zz/probe' }, { all: BAD_URL }],
  ['a path that is cut short', { path: '/%E6%97/probe' }, { all: BAD_URL }],
  ['a NUL in the path', { path: '/%00/probe' }, { path: NOT_FOUND }],
  ['an empty segment', { path: '//probe' }, { path: NOT_FOUND }],
  ['dots for a version', { path: '/%2e%2e/probe' }, { path: NOT_FOUND }],
  ['a query that cannot be decoded', { path: '/probe?version=%zz' }, { query: NOT_FOUND }],
  ['a query that is cut short', { path: '/probe?version=v2%' }, { query: NOT_FOUND }],
  ['a NUL in the query', { path: '/probe?version=v1%00' }, { query: NOT_FOUND }],
  ['a query of ampersands', { path: `/probe?${'&'.repeat(12_000)}` }],
  ['a version nested in the query', { path: '/probe?version[]=v9&version[a][b]=v9' }],
  ['a namespace that is not allowed', { path: '/v9/probe' }, { path: NOT_FOUND, namespace: NOT_FOUND }]
]

async function tell (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return { version: request.version, self: reply.reverse('probe') }
}

/** An app that takes versions in the path, and has a context for each namespace. All attacks share it. */
async function appOf (name: SchemeName, versionParam = 'version') {
  const settings = { versionParam, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const app = await appWith(t, { scheme: schemes[name], ...settings }, { trustProxy: true })
  app.get('/probe', { name: 'probe' }, tell)
  app.get(`/:${versionParam}/probe`, { name: 'probe' }, tell)
  if (name === 'namespace') app.register(async (v9) => { v9.get('/v9/probe', tell) }, { namespace: 'v9' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, port: (app.server.address() as AddressInfo).port }
}

/** Status, and the version or the code of the error; the status alone where Node refuses by itself, without a body. */
function summary (status: number, body: string): string {
  if (!body.startsWith('{')) return `${status}`
  const { code, version } = JSON.parse(body)
  return `${status} ${code ?? version}`
}

async function send (port: number, { path = '/probe', head = [HOST], protocol = 'HTTP/1.1' }: Sent): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  const lines = [`GET ${path} ${protocol}`, ...head, 'Connection: close', '', '']
  socket.end(lines.join('\r\n'), 'latin1')
  let answer = ''
  for await (const chunk of socket) answer += chunk
  const [start, body] = answer.split('\r\n\r\n')
  return summary(Number(start.split(' ')[1]), body)
}

// Longer than a socket accepts by default; `inject` and servers with another limit accept it.
const floods: [says: string, headers: Record<string, string | string[]>, url?: string][] = [
  ['quotes', { accept: 'a/b;version="v9\\"'.repeat(60_000) }],
  ['media ranges', { accept: 'a/b;q=.5,'.repeat(100_000) }],
  ['Accept headers', { accept: Array<string>(1000).fill('a/b') }],
  ['labels', { host: 'v9.'.repeat(300_000) }],
  ['letters without a dot', { host: 'v'.repeat(1_000_000) }],
  ['parameters', {}, `/probe?${'a=1&'.repeat(250_000)}`]
]

for (const name of schemeNames) {
  const apps = new Map<string, ReturnType<typeof appOf>>()
  for (const [says, sent, answers = {}] of attacks) {
    const { path, versionParam = 'version' } = sent
    const expected = answers.all ?? answers[name] ?? DEFAULT
    const place = path === undefined ? 'the head' : path.slice(0, 30)
    t.test(`the ${name} scheme answers ${expected} to ${says} in ${place}`, async (t) => {
      apps.set(versionParam, apps.get(versionParam) ?? appOf(name, versionParam))
      const { port } = await apps.get(versionParam)!
      t.equal(await send(port, sent), expected)
      const next = await fetch(`http://127.0.0.1:${port}/probe`)
      t.equal(summary(next.status, await next.text()), DEFAULT)
    })
  }

  for (const [says, headers, url = '/probe'] of floods) {
    t.test(`the ${name} scheme returns the default version in a flood of ${says}`, async (t) => {
      const { app } = await apps.get('version')!
      const { statusCode, body } = await app.inject({ url, headers })
      t.equal(summary(statusCode, body), DEFAULT)
    })
  }
}
