/**
 * The one fault that usage must not have: a client that is called movable, and would notice. Apps of any handlers,
 * hooks, changes and schemes are called, and every route that is then called unaffected is asked in both versions.
 */
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import usage from '../../src/usage/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

const VERSIONS = ['v1', 'v2', 'v3']
/** As many requests as must have been watched. */
const WARM = 100

/** What few requests ask for: what runs then must have run once. */
const RARE: Record<number, string> = { 40: 'rare=1', 50: 'fail=1', 60: 'rare=1&fail=1' }

type Ask = (request: FastifyRequest, reply: FastifyReply) => unknown

const versionOf = (text: unknown) => /v[123]/.exec(String(text))?.[0]
const service: Ask = (request) => request.version
const deeper: Ask = (request) => [request].map((one) => ({ ...one.headers })).map((headers) => headers['api-version'])

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
  raw: ({ raw }) => versionOf(Object.values(raw.headers).join()),
  url: ({ url }) => versionOf(url),
  originalUrl: ({ originalUrl }) => versionOf(originalUrl),
  rawUrl: ({ raw }) => versionOf(raw.url),
  query: ({ query }) => ({ ...query as object }),
  params: ({ params }) => ({ ...params as object }),
  scheme: (request) => request.versioningScheme?.determineVersion?.(request),
  retired: (_request, reply) => reply.getHeader('deprecation') ?? null,
  link: (_request, reply) => reply.reverse('r0'),
  self: (_request, reply) => reply.reverse(null),
  otherLink: (_request, reply) => reply.reverse('moved')
}

/** Where something reads it. */
const PLACES = ['handler', 'preHandler', 'onSend', 'preSerialization', 'instance', 'error'] as const
/** Whether it reads it always, or for few requests. */
const CONDITIONS: Record<string, (request: FastifyRequest) => boolean> = {
  always: () => true,
  rarely: ({ query }) => (query as { rare?: string }).rare !== undefined
}

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
  header: HeaderVersioning, query: QueryParameterVersioning, path: URLPathVersioning, accept: AcceptHeaderVersioning
}

const routeArbitrary = fc.record({
  reader: fc.constantFrom(...Object.keys(READERS)),
  place: fc.constantFrom(...PLACES),
  condition: fc.constantFrom(...Object.keys(CONDITIONS)),
  hasSchema: fc.boolean(),
  split: fc.constantFrom(null, null, null, 'handler', 'options'),
  isFailing: fc.boolean()
})
const appArbitrary = fc.record({
  scheme: fc.constantFrom(...Object.keys(schemes) as (keyof typeof schemes)[]),
  change: fc.constantFrom(null, ...Object.keys(CHANGES)),
  defaultVersion: fc.constantFrom(null, 'v1'),
  hasDocuments: fc.boolean(),
  routes: fc.array(routeArbitrary, { minLength: 3, maxLength: 6 })
})
type Model = typeof appArbitrary extends fc.Arbitrary<infer Value> ? Value : never

async function appOf (t: Test, model: Model): Promise<FastifyInstance> {
  const { scheme, change, defaultVersion, hasDocuments, routes } = model
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: schemes[scheme],
    defaultVersion,
    allowedVersions: VERSIONS,
    lifecycle: { v1: { deprecated: '2020-01-01' } },
    changes: change === null ? [] : [CHANGES[change]]
  })
  if (hasDocuments) await app.register(openapi, { ui: false })
  await app.register(usage, { client: ({ headers }) => headers['x-account'] as string })
  app.addSchema({
    $id: 'Thing',
    type: 'object',
    properties: { id: { type: change === 'alters' ? 'string' : 'integer' }, more: { type: 'integer' } },
    examples: [change === 'alters' ? { id: '7', more: 1 } : { id: 7, more: 1 }]
  })
  const prefix = scheme === 'path' ? '/:version' : ''
  app.get(`${prefix}/old`, { name: 'moved', version: 'v1' }, async () => 1)
  app.get(`${prefix}/new`, { name: 'moved', version: { from: 'v2' } }, async () => 1)
  app.get(`${prefix}/thing`, { name: 'thing', schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => (
    { id: 7, ...routes.length % 2 === 0 && { more: 1 } }
  ))
  for (const [i, route] of routes.entries()) {
    await app.register(async (child) => declare(child, `${prefix}/r${i}/:id`, `r${i}`, route))
  }
  await app.ready()
  return app
}

