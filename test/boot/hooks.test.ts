import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'

import type {
  FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler, RouteOptions, RouteShorthandOptions
} from 'fastify'

/** The hooks of a request in their order. */
const HOOKS = [
  'onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onResponse'
] as const

class SlowVersioning extends BaseVersioning {
  override async determineVersion (request: FastifyRequest): Promise<string | null> {
    await setImmediate()
    return this.permit((request.query as { version?: string }).version)
  }
}

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...settings }
type Seen = [where: string, hook: string, version: string | null, scheme: string | null]

/** Hooks of each name that note what they know of the request. */
function spies (where: string, seen: Seen[]) {
  return Object.fromEntries([...HOOKS, 'onError' as const].map((hook) => [
    hook, async ({ version, versioningScheme }: FastifyRequest) => {
      seen.push([where, hook, version, versioningScheme?.constructor.name ?? null])
    }
  ]))
}

function addSpies (app: FastifyInstance, where: string, seen: Seen[]): void {
  // `addHook` has an overload for each name, and none for all of them.
  for (const [name, hook] of Object.entries(spies(where, seen))) app.addHook(name as 'onRequest', hook)
}

async function ask (app: FastifyInstance, version: string): Promise<void> {
  await app.inject({ method: 'POST', url: `/?version=${version}`, payload: {} })
  // For onResponse.
  await setImmediate()
}

for (const scheme of [QueryParameterVersioning, SlowVersioning]) {
  t.test(`hooks of apps, contexts and routes see the version by ${scheme.name}, or none if refused`, async (t) => {
    const seen: Seen[] = []
    const app = await appWith(t, { scheme, ...settings })
    addSpies(app, 'app', seen)
    app.register(async (context) => {
      await context.register(versioning, { defaultVersion: 'v2' })
      addSpies(context, 'context', seen)
      context.post('/', spies('route', seen) as RouteShorthandOptions, async () => ({ hello: 'world' }))
    })
    for (const [named, names, version] of [
      ['v2', HOOKS, 'v2'], ['v9', ['onError', 'onSend', 'onResponse'], null]
    ] as const) {
      seen.length = 0
      await ask(app, named)
      t.same(seen, names.flatMap((hook) => (
        ['app', 'context', 'route'].map((where): Seen => [where, hook, version, scheme.name])
      )))
    }
  })
}

t.test('hooks registered before the plugin know the version, except onRequest', async (t) => {
  const app = bareApp(t)
  const seen: Seen[] = []
  addSpies(app, 'app', seen)
  await app.register(versioning, byQuery)
  app.post('/', async () => ({ hello: 'world' }))
  await ask(app, 'v2')
  t.same(seen, HOOKS.map((hook) => (
    ['app', hook, ...hook === 'onRequest' ? [null, null] : ['v2', 'QueryParameterVersioning']]
  )))
})

type Compiler = NonNullable<RouteOptions['serializerCompiler']>
const strict = { type: 'object', required: ['bookingId'], properties: { bookingId: { type: 'string' } } }
const forMediaType = (type: string, schema: object) => ({ content: { [type]: { schema } } })

/** Response schemas that would apply to refusals. */
const responses: [of: string, responseOf: (schema: object) => object][] = [
  ...['4xx', '4XX', 'default'].map((status): typeof responses[number] => [status, (schema) => ({ [status]: schema })]),
  ['404 next to another status', (schema) => ({ 200: { type: 'string' }, 404: schema })],
  ['a media type', (schema) => ({ 404: forMediaType('application/json', schema) })],
  ['all media types', (schema) => ({ default: forMediaType('*/*', schema) })]
]
const compiled: Compiler = () => (body) => JSON.stringify({ compiled: true, ...body as object })

/** The compilers of a context and of a route, and whether one of them serializes the body of the app's own 404. */
const compilers: [of: string, isCompiled: boolean, ofContext?: Compiler | null, ofRoute?: Compiler][] = [
  ['Fastify', false],
  ['the context', true, compiled],
  ['the route', true, null, compiled],
  ['the route, before the context', true, () => () => 'never', compiled]
]

