import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, tell, versionOf } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { DefaultByHeader, VersioningOptions } from '../../types/index.d.ts'

const pins = new Map<string | null, string>([['a', 'v1'], ['b', 'v2'], ['none', 'v9']])
const byKey = (version: unknown) => ({ header: 'X-API-Key', version }) as DefaultByHeader
const options: VersioningOptions = {
  scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: byKey((key: string) => pins.get(key))
}
const REFUSED = '400 FST_ERR_VERSION_NOT_SUPPORTED'
const BROKEN = '500 FST_ERR_VERSION_INVALID'

/** A route `/`, or one for each version. */
async function appThat (t: Test, isChosen: boolean, own: VersioningOptions = {}, server = {}) {
  const app = await appWith(t, { ...options, ...own }, server)
  for (const version of isChosen ? ['v1', 'v2', 'v3'] : [undefined]) {
    app.get('/', { version }, async (request) => (
      version === undefined || version === request.version ? String(request.version) : 'another'
    ))
  }
  return app
}

const ask = (app: FastifyInstance, key: string | null, url = '/', version: string | null = null) => (
  versionOf(app, {
    url, headers: { ...key !== null && { 'x-api-key': key }, ...version !== null && { 'api-version': version } }
  })
)

/** What the function `version` does, and whether the log has the value. */
const broken: [what: string, version: () => unknown, isLogged?: true][] = [
  ['returns a number', () => 1, true],
  ['returns an object', () => ({}), true],
  ['throws, whatever the status of its error', () => { throw Object.assign(new Error('no'), { statusCode: 403 }) }]
]

t.test('a client without its own version has null, if that is allowed', async (t) => {
  t.equal(await ask(await appThat(t, false, { allowedVersions: [null, 'v1', 'v2'] }), 'c'), 'null')
})

for (const isChosen of [false, true]) {
  const where = isChosen ? 'where versions choose' : 'where versions do not choose'

  t.test(`defaultVersion is called once for a request, ${where}, and not if it has a version`, async (t) => {
    const calls: unknown[] = []
    const version = (...given: unknown[]) => {
      calls.push(given.length, given[0])
      return 'v2'
    }
    const app = await appThat(t, isChosen, { defaultVersion: byKey(version) })
    t.equal(await ask(app, 'a'), 'v2')
    t.same(calls, [2, 'a'])
    t.equal(await ask(app, null), 'v2')
    t.same(calls, [2, 'a', 2, null])
    t.equal(await ask(app, 'a', '/', 'v1'), 'v1')
    t.equal(calls.length, 4)
  })

  t.test(`a default version of a client that is not allowed is refused, ${where}`, async (t) => {
    const events = usageEvents(t)
    t.equal(await ask(await appThat(t, isChosen), 'none'), REFUSED)
    t.match(events, [{ version: null, requested: null, outcome: 'refused', reason: 'unsupported', place: null }])
  })

  for (const [what, version, isLogged = false] of broken) {
    t.test(`a defaultVersion that ${what} is a 500, ${where}`, async (t) => {
      const lines: string[] = []
      const logger = { level: 'error', stream: { write (line: string) { lines.push(line) } } }
      const app = await appThat(t, isChosen, { defaultVersion: byKey(version) }, { logger })
      t.same((await app.inject('/')).json(), {
        statusCode: 500,
        code: 'FST_ERR_VERSION_INVALID',
        error: 'Internal Server Error',
        message: 'The option "defaultVersion" must return a string, null or undefined.'
      })
      if (isLogged) t.ok(lines.some((line) => JSON.parse(line).value !== undefined))
      t.equal(await ask(app, null, '/', 'v1'), 'v1')
    })
  }

  t.test(`responses, including refusals, vary by the header of defaultVersion, ${where}`, async (t) => {
    for (const [scheme, vary] of [
      [HeaderVersioning, 'API-Version, X-API-Key'], [QueryParameterVersioning, 'X-API-Key']
    ] as const) {
      const app = await appThat(t, isChosen, { scheme })
      for (const key of ['a', 'c']) {
        t.equal((await app.inject({ url: '/', headers: { 'x-api-key': key } })).headers.vary, vary)
      }
    }
  })
}

