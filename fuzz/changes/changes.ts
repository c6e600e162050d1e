import fc from 'fast-check'
import Fastify from 'fastify'
import { isDeepStrictEqual } from 'node:util'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { Mismatch } from '../fuzzer.ts'
import {
  ADDED, after, bodyOf, convertAt, downgrade, fits, placed, schemaOf, upgrade, validator
} from './model.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Change, RawRequest, VersioningSource } from '../../types/index.d.ts'
import type { Fuzzer, Generated } from '../fuzzer.ts'
import type { Op, Place, Shape, Thing } from './model.ts'

/** How a request specifies a version. */
interface Naming {
  readonly url?: string
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
}

/** A scheme, and the ways in which a request specifies a version for it. */
interface Asking {
  readonly scheme: VersioningSource | readonly VersioningSource[]
  readonly namings: readonly ((version: string) => Naming)[]
  /** What the URLs of the routes begin with, or null if each version has a context with its own prefix. */
  readonly prefixes: readonly string[] | null
}

class CookieVersioning extends BaseVersioning {
  override readonly vary = 'Cookie'
  override readonly parameter = { in: 'cookie', name: 'version' } as const

  override readVersion ({ headers }: RawRequest) {
    return /(?:^|; )version=([^;]*)/.exec(headers.cookie ?? '')?.[1]
  }
}

const header = (version: string): Naming => ({ headers: { 'api-version': version } })
const query = (version: string): Naming => ({ query: { version } })
const path = (version: string): Naming => ({ url: `/${version}` })
const accept = (version: string): Naming => ({ headers: { accept: `application/json; version=${version}` } })
const contentType = (version: string): Naming => ({
  headers: { 'content-type': `application/json; version=${version}` }
})
const host = (version: string): Naming => ({ headers: { host: `${version}.example.com` } })
const cookie = (version: string): Naming => ({ headers: { cookie: `theme=dark; version=${version}` } })

const ANYWHERE = ['']
const SCHEMES: Record<string, Asking> = {
  header: { scheme: HeaderVersioning, namings: [header], prefixes: ANYWHERE },
  query: { scheme: QueryParameterVersioning, namings: [query], prefixes: ANYWHERE },
  accept: { scheme: AcceptHeaderVersioning, namings: [accept], prefixes: ANYWHERE },
  contentType: { scheme: ContentTypeVersioning, namings: [contentType], prefixes: ANYWHERE },
  host: { scheme: HostNameVersioning, namings: [host], prefixes: ANYWHERE },
  cookie: { scheme: CookieVersioning, namings: [cookie], prefixes: ANYWHERE },
  path: { scheme: URLPathVersioning, namings: [path], prefixes: ['/:version'] },
  namespace: { scheme: NamespaceVersioning, namings: [path], prefixes: null },
  list: {
    scheme: [HeaderVersioning, QueryParameterVersioning],
    namings: [header, query, (version) => ({ ...header('v1'), ...query(version) })],
    prefixes: ANYWHERE
  },
  listWithPath: {
    scheme: [URLPathVersioning, HeaderVersioning],
    namings: [path, header, (version) => ({ ...path(version), ...header('v1') })],
    prefixes: ['/:version', '']
  },
  listWithNamespace: {
    scheme: [NamespaceVersioning, QueryParameterVersioning],
    namings: [path, (version) => ({ ...path(version), ...query('v1') })],
    prefixes: null
  }
}
/** No version is allowed that is called so. */
const UNKNOWN = 'v9'

type Case = Generated<typeof cases>

const NOW = Date.parse('2026-06-15T12:00:00Z')
const FATES = {
  none: null,
  deprecated: { deprecated: '2026-01-01', sunset: '2026-12-31' },
  gone: { deprecated: '2025-01-01', sunset: '2026-01-01' },
  preview: { preview: true }
}

