import fc from 'fast-check'
import Fastify from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import usage from '../../src/usage/index.ts'
import { Mismatch } from '../fuzzer.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Change } from '../../types/index.d.ts'
import type { Fuzzer, Generated } from '../fuzzer.ts'

const VERSIONS = ['v1', 'v2', 'v3']
/** More requests than must have succeeded. */
const WARM = 110

/** What few requests ask for: what runs then must have run once. */
const RARE: Record<number, string> = { 40: 'rare=1', 50: 'fail=1', 60: 'rare=1&fail=1', 70: 'page=x' }

type Ask = (request: FastifyRequest, reply: FastifyReply) => unknown

/** What a hook keeps for a service. */
const storage = new AsyncLocalStorage<unknown>()
const versionOf = (text: unknown) => /v[123]/.exec(String(text))?.[0]
const service: Ask = (request) => request.version
const deeper: Ask = (request) => [request].map(({ headers }) => ({ ...headers }))[0]['api-version']

/** What reads the version, and what only seems to. */
const READERS: Record<string, Ask> = {
  nothing: () => 'same',
  body: ({ body }) => body ?? null,
  account: ({ headers }) => headers['x-account'],
  id: ({ params }) => (params as { id?: string }).id ?? null,
  version: (request) => request.version,
  service: (request, reply) => service(request, reply),
  deeper: (request, reply) => deeper(request, reply),
  isVersion: (request) => request.isVersion({ from: 'v2' }),
  header: ({ headers }) => headers['api-version'] ?? null,
  absent: ({ headers }) => 'api-version' in headers,
  accept: ({ headers }) => headers.accept ?? null,
  rawHeaders: ({ raw }) => versionOf(raw.rawHeaders),
  clone: ({ headers }) => versionOf(Object.values(structuredClone(headers)).join()),
  json: ({ headers, query, params }) => versionOf(JSON.stringify([headers, query, params])),
  copied: ({ headers }) => new Headers({ ...headers as Record<string, string> }).get('api-version'),
  inherited: ({ headers }) => (Object.create(headers) as typeof headers)['api-version'] ?? null,
  entries: ({ raw }) => Object.entries(raw.headers).filter(([name]) => name === 'api-version' || name === 'accept'),
  reflected: ({ headers }) => Reflect.ownKeys(headers).map((name) => versionOf(Reflect.get(headers, name))),
  stored: () => storage.getStore() ?? null,
  raw: ({ raw }) => versionOf(Object.values(raw.headers).join()),
  url: ({ url }) => versionOf(url),
  originalUrl: ({ originalUrl }) => versionOf(originalUrl),
  rawUrl: ({ raw }) => versionOf(raw.url),
  query: ({ query }) => ({ ...query as object }),
  params: ({ params }) => ({ ...params as object }),
  scheme: (request) => request.versioningScheme?.determineVersion?.(request),
  names: ({ headers }) => Object.keys(headers).filter((name) => name === 'x-account'),
  etag: (_request, reply) => reply.getHeader('etag') ?? null,
  match: ({ headers }) => headers['if-none-match'] ?? null,
  retired: (_request, reply) => reply.getHeader('deprecation') ?? null,
  link: (_request, reply) => reply.reverse('r0'),
  self: (_request, reply) => reply.reverse(null),
  linkText: (_request, reply) => versionOf(reply.reverse('r0')),
  linkLength: (_request, reply) => reply.reverse(null, null, { query: { page: 1 } }).replace('v1', 'version 1').length,
  linkError: (_request, reply) => {
    try {
      return reply.reverse('r0', {})
    } catch (error) {
      return versionOf(error)
    }
  },
  log: ({ log }) => (log as unknown as { bindings (): { version?: string } }).bindings().version,
  otherLink: (_request, reply) => reply.reverse('moved'),
  legacyLink: (_request, reply) => reply.reverse('legacy')
}

/** What a hook before ours looks at: nothing, or what Fastify keeps. */
const EARLY = { nothing: () => {}, originalUrl: (request: FastifyRequest) => request.originalUrl }

