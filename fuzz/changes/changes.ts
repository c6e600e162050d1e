import fc from 'fast-check'
import Fastify from 'fastify'
import diagnosticsChannel from 'node:diagnostics_channel'

import versioning, { BaseVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { SETTINGS } from '../../test/changes/settings.ts'
import { ADDED, PLACES, after, downgrade, fits, schemaOf, upgrade } from '../../test/changes/things.ts'
import { places, requestOf } from '../../test/fixtures/places.ts'
import { compare } from '../fuzzer.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Setting } from '../../test/changes/settings.ts'
import type { Op, Shape, Thing } from '../../test/changes/things.ts'
import type { Naming } from '../../test/fixtures/places.ts'
import type { Change, RawRequest, RouteChange } from '../../types/index.d.ts'
import type { Fuzzer, Generated } from '../fuzzer.ts'

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
const { accept, contentType, header, host, namespace, path, query } = places
/** The places of each scheme, or of a list of schemes. */
const SCHEMES: Readonly<Record<string, readonly Place[]>> = {
  ...Object.fromEntries(Object.entries({ ...places, cookie }).map(([name, place]) => [name, [place]])),
  list: [header, query],
  listOfTypes: [contentType, accept],
  listWithHost: [host, header],
  listWithPath: [path, header],
  listWithNamespace: [namespace, query]
}
export const schemeNames = Object.keys(SCHEMES)
/** No version is allowed that is called so. */
const UNKNOWN = 'v9'

const USAGE = 'fastify-versioning:version'
const NOW = Date.parse('2026-06-15T12:00:00Z')
const FATES = {
  none: null,
  deprecated: { deprecated: '2026-01-01', sunset: '2026-12-31' },
  gone: { deprecated: '2025-01-01', sunset: '2026-01-01' },
  preview: { preview: true }
}

export const settingNames = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]

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
  /** The last version with a handler of its own, which also serves the older ones; none if it is the newest. */
  own: fc.nat(7),
  texts: fc.array(fc.oneof(fc.constantFrom('7', '12', '', 'x'), fc.string({ maxLength: 4 })), {
    minLength: 3, maxLength: 3
  }),
  withResponse: fc.boolean(),
  /** Which errors responses have a schema for. */
  failures: fc.constantFrom('409', '4xx'),
  setting: fc.constantFrom(...settingNames),
  /** How a version ends or begins, which one, and which one is the default: by their places. */
  fate: fc.constantFrom(...Object.keys(FATES) as (keyof typeof FATES)[]),
  at: fc.nat(4),
  byDefault: fc.nat(7)
})
export type Case = Generated<typeof cases>

/** The API of a case: its versions, the shape of things in each, and what changes before each. */
export class Api {
  readonly spec: Case
  readonly setting: Setting
  readonly places: readonly Place[]
  readonly inNamespaces: boolean
  /** What the URLs of the routes begin with. */
  readonly prefixes: readonly string[]
  readonly ops: Op[] = []
  readonly shapes: Shape[] = [FIRST]
  readonly versions: readonly string[]

