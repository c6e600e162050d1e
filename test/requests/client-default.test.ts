import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DefaultByHeader, VersioningOptions, VersioningSource } from '../../types/index.d.ts'

const pins = new Map<string | null, string>([['a', 'v1'], ['b', 'v2'], ['none', 'v9']])
const byKey: DefaultByHeader = { header: 'X-API-Key', version: (key) => pins.get(key) }

const options: VersioningOptions = {
  scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: byKey
}

async function tell (request: FastifyRequest) {
  return String(request.version)
}

/** An app whose versions choose handlers. */
function choose (app: FastifyInstance, path = '/'): void {
  for (const version of ['v1', 'v2', 'v3']) {
    app.get(path, { version }, async (request) => `${version} ${request.version}`)
  }
}

async function ask (app: FastifyInstance, key: string | null, url = '/', headers = {}) {
  const named = key === null ? {} : { 'x-api-key': key }
  const { statusCode, body } = await app.inject({ url, headers: { ...named, ...headers } })
  return statusCode === 200 ? body : `${statusCode} ${JSON.parse(body).code}`
}

t.test('a client without its own version is refused, unless null is allowed', async (t) => {
  const app = await appWith(t, options)
  app.get('/', tell)
  t.equal(await ask(app, 'c'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  t.equal(await ask(app, null), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  const open = await appWith(t, { ...options, allowedVersions: [null, 'v1', 'v2'] })
  open.get('/', tell)
  t.equal(await ask(open, 'c'), 'null')
})

for (const isChosen of [false, true]) {
  const where = isChosen ? 'where versions choose' : 'where versions do not choose'

  t.test(`defaultVersion is called once for a request, ${where}, and not if it has a version`, async (t) => {
    const calls: unknown[] = []
    const app = await appWith(t, {
      ...options,
      defaultVersion: {
        header: 'x-api-key', version (...given) { calls.push(given.length, given[0]); return 'v2' }
      }
    })
    if (isChosen) choose(app)
    else app.get('/', tell)
    await ask(app, 'a')
    t.same(calls, [2, 'a'])
    await ask(app, null)
    t.same(calls, [2, 'a', 2, null])
    await ask(app, 'a', '/', { 'api-version': 'v1' })
    t.equal(calls.length, 4)
  })

  t.test(`a default version of a client that is not allowed is refused, ${where}`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, options)
    if (isChosen) choose(app)
    else app.get('/', tell)
    t.equal(await ask(app, 'none'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
    t.match(events, [{ version: null, requested: null, outcome: 'refused', reason: 'unsupported', place: null }])
  })

  const wrong = [['a number', 1], ['an object', {}]] as const
  for (const [what, value] of wrong) {
    t.test(`${what} as the default version of a client is logged and answered 500, ${where}`, async (t) => {
      const lines: string[] = []
      const defaultVersion: DefaultByHeader = { header: 'X-API-Key', version: () => value as never }
      const app = await appWith(t, { ...options, defaultVersion }, {
        logger: { level: 'error', stream: { write (line: string) { lines.push(line) } } }
      })
      if (isChosen) choose(app)
      else app.get('/', tell)
      const response = await app.inject('/')
      t.equal(response.statusCode, 500)
      t.match(response.json(), {
        code: 'FST_ERR_VERSION_INVALID',
        message: 'The option "defaultVersion" must return a string, null or undefined.'
      })
      t.ok(lines.some((line) => JSON.parse(line).value !== undefined))
      t.equal(await ask(app, null, '/', { 'api-version': 'v1' }), isChosen ? 'v1 v1' : 'v1')
    })
  }

  t.test(`a defaultVersion that throws is a 500, whatever the status of its error, ${where}`, async (t) => {
    const app = await appWith(t, {
      ...options,
      defaultVersion: { header: 'X-API-Key', version () { throw Object.assign(new Error('no'), { statusCode: 403 }) } }
    })
    if (isChosen) choose(app)
    else app.get('/', tell)
    const response = await app.inject('/')
    t.equal(response.statusCode, 500)
    t.notMatch(response.body, 'no"')
  })
}

t.test('a defaultVersion may return a promise where versions do not choose', async (t) => {
  const app = await appWith(t, {
    ...options, defaultVersion: { header: 'X-API-Key', version: async (key) => pins.get(key) }
  })
  app.get('/', tell)
  t.equal(await ask(app, 'a'), 'v1')
  t.equal(await ask(app, 'c'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  t.equal(await ask(app, 'none'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  const failing = await appWith(t, {
    ...options, defaultVersion: { header: 'X-API-Key', version: () => Promise.reject(new Error('x')) }
  })
  failing.get('/', tell)
  t.equal(await ask(failing, 'a'), '500 FST_ERR_VERSION_INVALID')
})

t.test('an async defaultVersion is refused at boot where versions choose, with advice', async (t) => {
  const app = await appWith(t, { ...options, defaultVersion: { header: 'X-API-Key', version: async () => 'v1' } })
  t.throws(() => choose(app), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "defaultVersion\.version": expected a function without a promise .+ in memory, or let a gateway/
  })
})

t.test('a defaultVersion that returns a promise is a 500 where versions choose', async (t) => {
  for (const version of [() => Promise.resolve('v1'), () => Promise.reject(new Error('x'))]) {
    const app = await appWith(t, { ...options, defaultVersion: { header: 'X-API-Key', version } })
    choose(app)
    t.equal(await ask(app, null), '500 FST_ERR_VERSION_INVALID')
    t.equal(await ask(app, null, '/', { 'api-version': 'v2' }), 'v2 v2')
  }
})

t.test('responses, including refusals, vary by the header of defaultVersion', async (t) => {
  const app = await appWith(t, options)
  choose(app)
  app.get('/plain', tell)
  for (const url of ['/', '/plain']) {
    for (const key of ['a', 'c']) {
      t.equal((await app.inject({ url, headers: { 'x-api-key': key } })).headers.vary, 'API-Version, X-API-Key')
    }
  }
  const query = await appWith(t, { ...options, scheme: QueryParameterVersioning })
  query.get('/', tell)
  t.equal((await query.inject('/')).headers.vary, 'X-API-Key')
})

t.test('a child context inherits the default version of a client, or overrides it', async (t) => {
  const app = await appWith(t, { ...options, scheme: new HeaderVersioning(options as object) })
  app.register(async (child) => {
    await child.register(versioning, { scheme: QueryParameterVersioning })
    child.get('/inherited', tell)
  })
  app.register(async (child) => {
    await child.register(versioning, { scheme: QueryParameterVersioning, defaultVersion: 'v3' })
    child.get('/fixed', tell)
  })
  app.register(async (child) => {
    await child.register(versioning, {
      scheme: QueryParameterVersioning, defaultVersion: { header: 'X-API-Key', version: () => 'v1' }
    })
    child.get('/own', tell)
  })
  app.get('/', tell)
  const answers = await Promise.all(['/', '/inherited', '/fixed', '/own'].map((url) => ask(app, 'b', url)))
  t.same(answers, ['v2', 'v2', 'v3', 'v1'])
})

interface Subject { scheme: VersioningSource | VersioningSource[], path?: string, url?: string, link: string }

const subjects: Record<string, Subject> = {
  accept: { scheme: AcceptHeaderVersioning, link: '/a' },
  contentType: { scheme: ContentTypeVersioning, link: '/a' },
  header: { scheme: HeaderVersioning, link: '/a' },
  host: { scheme: HostNameVersioning, link: '/a' },
  namespace: { scheme: NamespaceVersioning, link: '/a' },
  query: { scheme: QueryParameterVersioning, link: '/a?version=v2' },
  path: { scheme: URLPathVersioning, path: '/:version?', url: '/', link: '/' },
  list: { scheme: [QueryParameterVersioning, HeaderVersioning], link: '/a?version=v2' }
}

for (const [name, { scheme, path = '/a', url = '/a', link }] of Object.entries(subjects)) {
  t.test(`under ${name} the default version of a client is used without a version, and in links`, async (t) => {
    const app = await appWith(t, { ...options, scheme })
    app.get(path, { name: 'a' }, async (request, reply) => [request.version, reply.reverse()])
    t.equal(await ask(app, 'b', url), JSON.stringify(['v2', link]))
  })
}

for (const scheme of [AcceptHeaderVersioning, ContentTypeVersioning, HostNameVersioning, QueryParameterVersioning]) {
  t.test(`under ${scheme.name} the default version of a client chooses the handler`, async (t) => {
    const app = await appWith(t, { ...options, scheme })
    choose(app)
    t.equal(await ask(app, 'b'), 'v2 v2')
    t.equal((await app.inject({ method: 'HEAD', url: '/', headers: { 'x-api-key': 'b' } })).statusCode, 200)
  })
}

t.test('a header of defaultVersion named like a member of objects is absent', async (t) => {
  for (const header of ['constructor', '__proto__', 'toString']) {
    const seen: unknown[] = []
    const app = await appWith(t, {
      ...options, defaultVersion: { header, version (value) { seen.push(value); return 'v1' } }
    })
    app.get('/', tell)
    await app.inject('/')
    t.same(seen, [null])
  }
})

t.test('a usage event says that a default was used, of a client or fixed, and that nothing was sent', async (t) => {
  const events = usageEvents(t)
  for (const defaultVersion of [byKey, 'v1']) {
    const app = await appWith(t, { ...options, defaultVersion })
    choose(app)
    await ask(app, 'a')
    await ask(app, 'a', '/', { 'api-version': 'v1' })
  }
  const taken = { version: 'v1', requested: null, isDefault: true, place: null, outcome: 'ok', reason: null }
  const named = { version: 'v1', requested: 'v1', isDefault: false, place: 'header', outcome: 'ok', reason: null }
  t.match(events, [taken, named, taken, named])
})

t.test('under a list the default version of a client chooses the handler', async (t) => {
  const app = await appWith(t, { ...options, scheme: [QueryParameterVersioning, HeaderVersioning] })
  choose(app)
  t.equal(await ask(app, 'b'), 'v2 v2')
  t.equal(await ask(app, 'b', '/?version=v1'), 'v1 v1')
})

t.test('a link outside a request has no default version of a client', async (t) => {
  const app = await appWith(t, { ...options, scheme: [URLPathVersioning, HeaderVersioning] })
  app.get('/:version/a', { name: 'a' }, tell)
  await app.ready()
  t.throws(() => app.reverse('a'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('a', null, { version: 'v1' }), '/v1/a')
})

t.test('a path without a place for versions can be linked into the default version of the client alone', async (t) => {
  const app = await appWith(t, { ...options, scheme: URLPathVersioning })
  app.get('/a/:into', async ({ params }, reply) => reply.reverse(null, null, { version: Object(params).into }))
  t.equal(await ask(app, 'b', '/a/v2'), '/a/v2')
  t.equal(await ask(app, 'b', '/a/v1'), '500 FST_ERR_NO_REVERSE_MATCH')
})
