import type { ReversingRequest } from '../../types/index.d.ts'

/** Segments of unreserved characters (RFC 3986, section 2.3): no host, no query, nothing to escape. */
const PREFIX = /^(?=\/)(?:\/[\w.~-]+)*\/?$/
/** A dot segment: a browser resolves it. */
const STEP = /\/\.\.?(?:\/|$)/
const TRUSTED = 'trusted'

/** By request: a response may have many links. */
const known = new WeakMap<ReversingRequest, string>()

/**
 * What a trusted proxy has removed from the path of a request: its `X-Forwarded-Prefix`. Several proxies each add
 * theirs, the outermost first. `''` if there is none, or if one of them is not a path.
 */
export function forwardedPrefixOf (request: ReversingRequest): string {
  const { 'x-forwarded-prefix': header }: { 'x-forwarded-prefix'?: unknown } = request.headers ?? {}
  if (header === undefined) return ''
  let prefix = known.get(request)
  if (prefix === undefined) known.set(request, prefix = isTrusted(request) ? prefixIn(String(header)) : '')
  return prefix
}

function prefixIn (header: string): string {
  const prefixes = header.split(',').map((one) => one.trim())
  const arePaths = prefixes.every((one) => PREFIX.test(one) && !STEP.test(one))
  return arePaths ? prefixes.map((one) => one.replace(/\/$/, '')).join('') : ''
}

/** Whether the sender is a proxy that the option `trustProxy` trusts. Fastify checks it for its own headers only. */
function isTrusted (request: ReversingRequest): boolean {
  const asked: ReversingRequest = Object.create(request, { headers: { value: { 'x-forwarded-host': TRUSTED } } })
  return asked.host === TRUSTED
}
