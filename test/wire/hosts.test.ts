import t from 'tap'

import { schemeNames } from '../fixtures/schemes.ts'
import { wireApp } from './app.ts'
import { connect } from './http1.ts'

import type { Test } from 'tap'
import type { SchemeName } from '../fixtures/schemes.ts'
import type { AppOptions } from './app.ts'
import type { Answer } from './message.ts'

/** A request whose lines are sent as they are. */
async function send (t: Test, options: AppOptions, ...lines: string[]): Promise<Answer> {
  const connection = await connect(t, await wireApp(t, options))
  connection.write(`${lines.join('\r\n')}\r\n\r\n`)
  return connection.read('GET')
}

const V2 = 'v2.example.com'
/** Of the host scheme: what comes, and the version with the origin of an absolute link; null: a refusal. */
const hosts: [says: string, trustProxy: boolean, host: string, forwarded: [host?: string, proto?: string],
  gives: [version: string, origin: string] | null][] = [
  ['a version and a port', false, `${V2}:3000`, [], ['v2', 'http://v2.example.com:3000']],
  ['a domain in upper case', false, 'v2.EXAMPLE.COM', [], ['v2', 'http://v2.EXAMPLE.COM']],
  ['a version in upper case', false, 'V2.example.com', [], null],
  ['an IPv6 literal', false, '[2001:db8::1]', [], ['v1', 'http://[2001:db8::1]']],
  ['an IPv6 literal and a port', false, '[::1]:3000', [], ['v1', 'http://[::1]:3000']],
  ['an IPv4 address', false, '127.0.0.1:3000', [], ['v1', 'http://127.0.0.1:3000']],
  ['a version that is refused', false, 'v9.example.com', [V2], null],
  ['a forwarded host that is not trusted', false, 'example.com', [V2, 'https'], ['v1', 'http://example.com']],
  ['no forwarded host', true, V2, [], ['v2', 'http://v2.example.com']],
  ['a forwarded host and protocol', true, 'internal', [V2, 'https'], ['v2', 'https://v2.example.com']],
  ['a forwarded port', true, 'v9.example.com:8080', [`${V2}:8443`], ['v2', 'http://v2.example.com:8443']],
  ['a forwarded host without a version', true, V2, ['example.com'], ['v1', 'http://example.com']],
  ['a list, whose last counts', true, 'internal', [`v9.example.com, ${V2}`], ['v2', 'http://v2.example.com']],
  ['a list, whose last is refused', true, V2, [`${V2},v9.example.com`], null],
  ['a forwarded IPv6 literal', true, V2, ['[2001:db8::1]:443'], ['v1', 'http://[2001:db8::1]:443']],
  ['a forwarded version in upper case', true, V2, ['V2.example.com'], null],
  ['a forwarded domain in upper case', true, 'internal', ['v2.EXAMPLE.com'], ['v2', 'http://v2.EXAMPLE.com']]
]
for (const [says, trustProxy, host, [forwarded, proto], gives] of hosts) {
  t.test(`${says} in the host gives ${gives?.join(' and ') ?? 'a refusal'}, trustProxy: ${trustProxy}`, async (t) => {
    const answer = await send(
      t, { scheme: 'host', trustProxy }, 'GET /bookings HTTP/1.1', `Host: ${host}`,
      ...forwarded === undefined ? [] : [`X-Forwarded-Host: ${forwarded}`],
      ...proto === undefined ? [] : [`X-Forwarded-Proto: ${proto}`]
    )
    const { version, links, code } = JSON.parse(answer.body)
    if (gives === null) t.equal(code, 'FST_ERR_VERSION_NOT_FOUND')
    else t.same([version, links[2]], [gives[0], `${gives[1]}/bookings`])
  })
}

t.test('HTTP/1.0 with a host is read like HTTP/1.1', async (t) => {
  const answer = await send(t, { scheme: 'host' }, 'GET /bookings HTTP/1.0', `Host: ${V2}:3000`)
  const links = ['/bookings', '/bookings', `http://${V2}:3000/bookings`]
  t.same(JSON.parse(answer.body), { version: 'v2', links })
})

const paths: Record<SchemeName, string> = {
  accept: '/latest', path: '/v1/latest', namespace: '/v1/latest', host: '/latest', query: '/latest?version=v1'
}
for (const scheme of schemeNames) {
  t.test(`without a host the ${scheme} scheme knows the version, and makes links that need no host`, async (t) => {
    const { status, headers } = await send(t, { scheme }, `GET ${paths[scheme]} HTTP/1.0`)
    const location = paths[scheme].replace('latest', 'bookings')
    t.same([status, headers['x-version'], headers['location']], [302, 'v1', location])
    const failed = await send(t, { scheme }, `GET ${location} HTTP/1.0`)
    t.match(JSON.parse(failed.body), { statusCode: 400, code: 'FST_ERR_REVERSE_HOST' })
    t.equal(failed.headers['x-version'], 'v1')
  })
}

for (const [trustProxy, version] of [[false, 'v1'], [true, 'v2']] as const) {
  t.test(`a forwarded host without a host specifies ${version} with trustProxy ${trustProxy}`, async (t) => {
    const forwarded = `X-Forwarded-Host: v9.example.com, ${V2}`
    const { headers } = await send(t, { scheme: 'host', trustProxy }, 'GET /latest HTTP/1.0', forwarded)
    t.equal(headers['x-version'], version)
  })
}
