import type { SchemeName } from '../fixtures/schemes.ts'
import type { Exchange, Message } from './message.ts'

/** Where a request specifies its version, and what it adds to the URLs of a link. */
interface Place {
  readonly prefix: string
  readonly search: string
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
}

interface Scheme {
  /** The part of a request that specifies the version. */
  readonly naming: (version: string) => Partial<Place>
  readonly refusal: { readonly statusCode: number, readonly code: string, error: string, readonly message: string }
  /** The origin of a link into `v1`; default: none. */
  readonly originOfV1?: string
}

const NOT_FOUND = { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Not Found' }

const schemes: Record<SchemeName, Scheme> = {
  accept: {
    naming: (version) => ({ headers: { accept: `text/html;q=0.1, application/json; version="${version}"` } }),
    refusal: {
      statusCode: 406,
      code: 'FST_ERR_VERSION_NOT_ACCEPTABLE',
      error: 'Not Acceptable',
      message: 'Invalid version in "Accept" header.'
    }
  },
  path: {
    naming: (version) => ({ prefix: `/${version}` }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in URL path.' }
  },
  namespace: {
    naming: (version) => ({ prefix: `/${version}` }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in URL path. Does not match any version namespace.' }
  },
  host: {
    naming: (version) => ({ host: `${version}.example.com` }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in hostname.' },
    originOfV1: 'http://v1.example.com'
  },
  query: {
    naming: (version) => ({ search: `?version=${version}` }),
    refusal: { ...NOT_FOUND, message: 'Invalid version in query parameter.' }
  }
}

const NOWHERE: Place = { prefix: '', search: '', host: 'example.com', headers: {} }
const JSON_TYPE = 'application/json; charset=utf-8'

/** What passes between a client and the app under a scheme, whatever the wire. */
export function exchangesOf (name: SchemeName): Exchange[] {
  const { naming, refusal, originOfV1 = '' } = schemes[name]

  function placeOf (version: string | null): Place {
    return version === null ? NOWHERE : { ...NOWHERE, ...naming(version) }
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

  return [
    {
      says: 'a version that is allowed',
      message: message('/bookings', 'v2'),
      expected: {
        status: 200,
        version: 'v2',
        headers: { 'content-type': JSON_TYPE },
        body: bookings('v2', placeOf('v2').host)
      }
    },
    {
      says: 'no version',
      message: message('/bookings', null),
      expected: {
        status: 200,
        version: 'v1',
        body: bookings('v1', 'example.com', itself)
      }
    },
    {
      says: 'a version that is refused',
      message: message('/bookings', 'v9'),
      expected: {
        status: refusal.statusCode, version: 'null', headers: { 'content-type': JSON_TYPE }, body: refusal
      }
    },
    {
      says: 'links into another version',
      message: message('/siblings', 'v2'),
      expected: {
        status: 200,
        version: 'v2',
        body: { links: [originOfV1 + link('/bookings', 'v1'), originOfV1 + link('/siblings', 'v1')] }
      }
    },
    {
      says: 'a path with escapes',
      message: message('/bookings/a%20b%2F%C3%BC', 'v2'),
      expected: { status: 200, version: 'v2', body: { id: 'a b/ü', self: link('/bookings/a%20b%2F%C3%BC', 'v2') } }
    },
    {
      says: 'a HEAD',
      message: message('/bookings', 'v2', { method: 'HEAD' }),
      expected: { status: 200, version: 'v2', headers: { 'content-type': JSON_TYPE }, body: '' }
    },
    {
      says: 'a HEAD that specifies no version',
      message: message('/bookings', null, { method: 'HEAD' }),
      expected: { status: 200, version: 'v1', body: '' }
    },
    {
      says: 'a HEAD that is refused',
      message: message('/bookings', 'v9', { method: 'HEAD' }),
      expected: { status: refusal.statusCode, version: 'null', body: '' }
    },
    {
      says: 'a HEAD of a stream',
      message: message('/export', 'v2', { method: 'HEAD' }),
      expected: { status: 200, version: 'v2', headers: { 'content-type': 'text/plain' }, body: '' }
    },
    {
      says: 'a POST with a body',
      message: message('/bookings', 'v2', { method: 'POST', headers: json, body: posted }),
      expected: {
        status: 201,
        version: 'v2',
        headers: { location: link('/bookings/a%20b', 'v2') },
        body: { version: 'v2', body: { id: 'a b', rooms: ['ü'] } }
      }
    },
    {
      says: 'a POST with a body that is refused',
      message: message('/bookings', 'v9', { method: 'POST', headers: json, body: posted }),
      expected: { status: refusal.statusCode, version: 'null', body: refusal }
    },
    {
      says: 'a POST with a body that is not valid',
      message: message('/bookings', 'v2', { method: 'POST', headers: json, body: '{}' }),
      expected: {
        status: 400,
        version: 'v2',
        body: {
          statusCode: 400,
          code: 'FST_ERR_VALIDATION',
          error: 'Bad Request',
          message: "body must have required property 'id'"
        }
      }
    },
    {
      says: 'a DELETE without an answer\'s body',
      message: message('/bookings/7', 'v2', { method: 'DELETE' }),
      expected: { status: 204, version: 'v2', body: '' }
    },
    {
      says: 'a redirect',
      message: message('/latest', 'v2'),
      expected: { status: 302, version: 'v2', headers: { location: link('/bookings', 'v2') }, body: '' }
    },
    {
      says: 'a stream',
      message: message('/export', 'v2'),
      expected: {
        status: 200, version: 'v2', headers: { 'content-type': 'text/plain' }, body: 'the bookings of version v2'
      }
    },
    {
      says: 'a stream of the default version',
      message: message('/export', null),
      expected: { status: 200, version: 'v1', body: 'the bookings of version v1' }
    },
    {
      says: 'an error of a handler',
      message: message('/broken', 'v2'),
      expected: {
        status: 500, version: 'v2', body: { statusCode: 500, error: 'Internal Server Error', message: 'broken' }
      }
    },
    {
      says: 'a neutral route',
      message: message('/health', null),
      expected: { status: 200, version: 'null', body: { version: null, self: '/health' } }
    },
    {
      says: 'a neutral route and a version that would be refused',
      message: message('/health', 'v9'),
      expected: { status: 200, version: 'null', body: { version: null, self: '/health' } }
    },
    {
      says: 'the HEAD of a neutral route',
      message: message('/health', 'v9', { method: 'HEAD' }),
      expected: { status: 200, version: 'null', body: '' }
    },
    ...['v2', 'v9'].map((version): Exchange => ({
      says: `a URL that no route has, and ${version}`,
      message: message('/nowhere', version),
      expected: {
        status: 404,
        version: 'null',
        body: { statusCode: 404, error: 'Not Found', message: `Route GET:${link('/nowhere', version)} not found` }
      }
    })),
    {
      says: 'a POST to a URL that no route has',
      message: message('/nowhere', 'v2', { method: 'POST', headers: json, body: posted }),
      expected: {
        status: 404,
        version: 'null',
        body: { statusCode: 404, error: 'Not Found', message: `Route POST:${link('/nowhere', 'v2')} not found` }
      }
    },
    {
      says: 'a method that the route does not take',
      message: message('/health', 'v9', { method: 'DELETE' }),
      expected: {
        status: 404,
        version: 'null',
        body: { statusCode: 404, error: 'Not Found', message: `Route DELETE:${link('/health', 'v9')} not found` }
      }
    },
    {
      says: 'a version that is allowed, after all of these',
      message: message('/bookings', 'v2'),
      expected: { status: 200, version: 'v2', body: bookings('v2', placeOf('v2').host) }
    }
  ]
}
