import { places } from '../fixtures/places.ts'
import { schemeNames } from '../fixtures/schemes.ts'
import { wireApp } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { SchemeName } from '../fixtures/schemes.ts'
import type { AppOptions } from './app.ts'
import type { Answer, Message } from './message.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** What passes between a client and the app under a scheme, whatever the wire. */
function exchangesOf (name: SchemeName) {
  const { naming, refusal } = places[name]
  const originOfV1 = name === 'host' ? 'http://v1.example.com' : ''

  /** Where a request specifies its version, and what it adds to the URLs of a link. */
  function placeOf (version: string | null) {
    const { namespace, segment = namespace, query, headers } = version === null ? {} : naming(version)
    const { host = 'example.com', ...others } = { ...headers } as Record<string, string>
    return {
      prefix: segment === undefined ? '' : `/${segment}`,
      search: query === undefined ? '' : `?version=${query.version}`,
      host,
      headers: others
    }
  }

  function link (path: string, version: string): string {
    const { prefix, search } = placeOf(version)
    return prefix + path + search
  }

  function message (path: string, version: string | null, others: Partial<Message> = {}): Message {
    const { prefix, search, host, headers } = placeOf(version)
    const url = prefix + path + search
    return { method: 'GET', body: '', ...others, path: url, host, headers: { ...headers, ...others.headers } }
  }

  function bookings (version: string, host: string, itself = link('/bookings', version)): object {
    const named = link('/bookings', version)
    return { version, links: [named, itself, `http://${host}${named}`] }
  }
  // The route without a version in its path serves the default version. Another route has the same name.
  const itself = `/bookings${placeOf('v1').search}`

  const json = { 'content-type': 'application/json' }
  const posted = JSON.stringify({ id: 'a b', rooms: ['ü'] })

  /** Headers that are not expected may be anything, or absent. The version is in the header `x-version`. */
  const exchange = (
    says: string, sent: Message, status: number, version: 'v1' | 'v2' | 'null', body: string | object,
    headers: Record<string, string> = {}
  ) => ({ says, message: sent, expected: { status, version, headers, body } })
  const typed = { 'content-type': JSON_TYPE }
  // The media type that the client has accepted.
  const typedInV2 = name === 'accept' ? { 'content-type': 'application/json; version=v2; charset=utf-8' } : typed
  const post = (version: string, body = posted) => (
    message('/bookings', version, { method: 'POST', headers: json, body })
  )
  const head = (path: string, version: string | null) => message(path, version, { method: 'HEAD' })
  const missing = {
    statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: "body must have required property 'id'"
  }
  const notFound = (method: string, path: string, version: string) => (
    { statusCode: 404, error: 'Not Found', message: `Route ${method}:${link(path, version)} not found` }
  )
  const broken = { statusCode: 500, error: 'Internal Server Error', message: 'broken' }
  const siblings = { links: [originOfV1 + link('/bookings', 'v1'), originOfV1 + link('/siblings', 'v1')] }
  const escaped = '/bookings/a%20b%2F%C3%BC'
  const health = { version: null, self: '/health' }
  const location = link('/bookings/a%20b', 'v2')
  const both = bookings('v2', placeOf('v2').host)

  return [
    exchange('a version that is allowed', message('/bookings', 'v2'), 200, 'v2', both, typedInV2),
    exchange('no version', message('/bookings', null), 200, 'v1', bookings('v1', 'example.com', itself)),
    exchange('a version that is refused', message('/bookings', 'v9'), refusal.statusCode, 'null', refusal, typed),
    exchange('links into another version', message('/siblings', 'v2'), 200, 'v2', siblings),
    exchange('a path with escapes', message(escaped, 'v2'), 200, 'v2', { id: 'a b/ü', self: link(escaped, 'v2') }),
    exchange('a HEAD', head('/bookings', 'v2'), 200, 'v2', '', typedInV2),
    exchange('a HEAD that specifies no version', head('/bookings', null), 200, 'v1', ''),
    exchange('a HEAD that is refused', head('/bookings', 'v9'), refusal.statusCode, 'null', ''),
    exchange('a HEAD of a stream', head('/export', null), 200, 'v1', '', { 'content-type': 'text/plain' }),
    exchange('a POST', post('v2'), 201, 'v2', { version: 'v2', body: JSON.parse(posted) }, { location }),
    exchange('a POST that is refused', post('v9'), refusal.statusCode, 'null', refusal),
    exchange('a POST that is not valid', post('v2', '{}'), 400, 'v2', missing),
    exchange('a DELETE', message('/bookings/7', 'v2', { method: 'DELETE' }), 204, 'v2', ''),
    exchange('a redirect', message('/latest', 'v2'), 302, 'v2', '', { location: link('/bookings', 'v2') }),
    exchange('a stream', message('/export', 'v2'), 200, 'v2', 'the bookings of version v2'),
    exchange('an error of a handler', message('/broken', 'v2'), 500, 'v2', broken),
    exchange('a neutral route and a version that would be refused', message('/health', 'v9'), 200, 'null', health),
    exchange('the HEAD of a neutral route', head('/health', 'v9'), 200, 'null', ''),
    ...['v2', 'v9'].map((version) => exchange(
      `a URL that no route has, and ${version}`, message('/nowhere', version), 404, 'null',
      notFound('GET', '/nowhere', version)
    )),
    exchange(
      'a method that the route does not take', message('/health', 'v9', { method: 'DELETE' }), 404, 'null',
      notFound('DELETE', '/health', 'v9')
    ),
    exchange('a version that is allowed, after all of these', message('/bookings', 'v2'), 200, 'v2', both)
  ]
}

/** Carries messages to an app over one connection, and brings the answers back in the order of the messages. */
export type Carry = (t: Test, app: FastifyInstance, messages: readonly Message[]) => Promise<Answer[]>

/** The exchanges that are the same on every wire. */
export function wireSuite (t: Test, carry: Carry, options: Omit<AppOptions, 'scheme'> = {}): void {
  for (const scheme of schemeNames) {
    t.test(`the ${scheme} scheme answers each exchange`, async (t) => {
      const exchanges = exchangesOf(scheme)
      const answers = await carry(t, await wireApp(t, { scheme, ...options }), exchanges.map(({ message }) => message))
      t.equal(answers.length, exchanges.length)
      for (const [i, { says, expected }] of exchanges.entries()) {
        t.test(`an exchange with ${says} is answered`, async (t) => {
          const { status, headers, body } = answers[i]
          t.strictSame({
            status,
            version: headers['x-version'],
            headers: Object.fromEntries(Object.keys(expected.headers).map((name) => [name, headers[name]])),
            body: typeof expected.body === 'string' ? body : JSON.parse(body)
          }, expected)
        })
      }
    })
  }
}