/** Where something reads it. */
const PLACES = ['handler', 'links', 'stream', 'preHandler', 'onSend', 'preSerialization', 'instance', 'error'] as const
/** Whether it reads it always, or for few requests. */
const CONDITIONS: Record<string, (request: FastifyRequest) => boolean> = {
  always: () => true,
  rarely: ({ query }) => (query as { rare?: string }).rare !== undefined,
  forOne: ({ headers }) => headers['x-account'] === 'v1'
}
/** What does not ask a request without a version for it. */
const PRESENCE = ['absent', 'clone', 'copied', 'deeper', 'entries', 'json', 'query', 'raw', 'reflected']

const CHANGES: Record<string, Change> = {
  adds: {
    version: 'v2',
    description: 'Rooms have beds.',
    schemas: {
      Thing: {
        older: { type: 'object', properties: { id: { type: 'integer' } } },
        downgrade: ({ more, ...rest }: { more: unknown }) => rest
      }
    }
  },
  alters: {
    version: 'v3',
    description: 'Numbers are texts.',
    schemas: {
      Thing: {
        older: { type: 'object', properties: { id: { type: 'integer' }, more: { type: 'integer' } } },
        downgrade: ({ id, more }: { id: string, more: number }) => ({ id: Number(id), more })
      }
    }
  },
  status: {
    version: 'v2',
    description: 'It has another status.',
    routes: { thing: { response: { 200: { status: 202 } } } }
  },
  hides: {
    version: 'v2',
    description: 'The number 7 is not special any more.',
    schemas: {
      Thing: {
        older: { type: 'object', properties: { id: { type: 'integer' }, more: { type: 'integer' } } },
        downgrade: ({ id, ...rest }: { id: number }) => ({ id: id === 7 ? 8 : id, ...rest })
      }
    }
  },
  surprises: {
    version: 'v2',
    description: 'Names are optional.',
    schemas: {
      Thing: {
        older: { type: 'object', properties: { id: { type: 'integer' }, more: { type: 'integer' } } },
        downgrade: ({ more, ...rest }: { more?: number }) => ({ more: more ?? -1, ...rest })
      }
    }
  }
}

const schemes = {
  header: HeaderVersioning,
  query: QueryParameterVersioning,
  path: URLPathVersioning,
  accept: AcceptHeaderVersioning,
  list: [HeaderVersioning, QueryParameterVersioning]
}

const routeArbitrary = fc.record({
  reader: fc.constantFrom(...Object.keys(READERS)),
  place: fc.constantFrom(...PLACES),
  condition: fc.constantFrom(...Object.keys(CONDITIONS)),
  hasSchema: fc.boolean(),
  split: fc.constantFrom(null, null, null, 'handler', 'options'),
  isFailing: fc.boolean(),
  hasEtag: fc.boolean()
})
const FATES = {
  deprecated: { deprecated: '2020-01-01' },
  ended: { deprecated: '2020-01-01', sunset: '2021-01-01' },
  none: null
}
const appArbitrary = fc.record({
  scheme: fc.constantFrom(...Object.keys(schemes) as (keyof typeof schemes)[]),
  change: fc.constantFrom(null, ...Object.keys(CHANGES)),
  defaultVersion: fc.constantFrom(null, 'v1'),
  isSilent: fc.boolean(),
  isLogged: fc.boolean(),
  hasDocuments: fc.boolean(),
  method: fc.constantFrom('GET' as const, 'GET' as const, 'HEAD' as const),
  fate: fc.constantFrom(...Object.keys(FATES) as (keyof typeof FATES)[]),
  early: fc.constantFrom(...Object.keys(EARLY) as (keyof typeof EARLY)[]),
  keeper: fc.constantFrom('nothing', 'nothing', 'nothing', 'version', 'header', 'url', 'query'),
  routes: fc.array(routeArbitrary, { minLength: 3, maxLength: 6 })
})
type Model = Generated<typeof appArbitrary>

