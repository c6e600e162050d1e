import type { Exchange } from './message.ts'

interface HostRow {
  readonly says: string
  readonly trustProxy: boolean
  readonly host: string
  readonly forwarded?: string
  readonly proto?: string
  /** The version, and the origin of an absolute link, or null if the version is refused. */
  readonly gives: readonly [version: 'v1' | 'v2', origin: string] | null
}

const V2 = 'v2.example.com'

const rows: HostRow[] = [
  { says: 'a version', trustProxy: false, host: V2, gives: ['v2', 'http://v2.example.com'] },
  { says: 'a port', trustProxy: false, host: 'v2.example.com:3000', gives: ['v2', 'http://v2.example.com:3000'] },
  { says: 'a domain in upper case', trustProxy: false, host: 'v2.EXAMPLE.COM', gives: ['v2', 'http://v2.EXAMPLE.COM'] },
  { says: 'a version in upper case', trustProxy: false, host: 'V2.example.com', gives: null },
  { says: 'an IPv6 literal', trustProxy: false, host: '[2001:db8::1]', gives: ['v1', 'http://[2001:db8::1]'] },
  { says: 'an IPv6 literal and a port', trustProxy: false, host: '[::1]:3000', gives: ['v1', 'http://[::1]:3000'] },
  { says: 'an IPv4 address', trustProxy: false, host: '127.0.0.1:3000', gives: ['v1', 'http://127.0.0.1:3000'] },
  { says: 'a version that is refused', trustProxy: false, host: 'v9.example.com', gives: null },
  {
    says: 'a forwarded host without trustProxy',
    trustProxy: false,
    host: 'example.com',
    forwarded: V2,
    proto: 'https',
    gives: ['v1', 'http://example.com']
  },
  {
    says: 'a host that is refused, whatever was forwarded',
    trustProxy: false,
    host: 'v9.example.com',
    forwarded: V2,
    gives: null
  },

  { says: 'no forwarded host', trustProxy: true, host: V2, gives: ['v2', 'http://v2.example.com'] },
  {
    says: 'a forwarded host',
    trustProxy: true,
    host: 'internal',
    forwarded: V2,
    proto: 'https',
    gives: ['v2', 'https://v2.example.com']
  },
  {
    says: 'a forwarded host with a port',
    trustProxy: true,
    host: 'v9.example.com:8080',
    forwarded: 'v2.example.com:8443',
    gives: ['v2', 'http://v2.example.com:8443']
  },
  {
    says: 'a forwarded host without a version',
    trustProxy: true,
    host: V2,
    forwarded: 'example.com',
    gives: ['v1', 'http://example.com']
  },
  {
    says: 'a forwarded list, whose last host is used',
    trustProxy: true,
    host: 'internal',
    forwarded: 'v9.example.com, v2.example.com',
    proto: 'http, https',
    gives: ['v2', 'https://v2.example.com']
  },
  {
    says: 'a forwarded list without a space, in which the last is refused',
    trustProxy: true,
    host: V2,
    forwarded: 'v2.example.com,v9.example.com',
    gives: null
  },
  {
    says: 'a forwarded IPv6 literal',
    trustProxy: true,
    host: V2,
    forwarded: '[2001:db8::1]:443',
    gives: ['v1', 'http://[2001:db8::1]:443']
  },
  { says: 'a forwarded version in upper case', trustProxy: true, host: V2, forwarded: 'V2.example.com', gives: null },
  {
    says: 'a forwarded domain in upper case',
    trustProxy: true,
    host: 'internal',
    forwarded: 'v2.EXAMPLE.com',
    gives: ['v2', 'http://v2.EXAMPLE.com']
  }
]

const REFUSAL = {
  statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Not Found', message: 'Invalid version in hostname.'
}

/** Hosts as a server sees them, to an app under the host scheme, with or without proxies that it trusts. */
export function hostExchanges (trustProxy: boolean): Exchange[] {
  return rows.filter((row) => row.trustProxy === trustProxy).map(({ says, host, forwarded, proto, gives }) => ({
    says,
    message: {
      method: 'GET',
      path: '/bookings',
      host,
      headers: {
        ...forwarded !== undefined && { 'x-forwarded-host': forwarded },
        ...proto !== undefined && { 'x-forwarded-proto': proto }
      },
      body: ''
    },
    expected: gives === null
      ? { status: 404, version: 'null', body: REFUSAL }
      : {
          status: 200,
          version: gives[0],
          body: { version: gives[0], links: ['/bookings', '/bookings', `${gives[1]}/bookings`] }
        }
  }))
}
