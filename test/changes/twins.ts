import versioning, { HeaderVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { Booking, BookingV1, BookingV2, EXAMPLES, VERSIONS, byCursor, cursor, guests, room } from './bookings.ts'

import type {
  FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions, InjectOptions, RouteOptions
} from 'fastify'
import type { Test } from 'tap'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

type Json = ReturnType<JSON['parse']>

/** An API that is written twice: with changes, and by hand with a route for each version. */
export interface Api {
  readonly options?: VersioningOptions
  readonly serverOptions?: FastifyServerOptions
  /** Before the plugin is registered, and afterwards. */
  readonly before?: (app: FastifyInstance) => unknown
  readonly prepare?: (app: FastifyInstance) => unknown
  /** Where the routes are declared. */
  readonly within?: (app: FastifyInstance, declare: (app: FastifyInstance) => void) => void
  /** Options of every route. */
  readonly route?: Partial<RouteOptions>
  /** What the URLs of the routes begin with. */
  readonly prefix?: string
  /** Whether errors of validation are the same in all versions: an error handler sends them. */
  readonly hasErrorHandler?: boolean
}

/** What a route has in each version, oldest first. */
const QUERIES = [cursor.older?.querystring, cursor.older?.querystring, byCursor]
const ERRORS = ['reason', 'reason', 'message'].map((name) => ({
  type: 'object', properties: { [name]: { type: 'string' }, statusCode: { type: 'integer' } }
}))
const BODIES = [BookingV1, BookingV2, Booking].map(({ $id, ...schema }) => schema)

const renamed = ({ message, ...rest }: Json) => ({ ...rest, reason: message })
/** The changes of bodies that are undone for each version, newest first. */
const UNDONE = [[room, guests], [room], []].map((changes) => changes.map(({ schemas }) => schemas?.Booking as Json))

const response = { '4xx': { older: ERRORS[0] as object, downgrade: renamed } }
const ofRoutes: Change = {
  version: 'v3',
  description: 'Pages and errors.',
  routes: { create: { response }, list: { ...cursor, response }, one: { response } }
}

const PARTS = [
  { name: 'create', method: 'POST', path: '' },
  { name: 'list', method: 'GET', path: '' },
  { name: 'one', method: 'GET', path: '/:id' }
] as const
type Part = typeof PARTS[number]

/** What a route is in a version. */
function schemaOf ({ name }: Part, i: number, booking: object): object {
  return {
    ...name === 'create' && { body: booking },
    ...name === 'list' && { querystring: QUERIES[i] },
    ...name === 'one' && { params: { type: 'object', properties: { id: { type: 'string', pattern: '^b' } } } },
    response: { 200: booking, '4xx': ERRORS[i] }
  }
}

/** Bookings 4, 5, 6 and 9 are not found, broken, unknown to the handler and taken. */
async function handler (request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { id, cursor } = { ...request.params as object, ...request.query as object } as Record<string, string>
  if (id === 'b4') throw Object.assign(new Error('not there'), { statusCode: 404 })
  if (id === 'b5') throw new Error('broken')
  if (id === 'b6') return reply.callNotFound()
  if (id === 'b9') throw Object.assign(new Error('taken'), { statusCode: 409 })
  reply.header('x-seen', JSON.stringify([request.version, id, cursor, request.body ?? null]))
  return { ...EXAMPLES.v3, ...request.body as object, secret: true }
}

/** One handler for all versions. */
async function withChanges (t: Test, api: Api): Promise<FastifyInstance> {
  return await appOf(t, api, { changes: [guests, room, ofRoutes] }, (context) => {
    context.addSchema(Booking)
    for (const part of PARTS) context.route(routeOf(part, 2, api, { $ref: 'Booking#' }))
  })
}

/** A route for each version: it upgrades in a preHandler hook, and downgrades in a preSerialization hook. */
async function byHand (t: Test, api: Api): Promise<FastifyInstance> {
  const upgrade = (app: FastifyInstance) => {
    app.addHook('preHandler', async (request) => { (request.routeOptions.config as Json).upgrade?.(request) })
    return api.prepare?.(app)
  }
  return await appOf(t, { ...api, prepare: upgrade }, {}, (context) => {
    for (const [i, version] of VERSIONS.entries()) {
      for (const part of PARTS) {
        const own = i === 2 ? {} : { version, ...hooksOf(part, i, api) }
        context.route({ ...routeOf(part, i, api, BODIES[i] as object), ...own })
      }
    }
  })
}

async function appOf (
  t: Test, api: Api, more: VersioningOptions, declare: (app: FastifyInstance) => void
): Promise<FastifyInstance> {
  const app = bareApp(t, api.serverOptions)
  await api.before?.(app)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, ...api.options, ...more })
  await api.prepare?.(app)
  if (api.within === undefined) declare(app)
  else api.within(app, declare)
  await app.ready()
  return app
}

