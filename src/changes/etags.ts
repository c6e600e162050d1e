import type { FastifyReply, FastifyRequest } from 'fastify'

/** What an older version does with entity tags, which are unique across all representations (RFC 9110, 8.8.1). */
export interface TagRule {
  /** What the tags of the version end with, where its representations differ: `;v1`. */
  readonly suffix: string
  /** Whether they differ at the URL of the route. */
  readonly isTagged: boolean
}

/** A request whose preconditions its handler reads without the version, and its reply. */
interface Tags {
  readonly rule: TagRule
  /** The preconditions as the client has sent them; none if it has sent none. */
  readonly sent: readonly (string | undefined)[]
  /** What another plugin may have put in the place of Fastify's own. */
  readonly send: FastifyReply['send']
  /** The tag that the reply has got here. */
  tag: string | null
}

const kTags: unique symbol = Symbol('fastify-versioning.tags')

type Request = FastifyRequest & { [kTags]?: Tags }

const NO_VALUES: readonly undefined[] = []
const PRECONDITIONS = ['if-none-match', 'if-match'] as const

/** A tag of another version. No handler makes it. */
const FOREIGN = '"of-another-version"'

/** A tag (RFC 9110, section 8.8.3), or what stands in its place. */
const TAG = /(?:W\/)?"[^"]*"|[^\s,"]+/g

/** @param isTagged whether responses of the version differ at the URL of the route */
export function tagRuleOf (version: string | null, isTagged: boolean): TagRule {
  return { suffix: `;${encodeURIComponent(String(version).toWellFormed())}`, isTagged }
}

/**
 * Takes the version off the tags that a client has sent back. From the first `send` on, hooks see again what the client
 * has sent, and the tag of the handler has the version: tags that onSend hooks compare are those of the wire.
 */
export function openTags (request: Request, reply: FastifyReply, rule: TagRule): void {
  const { headers } = request
  const sent = headers['if-none-match'] || headers['if-match'] ? PRECONDITIONS.map((name) => headers[name]) : NO_VALUES
  for (let i = 0; i < sent.length; i++) {
    const header = sent[i]
    if (header !== undefined && header !== '') setRequestHeader(request, PRECONDITIONS[i], opened(header, rule))
  }
  if (!rule.isTagged) return
  request[kTags] = { rule, sent, send: reply.send, tag: null }
  reply.send = sendTagged as never
}

/** Headers that a hook has given to a request hide those that came with it. */
function setRequestHeader (request: Request, name: typeof PRECONDITIONS[number], value: string): void {
  const { raw, headers } = request
  raw.headers[name] = value
  if (headers !== raw.headers) request.headers = { ...headers, [name]: value }
}

/** The tags of a header without the version. Nothing else of a URL whose tags have it matches, and none is left out. */
function opened (header: string, { suffix, isTagged }: TagRule): string {
  if (!isTagged && !header.includes(suffix)) return header
  const tags: string[] = []
  let isForeign = false
  for (const [tag] of header.matchAll(TAG)) {
    const quote = tag.endsWith('"') ? '"' : ''
    if (tag.endsWith(suffix + quote)) tags.push(tag.slice(0, tag.length - suffix.length - quote.length) + quote)
    else if (tag === '*' || !isTagged) tags.push(tag)
    else isForeign = true
  }
  if (isForeign || tags.length === 0) tags.push(FOREIGN)
  return tags.join(', ')
}

function sendTagged (this: FastifyReply, payload: unknown): FastifyReply {
  const tags = (this.request as Request)[kTags] as Tags
  for (let i = 0; i < tags.sent.length; i++) {
    const header = tags.sent[i]
    if (header !== undefined) setRequestHeader(this.request, PRECONDITIONS[i], header)
  }
  const etag = this.getHeader('etag')
  // Fastify calls it again for an error, and for what its handler answers.
  if (etag !== undefined && etag !== '' && etag !== tags.tag) this.header('etag', (tags.tag = closed(etag, tags.rule)))
  return tags.send.call(this, withTag(payload, tags.rule) as never)
}

/** A web Response has headers of its own. */
function withTag (payload: unknown, rule: TagRule): unknown {
  if (typeof payload !== 'object' || Array.isArray(payload)) return payload
  if (Object.prototype.toString.call(payload) !== '[object Response]') return payload
  const { body, bodyUsed, status, headers: sentHeaders } = payload as Response
  const tag = sentHeaders.get('etag')
  if (tag === null || bodyUsed) return payload
  const headers = new Headers(sentHeaders)
  headers.set('etag', closed(tag, rule))
  return new Response(body, { status, headers })
}

/** A tag with the version. */
function closed (tag: unknown, { suffix }: TagRule): string {
  const text = String(tag)
  return text.endsWith('"') ? `${text.slice(0, -1)}${suffix}"` : text + suffix
}
