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

interface Attack {
  says: string
  path?: string
  head?: string[]
  protocol?: string
  versionParam?: string
  /** The responses of the schemes that are affected; the others answer in the default version, or as `all` says. */
  answers?: { [scheme in SchemeName | 'all']?: string }
}

const manyRanges = Array.from({ length: 1000 }, (_, i) => `a/b;q=.${i}`).join()

const attacks: Attack[] = [
  { says: 'an empty Accept header', head: [HOST, 'Accept:'] },
  { says: 'an Accept header of 15 KB', head: [HOST, `Accept: ${'x'.repeat(15_000)}`] },
  { says: 'a forwarded host of 15 KB', head: [HOST, `X-Forwarded-Host: ${'v9.'.repeat(5000)}`] },
  { says: 'a host of 15 KB', head: [`Host: ${'v'.repeat(15_000)}.example.com`], answers: { host: NOT_FOUND } },
  { says: 'a query of 15 KB', path: `/probe?${'version=v9&'.repeat(1400)}version=v2`, answers: { query: '200 v2' } },

  { says: 'a thousand media ranges', head: [HOST, `Accept: ${manyRanges}`] },
  {
    says: 'a thousand media ranges and a version',
    head: [HOST, `Accept: ${manyRanges},a/b;version=v9`],
    answers: { accept: NOT_ACCEPTABLE }
  },
  { says: 'a quote without an end', head: [HOST, 'Accept: a/b;version="v9'] },
  { says: 'an escape without an end', head: [HOST, 'Accept: a/b;version="v9\\'] },
  { says: 'thousands of quotes', head: [HOST, `Accept: a/b;version=${'"'.repeat(12_001)}`] },
  { says: 'thousands of escapes', head: [HOST, `Accept: a/b;version="${'\\"'.repeat(6000)}`] },
  { says: 'thousands of semicolons', head: [HOST, `Accept: a/b${';'.repeat(12_000)}`] },
  { says: 'bytes beyond ASCII', head: [HOST, 'Accept: a/b;version="\xff\xfe"'], answers: { accept: NOT_ACCEPTABLE } },
  {
    says: 'a repeated Accept header',
    head: [HOST, 'Accept: a/b;version=v2', 'Accept: a/b;version=v9'],
    answers: { accept: '200 v2' }
  },
  { says: 'a repeated Accept header with a quote', head: [HOST, 'Accept: a/b;version="v9', 'Accept: a/b;version=v9'] },
  {
    says: 'a repeated forwarded host',
    head: [HOST, 'X-Forwarded-Host: v2.example.com', 'X-Forwarded-Host: v9.example.com'],
    answers: { host: NOT_FOUND }
  },

  { says: 'no host', head: [], protocol: 'HTTP/1.0' },
  { says: 'no host where there must be one', head: [], answers: { all: '400' } },
  { says: 'an empty host', head: ['Host:'] },
  { says: 'a port for a host', head: ['Host: :80'] },
  { says: 'an IPv6 host', head: ['Host: [::1]'] },
  { says: 'an IPv6 host with a port', head: ['Host: [2001:db8::1]:3000'] },
  { says: 'an IPv6 host without an end', head: ['Host: [::1'] },
  { says: 'an unknown version in the host', head: ['Host: constructor.example.com'], answers: { host: NOT_FOUND } },
  { says: 'a host of dots', head: [`Host: ${'.'.repeat(12_000)}`] },

  { says: '__proto__ in the path', path: '/__proto__/probe', answers: { path: NOT_FOUND } },
  { says: '__proto__ in the query', path: '/probe?version=__proto__', answers: { query: NOT_FOUND } },
  { says: '__proto__ in the host', head: ['Host: __proto__.example.com'] },
  {
    says: '__proto__ in the Accept header',
    head: [HOST, 'Accept: */*;version=__proto__'],
    answers: { accept: NOT_ACCEPTABLE }
  },
  { says: '__proto__ as another parameter', path: '/probe?__proto__=v9&__proto__[version]=v9' },
  { says: '__proto__ as the parameter, which is not there', versionParam: '__proto__' },
  {
    says: '__proto__ as the parameter',
    versionParam: '__proto__',
    path: '/probe?__proto__=v2',
    answers: { query: '200 v2' }
  },
  { says: '__proto__ as the parameter', versionParam: '__proto__', path: '/v2/probe', answers: { path: '200 v2' } },
  {
    says: '__proto__ as the parameter',
    versionParam: '__proto__',
    head: [HOST, 'Accept: */*;__proto__=v2'],
    answers: { accept: '200 v2' }
  },
  { says: 'toString as the parameter, which is not there', versionParam: 'toString' },
  { says: 'constructor as the parameter, which is not there', versionParam: 'constructor', path: '/probe?page=1' },

  { says: 'a path that cannot be decoded', path: '/%zz/probe', answers: { all: BAD_URL } },
  { says: 'a path that is cut short', path: '/%E6%97/probe', answers: { all: BAD_URL } },
  { says: 'a NUL in the path', path: '/%00/probe', answers: { path: NOT_FOUND } },
  { says: 'an empty segment', path: '//probe', answers: { path: NOT_FOUND } },
  { says: 'dots for a version', path: '/%2e%2e/probe', answers: { path: NOT_FOUND } },
  { says: 'a query that cannot be decoded', path: '/probe?version=%zz', answers: { query: NOT_FOUND } },
  { says: 'a query that is cut short', path: '/probe?version=v2%', answers: { query: NOT_FOUND } },
  { says: 'a NUL in the query', path: '/probe?version=v1%00', answers: { query: NOT_FOUND } },
  { says: 'a query of ampersands', path: `/probe?${'&'.repeat(12_000)}` },
  { says: 'a version nested in the query', path: '/probe?version[]=v9&version[a][b]=v9' },
  { says: 'a namespace that is not allowed', path: '/v9/probe', answers: { path: NOT_FOUND, namespace: NOT_FOUND } }
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

async function send (port: number, { path = '/probe', head = [HOST], protocol = 'HTTP/1.1' }: Attack): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  const lines = [`GET ${path} ${protocol}`, ...head, 'Connection: close', '', '']
  socket.end(lines.join('\r\n'), 'latin1')
  let answer = ''
  for await (const chunk of socket) answer += chunk
  const [start, body] = answer.split('\r\n\r\n')
  return summary(Number(start.split(' ')[1]), body)
}