function routeOf (part: Part, i: number, { route, prefix = '' }: Api, booking: object): RouteOptions {
  const { name, method, path } = part
  return { name, method, url: `${prefix}/bookings${path}`, handler, ...route, schema: schemaOf(part, i, booking) }
}

function hooksOf ({ name }: Part, i: number, { route = {}, hasErrorHandler = false }: Api): Partial<RouteOptions> {
  const undone = UNDONE[i] as Json[]
  const preSerialization = async (_request: FastifyRequest, { statusCode }: FastifyReply, payload: Json) => {
    if (statusCode >= 400) return statusCode < 500 ? renamed(payload) : payload
    return undone.reduce((value, { downgrade }) => downgrade(value), payload)
  }
  const upgrade = (request: FastifyRequest) => {
    const invalid = request.validationError?.validationContext
    if (name === 'create' && invalid !== 'body') {
      request.body = undone.reduceRight((value, { upgrade }) => upgrade(value), request.body)
    }
    if (name === 'list' && invalid !== 'querystring') request.query = cursor.query?.upgrade(request.query as Json)
  }
  const errorHandler: RouteOptions['errorHandler'] = (error, _request, reply) => {
    const { statusCode = 500, message } = error as Json
    if (statusCode >= 500) throw error
    reply.code(statusCode).send({ statusCode, message })
  }
  return {
    config: { ...route.config, upgrade } as Json,
    preSerialization: [route.preSerialization ?? [], preSerialization].flat() as Json,
    ...!hasErrorHandler && { errorHandler }
  }
}

/** The requests that a client of each version sends. */
function requestsIn (version: string): InjectOptions[] {
  const isNewest = version === 'v3'
  const ids = ['b4', 'b5', 'b6', 'b7', 'b9', 'x']
  const bodies = [EXAMPLES[version], EXAMPLES.v1, EXAMPLES.v3, {}, undefined]
  return [
    ...bodies.map((body) => ({
      method: 'POST' as const,
      url: '/bookings',
      headers: { 'content-type': 'application/json' },
      ...body && { payload: JSON.stringify(body) }
    })),
    ...[isNewest ? '?cursor=c4' : '?page=4', '?page=x&cursor=x'].map((query) => ({ url: `/bookings${query}` })),
    ...ids.flatMap((id) => (['GET', 'HEAD'] as const).map((method) => ({ method, url: `/bookings/${id}` })))
  ]
}

/** The API by hand, and with changes. */
export async function twins (t: Test, api: Api): Promise<FastifyInstance[]> {
  return [await byHand(t, api), await withChanges(t, api)]
}

/**
 * Asks both apps the same, and compares status, headers, body and usage events.
 *
 * @param requests by the version that they are in
 */
export async function compareTwins (
  t: Test, api: Api, requests: (version: string) => InjectOptions[] = (version) => inHeader(version)
): Promise<void> {
  const apps = await twins(t, api)
  const events = usageEvents(t)
  for (const version of VERSIONS) {
    for (const request of requests(version)) {
      const seen = []
      for (const app of apps) {
        const { statusCode, headers, body } = await app.inject(structuredClone(request))
        // These change with the time.
        for (const name of ['date', 'x-ratelimit-reset']) delete headers[name]
        // A hook before the plugin has made the tag of another text.
        if (statusCode >= 400 && api.before !== undefined) delete headers.etag
        const usage = events.splice(0).map(({ request: _request, ...event }) => event)
        seen.push({ statusCode, headers, body: parsed(body), usage })
      }
      t.same(seen[1], seen[0], `${version} ${JSON.stringify(request)}`)
    }
  }
}

/** The requests of `requestsIn` in the header of the version, with other headers. */
export function inHeader (version: string, others: Readonly<Record<string, string>> = {}): InjectOptions[] {
  return requestsIn(version).map((request) => ({
    ...request, headers: { ...request.headers, 'api-version': version, ...others }
  }))
}

/** The order of fields says nothing. */
function parsed (body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
