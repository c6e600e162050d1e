import fc from 'fast-check'
import Fastify from 'fastify'

import versioning, { BaseVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { places, requestOf } from '../../test/fixtures/places.ts'
import { compare } from '../fuzzer.ts'
import { ADDED, PLACES, after, downgrade, fits, schemaOf, upgrade, validator } from './model.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Naming } from '../../test/fixtures/places.ts'
import type { Change, RawRequest } from '../../types/index.d.ts'
import type { Fuzzer, Generated } from '../fuzzer.ts'
import type { Op, Shape, Thing } from './model.ts'

type Json = ReturnType<JSON['parse']>
interface Place { readonly Scheme: typeof BaseVersioning, readonly naming: (version: string) => Naming }

class CookieVersioning extends BaseVersioning {
  override readonly vary = 'Cookie'
  override readonly parameter = { in: 'cookie', name: 'version' } as const

  override readVersion ({ headers }: RawRequest) {
    return /(?:^|; )version=([^;]*)/.exec(headers.cookie ?? '')?.[1]
  }
}

const cookie: Place = {
  Scheme: CookieVersioning, naming: (version) => ({ headers: { cookie: `theme=dark; version=${version}` } })
}
const { namespace, path, header, query } = places
/** The places of each scheme, or of a list of schemes. */
const SCHEMES: Readonly<Record<string, readonly Place[]>> = {
  ...Object.fromEntries(Object.entries({ ...places, cookie }).map(([name, place]) => [name, [place]])),
  list: [header, query],
  listWithPath: [path, header],
  listWithNamespace: [namespace, query]
}
export const schemeNames = Object.keys(SCHEMES)
/** No version is allowed that is called so. */
const UNKNOWN = 'v9'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const FATES = {
  none: null,
  deprecated: { deprecated: '2026-01-01', sunset: '2026-12-31' },
  gone: { deprecated: '2025-01-01', sunset: '2026-01-01' },
  preview: { preview: true }
}

const FIRST: Shape = { a: 'text', b: 'digits', c: 'text' }
const field = fc.constantFrom('a', 'b', 'c', 'd')
const op: fc.Arbitrary<Op> = fc.record({
  op: fc.constantFrom<Op['op'][]>('rename', 'rename', 'number', 'wrap', 'nest', 'drop', 'add'), field, to: field
})
const cases = fc.record({
  scheme: fc.constantFrom(...schemeNames),
  place: fc.constantFrom(...Object.keys(PLACES) as (keyof typeof PLACES)[]),
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
type Case = Generated<typeof cases>

/** The API of a case: its versions, the shape of things in each, and what changes before each. */
class Api {
  readonly spec: Case
  readonly places: readonly Place[]
  readonly inNamespaces: boolean
  /** What the URLs of the routes begin with. */
  readonly prefixes: readonly string[]
  readonly ops: Op[] = []
  readonly shapes: Shape[] = [FIRST]
  readonly versions: readonly string[]

  constructor (spec: Case) {
    this.spec = spec
    this.places = SCHEMES[spec.scheme] as Place[]
    this.inNamespaces = this.places.includes(namespace)
    this.prefixes = this.places.includes(path) ? ['/:version', ''].slice(0, this.places.length) : ['']
    for (const op of spec.ops) {
      const last = this.shapes.at(-1) as Shape
      if (this.ops.length === 4 || !fits(last, op)) continue
      this.ops.push(op)
      this.shapes.push(after(last, op))
    }
    this.versions = this.shapes.map((_shape, i) => `v${i + 1}`)
  }

  /** An app with a document for each version. */
  async app (more: object): Promise<FastifyInstance> {
    const { spec: { fate, at, byDefault }, versions, places } = this
    const ending = versions[fate === 'preview' ? versions.length - 1 : at]
    const defaultVersion = versions[byDefault]
    const app = Fastify()
    await app.register(versioning, {
      scheme: places.length === 1 ? places[0]!.Scheme : places.map(({ Scheme }) => Scheme),
      allowedVersions: versions,
      servedVersion: 'X-Served',
      reportVersions: true,
      enforceSunset: true,
      now: () => NOW,
      ...defaultVersion !== undefined && { defaultVersion },
      ...ending !== undefined && FATES[fate] !== null && { lifecycle: { [ending]: FATES[fate] } },
      ...more
    } as never)
    await app.register(openapi, {})
    return app
  }

  /** Declares the route of a version, in its namespace if there are namespaces. */
  declare (app: FastifyInstance, version: string, options: Partial<RouteOptions>, writtenFor?: string): void {
    const handler: RouteOptions['handler'] = async (request, reply) => this.answer(request, reply)
    const declare = (app: FastifyInstance) => {
      for (const prefix of this.prefixes) {
        app.route({ method: 'POST', url: `${prefix}/things`, name: 'things', ...options, handler })
      }
    }
    if (!this.inNamespaces) declare(app)
    else {
      const context = { prefix: `/in-${version}`, namespace: version, ...writtenFor !== undefined && { writtenFor } }
      app.register(async (app) => declare(app), context)
    }
  }

  /** Whether something other than things had changed before a version. */
  isBefore (i: number, change: number): boolean {
    return change > i && change < this.versions.length
  }

  errorOf (i: number): object {
    const name = this.isBefore(i, this.spec.errors) ? 'message' : 'detail'
    return { type: 'object', properties: { [name]: { type: 'string' }, statusCode: { type: 'integer' } } }
  }

  queryOf (i: number): object {
    const properties = this.isBefore(i, this.spec.pages)
      ? { page: { type: 'integer', minimum: 1, default: 1 } }
      : { cursor: { type: 'string', default: 'c0' } }
    return { type: 'object', properties, additionalProperties: true }
  }

  schemaIn (i: number, thing: object): object {
    const things = PLACES[this.spec.place].schema(thing)
    return {
      querystring: this.queryOf(i),
      body: things,
      response: { ...this.spec.withResponse && { 200: things }, 409: this.errorOf(i) }
    }
  }

  /** Converts the things of a body. */
  convert (body: unknown, by: (thing: Thing) => Thing): unknown {
    return PLACES[this.spec.place].convert(body, by)
  }

  /** What the handler of the newest version answers: links to the current route and to things in each version, too. */
  answer (request: FastifyRequest, reply: FastifyReply): unknown {
    const { cursor } = request.query as { cursor: string }
    const links = [undefined, ...this.versions].map((version) => {
      try {
        return version === undefined ? reply.reverse(null) : reply.reverse('things', null, { version })
      } catch (error) {
        return (error as Error).message
      }
    })
    reply.header('x-cursor', cursor).header('x-links', links.join(' '))
    if (cursor === 'c9') throw Object.assign(new Error('full'), { statusCode: 409, detail: 'no room' })
    if (cursor === 'c8') return reply.code(409).send({ detail: 'none' })
    return this.convert(request.body, (thing) => ({ ...thing, secret: true }))
  }

  /** The requests of a client that knows a version. */
  requestsIn (i: number, ...namings: Naming[]): InjectOptions[] {
    const { spec: { place, texts, pages }, shapes } = this
    const { body } = PLACES[place]
    const [own, other] = [i, (i + 1) % shapes.length].map((i) => body(thingOf(shapes[i] as Shape, texts)))
    const asked: Record<string, string>[] = this.isBefore(i, pages)
      ? [{}, { page: '2' }, { page: '9' }, { page: '8' }, { page: '0' }]
      : [{}, { cursor: 'c2' }, { cursor: 'c9' }, { cursor: 'c8' }]
    const all = asked.map((query) => ({ query, sent: own }))
    for (const sent of [other, body({}), null, []]) all.push({ query: {}, sent })
    return all.map(({ query: one, sent }) => {
      const { url, headers, query } = requestOf('/things', ...namings)
      return {
        method: 'POST',
        url: url as string,
        headers: { 'content-type': 'application/json', ...headers },
        query: { ...query as object, ...one },
        payload: JSON.stringify(sent)
      }
    })
  }

  get requests (): InjectOptions[] {
    const { spec, versions, places, prefixes, inNamespaces } = this
    const namings = (version: string): Naming[][] => [
      ...places.map(({ naming }) => [naming(version)]),
      // The first one wins, or it is refused.
      ...places.length > 1 ? [places.map(({ naming }, i) => naming(i === 0 ? version : 'v1'))] : []
    ]
    const named = versions.flatMap((version, i) => namings(version).flatMap((one) => this.requestsIn(i, ...one)))
    const unknown = namings(UNKNOWN).map((one) => this.requestsIn(0, ...one)[0] as InjectOptions)
    // Without a version a request is in the default one, or it is refused.
    const byDefault = spec.byDefault < versions.length ? spec.byDefault : 0
    return [...named, ...unknown, ...prefixes.includes('') && !inNamespaces ? this.requestsIn(byDefault) : []]
  }
}

/** One handler, and changes. */
async function changed (api: Api): Promise<FastifyInstance> {
  const { spec: { errors, pages }, versions, shapes, ops } = api
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
    routes: [errors, pages].includes(i + 1)
      ? {
          things: {
            ...pages === i + 1 && {
              older: { querystring: api.queryOf(i) },
              query: { upgrade: ({ page, ...rest }: Json) => ({ ...rest, cursor: `c${page}` }) }
            },
            ...errors === i + 1 && {
              response: {
                409: { older: api.errorOf(i), downgrade: ({ detail, ...rest }: Json) => ({ ...rest, message: detail }) }
              }
            }
          }
        }
      : {}
  }))
  const app = await api.app({ changes })
  app.addSchema({ $id: 'Thing', ...schemaOf(shapes.at(-1) as Shape) })
  const newest = versions.at(-1) as string
  const schema = api.schemaIn(versions.length - 1, { $ref: 'Thing#' })
  for (const version of api.inNamespaces ? versions : [newest]) api.declare(app, version, { schema }, newest)
  await app.ready()
  return app
}