const FIELDS = ['a', 'b', 'c', 'd']
const FIRST: Shape = { a: 'text', b: 'digits', c: 'text' }
const field = fc.constantFrom(...FIELDS)
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ op: fc.constant('rename' as const), field, to: field }),
  fc.record({
    op: fc.constantFrom('number' as const, 'wrap' as const, 'nest' as const, 'drop' as const, 'add' as const), field
  })
)
const cases = fc.record({
  scheme: fc.constantFrom(...Object.keys(SCHEMES)),
  place: fc.constantFrom<Place>('direct', 'list', 'map', 'nested', 'twice'),
  ops: fc.array(op, { minLength: 2, maxLength: 8, size: 'max' }),
  /** Whether errors were renamed in each version from the second on, and whether the query was. */
  errors: fc.nat(6),
  pages: fc.nat(6),
  texts: fc.array(fc.oneof(fc.constantFrom('7', '12', '', 'x'), fc.string({ maxLength: 4 })), {
    minLength: 3, maxLength: 3
  }),
  withResponse: fc.boolean(),
  /** How a version ends or begins, which one, and which one is the default: by their places. */
  fate: fc.constantFrom(...Object.keys(FATES) as (keyof typeof FATES)[]),
  at: fc.nat(4),
  byDefault: fc.nat(7)
})

/** The API of a case: its versions, the shape of things in each, and what changes before each. */
class Api {
  readonly spec: Case
  readonly asking: Asking
  readonly ops: readonly Op[]
  readonly shapes: readonly Shape[]
  readonly versions: readonly string[]

  constructor (spec: Case) {
    this.spec = spec
    this.asking = SCHEMES[spec.scheme] as Asking
    const shapes: Shape[] = [FIRST]
    this.ops = spec.ops.filter((one) => {
      const last = shapes.at(-1) as Shape
      if (!fits(last, one)) return false
      shapes.push(after(last, one))
      return true
    }).slice(0, 4)
    this.shapes = shapes.slice(0, this.ops.length + 1)
    this.versions = this.shapes.map((_shape, i) => `v${i + 1}`)
  }

  /** Options of the plugin. */
  get options (): object {
    const { fate, at, byDefault } = this.spec
    const ending = this.versions[fate === 'preview' ? this.versions.length - 1 : at]
    const defaultVersion = this.versions[byDefault]
    return {
      scheme: this.asking.scheme,
      allowedVersions: this.versions,
      servedVersion: 'X-Served',
      reportVersions: true,
      enforceSunset: true,
      now: () => NOW,
      ...defaultVersion !== undefined && { defaultVersion },
      ...ending !== undefined && FATES[fate] !== null && { lifecycle: { [ending]: FATES[fate] } }
    }
  }

  /** Whether something other than things had changed before a version. */
  isBefore (i: number, change: number): boolean {
    return change > i && change < this.versions.length
  }

  errorOf (i: number): object {
    return fieldsOf(this.isBefore(i, this.spec.errors) ? 'message' : 'detail')
  }

  queryOf (i: number): object {
    return this.isBefore(i, this.spec.pages)
      ? {
          type: 'object',
          properties: { page: { type: 'integer', minimum: 1, default: 1 } },
          additionalProperties: true
        }
      : { type: 'object', properties: { cursor: { type: 'string', default: 'c0' } }, additionalProperties: true }
  }

  schemaIn (i: number, thing: object): object {
    const { place, withResponse } = this.spec
    const things = placed(place, thing)
    return {
      querystring: this.queryOf(i), body: things, response: { ...withResponse && { 200: things }, 409: this.errorOf(i) }
    }
  }

  /** What the handler of the newest version answers. */
  answer (request: FastifyRequest, reply: FastifyReply): unknown {
    const { cursor } = request.query as { cursor: string }
    reply.header('x-cursor', cursor).header('x-links', this.linksOf(reply).join(' '))
    if (cursor === 'c9') throw Object.assign(new Error('full'), { statusCode: 409, detail: 'no room' })
    if (cursor === 'c8') return reply.code(409).send({ detail: 'none' })
    return convertAt(this.spec.place, request.body as never, (thing) => ({ ...thing, secret: true }))
  }

  /** To the current route, and to things in each version, or why there is no such link. */
  linksOf (reply: FastifyReply): string[] {
    return [undefined, ...this.versions].map((version) => {
      try {
        return version === undefined ? reply.reverse(null) : reply.reverse('things', null, { version })
      } catch (error) {
        return (error as Error).message
      }
    })
  }
}