async function appOf (model: Model): Promise<FastifyInstance> {
  const { scheme, change, defaultVersion, early, fate, hasDocuments, isLogged, keeper, routes } = model
  const app = Fastify({ logger: { level: 'silent' } })
  app.addHook('onRequest', async (request) => { EARLY[early](request) })
  await app.register(versioning, {
    scheme: schemes[scheme],
    defaultVersion,
    allowedVersions: VERSIONS,
    lifecycle: FATES[fate] === null ? {} : { v1: FATES[fate] },
    enforceSunset: true,
    logVersion: isLogged,
    changes: change === null ? [] : [CHANGES[change]]
  })
  if (hasDocuments) await app.register(openapi, { ui: false })
  await app.register(usage, { client: ({ headers }) => headers['x-account'] as string })
  app.addHook('preHandler', (request, reply, done) => storage.run(READERS[keeper](request, reply), done))
  app.addSchema({
    $id: 'Thing',
    type: 'object',
    properties: { id: { type: change === 'alters' ? 'string' : 'integer' }, more: { type: 'integer' } },
    examples: [{ id: change === 'alters' ? '7' : change === 'hides' ? 9 : 7, more: 1 }]
  })
  const prefix = scheme === 'path' ? '/:version' : ''
  app.get(`${prefix}/old`, { name: 'moved', version: 'v1' }, async () => 1)
  app.get(`${prefix}/new`, { name: 'moved', version: { from: 'v2' } }, async () => 1)
  app.get(`${prefix}/thing`, { name: 'thing', schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => (
    { id: 7, ...routes.length % 2 === 0 && { more: 1 } }
  ))
  await app.register(async (child) => {
    await child.register(versioning, { allowedVersions: ['v1'], defaultVersion: null, lifecycle: {}, changes: [] })
    child.get(`${prefix}/legacy`, { name: 'legacy' }, async () => 1)
  })
  for (const [i, route] of routes.entries()) {
    await app.register(async (child) => declare(child, `${prefix}/r${i}/:id`, `r${i}`, route))
  }
  await app.ready()
  return app
}

function declare (child: FastifyInstance, url: string, name: string, route: Model['routes'][number]): void {
  const { condition, hasEtag, hasSchema, isFailing, place, reader, split } = route
  const asks = CONDITIONS[condition]
  const say: Ask = (request, reply) => asks(request) ? READERS[reader](request, reply) : 'else'
  const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => (
    `${String(payload)} ${JSON.stringify(say(request, reply))}`
  )
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => {
    Object.assign(request, { said: say(request, reply) })
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isFailing && (request.query as { fail?: string }).fail !== undefined) throw new Error('Failed.')
    if (hasEtag) reply.header('etag', '"x"')
    if (place === 'stream') {
      return reply.type('text/plain').send(Readable.from(async function * () {
        yield 'said '
        yield JSON.stringify(say(request, reply)) ?? 'none'
      }()))
    }
    return { said: place === 'handler' ? say(request, reply) : (request as { said?: unknown }).said ?? 0 }
  }
  if (place === 'instance') child.addHook('preHandler', preHandler)
  if (place === 'error') {
    child.setErrorHandler(async (_error, request, reply) => ({ error: say(request as FastifyRequest, reply) }))
  }
  const links = async ({ query }: FastifyRequest, reply: FastifyReply) => {
    if (hasEtag) reply.header('location', reply.reverse('r0'))
    const pages = [1, 2]
    return {
      self: reply.reverse(null),
      links: [{ href: reply.reverse('r0') }],
      pages: pages.map((page) => ({ href: reply.reverse(null, null, { query: { page } }) })),
      rare: Object.hasOwn(query as object, 'rare') ? reply.reverse('r0') : null
    }
  }
  const options = {
    ...place === 'preHandler' && { preHandler },
    ...place === 'onSend' && { onSend },
    ...place === 'preSerialization' && {
      preSerialization: async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => (
        { payload, said: say(request, reply) }
      )
    },
    ...hasSchema && { schema: { querystring: { type: 'object', properties: { page: { type: 'integer' } } } } }
  }
  const first = { name, ...split !== null && { version: { to: 'v2' } }, ...options }
  child.get(url, first, place === 'links' ? links : handler)
  if (split === 'handler') child.get(url, { version: 'v3', ...options }, async () => 'v3')
  if (split === 'options') child.get(url, { version: 'v3', ...options, onSend }, handler)
}

/** Whether the clients of v1 specify no version. */
function isByDefault ({ defaultVersion, isSilent, scheme }: Model): boolean {
  return isSilent && defaultVersion === 'v1' && scheme !== 'path' && scheme !== 'accept'
}