/** A handler for each version, written by hand. */
async function handWritten (api: Api): Promise<FastifyInstance> {
  const { spec, versions, shapes, ops } = api
  const app = await api.app({})
  const newest = versions.length - 1
  const validate = validator().compile(PLACES[spec.place].schema(schemaOf(shapes[newest] as Shape)))
  for (const [i, version] of versions.entries()) {
    const later = ops.slice(i)
    api.declare(app, version, {
      ...!api.inNamespaces && i < newest && { version },
      schema: api.schemaIn(i, schemaOf(shapes[i] as Shape)),
      preHandler: async (request) => {
        const { page, ...rest } = request.query as { page?: number }
        if (api.isBefore(i, spec.pages)) request.query = { ...rest, cursor: `c${page}` }
        request.body = api.convert(request.body, (thing) => later.reduce(upgrade, thing))
        if (!validate(request.body)) throw Object.assign(new Error('broken'), { statusCode: 500 })
      },
      preSerialization: async (_request, reply, payload: Json) => {
        if (reply.statusCode === 409) {
          const { detail, ...rest } = payload
          return api.isBefore(i, spec.errors) ? { ...rest, message: detail } : payload
        }
        if (!spec.withResponse) return payload
        return api.convert(payload, (thing) => later.toReversed().reduce(downgrade, thing))
      },
      errorHandler: async (error: Error & { statusCode?: number, detail?: string }, _request, reply) => {
        if (error.statusCode !== 409) throw error
        return await reply.code(409).send({ statusCode: 409, detail: error.detail })
      }
    })
  }
  await app.ready()
  return app
}

