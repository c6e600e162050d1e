import { contextOf } from '../context.ts'

import type { FastifyRequest } from 'fastify'

/** A path that is nothing else: above all no second slash at its start, which would make a host of it. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/
const TRUSTED = 'trusted'

/** The address of an app from outside: the option `baseUrl`; null: it is not known. */
export function urlOf (server: object): string | null {
  const { protocol, host, path } = contextOf(server)?.baseUrl ?? {}
  return host === undefined ? null : `${protocol}://${host}${path}`
}

/**
 * What a gateway has removed from the start of a request's path: the path of `baseUrl`, or else `X-Forwarded-Prefix`,
 * if the gateway is trusted.
 */
export function outsidePrefixOf (request: FastifyRequest): string {
  return contextOf(request.server)?.baseUrl?.path ?? forwardedPrefixOf(request)
}

/** `X-Forwarded-Prefix` of a trusted proxy; several proxies each add what they have removed, the outermost first. */
export function forwardedPrefixOf (request: FastifyRequest): string {
  const { 'x-forwarded-prefix': header } = request.headers
  if (header === undefined || !isTrusted(request)) return ''
  const prefix = [header].flat().join().split(',').map((one) => one.trim().replace(/\/$/, '')).join('')
  return PREFIX.test(prefix) && !/\/\.\.?(?:\/|$)/.test(prefix) ? prefix : ''
}

/** Whether the sender is a proxy that the option `trustProxy` trusts. Only Fastify's own headers ask it. */
function isTrusted (request: FastifyRequest): boolean {
  const asked = Object.create(request, { headers: { value: { 'x-forwarded-host': TRUSTED } } })
  return asked.host === TRUSTED
}
