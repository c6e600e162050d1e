import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions, RouteShorthandOptions } from 'fastify'

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

const NOTHING = { version: null, scheme: null }
const tellState = async (_error: Error, request: FastifyRequest) => stateOf(request)
const broken = async () => { throw new Error('broken') }

/** Hooks that note what they know of the request, and a promise of all of it once the last of them has run. */
function spies (): { hooks: Hooks, seen: Promise<object[]> } {
  const noted: object[] = []
  const events = new EventEmitter()
  const spy = (hook: Hook) => async (request: FastifyRequest) => {
    noted.push({ hook, ...stateOf(request) })
    if (hook === 'onResponse') events.emit('response')
  }
  return {
    hooks: Object.fromEntries([...HOOKS, 'onError' as const].map((name) => [name, spy(name)])),
    seen: once(events, 'response').then(() => noted)
  }
}

const hello = async () => ({ hello: 'world' })
const post = (app: FastifyInstance, named: string) => (
  app.inject({ method: 'POST', url: `/?version=${named}`, payload: {} })
)

const addToApp = (app: FastifyInstance, hooks: Hooks) => {
  addHooks(app, hooks)
  app.post('/', hello)
}

const places: [where: string, add: (app: FastifyInstance, hooks: Hooks) => unknown][] = [
  ['of the app', addToApp],
  ['of a context', (app, hooks) => app.register(async (scope) => addToApp(scope, hooks))],
  ['of the app, around a context with its own scheme,', (app, hooks) => {
    addHooks(app, hooks)
    app.register(async (scope) => {
      await scope.register(versioning, { defaultVersion: 'v2' })
      scope.post('/', hello)
    })
  }],
  ['of a route', (app, hooks) => app.post('/', hooks as RouteShorthandOptions, hello)]
]

const outcomes: [says: string, named: string, hooks: readonly Hook[], version: string | null][] = [
  ['every hook %s knows the version of', 'v2', HOOKS, 'v2'],
  ['the remaining hooks %s see no version after a refusal by', 'v9', ['onError', 'onSend', 'onResponse'], null]
]

for (const [where, add] of places) {
  for (const scheme of [QueryParameterVersioning, SlowVersioning]) {
    for (const [says, named, names, version] of outcomes) {
      t.test(`${says.replace('%s', where)} ${scheme.name}`, async (t) => {
        const app = await appWith(t, { scheme, ...settings })
        const { hooks, seen } = spies()
        add(app, hooks)
        await post(app, named)
        t.same(await seen, names.map((hook) => ({ hook, version, scheme: scheme.name })))
      })
    }
  }
}

t.test('hooks registered before the plugin know the version, except onRequest', async (t) => {
  const app = bareApp(t)
  const { hooks, seen } = spies()
  addHooks(app, hooks)
  await app.register(versioning, byQuery)
  app.post('/', hello)
  await post(app, 'v2')
  t.same(await seen, HOOKS.map((hook) => (
    { hook, ...hook === 'onRequest' ? NOTHING : { version: 'v2', scheme: 'QueryParameterVersioning' } }
  )))
})

for (const scheme of [QueryParameterVersioning, SlowVersioning]) {
  t.test(`error handlers of apps, contexts and routes know what ${scheme.name} determined or refused`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler(tellState)
    app.get('/app', broken)
    app.get('/route', { errorHandler: tellState }, broken)
    app.register(async (scope) => {
      scope.setErrorHandler((error) => { throw error })
      scope.get('/context', broken)
    })
    for (const url of ['/app', '/route', '/context']) {
      t.same((await app.inject(`${url}?version=v2`)).json(), { version: 'v2', scheme: scheme.name })
      t.same((await app.inject(`${url}?version=v9`)).json(), { version: null, scheme: scheme.name })
    }
  })
}

const mishaps: [says: string, hooks: Hooks, request: InjectOptions, message: string][] = [
  ...HOOKS.slice(0, -1).map((hook): typeof mishaps[number] => [`in ${hook}`, { [hook]: broken }, {}, 'broken']),
  ['of a body that is not JSON', {}, { payload: '{' }, 'Body is not valid JSON'],
  ['of a body that is not valid', {}, { payload: '7' }, 'body must be object'],
  ['of a media type without a parser', {}, { payload: '', headers: { 'content-type': 'text/csv' } }, 'Unsupported']
]

for (const [says, hooks, request, message] of mishaps) {
  t.test(`an error handler knows the version for an error ${says}`, async (t) => {
    const app = await appWith(t, { scheme: SlowVersioning, ...settings })
    const seen: object[] = []
    addHooks(app, hooks)
    app.setErrorHandler<Error>(async (error, request) => {
      seen.push({ ...stateOf(request), message: error.message })
      throw error
    })
    app.post('/', { schema: { body: { type: 'object' } } }, hello)
    const headers = { 'content-type': 'application/json' }
    await app.inject({ method: 'POST', url: '/?version=v2', payload: {}, headers, ...request })
    t.match(seen[0], { version: 'v2', scheme: 'SlowVersioning', message })
  })
}

t.test('an error of a hook before the plugin has neither version nor scheme', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', broken)
  await app.register(versioning, byQuery)
  app.setErrorHandler(tellState)
  app.get('/', hello)
  t.same((await app.inject('/?version=v9')).json(), NOTHING)
})

t.test('an error handler of the app sees the scheme of the route or the context that refused', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler(tellState)
  app.register(async (scope) => {
    await scope.register(versioning, { scheme: AcceptHeaderVersioning })
    scope.get('/', hello)
  })
  app.get('/route', { versioning: new AcceptHeaderVersioning({ allowedVersions: ['v7'] }) }, hello)
  for (const url of ['/?version=v2', '/route?version=v2']) {
    const response = await app.inject({ url, headers: { accept: 'application/json; version=v9' } })
    t.same(response.json(), { version: null, scheme: 'AcceptHeaderVersioning' })
  }
})

t.test('links follow an onRoute hook that was added before the plugin', async (t) => {
  const app = bareApp(t)
  app.addHook('onRoute', (route) => { route.url = route.url.replace('bookings', 'journeys') })
  await app.register(versioning)
  app.get('/bookings/:id', { name: 'booking' }, async (_request, reply) => (
    [reply.reverse('booking', [7]), reply.reverse()]
  ))
  t.same((await app.inject('/journeys/7')).json(), ['/journeys/7', '/journeys/7'])
})

t.test('an option that the scheme of an earlier route cannot have is an error', async (t) => {
  const app = await appWith(t, { scheme: null })
  app.register(async (context) => {
    context.get('/a', { versioning: new QueryParameterVersioning({ allowedVersions: ['a,b'] }) }, async () => 'ok')
    await context.register(versioning, { reportVersions: true })
  })
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION' })
})