function fieldsOf (field: string): object {
  return { type: 'object', properties: { [field]: { type: 'string' }, statusCode: { type: 'integer' } } }
}

/** One handler, and changes. */
async function changed (api: Api): Promise<FastifyInstance> {
  const { spec, versions, shapes, ops } = api
  const app = Fastify()
  const changes = ops.map((op, i): Change => ({
    version: versions[i + 1] as string,
    description: `Change ${i}.`,
    schemas: {
      Thing: {
        older: { $id: 'Thing', ...schemaOf(shapes[i] as Shape) },
        upgrade: (thing: Thing) => upgrade(thing, op),
        downgrade: (thing: Thing) => downgrade(thing, op)
      }
    },
    routes: {
      ...(spec.errors === i + 1 || spec.pages === i + 1) && {
        things: {
          ...spec.pages === i + 1 && {
            older: { querystring: api.queryOf(i) },
            query: { upgrade: ({ page, ...rest }) => ({ ...rest, cursor: `c${page}` }) }
          },
          ...spec.errors === i + 1 && {
            response: {
              409: { older: api.errorOf(i), downgrade: ({ detail, ...rest }) => ({ ...rest, message: detail }) }
            }
          }
        }
      }
    }
  }))
  await app.register(versioning, { ...api.options, changes } as never)
  await app.register(openapi, {})
  app.addSchema({ $id: 'Thing', ...schemaOf(shapes.at(-1) as Shape) })
  const newest = versions.at(-1) as string
  const declare = declaring(api, { schema: api.schemaIn(versions.length - 1, { $ref: 'Thing#' }) })
  if (api.asking.prefixes !== null) declare(app, api.asking.prefixes)
  else {
    for (const version of versions) {
      app.register(async (app) => declare(app), { prefix: `/${version}`, namespace: version, writtenFor: newest })
    }
  }
  await app.ready()
  return app
}

/** Declares a route, once under each prefix. */
function declaring (api: Api, options: Partial<RouteOptions>) {
  return (app: FastifyInstance, prefixes: readonly string[] = ANYWHERE) => {
    for (const prefix of prefixes) {
      app.route({
        method: 'POST',
        url: `${prefix}/things`,
        name: 'things',
        ...options,
        handler: async (request, reply) => api.answer(request, reply)
      })
    }
  }
}

/** A handler for each version, written by hand. */
async function handWritten (api: Api): Promise<FastifyInstance> {
  const { spec, versions, shapes, ops } = api
  const app = Fastify()
  await app.register(versioning, api.options as never)
  await app.register(openapi, {})
  const newest = versions.length - 1
  const ajv = validator()
  const validate = ajv.compile(placed(spec.place, schemaOf(shapes[newest] as Shape)))
  for (const [i, version] of versions.entries()) {
    const later = ops.slice(i)
    const schema = api.schemaIn(i, schemaOf(shapes[i] as Shape))
    const { prefixes } = api.asking
    const declare = declaring(api, {
      ...prefixes !== null && i < newest && { version },
      schema,
      preHandler: async (request) => {
        const { page, ...rest } = request.query as { page?: number }
        if (api.isBefore(i, spec.pages)) request.query = { ...rest, cursor: `c${page}` }
        request.body = convertAt(spec.place, request.body as never, (thing) => later.reduce(upgrade, thing))
        if (!validate(request.body)) throw Object.assign(new Error('broken'), { statusCode: 500 })
      },
      preSerialization: async (_request, reply, payload) => {
        if (reply.statusCode === 409) {
          const { detail, ...rest } = payload as Record<string, unknown>
          return api.isBefore(i, spec.errors) ? { ...rest, message: detail } : payload
        }
        if (!spec.withResponse) return payload
        return convertAt(spec.place, payload as never, (thing) => later.toReversed().reduce(downgrade, thing))
      },
      errorHandler: async (error: Error & { statusCode?: number, detail?: string }, _request, reply) => {
        if (error.statusCode !== 409) throw error
        return await reply.code(409).send({ statusCode: 409, detail: error.detail })
      }
    })
    if (prefixes !== null) declare(app, prefixes)
    else app.register(async (app) => declare(app), { prefix: `/${version}`, namespace: version })
  }
  await app.ready()
  return app
}

