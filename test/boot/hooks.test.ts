import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'

import type {
  FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler, RouteOptions,
  RouteShorthandOptions
} from 'fastify'

/** The hooks of a request in their order. */
const HOOKS = [
  'onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onResponse'
] as const

type Hook = typeof HOOKS[number] | 'onError'
type Hooks = Partial<Record<Hook, (request: FastifyRequest) => Promise<void>>>

class SlowVersioning extends BaseVersioning {
  override async determineVersion (request: FastifyRequest): Promise<string | null> {
    await setImmediate()
    return this.permit((request.query as { version?: string }).version)
  }
}

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...settings }

function addHooks (app: FastifyInstance, hooks: Hooks): void {
  // `addHook` has an overload for each name, and none for all of them.
  for (const [name, hook] of Object.entries(hooks)) app.addHook(name as 'onRequest', hook)
}

function stateOf ({ version, versioningScheme }: FastifyRequest): object {
  return { version, scheme: versioningScheme?.constructor.name ?? null }
}

const hello = async () => ({ hello: 'world' })

/** What hooks knew of a request when the last of them has run. */
async function seenBy (app: FastifyInstance, named: string, add: (hooks: Hooks) => unknown): Promise<object[]> {
  const noted: object[] = []
  const events = new EventEmitter()
  const spy = (hook: Hook) => async (request: FastifyRequest) => {
    noted.push({ hook, ...stateOf(request) })
    if (hook === 'onResponse') events.emit('response')
  }
  await add(Object.fromEntries([...HOOKS, 'onError' as const].map((name) => [name, spy(name)])))
  await Promise.all([
    once(events, 'response'), app.inject({ method: 'POST', url: `/?version=${named}`, payload: {} })
  ])
  return noted
}

const inContext = (app: FastifyInstance, hooks: Hooks) => app.register(async (scope) => {
  await scope.register(versioning, { defaultVersion: 'v2' })
  addHooks(scope, hooks)
  scope.post('/', hello)
})

const spots: [where: string, add: (app: FastifyInstance, hooks: Hooks) => unknown][] = [
  ['the app, around a context with its own default,', (app, hooks) => {
    addHooks(app, hooks)
    inContext(app, {})
  }],
  ['a context', inContext],
  ['a route', (app, hooks) => app.post('/', hooks as RouteShorthandOptions, hello)]
]

for (const [where, add] of spots) {
  for (const scheme of [QueryParameterVersioning, SlowVersioning]) {
    t.test(`hooks of ${where} see the version by ${scheme.name}, or none after its refusal`, async (t) => {
      for (const [named, names, version] of [
        ['v2', HOOKS, 'v2'], ['v9', ['onError', 'onSend', 'onResponse'], null]
      ] as const) {
        const app = await appWith(t, { scheme, ...settings })
        const seen = await seenBy(app, named, (hooks) => add(app, hooks))
        t.same(seen, names.map((hook) => ({ hook, version, scheme: scheme.name })))
      }
    })
  }
}

t.test('hooks registered before the plugin know the version, except onRequest', async (t) => {
  const app = bareApp(t)
  const seen = await seenBy(app, 'v2', async (hooks) => {
    addHooks(app, hooks)
    await app.register(versioning, byQuery)
    app.post('/', hello)
  })
  t.same(seen, HOOKS.map((hook) => (
    { hook, ...hook === 'onRequest' ? { version: null, scheme: null } : { version: 'v2', scheme: byQuery.scheme.name } }
  )))
})

type Compiler = NonNullable<RouteOptions['serializerCompiler']>
const strict = { type: 'object', required: ['bookingId'], properties: { bookingId: { type: 'string' } } }
const compiled: Compiler = () => (body) => JSON.stringify({ compiled: true, ...body as object })

/** The compilers of a context and of a route, and whether one of them serializes the body of the app's own 404. */
const compilers: [of: string, isCompiled: boolean, ofContext?: Compiler | null, ofRoute?: Compiler][] = [
  ['Fastify', false],
  ['the context', true, compiled],
  ['the route', true, null, compiled],
  ['the route, before the context', true, () => () => 'never', compiled]
]

/** What an error handler makes of a refusal, and whether that is the app's own 404. */
const handlers: [says: string, isOwn: boolean, handle?: (error: FastifyError, reply: FastifyReply) => unknown][] = [
  ['no error handler', false],
  ['one that sends the error', false, (error, reply) => reply.send(error)],
  ['one that throws the error', false, (error) => { throw error }],
  ['one that answers', true, (_error, reply) => reply.code(404).send({ bookingId: '7' })]
]

for (const status of ['404', '4xx', '4XX', 'default']) {
  for (const [of, isCompiled, ofContext, ofRoute] of compilers) {
    t.test(`a response schema of ${status} compiled by ${of} is not for refusals`, async (t) => {
      for (const [says, isOwn, handle] of handlers) {
        const app = bareApp(t)
        // Hooks of routes that read the options, and add their own.
        app.addHook('onRoute', (route) => { route.onSend = [route.onSend ?? []].flat() })
        await app.register(versioning, { ...byQuery, defaultVersion: null })
        app.addHook('onRoute', (route) => {
          if (Array.isArray(route.onSend)) route.onSend.push(async () => {})
          route.serializerCompiler = route.serializerCompiler as FastifySchemaCompiler<unknown> & Compiler
        })
        // Its compiler does not know the schemas of the context below.
        app.get('/parent', { schema: { response: { [status]: strict } } }, ok)
        await app.register(async (context) => {
          context.addSchema({ $id: 'NotFound', ...strict })
          if (ofContext) context.setSerializerCompiler(ofContext)
          if (handle) context.setErrorHandler<FastifyError>((error, _request, reply) => handle(error, reply))
          for (const url of ['/a', '/b']) {
            context.get(url, {
              schema: { response: { [status]: { $ref: 'NotFound#' } } },
              ...ofRoute && { serializerCompiler: ofRoute }
            }, async (_request, reply) => reply.code(404).send({ bookingId: '7' }))
          }
        })
        const body = { bookingId: '7', ...isCompiled && { compiled: true } }
        for (const url of ['/a', '/b']) {
          t.same((await app.inject(`${url}?version=v1`)).json(), body, says)
          const refused = await app.inject(`${url}?version=v9`)
          t.equal(refused.statusCode, 404, says)
          t.same(refused.json(), isOwn ? body : places.query.refusal, says)
          const head = await app.inject({ method: 'HEAD', url: `${url}?version=v9` })
          t.same([head.statusCode, head.headers['content-length']], [404, refused.headers['content-length']], says)
        }
      }
    })
  }
}

t.test('a refusal by the default version of a client names the header of that default', async (t) => {
  const defaultVersion = { header: 'X-Key', version: () => 'v9' }
  const message = 'The default version by the "X-Key" header is not allowed. Versions: v1, v2.'
  for (const [scheme, headers, expected] of [
    [HeaderVersioning, {}, message],
    [[HeaderVersioning, QueryParameterVersioning], {}, message],
    [HeaderVersioning, { 'api-version': 'v9' }, 'Invalid version in "API-Version" header. Versions: v1, v2.'],
    [QueryParameterVersioning, {}, 'Invalid version in query parameter.']
  ] as const) {
    const app = await appWith(t, { ...settings, scheme: scheme as never, defaultVersion })
    app.get('/', ok)
    t.equal((await app.inject({ url: '/', headers })).json().message, expected)
  }
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