/** Whether nothing shows that a route asks if there is a version: all clients whose requests it reads specify none. */
function isUnseen ({ keeper, scheme }: Model, { condition, reader }: Model['routes'][number]): boolean {
  // In a list, the others have it in the header.
  const isAlone = scheme === 'list' && (reader === 'stored' ? keeper : reader) === 'query'
  return reader === 'absent' || isAlone || (condition === 'forOne' && PRESENCE.includes(reader))
}

/** What comes back, if the stream did not break. Each client of a list of schemes has its own place. */
function ask (app: FastifyInstance, model: Model, url: string, version: string, query = '', account = 'all') {
  const isSilent = account === 'v1' && version === 'v1' && isByDefault(model)
  const scheme = isSilent ? 'none' : model.scheme !== 'list' ? model.scheme : account === 'v1' ? 'query' : 'header'
  const path = scheme === 'path' ? url.replace(':version', version) : url
  const params = new URLSearchParams(`${query}${scheme === 'query' ? `&version=${version}` : ''}`).toString()
  return app.inject({
    method: model.method,
    url: `${path.replace(':id', '7')}${params === '' ? '' : `?${params}`}`,
    headers: {
      'x-account': account,
      'if-none-match': '"y"',
      ...scheme === 'header' && { 'api-version': version },
      ...scheme === 'accept' && { accept: `application/json; version=${version}` }
    }
  }).catch((error: Error) => ({ statusCode: 0, headers: { 'content-type': null }, body: error.message }))
}

/** Links, and the Content-Type of a client that accepts a version, have the version itself. */
function normal (text: string, version: string, isLink: boolean): string {
  return isLink ? text.replaceAll(version, 'V') : text
}

function isWithin (before: unknown, after: unknown): boolean {
  if (typeof before !== 'object' || before === null) return before === after
  const fields = Object(after) as Record<string, unknown>
  return Object.entries(before).every(([name, value]) => isWithin(value, fields[name]))
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function checkApp (app: FastifyInstance, model: Model): Promise<number> {
  const prefix = model.scheme === 'path' ? '/:version' : ''
  const urls = ['thing', ...model.routes.map((_route, i) => `r${i}/:id`)].map((path) => `${prefix}/${path}`)
  for (const url of urls) {
    for (const version of VERSIONS) {
      for (let i = 0; i < WARM; i++) await ask(app, model, url, version, RARE[i] ?? '', version)
    }
  }
  let compared = 0
  for (const from of VERSIONS) {
    for (const to of VERSIONS.slice(VERSIONS.indexOf(from) + 1)) {
      const { unaffected } = await app.versionUsage.of(from, { to })
      for (const { url } of unaffected.filter(({ version }) => version === from)) {
        const route = model.routes[Number(/r(\d)/.exec(url)?.[1] ?? -1)] as Model['routes'][number] | undefined
        const reader = route?.reader ?? 'nothing'
        if (from === 'v1' && isByDefault(model) && route !== undefined && isUnseen(model, route)) continue
        for (const query of ['', 'rare=1', 'fail=1', 'rare=1&fail=1', 'page=x']) {
          const [before, after] = await Promise.all([from, to].map(async (version) => {
            const { statusCode, headers, body } = await ask(app, model, prefix + url, version, query, from)
            const type = normal(String(headers['content-type']), version, model.scheme === 'accept')
            const isLink = reader === 'link' || reader === 'self' || route?.place === 'links'
            return { head: `${statusCode} ${type}`, body: normal(body, version, isLink) }
          }))
          compared++
          if (before.head !== after.head || !isWithin(parsed(before.body), parsed(after.body))) {
            throw new Mismatch({ model, url, from, to, query }, before, after)
          }
        }
      }
    }
  }
  return compared
}

/**
 * The one fault that usage must not have: a client that is called movable, and would notice. Apps of any handlers,
 * hooks, changes and schemes are called, and every route that is then called unaffected is asked in both versions.
 */
export const movable: Fuzzer<Model> = {
  name: 'usage',
  batch: 12,
  cases: appArbitrary,
  async check (model) {
    const app = await appOf(model)
    try {
      return await checkApp(app, model)
    } finally {
      await app.close()
    }
  }
}
