import t from 'tap'

import { BaseVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { allowedVersions, appOf, ask, expectAnswers, get, settings } from './app.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

/** Reads whatever a client writes as JSON. */
class Reading extends BaseVersioning {
  override readVersion ({ headers }: RawRequest) {
    return headers['x-read'] === undefined ? undefined : JSON.parse(decodeURIComponent(headers['x-read'] as string))
  }
}

const reading = (read: unknown) => ({
  headers: read === undefined ? {} : { 'x-read': encodeURIComponent(JSON.stringify(read)) }
})

const served: [read: unknown, version: string][] = [
  ['v1', 'v1'], [['v1'], 'v1'], [['v1', 'v1', 'v1'], 'v1'], [['', ''], ''], [[], 'v3'], [null, 'v3'], [undefined, 'v3']
]

for (const [read, version] of served) {
  t.test(`the version is ${JSON.stringify(version)} if the scheme reads ${JSON.stringify(read)}`, async (t) => {
    const app = await appOf(t, { scheme: Reading, defaultVersion: 'v3' }, [
      get('/', 'open'), get('/a', 'listed', ['v1', '']), get('/a', 'default', 'v3')
    ])
    t.equal(await ask(app, '/', reading(read)), `open ${version}`)
    t.equal(await ask(app, '/a', reading(read)), version === 'v3' ? 'default v3' : `listed ${version}`)
  })
}

const noVersions: [says: string, read: unknown, own?: object][] = [
  ...[['v1', 2], [2], [['v1']], [null], 2, true, {}].map((read): [string, unknown] => (
    [`the scheme reads ${JSON.stringify(read)}`, read]
  )),
  ['isAllowedVersion() returns a promise', 'v1', { isAllowedVersion: async () => true }],
  ['isAllowedVersion() returns a promise that is rejected', 'v1', {
    isAllowedVersion: async () => { throw new Error('late') }
  }],
  ['isAllowedVersion() returns null', 'v1', { isAllowedVersion: () => null }],
  ['isAllowedVersion() returns an object', 'v1', { isAllowedVersion: () => ({}) }]
]

for (const [says, read, own] of noVersions) {
  t.test(`a request is answered 500 if ${says}`, async (t) => {
    const app = await appOf(t, { scheme: Object.assign(new Reading(), own) }, [get('/', 'open')])
    const response = await app.inject({ url: '/', ...reading(read) })
    t.match(response.json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
  })
}

for (const [read, placeText, place] of [
  [['v1', 'v2'], undefined, 'Reading'], [['a'.repeat(41), '\u202e😀'], 'cookie', 'the cookie']
] as const) {
  t.test(`the message about different versions has ${place} and nothing of ${JSON.stringify(read)}`, async (t) => {
    const scheme = new Reading({ allowedVersions: ['v1'] })
    if (placeText !== undefined) Object.assign(scheme, { placeText })
    const app = await appOf(t, { scheme }, [get('/', 'open')])
    t.match((await app.inject({ url: '/', ...reading(read) })).json(), {
      statusCode: 400,
      code: 'FST_ERR_VERSION_AMBIGUOUS',
      message: `The request specifies different versions in ${place}. Versions: v1.`
    })
  })
}

t.test('a scheme of a list that reads [] specifies no version', async (t) => {
  const app = await appOf(t, { scheme: [Reading, QueryParameterVersioning], defaultVersion: 'v3' }, [
    get('/a', 'listed', 'v1'), get('/a', 'default', 'v3')
  ])
  await expectAnswers(t, app, [['/a', 'default v3'], ['/a?version=v1', 'listed v1']], reading([]))
})

t.test('equal names that stand for no version are refused where versions choose handlers', async (t) => {
  const app = await appOf(t, { scheme: Reading, resolveVersion: (named) => named === 'latest' ? 'v1' : null }, [
    get('/a', 'one', 'v1')
  ])
  t.equal(await ask(app, '/a', reading(['latest', 'latest'])), 'one v1')
  const refused = await app.inject({ url: '/a', ...reading(['v1', 'v1']) })
  t.match(refused.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

class HeaderVersioning extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version']?.toString() }
}

const named = (version: string) => ({ headers: { 'x-api-version': version } })

t.test('a forwarded host that specifies another version is refused, never served by the wrong route', async (t) => {
  const app = await appOf(t, { scheme: HostNameVersioning, allowedVersions }, [
    get('/a', 'one', 'v1'), get('/a', 'two', 'v2'), get('/b', 'one', 'v1'), get('/b', 'rest')
  ], { trustProxy: true })
  for (const [url, host, forwarded] of [['/a', 'v1', 'v2'], ['/b', 'v3', 'v1'], ['/b', 'v1', 'v3']]) {
    const headers = { host: `${host}.a.b`, 'x-forwarded-host': `${forwarded}.a.b` }
    t.equal(await ask(app, url, { headers }), '404 Invalid version in hostname.', `${url} ${host} ${forwarded}`)
  }
})

for (const method of ['readVersion', 'isAllowedVersion'] as const) {
  t.test(`a request is answered 500, over a socket as well, if ${method}() of its scheme throws`, async (t) => {
    const scheme = Object.assign(new HeaderVersioning(settings), { [method] () { throw new Error('failed') } })
    const app = await appOf(t, { scheme }, [get('/a', 'one', 'v1')])
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.equal((await fetch(`${address}/a`, named('v1'))).status, 500)
    t.equal(await ask(app, '/a', named('v1')), '500 failed')
  })
}

t.test('the default version chooses where a scheme determines the version itself, or members differ', async (t) => {
  class Itself extends HeaderVersioning {
    override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
  }
  for (const scheme of [Itself, [new QueryParameterVersioning({ allowedVersions: ['v1'] }), HeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    for (const version of ['v1', 'v2', 'v3']) get('/a', version, version)(app)
    await expectAnswers(t, app, [['/a', 'v2 v2']])
  }
})