function declare (child: FastifyInstance, url: string, name: string, route: Model['routes'][number]): void {
  const { condition, hasSchema, isFailing, place, reader, split } = route
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
    return { said: place === 'handler' ? say(request, reply) : (request as { said?: unknown }).said ?? 0 }
  }
  if (place === 'instance') child.addHook('preHandler', preHandler)
  if (place === 'error') {
    child.setErrorHandler(async (_error, request, reply) => ({ error: say(request as FastifyRequest, reply) }))
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
  child.get(url, { name, ...split !== null && { version: { to: 'v2' } }, ...options }, handler)
  if (split === 'handler') child.get(url, { version: 'v3', ...options }, async () => 'v3')
  if (split === 'options') child.get(url, { version: 'v3', ...options, onSend }, handler)
}

function ask (app: FastifyInstance, { scheme }: Model, url: string, version: string, query = '', account = 'all') {
  const path = scheme === 'path' ? url.replace(':version', version) : url
  const params = new URLSearchParams(`${query}${scheme === 'query' ? `&version=${version}` : ''}`).toString()
  return app.inject({
    url: `${path.replace(':id', '7')}${params === '' ? '' : `?${params}`}`,
    headers: {
      'x-account': account,
      ...scheme === 'header' && { 'api-version': version },
      ...scheme === 'accept' && { accept: `application/json; version=${version}` }
    }
  })
}

/** Links, and the Content-Type of a client that accepts a version, have the version itself. */
function normal (text: string, version: string, isLink: boolean): string {
  return isLink ? text.replaceAll(version, 'V') : text
}

function isWithin (one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === other
  return Object.entries(one).every(([name, value]) => isWithin(value, (Object(other) as Record<string, unknown>)[name]))
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

t.test('a route that is called unaffected answers the same in both versions', async (t) => {
  let unaffected = 0
  await fc.assert(fc.asyncProperty(appArbitrary, async (model) => {
    const app = await appOf(t, model)
    const prefix = model.scheme === 'path' ? '/:version' : ''
    const urls = ['thing', ...model.routes.map((_route, i) => `r${i}/:id`)].map((path) => `${prefix}/${path}`)
    for (const url of urls) {
      for (const version of VERSIONS) {
        for (let i = 0; i < WARM; i++) await ask(app, model, url, version, RARE[i] ?? '', version)
      }
    }
    for (const from of VERSIONS) {
      for (const to of VERSIONS.slice(VERSIONS.indexOf(from) + 1)) {
        const { unaffected: equal } = await app.versionUsage.of(from, { to })
        for (const { url, version } of equal.filter(({ version }) => version === from)) {
          unaffected++
          const i = Number(/r(\d)/.exec(url)?.[1] ?? -1)
          const isLink = model.routes[i]?.reader === 'link' || model.routes[i]?.reader === 'self'
          for (const query of ['', 'rare=1', 'fail=1', 'rare=1&fail=1', 'page=x']) {
            const [one, other] = await Promise.all([version, to].map((version) => (
              ask(app, model, prefix + url, version, query)
            )))
            const [was, is] = [one, other].map(({ body }, i) => parsed(normal(body, [version, to][i], isLink)))
            const [type, otherType] = [one, other].map(({ headers }, i) => (
              normal(String(headers['content-type']), [version, to][i], model.scheme === 'accept')
            ))
            const isSame = one.statusCode === other.statusCode && type === otherType && isWithin(was, is)
            if (!isSame) throw new Error(`${url} ${version} ${to} ${query}: ${one.body} ${other.body}`)
          }
        }
      }
    }
    await app.close()
  }), { numRuns: tries(12) })
  t.ok(unaffected > 0, `${unaffected} routes`)
})