/** Without references, so that it does not count what schemas are called. */
function dereferenced (document: unknown): unknown {
  const { components, ...rest } = document as { components?: { schemas?: Record<string, unknown> } }
  return expand(rest)

  function expand (value: unknown): unknown {
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    const name = $ref?.replace('#/components/schemas/', '') ?? ''
    if ($ref !== undefined) return expand(components?.schemas?.[name] ?? $ref)
    const entries = Object.entries(value).filter(([key]) => !['title', '$id', 'operationId'].includes(key))
    return Object.fromEntries(entries.map(([key, one]) => [key, expand(one)]))
  }
}

function requestsOf (api: Api): InjectOptions[] {
  const { spec, versions, asking } = api
  const requests = versions.flatMap((version, i) => (
    asking.namings.flatMap((naming) => requestsIn(api, i, naming(version)))
  ))
  const unknown = asking.namings.flatMap((naming) => requestsIn(api, 0, naming(UNKNOWN)).slice(0, 1))
  // Without a version a request is in the default one, or it is refused.
  const byDefault = spec.byDefault < versions.length ? spec.byDefault : 0
  const without = asking.prefixes?.includes('') === true ? requestsIn(api, byDefault, {}) : []
  return [...requests, ...unknown, ...without]
}

/** The requests of a client that knows a version. */
function requestsIn (api: Api, i: number, { url = '', headers, query }: Naming): InjectOptions[] {
  const { spec, shapes } = api
  const own = thingOf(shapes[i] as Shape, spec.texts)
  const other = thingOf(shapes[(i + 1) % shapes.length] as Shape, spec.texts)
  const queries: Record<string, string>[] = api.isBefore(i, spec.pages)
    ? [{}, { page: '2' }, { page: '9' }, { page: '8' }, { page: '0' }]
    : [{}, { cursor: 'c2' }, { cursor: 'c9' }, { cursor: 'c8' }]
  const bodies = [bodyOf(spec.place, own), bodyOf(spec.place, other), bodyOf(spec.place, {}), null, []]
  const asked = [...queries.map((one) => [one, bodies[0]] as const), ...bodies.map((body) => [{}, body] as const)]
  return asked.map(([one, body]) => ({
    method: 'POST' as const,
    url: `${url}/things`,
    headers: { 'content-type': 'application/json', ...headers },
    query: { ...query, ...one },
    payload: JSON.stringify(body)
  }))
}

function thingOf (shape: Shape, texts: readonly string[]): Thing {
  const entries = Object.entries(shape).map(([name, type], i) => {
    const text = texts[i % texts.length] as string
    const digits = /^[0-9]{1,3}$/.test(text) ? text : '7'
    return [name, { text, digits, integer: Number(digits), list: [text, ADDED], object: { value: text } }[type]]
  })
  return Object.fromEntries(entries)
}

/** What a client gets; the order of fields says nothing. */
async function answerOf (app: FastifyInstance, request: InjectOptions): Promise<object> {
  const { statusCode, body, headers: { date: _date, ...headers } } = await app.inject(structuredClone(request))
  const isJson = /json/.test(String(headers['content-type']))
  return { statusCode, headers, body: isJson ? JSON.parse(body) : body }
}

/** An API with one handler and changes answers and is documented as one with a handler for each version. */
export const changing: Fuzzer<Case> = {
  name: 'changes',
  batch: 10,
  cases,
  async check (spec) {
    const api = new Api(spec)
    if (api.ops.length === 0) return 0
    const [byHand, byChanges] = [await handWritten(api), await changed(api)]
    const requests = requestsOf(api)
    try {
      for (const request of requests) {
        compare({ spec, request }, await answerOf(byHand, request), await answerOf(byChanges, request))
      }
      for (const version of api.versions) {
        compare({ spec, version }, dereferenced(byHand.openapi(version)), dereferenced(byChanges.openapi(version)))
      }
    } finally {
      await byHand.close()
      await byChanges.close()
    }
    return requests.length + api.versions.length
  }
}

function compare (subject: object, expected: unknown, got: unknown): void {
  if (!isDeepStrictEqual(got, expected)) throw new Mismatch(subject, expected, got)
}