// Longer than a socket accepts by default; `inject` and servers with another limit accept it.
const floods: { says: string, url?: string, headers: Record<string, string | string[]> }[] = [
  { says: 'quotes', headers: { accept: 'a/b;version="v9\\"'.repeat(60_000) } },
  { says: 'media ranges', headers: { accept: 'a/b;q=.5,'.repeat(100_000) } },
  { says: 'Accept headers', headers: { accept: Array<string>(1000).fill('a/b') } },
  { says: 'labels', headers: { host: 'v9.'.repeat(300_000) } },
  { says: 'letters without a dot', headers: { host: 'v'.repeat(1_000_000) } },
  { says: 'parameters', url: `/probe?${'a=1&'.repeat(250_000)}`, headers: {} }
]

for (const name of schemeNames) {
  const apps = new Map<string, ReturnType<typeof appOf>>()
  for (const attack of attacks) {
    const { says, path, versionParam = 'version', answers = {} } = attack
    const expected = answers.all ?? answers[name] ?? DEFAULT
    const place = path === undefined ? 'the head' : path.slice(0, 30)
    t.test(`the ${name} scheme answers ${expected} to ${says} in ${place}`, async (t) => {
      apps.set(versionParam, apps.get(versionParam) ?? appOf(name, versionParam))
      const { port } = await apps.get(versionParam)!
      t.equal(await send(port, attack), expected)
      const next = await fetch(`http://127.0.0.1:${port}/probe`)
      t.equal(summary(next.status, await next.text()), DEFAULT)
    })
  }

  for (const { says, url = '/probe', headers } of floods) {
    t.test(`the ${name} scheme returns the default version in a flood of ${says}`, async (t) => {
      const { app } = await apps.get('version')!
      const { statusCode, body } = await app.inject({ url, headers })
      t.equal(summary(statusCode, body), DEFAULT)
    })
  }
}
