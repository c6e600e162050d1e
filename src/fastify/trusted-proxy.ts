import type { FastifyInstance } from 'fastify'

const TRUSTED = 'trusted'

/**
 * Tells whether the app has Fastify's option `trustProxy`.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/request.js): requests have `ips` with that option alone. `initialConfig`
 * does not show it.
 */
export function trustsProxy (server: FastifyInstance): boolean {
  return server.hasRequestDecorator('ips')
}

/**
 * Tells whether a request comes from a proxy that `trustProxy` trusts. Fastify shows this only by headers it reads.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/request.js): the getter `host` reads `this.headers`, and takes
 * `X-Forwarded-Host` of a trusted sender, so that a copy of the request with a known header shows what Fastify decides.
 */
export function isFromTrustedProxy (request: object): boolean {
  return Object.create(request, { headers: { value: { 'x-forwarded-host': TRUSTED } } }).host === TRUSTED
}
