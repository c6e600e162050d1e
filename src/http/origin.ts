import { ReverseHostError, ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'

import type { ReversingRequest } from '../../types/index.d.ts'

/** Where an absolute link points to, without its path. */
export interface Origin {
  readonly protocol: 'http' | 'https'
  /** Hostname and perhaps port. */
  readonly host: string
}

/** A registered name, an IPv4 address or an IPv6 literal, and perhaps a port: nothing that ends a host in a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/**
 * The origin that the request names, as Fastify sees it: `X-Forwarded-*` counts under `trustProxy`.
 *
 * @param option the link option that needs an origin, for the error
 * @throws FST_ERR_REVERSE_OPTION when there is no request
 * @throws FST_ERR_REVERSE_HOST (400) when the request has no host, or no protocol, that a link can have
 */
export function requestOrigin (request: ReversingRequest | null | undefined, option: 'absolute' | 'version'): Origin {
  if (request === undefined || request === null) {
    throw new ReverseOptionError(option, 'the option baseUrl or a request to take the origin from', 'neither')
  }
  const { host = '', protocol } = request
  if (protocol !== 'http' && protocol !== 'https') throw new ReverseHostError('http or https', show(protocol))
  const origin = { protocol, host } as const
  if (!HOST.test(host) || !URL.canParse(originText(origin))) throw new ReverseHostError('a host', show(host))
  return origin
}

export function originText ({ protocol, host }: Origin): string {
  return `${protocol}://${host}`
}