/** Without references, so that it does not count what schemas are called. */
function dereferenced ({ components, ...rest }: Json): unknown {
  return expand(rest)

  function expand (value: Json): unknown {
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value
    if ($ref !== undefined) return expand(components?.schemas?.[$ref.replace('#/components/schemas/', '')] ?? $ref)
    const entries = Object.entries(value).filter(([key]) => !['title', '$id', 'operationId'].includes(key))
    return Object.fromEntries(entries.map(([key, one]) => [key, expand(one)]))
  }
}

function thingOf (shape: Shape, texts: readonly string[]): Thing {
  return Object.fromEntries(Object.entries(shape).map(([name, type], i) => {
    const text = texts[i % texts.length] as string
    const digits = /^[0-9]{1,3}$/.test(text) ? text : '7'
    return [name, { text, digits, integer: Number(digits), list: [text, ADDED], object: { value: text } }[type]]
  }))
}

/** What a client gets; the order of fields says nothing. */
async function answerOf (app: FastifyInstance, request: InjectOptions): Promise<object> {
  const { statusCode, body, headers: { date: _date, ...headers } } = await app.inject(structuredClone(request))
  return { statusCode, headers, body: /json/.test(String(headers['content-type'])) ? JSON.parse(body) : body }
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
    const { requests, versions } = api
    try {
      for (const request of requests) {
        compare({ spec, request }, await answerOf(byHand, request), await answerOf(byChanges, request))
      }
      for (const version of versions) {
        compare({ spec, version }, dereferenced(byHand.openapi(version)), dereferenced(byChanges.openapi(version)))
      }
    } finally {
      await byHand.close()
      await byChanges.close()
    }
    return requests.length + versions.length
  }
}
