import t from 'tap'

import { wireApp } from './app.ts'
import { schemeNames } from '../fixtures/schemes.ts'
import { connect } from './http1.ts'

import type { Test } from 'tap'
import type { AppOptions } from './app.ts'
import type { SchemeName } from '../fixtures/schemes.ts'
import type { Answer } from './message.ts'

/** A request whose lines are sent as they are. */
async function send (t: Test, options: AppOptions, ...lines: string[]): Promise<Answer> {
  const connection = await connect(t, await wireApp(t, options))
  connection.write(`${lines.join('\r\n')}\r\n\r\n`)
  return connection.read('GET')
}

const paths: Record<SchemeName, string> = {
  accept: '/latest', path: '/v1/latest', namespace: '/v1/latest', host: '/latest', query: '/latest?version=v1'
}

for (const scheme of schemeNames) {
  for (const trustProxy of [false, true]) {
    t.test(`the ${scheme} scheme with trustProxy ${trustProxy} makes a link without a host`, async (t) => {
      const { status, headers } = await send(t, { scheme, trustProxy }, `GET ${paths[scheme]} HTTP/1.0`)
      t.equal(status, 302)
      t.equal(headers['x-version'], 'v1')
      t.equal(headers['location'], paths[scheme].replace('latest', 'bookings'))
    })
  }

  t.test(`the ${scheme} scheme knows the version even if a link fails without a host`, async (t) => {
    const url = paths[scheme].replace('latest', 'bookings')
    const { status, headers, body } = await send(t, { scheme }, `GET ${url} HTTP/1.0`)
    t.equal(status, 400)
    t.equal(headers['x-version'], 'v1')
    t.match(JSON.parse(body), { code: 'FST_ERR_REVERSE_HOST', message: "The link needs a host, got ''." })
  })
}

for (const [trustProxy, version] of [[false, 'v1'], [true, 'v2']] as const) {
  t.test(`a forwarded host without a host specifies ${version} with trustProxy ${trustProxy}`, async (t) => {
    const forwarded = 'X-Forwarded-Host: v9.example.com, v2.example.com'
    const { status, headers } = await send(t, { scheme: 'host', trustProxy }, 'GET /latest HTTP/1.0', forwarded)
    t.equal(status, 302)
    t.equal(headers['x-version'], version)
  })
}

t.test('HTTP/1.0 with a host is read like HTTP/1.1', async (t) => {
  const answer = await send(t, { scheme: 'host' }, 'GET /bookings HTTP/1.0', 'Host: v2.example.com:3000')
  const links = ['/bookings', '/bookings', 'http://v2.example.com:3000/bookings']
  t.same(JSON.parse(answer.body), { version: 'v2', links })
})