for (const [status, responseOf] of responses) {
  for (const [of, isCompiled, ofContext, ofRoute] of compilers) {
    t.test(`a response schema of ${status} compiled by ${of} is not for refusals`, async (t) => {
      const app = bareApp(t)
      // Hooks of routes that read the options, and add their own.
      app.addHook('onRoute', (route) => { route.onSend = [route.onSend ?? []].flat() })
      await app.register(versioning, { ...byQuery, defaultVersion: null })
      app.addHook('onRoute', (route) => {
        if (Array.isArray(route.onSend)) route.onSend.push(async () => {})
        if (route.url === '/late') route.schema = { response: responseOf({ $ref: 'NotFound#' }) }
        route.serializerCompiler = route.serializerCompiler as FastifySchemaCompiler<unknown> & Compiler
      })
      // Its compiler does not know the schemas of the context below.
      app.get('/parent', { schema: { response: responseOf(strict) } }, ok)
      const own = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(404).send({ bookingId: '7' })
      await app.register(async (context) => {
        context.addSchema({ $id: 'NotFound', ...strict })
        const compiler = ofRoute && { serializerCompiler: ofRoute }
        const options = { schema: { response: responseOf({ $ref: 'NotFound#' }) }, ...compiler }
        for (const url of ['/a', '/b']) context.get(url, options, own)
        context.get('/late', { ...compiler }, own)
        context.get('/passed', { ...options, errorHandler: (error, _request, reply) => { reply.send(error) } }, own)
        context.get('/handled', { ...options, errorHandler: (_error, ...sent) => own(...sent) }, own)
        if (ofContext) context.setSerializerCompiler(ofContext)
      })
      const body = { bookingId: '7', ...isCompiled && { compiled: true } }
      for (const url of ['/a', '/b', '/late', '/passed', '/handled']) {
        t.same((await app.inject(`${url}?version=v1`)).json(), body, url)
        const refused = await app.inject(`${url}?version=v9`)
        t.equal(refused.statusCode, 404, url)
        t.same(refused.json(), url === '/handled' ? body : places.query.refusal, url)
        const head = await app.inject({ method: 'HEAD', url: `${url}?version=v9` })
        t.same([head.statusCode, head.headers['content-length']], [404, refused.headers['content-length']], url)
      }
    })
  }
}

t.test('a refusal by the default version of a client names the header of that default', async (t) => {
  const defaultVersion = { header: 'X-Key', version: () => 'v9' }
  const message = 'The version that belongs to your "X-Key" header is not available. Send one of these in the ' +
    '"API-Version" header: v1, v2.'
  for (const [scheme, headers, expected] of [
    [HeaderVersioning, {}, message],
    [[HeaderVersioning, QueryParameterVersioning], {}, message],
    [HeaderVersioning, { 'api-version': 'v9' }, 'Invalid version in "API-Version" header. Versions: v1, v2.'],
    [QueryParameterVersioning, {}, places.query.refusal.message]
  ] as const) {
    const app = await appWith(t, { ...settings, scheme: scheme as never, defaultVersion })
    app.get('/', ok)
    t.equal((await app.inject({ url: '/', headers })).json().message, expected)
  }
})

t.test('a refusal by the default version of a client has no list of versions if the app has none', async (t) => {
  class Odd extends HeaderVersioning {
    override isAllowedVersion (version: string | null) { return version !== 'v9' }
  }
  const app = await appWith(t, { scheme: Odd, defaultVersion: { header: 'X-Key', version: () => 'v9' } })
  app.get('/', ok)
  const { message } = (await app.inject('/')).json()
  t.equal(message, 'The version that belongs to your "X-Key" header is not available.')
})

t.test('different versions in a namespace that is not allowed are refused, and none of them is named', async (t) => {
  const app = await appWith(t, { ...byQuery, scheme: [NamespaceVersioning, HeaderVersioning] })
  for (const namespace of ['v0', 'v1']) {
    app.register(async (context) => { context.get('/', ok) }, { prefix: `/${namespace}`, namespace })
  }
  for (const [url, end] of [['/v0', '"API-Version" header.'], ['/v1', '"API-Version" header. Versions: v1.']]) {
    const { code, message } = (await app.inject({ url, headers: { 'api-version': 'v2' } })).json()
    t.equal(code, 'FST_ERR_VERSION_AMBIGUOUS')
    t.ok(message.endsWith(end), message)
  }
})

t.test('an option that the scheme of an earlier route cannot have is an error', async (t) => {
  const app = await appWith(t, { scheme: null })
  app.register(async (context) => {
    context.get('/a', { versioning: new QueryParameterVersioning({ allowedVersions: ['a,b'] }) }, ok)
    await context.register(versioning, { reportVersions: true })
  })
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION' })
})
