import t from 'tap'

import versioning from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, differing, pairs, requestOf, unnamedLink, refusalOf } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { probe, probeApps } from './contract.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions, VersioningScheme } from '../../types/index.d.ts'
import type { Place } from '../fixtures/places.ts'

const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }

function ambiguity (named: ReadonlyArray<[version: string, place: Place]>): object {
  // A route answers the version of its namespace alone.
  const inNamespace = named.find(([version, { place }]) => (
    place === 'namespace' && settings.allowedVersions.includes(version)
  ))
  const answered = inNamespace === undefined ? settings.allowedVersions : [inNamespace[0]]
  return {
    statusCode: 400,
    code: 'FST_ERR_VERSION_AMBIGUOUS',
    error: 'Bad Request',
    message: differing(named.map(([, { text }]) => `the ${text}`), answered)
  }
}

/** A request that specifies a version in each of the places. */
function naming (url: string, ...named: ReadonlyArray<[version: string, place: Place]>): InjectOptions {
  return requestOf(url, ...named.map(([version, place]) => place.naming(version)))
}

for (const { name, first, second } of pairs) {
  const list = [first, second]
  const scheme = list.map(({ Scheme }) => Scheme)
  const vary = list.map(({ vary }) => vary).filter((field) => field !== null).join(', ') || undefined

  const routes = (app: FastifyInstance) => declareIn(app, list, { ...probe, url: '/probe' })
  const appsWith = probeApps(t, scheme, routes)

  async function probeWith (t: Test, options: VersioningOptions = {}): Promise<FastifyInstance> {
    const app = await appWith(t, { scheme, ...settings, ...options })
    routes(app)
    return app
  }

  t.test(`under ${name} two places may specify the same version`, async (t) => {
    const app = await appsWith(settings)
    const { version, self } = (await app.inject(naming('/probe', ['v1', first], ['v1', second]))).json()
    t.equal(version, 'v1')
    t.equal(self, unnamedLink(list, 'v1'))
  })

  t.test(`under ${name} a wrong version in two places is refused as the first place refuses it`, async (t) => {
    const app = await appsWith(settings)
    const refused = await app.inject(naming('/probe', ['v9', first], ['v9', second]))
    t.same(refused.json(), refusalOf(first.refusal, 'v9', settings.allowedVersions))
  })

  for (const [one, other] of [['v1', 'v2'], ['v2', 'v1'], ['v1', 'v9'], ['v9', 'v1'], ['v9', 'v0']] as const) {
    t.test(`under ${name} a request for ${one} and ${other} is refused as ambiguous`, async (t) => {
      const app = await appsWith(settings)
      const response = await app.inject(naming('/probe', [one, first], [other, second]))
      t.equal(response.statusCode, 400)
      t.same(response.json(), ambiguity([[one, first], [other, second]]))
      t.equal(response.headers['x-version'], undefined)
    })
  }

  t.test(`under ${name} Vary has the headers of both places in every response`, async (t) => {
    const app = await appsWith(settings)
    const requests = [
      requestOf('/probe'),
      naming('/probe', ['v1', first]),
      naming('/probe', ['v9', second]),
      naming('/probe', ['v1', first], ['v2', second])
    ]
    for (const request of requests) t.equal((await app.inject(request)).headers.vary, vary)
  })

  if (first.isKnownBeforeRouting && second.isKnownBeforeRouting) {
    t.test(`under ${name} the version chooses the handler`, async (t) => {
      const app = await appWith(t, { scheme, ...settings, allowedVersions: ['v1', 'v2', 'v3'] })
      for (const [version, text] of [['v1', 'one'], ['v2', 'two']]) {
        const handler = async (request: FastifyRequest) => `${text} ${request.version}`
        declareIn(app, list, { method: 'GET', url: '/', version, handler })
      }
      for (const [version, text] of [['v1', 'one v1'], ['v2', 'two v2']] as const) {
        t.equal((await app.inject(naming('/', [version, first]))).body, text)
        t.equal((await app.inject(naming('/', [version, second]))).body, text)
        t.equal((await app.inject(naming('/', [version, first], [version, second]))).body, text)
      }
      t.equal((await app.inject('/')).body, 'two v2')
      const both = await app.inject(naming('/', ['v1', first], ['v2', second]))
      t.same(both.json(), ambiguity([['v1', first], ['v2', second]]))
    })

    t.test(`under ${name} a version that the URL does not serve is refused by its place`, async (t) => {
      const app = await appWith(t, { scheme, ...settings })
      declareIn(app, list, { method: 'GET', url: '/', version: 'v1', handler: async () => '' })
      const message = 'This URL answers GET in v1.'
      t.same((await app.inject(naming('/', ['v2', first]))).json(), { ...first.refusal, message })
      t.same((await app.inject(naming('/', ['v2', second]))).json(), { ...second.refusal, message })
      t.same((await app.inject('/')).json(), { ...first.refusal, message })
    })
  } else {
    t.test(`under ${name} handlers by version are refused at boot`, async (t) => {
      const app = await appWith(t, { scheme, ...settings })
      const late = list.find(({ isKnownBeforeRouting }) => !isKnownBeforeRouting) as Place
      t.throws(() => app.get('/', { version: 'v1' }, async () => ''), {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: new RegExp(`^Invalid "version": expected none, because under ${late.Scheme.name} the version is `)
      })
    })
  }

  t.test(`under ${name} request.versioningScheme is one object, with the schemes and the settings`, async (t) => {
    const app = await appWith(t, { scheme, ...settings, versionParam: 'version' })
    const seen: (VersioningScheme | null)[] = []
    const url = '/probe'
    const handler = async (request: FastifyRequest) => { seen.push(request.versioningScheme) }
    declareIn(app, list, { url, method: 'GET', handler })
    for (const place of list) t.equal((await app.inject(naming(url, ['v1', place]))).statusCode, 200)
    t.equal(seen[0], seen[1])
    t.match(seen[0], { ...settings, versionParam: 'version' })
    t.same(seen[0]?.schemes?.map(({ constructor }) => constructor), scheme)
  })

  t.test(`under ${name} an instance keeps its own settings`, async (t) => {
    const instance = new second.Scheme({ allowedVersions: ['v9'] })
    const app = await probeWith(t, { scheme: [first.Scheme, instance] })
    const versionOf = async (request: InjectOptions) => (await app.inject(request)).json().version
    t.equal(await versionOf(naming('/probe', ['v9', second])), 'v9')
    t.same(
      (await app.inject(naming('/probe', ['v1', second]))).json(),
      refusalOf(second.refusal, 'v1', settings.allowedVersions)
    )
    t.equal(await versionOf(naming('/probe', ['v1', first])), 'v1')
    t.same(
      (await app.inject(naming('/probe', ['v9', first]))).json(),
      refusalOf(first.refusal, 'v9', settings.allowedVersions)
    )
    t.equal(await versionOf(requestOf('/probe')), 'v2')
  })

  t.test(`under ${name} a usage event has the place that specifies the version`, async (t) => {
    const events = usageEvents(t)
    const app = await probeWith(t)
    await app.inject(naming('/probe', ['v1', first]))
    await app.inject(naming('/probe', ['v1', second]))
    await app.inject(naming('/probe', ['v1', first], ['v1', second]))
    await app.inject(requestOf('/probe'))
    await app.inject(naming('/probe', ['v9', second]))
    await app.inject(naming('/probe', ['v1', first], ['v2', second]))
    t.same(events.map(({ place, version, outcome }) => [place, version, outcome]), [
      [first.place, 'v1', 'ok'],
      [second.place, 'v1', 'ok'],
      [first.place, 'v1', 'ok'],
      [null, 'v2', 'ok'],
      [second.place, null, 'refused'],
      [null, null, 'refused']
    ])
    t.same(new Set(events.map((event) => event.scheme)), new Set([scheme.map(({ name }) => name).join(', ')]))
  })

  t.test(`under ${name} the scheme makes links in the version of a given request`, async (t) => {
    const app = await probeWith(t)
    let own: VersioningScheme | null = null
    app.get('/scheme', async (request) => { own = request.versioningScheme })
    await app.inject('/scheme')
    const versioningScheme = own as unknown as VersioningScheme
    t.equal(versioningScheme.reverse('probe', { request: { version: 'v1', server: app } }), unnamedLink(list, 'v1'))
    t.equal(versioningScheme.reverse('probe', { request: { version: null, server: app } }), '/probe')
    t.equal(versioningScheme.reverse('probe'), '/probe')
  })

  const declarations = {
    'a context': async (app: FastifyInstance) => {
      app.register(async (context) => {
        await context.register(versioning, { scheme, ...settings })
        declareIn(context, list, { ...probe, url: '/probe' })
      })
    },
    'a child': async (app: FastifyInstance) => {
      app.register(async (context) => {
        await context.register(versioning, { scheme: [...scheme].reverse(), allowedVersions: ['v0'] })
        context.register(async (child) => {
          await child.register(versioning, { scheme, ...settings })
          declareIn(child, list, { ...probe, url: '/probe' })
        })
      })
    },
    'a child, inherited with other settings': async (app: FastifyInstance) => {
      app.register(async (context) => {
        await context.register(versioning, { scheme, allowedVersions: ['v0'] })
        context.register(async (child) => {
          await child.register(versioning, settings)
          declareIn(child, list, { ...probe, url: '/probe' })
        })
      })
    },
    'a route': async (app: FastifyInstance) => {
      await app.register(versioning, settings)
      declareIn(app, list, { ...probe, url: '/probe', versioning: scheme })
    }
  }

  for (const [where, declare] of Object.entries(declarations)) {
    t.test(`the list ${name} reads the version if it is the scheme of ${where}`, async (t) => {
      const app = await appWith(t)
      app.register(async (context) => { await declare(context) })
      for (const place of list) {
        t.equal((await app.inject(naming('/probe', ['v1', place]))).json().version, 'v1')
        t.same(
          (await app.inject(naming('/probe', ['v9', place]))).json(),
          refusalOf(place.refusal, 'v9', settings.allowedVersions)
        )
      }
      t.equal((await app.inject(requestOf('/probe'))).json().version, 'v2')
      t.equal((await app.inject(naming('/probe', ['v1', first], ['v2', second]))).statusCode, 400)
    })
  }

  t.test(`under ${name} a preflight is not refused`, async (t) => {
    const app = await appsWith(settings)
    const { headers, ...request } = naming('/probe', ['v1', first], ['v9', second])
    const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
    const response = await app.inject({ ...request, method: 'OPTIONS', headers: { ...headers, ...preflight } })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['x-version'], 'null')
  })
}
