import type { FastifyReply, FastifyRequest } from 'fastify'

/** How an older version changes entity tags, because a tag is unique across all representations (RFC 9110, 8.8.1). */
export interface TagRule {
  /** The end of the tags of the version where its representations differ, such as `;v1`. */
  readonly suffix: string
  /** Whether the representations of the version differ at the URL of the route. */
  readonly isTagged: boolean
}

/** The state of a reply whose tag gets the version, and of its request. */
interface Tags {
  readonly rule: TagRule
  /** The preconditions as the client has sent them; empty if the client has sent none. */
  readonly sent: readonly (string | undefined)[]
  /** The `send` that the reply had before: Fastify's own, or that of another plugin. */
  readonly send: FastifyReply['send']
  /** The tag with the version that `sendTagged` has set. */
  tag: string | null
}

const kTags: unique symbol = Symbol('fastify-versioning.tags')

type Request = FastifyRequest & { [kTags]?: Tags }

const NO_VALUES: readonly undefined[] = []
const PRECONDITIONS = ['if-none-match', 'if-match'] as const

/** Stands for the tags of other versions in a precondition, because no handler makes this tag. */
const FOREIGN = '"of-another-version"'

/** A tag (RFC 9110, section 8.8.3), or text without quotes that a client has sent in place of a tag. */
const TAG = /(?:W\/)?"[^"]*"|[^\s,"]+/g

/** Makes a rule. @param isTagged whether responses of the version differ at the URL of the route */
export function tagRuleOf (version: string | null, isTagged: boolean): TagRule {
  return { suffix: `;${encodeURIComponent(String(version).toWellFormed())}`, isTagged }
}

/**
 * Removes the version from the tags that a client has sent back, so that the handler knows them. From the first `send`
 * on, hooks see the client's headers again, and the tag of the handler has the version, because onSend hooks such as
 * that of @fastify/etag compare tags as clients see them.
 */
export function openTags (request: Request, reply: FastifyReply, rule: TagRule): void {
  const { headers } = request
  const sent = headers['if-none-match'] || headers['if-match'] ? PRECONDITIONS.map((name) => headers[name]) : NO_VALUES
  for (let i = 0; i < sent.length; i++) {
    const header = sent[i]
    if (header !== undefined && header !== '') setRequestHeader(request, PRECONDITIONS[i], withoutVersion(header, rule))
  }
  if (!rule.isTagged) return
  request[kTags] = { rule, sent, send: reply.send, tag: null }
  reply.send = sendTagged as never
}

/** Sets a header in both places: `request.headers` hides those of the raw request if a hook has set it. */
function setRequestHeader (request: Request, name: typeof PRECONDITIONS[number], value: string): void {
  const { raw, headers } = request
  raw.headers[name] = value
  if (headers !== raw.headers) request.headers = { ...headers, [name]: value }
}

/** Returns the tags of a header without the version. Where tags have versions, FOREIGN stands for all other tags. */
function withoutVersion (header: string, { suffix, isTagged }: TagRule): string {
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
  // Fastify calls `send` again for an error, and for the answer of the error handler.
  const isNew = etag !== undefined && etag !== '' && etag !== tags.tag
  if (isNew) this.header('etag', (tags.tag = withVersion(etag, tags.rule)))
  return tags.send.call(this, withTag(payload, tags.rule) as never)
}

/** Returns the payload, or a copy of a web Response, whose own headers then have the tag with the version. */
function withTag (payload: unknown, rule: TagRule): unknown {
  if (typeof payload !== 'object' || Array.isArray(payload)) return payload
  if (Object.prototype.toString.call(payload) !== '[object Response]') return payload
  const { body, bodyUsed, status, headers: sentHeaders } = payload as Response
  const tag = sentHeaders.get('etag')
  if (tag === null || bodyUsed) return payload
  const headers = new Headers(sentHeaders)
  headers.set('etag', withVersion(tag, rule))
  return new Response(body, { status, headers })
}

/** Returns a tag with the version. */
function withVersion (tag: unknown, { suffix }: TagRule): string {
  const text = String(tag)
  return text.endsWith('"') ? `${text.slice(0, -1)}${suffix}"` : text + suffix
}
