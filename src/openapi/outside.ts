import { contextOf } from '../context.ts'

import type { FastifyRequest } from 'fastify'

/** A path that is nothing else: above all no second slash at its start, which would make a host of it. */
const PREFIX = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/
const TRUSTED = 'trusted'

/** The address of an app from outside: the option `baseUrl`; null: it is not known. */
export function urlOf (server: object): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : `${baseUrl.protocol}://${baseUrl.host}${baseUrl.path}`
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