  constructor (spec: Case, setting: Setting = SETTINGS[spec.setting]) {
    this.spec = spec
    this.setting = setting
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
  async app (more: object, declare: (app: FastifyInstance) => void): Promise<FastifyInstance> {
    const { spec: { fate, at, byDefault }, setting, versions, places } = this
    const ending = versions[fate === 'preview' ? versions.length - 1 : at]
    const defaultVersion = versions[byDefault]
    const app = Fastify(setting.serverOptions)
    await setting.before?.(app)
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
    await setting.prepare?.(app, this.newestThings)
    if (setting.within === undefined) declare(app)
    else setting.within(app, declare)
    await app.ready()
    return app
  }

  /** Declares the routes of a version, in its namespace if there are namespaces. */
  declare (
    app: FastifyInstance, version: string, i: number, thing: object, options: Partial<RouteOptions>, writtenFor?: string
  ): void {
    const handler: RouteOptions['handler'] = async (request, reply) => this.answer(request, reply)
    const things = this.write(PLACES[this.spec.place].schema(thing))
    const response = { 200: this.spec.withResponse ? things : {}, [this.spec.failures]: this.errorOf(i) }
    const schema = { querystring: this.queryOf(i), body: things, response }
    const params = { type: 'object', properties: { id: { type: 'string', pattern: '^t' } } }
    const others = { ...this.setting.route, ...options, handler }
    const declare = (app: FastifyInstance) => {
      for (const prefix of this.prefixes) {
        app.route({ method: 'POST', url: `${prefix}/things`, name: 'things', ...others, schema })
        const schemaOfGet = { params, response }
        app.route({ method: 'GET', url: `${prefix}/things/:id`, name: 'thing', ...others, schema: schemaOfGet })
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
    const name = this.isBefore(i, this.spec.errors) ? 'reason' : 'message'
    return this.write({ type: 'object', properties: { [name]: { type: 'string' }, statusCode: { type: 'integer' } } })
  }

  /** The schema of a part as routes have it. */
  write (schema: object): object {
    return this.setting.write?.(schema) ?? schema
  }

  queryOf (i: number): object {
    const properties = this.isBefore(i, this.spec.pages)
      ? { page: { type: 'integer', minimum: 1, default: 1 } }
      : { cursor: { type: 'string', default: 'c0' } }
    return { type: 'object', properties, additionalProperties: true }
  }

  /** Whether responses have a schema for errors of a status. */
  isFailure (status: number): boolean {
    return status === 409 || (this.spec.failures === '4xx' && status >= 400 && status < 500)
  }

  /** Converts the things of a body. */
  convert (body: unknown, by: (thing: Thing) => Thing): unknown {
    return PLACES[this.spec.place].convert(body, by)
  }

  get newestThings (): unknown {
    const { spec: { place, texts }, shapes } = this
    return PLACES[place].body({ ...thingOf(shapes.at(-1) as Shape, texts), secret: true })
  }

  /** What the handler of the newest version answers: links to the current route and to things in each version, too. */
  answer (request: FastifyRequest, reply: FastifyReply): unknown {
    const { cursor } = request.query as { cursor?: string }
    const links = [undefined, ...this.versions].map((version) => {
      try {
        return version === undefined ? reply.reverse(null) : reply.reverse('things', null, { version })
      } catch (error) {
        return (error as Error).message
      }
    })
    reply.header('x-links', links.join(' '))
    reply.header('x-seen', JSON.stringify([request.version, request.params, cursor, request.body ?? null]))
    if (cursor === 'c9') throw Object.assign(new Error('full'), { statusCode: 409 })
    if (cursor === 'c8') return reply.code(409).send({ message: 'none', statusCode: 1 })
    if (cursor === 'c7') throw Object.assign(new Error('not there'), { statusCode: 404 })
    if (cursor === 'c6') return reply.callNotFound()
    if (cursor === 'c5') throw new Error('broken')
    if (request.method !== 'POST') return this.newestThings
    return this.convert(request.body, (thing) => ({ ...thing, secret: true }))
  }

  /** The requests of a client that knows a version. */
  requestsIn (i: number, ...namings: Naming[]): InjectOptions[] {
    const { spec: { place, texts, pages }, shapes } = this
    const { body } = PLACES[place]
    const [valid, ofOtherVersion] = [i, (i + 1) % shapes.length].map((i) => body(thingOf(shapes[i] as Shape, texts)))
    const asked = [2, 9, 8, 7, 6, 5, 0].map((n): Record<string, string> => (
      this.isBefore(i, pages) ? { page: `${n}` } : { cursor: `c${n}` }
    ))
    const bodies = [ofOtherVersion, body({}), null, []]
    const sent = [...[{}, ...asked].map((query) => [query, valid]), ...bodies.map((payload) => [{}, payload])]
    const posts = sent.map(([more, payload]): InjectOptions => {
      const { url, headers, query } = requestOf('/things', ...namings)
      return {
        method: 'POST',
        url: url as string,
        headers: { 'content-type': 'application/json', ...headers },
        query: { ...query as object, ...more as object },
        payload: JSON.stringify(payload)
      }
    })
    const gets = [['GET', 't7'], ['HEAD', 't7'], ['GET', 'x']].map(([method, id]) => {
      const { payload: _none, ...request } = requestOf(`/things/${id}`, ...namings)
      return { ...request, method } as InjectOptions
    })
    return [...posts, ...gets]
  }

  get requests (): InjectOptions[] {
    const { spec, versions, places, prefixes, inNamespaces } = this
    const inVersions = versions.flatMap((version, i) => (
      places.flatMap(({ naming }) => this.requestsIn(i, naming(version)))
    ))
    // Without a version a request is in the default one, or it is refused.
    const byDefault = prefixes.includes('') && !inNamespaces ? this.requestsIn(spec.byDefault % versions.length) : []
    // Refusals without a version have no schema of their own by hand.
    if (spec.failures === '4xx') return [...inVersions, ...spec.byDefault < versions.length ? byDefault : []]
    const unknown = places.map(({ naming }) => this.requestsIn(0, naming(UNKNOWN))[0] as InjectOptions)
    // The first one wins, or it is refused.
    const [first, ...others] = places as [Place, ...Place[]]
    const differing = others.length > 0
      ? versions.flatMap((version, i) => (
        this.requestsIn(i, first.naming(version), ...others.map(({ naming }) => naming('v1'))).slice(0, 3)
      ))
      : []
    return [...inVersions, ...byDefault, ...unknown, ...differing]
  }
}

/** One handler, or two, and changes. */
async function changed (api: Api): Promise<FastifyInstance> {
  const { spec: { errors, pages, failures, own: written }, versions, shapes, ops } = api
  const changes = ops.map((op, i): Change => {
    const pagesChange: RouteChange = {
      older: { querystring: api.queryOf(i) },
      query: { upgrade: ({ page, ...rest }: Json) => ({ ...rest, cursor: `c${page}` }) }
    }
    const errorsChange: RouteChange = { response: { [failures]: { older: api.errorOf(i), downgrade: renamed } } }
    return {
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
        ...[errors, pages].includes(i + 1) && {
          things: { ...pages === i + 1 && pagesChange, ...errors === i + 1 && errorsChange }
        },
        ...errors === i + 1 && { thing: errorsChange }
      }
    }
  })
  const newest = versions.length - 1
  return await api.app({ changes }, (app) => {
    app.addSchema({ $id: 'Thing', ...schemaOf(shapes.at(-1) as Shape) })
    const spoken = [...new Set([Math.min(written, newest), newest])]
    for (const at of spoken) {
      const options = at < newest ? hooksOf(api, at) : {}
      const served = versions.filter((_version, i) => spoken.find((handled) => i <= handled) === at)
      const claim = at < newest && !api.inNamespaces ? { version: served } : {}
      for (const version of api.inNamespaces ? served : [newest]) {
        api.declare(app, `${version}`, at, { $ref: 'Thing#' }, { ...options, ...claim }, versions[at])
      }
    }
  })
}

/** What a handler of the newest version needs to speak an older one, by its index. */
function hooksOf (api: Api, i: number): Partial<RouteOptions> {
  const { spec, setting, ops } = api
  const later = ops.slice(i)
  const areOlder = api.isBefore(i, spec.errors)
  const upgradeRequest = async (request: FastifyRequest): Promise<void> => {
    if (request.method !== 'POST' || request.validationError) return
    const { page, ...rest } = request.query as { page?: number }
    if (api.isBefore(i, spec.pages)) request.query = { ...rest, cursor: `c${page}` }
    request.body = api.convert(request.body, (thing) => later.reduce(upgrade, thing))
  }
  const errorHandler: RouteOptions['errorHandler'] = async (error, _request, reply) => {
    const { statusCode = 500, message } = error as { statusCode?: number, message: string }
    if (!api.isFailure(statusCode)) throw error
    return await reply.code(statusCode).send({ statusCode, message })
  }
  return {
    preHandler: [upgradeRequest, setting.route?.preHandler ?? []].flat(),
    preSerialization: async (_request, { statusCode }, payload: Json) => {
      if (statusCode >= 400) return areOlder && api.isFailure(statusCode) ? renamed(payload) : payload
      if (!spec.withResponse) return payload
      return api.convert(payload, (thing) => later.toReversed().reduce(downgrade, thing))
    },
    ...areOlder && setting.hasErrorHandler !== true && { errorHandler }
  }
}

/** A handler for each version, written by hand. */
async function handWritten (api: Api): Promise<FastifyInstance> {
  const { versions, shapes } = api
  return await api.app({}, (app) => {
    for (const [i, version] of versions.entries()) {
      const claim = !api.inNamespaces && i < versions.length - 1 ? { version } : {}
      api.declare(app, version, i, schemaOf(shapes[i] as Shape), { ...hooksOf(api, i), ...claim })
    }
  })
}

const renamed = ({ message, ...rest }: Json): Json => ({ ...rest, reason: message })

/** Without references and sentences of changes, so that it does not count what schemas and changes are called. */
function dereferenced ({ components, info: { description, ...info }, ...rest }: Json): unknown {
  return expand({ info, ...rest })

  function expand (value: Json): unknown {
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value
    if ($ref !== undefined) return expand(components?.schemas?.[$ref.replace('#/components/schemas/', '')] ?? $ref)
    const entries = Object.entries(value).filter(([key]) => !['title', '$id', 'operationId'].includes(key))
    return Object.fromEntries(entries.map(([key, member]) => [key, expand(member)]))
  }
}

function thingOf (shape: Shape, texts: readonly string[]): Thing {
  return Object.fromEntries(Object.entries(shape).map(([name, type], i) => {
    const text = texts[i % texts.length] as string
    const digits = /^[0-9]{1,3}$/.test(text) ? text : '7'
    return [name, { text, digits, integer: Number(digits), list: [text, ADDED], object: { value: text } }[type]]
  }))
}

/** What a client and a subscriber get; the order of fields says nothing. */
async function answerOf (app: FastifyInstance, request: InjectOptions) {
  const events: unknown[] = []
  const onUsage = (event: unknown): void => { events.push({ ...event as object, request: null }) }
  diagnosticsChannel.subscribe(USAGE, onUsage)
  const { statusCode, headers, body } = await app.inject(structuredClone(request))
  diagnosticsChannel.unsubscribe(USAGE, onUsage)
  // These change with the time.
  for (const name of ['date', 'x-ratelimit-reset']) delete headers[name]
  return { statusCode, headers, body: parsed(body), events }
}

function parsed (body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/**
 * Asks an API that is written by hand and one with changes the same, and compares answers, usage events and documents.
 *
 * @returns how many
 * @throws Mismatch
 */
export async function compareTwins (api: Api, requests: readonly InjectOptions[] = api.requests): Promise<number> {
  const { spec, versions, setting } = api
  const apps = [await handWritten(api), await changed(api)] as const
  try {
    for (const request of requests) {
      const [byHand, byChanges] = [await answerOf(apps[0], request), await answerOf(apps[1], request)]
      // A hook before the plugin has made the tag of another text.
      if (byHand.statusCode >= 400 && setting.before) for (const { headers } of [byHand, byChanges]) delete headers.etag
      compare({ spec, request }, byHand, byChanges)
    }
    for (const version of versions) {
      compare({ spec, version }, dereferenced(apps[0].openapi(version)), dereferenced(apps[1].openapi(version)))
    }
  } finally {
    for (const app of apps) await app.close()
  }
  return requests.length + versions.length
}

/** An API with one handler and changes answers and is documented as one with a handler for each version. */
export const changing: Fuzzer<Case> = {
  name: 'changes',
  batch: 10,
  cases,
  async check (spec) {
    const api = new Api(spec)
    return api.ops.length === 0 ? 0 : await compareTwins(api)
  }
}