t.test('a defaultVersion may return a promise where versions do not choose', async (t) => {
  const app = await appThat(t, false, { defaultVersion: byKey(async (key: string) => pins.get(key)) })
  const events = usageEvents(t)
  t.equal(await ask(app, 'a'), 'v1')
  t.equal(await ask(app, 'c'), REFUSED)
  t.equal(await ask(app, 'none'), REFUSED)
  t.same(events.map(({ version, requested, isDefault, reason }) => [version, requested, isDefault, reason]), [
    ['v1', null, true, null], [null, null, false, 'missing'], [null, null, false, 'unsupported']
  ])
  const failing = await appThat(t, false, { defaultVersion: byKey(() => Promise.reject(new Error('x'))) })
  t.equal(await ask(failing, 'a'), BROKEN)
})

t.test('a defaultVersion that returns a promise is a 500 where versions choose', async (t) => {
  for (const version of [() => Promise.resolve('v1'), () => Promise.reject(new Error('x'))]) {
    const app = await appThat(t, true, { defaultVersion: byKey(version) })
    t.equal(await ask(app, null), BROKEN)
    t.equal(await ask(app, null, '/', 'v2'), 'v2')
  }
})

t.test('a scheme that is asynchronous may have a default version for each client, also where versions choose',
  async (t) => {
    class Slow extends HeaderVersioning {
      override async determineVersion (request: FastifyRequest) {
        return await this.permit(this.readVersion(request), request)
      }
    }
    const app = await appThat(t, true, { scheme: Slow })
    t.equal(await ask(app, 'a', '/', 'v2'), 'v2')
    t.equal(await ask(app, 'a'), 'v1')
    const waiting = await appThat(t, true, { scheme: Slow, defaultVersion: byKey(() => Promise.resolve('v1')) })
    t.equal(await ask(waiting, 'a', '/', 'v2'), 'v2')
    t.equal(await ask(waiting, 'a'), BROKEN)
  }
)

t.test('a child context inherits the default version of a client, or overrides it', async (t) => {
  const app = await appWith(t, { ...options, scheme: new HeaderVersioning(options as object) })
  app.get('/', tell)
  const answers = ['/', '/inherited', '/fixed', '/own']
  for (const [i, own] of [{}, { defaultVersion: 'v3' }, { defaultVersion: byKey(() => 'v1') }].entries()) {
    app.register(async (child) => {
      await child.register(versioning, { scheme: QueryParameterVersioning, ...own })
      child.get(answers[i + 1], tell)
    })
  }
  t.same(await Promise.all(answers.map((url) => ask(app, 'b', url))), ['v2', 'v2', 'v3', 'v1'])
})

t.test('under a list the default version of a client chooses, also for HEAD', async (t) => {
  const app = await appThat(t, true, { scheme: [QueryParameterVersioning, HeaderVersioning] })
  t.equal(await ask(app, 'b'), 'v2')
  t.equal(await ask(app, 'b', '/?version=v1'), 'v1')
  t.equal((await app.inject({ method: 'HEAD', url: '/', headers: { 'x-api-key': 'b' } })).statusCode, 200)
})

t.test('a header of defaultVersion named like a member of objects is absent', async (t) => {
  for (const header of ['constructor', '__proto__', 'toString']) {
    const seen: unknown[] = []
    const defaultVersion = { header, version: (value: unknown) => { seen.push(value); return 'v1' } }
    t.equal(await ask(await appThat(t, false, { defaultVersion }), 'a'), 'v1')
    t.same(seen, [null])
  }
})

t.test('a path without a place has links into the default version of the client, in its request alone', async (t) => {
  const app = await appWith(t, { ...options, scheme: [URLPathVersioning, HeaderVersioning] })
  app.get('/:version/a', { name: 'a' }, tell)
  await app.ready()
  t.throws(() => app.reverse('a'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('a', null, { version: 'v1' }), '/v1/a')
  const byPath = await appWith(t, { ...options, scheme: URLPathVersioning })
  byPath.get('/b', { name: 'b' }, tell)
  byPath.get('/a/:into', async ({ params }, reply) => reply.reverse(null, null, { version: Object(params).into }))
  t.equal(await ask(byPath, 'b', '/a/v2'), '/a/v2')
  t.equal(await ask(byPath, 'b', '/a/v1'), '500 FST_ERR_NO_REVERSE_MATCH')
  t.throws(() => byPath.reverse('b', null, { version: 'v1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})
