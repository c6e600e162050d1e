import Fastify from 'fastify'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Test } from 'tap'

schemeContract(t, {
  Scheme: QueryParameterVersioning,
  routes: (app, probe) => app.route({ ...probe, url: '/probe' }),
  naming: (version) => ({ url: `/probe?version=${encodeURIComponent(version)}` }),
  unnamed: { url: '/probe' },
  lookalikes: ['V1', 'v10', 'v', 'v1.0', ' v1', ''],
  refusal: {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version in query parameter.'
  },
  isDefaultChecked: true,
  link: (version) => version === null ? '/probe' : `/probe?version=${version}`
})

async function tell (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return { version: request.version, self: reply.reverse('probe') }
}

interface Reading { query: string, version: string }

const readings: Reading[] = [
  { query: '', version: 'the default' },
  { query: '?version=v1', version: 'v1' },
  { query: '?version=v1&version=v2', version: 'v2' },
  { query: '?version=v1&page=2&version=v2&version=v3', version: 'v3' },
  { query: '?version=v1&version', version: '' },
  { query: '?version', version: '' },
  { query: '?Version=v1', version: 'the default' },
  { query: '?versions=v1&aversion=v2', version: 'the default' },
  { query: '?version[]=v1&version[a]=v2', version: 'the default' },
  { query: '?v%65rsion=v1', version: 'v1' },
  { query: '?version=v%2531', version: 'v%31' },
  { query: '?version=1+0', version: '1 0' },
  { query: '?version=1%2B0', version: '1+0' },
  { query: '?version=%E6%97%A5', version: '日' },
  { query: '?__proto__=v1&toString=v2', version: 'the default' },
  { query: '?__proto__[version]=v1', version: 'the default' }
]

for (const { query, version } of readings) {
  t.test(`the query "${query}" specifies "${version}"`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, defaultVersion: 'the default' })
    app.get('/probe', async (request) => ({ version: request.version }))
    t.same((await app.inject(`/probe${query}`)).json(), { version })
  })
}

for (const versionParam of ['v', 'api version', '日&=', '__proto__', 'constructor', 'toString']) {
  t.test(`the query parameter may be named "${versionParam}"`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, versionParam, allowedVersions: ['v1', 'v2'] })
    app.get('/probe', { name: 'probe' }, tell)
    const self = `/probe?${encodeURIComponent(versionParam)}=v2`
    t.same((await app.inject(self)).json(), { version: 'v2', self })
    t.equal((await app.inject(self.replace('v2', 'v9'))).statusCode, 404)
  })
}

interface Parsed { value: unknown, version: string }

const parsed: Parsed[] = [
  { value: 'v1', version: 'v1' },
  { value: ['v1', 'v2'], version: 'v2' },
  { value: [], version: 'the default' },
  { value: { major: '1' }, version: 'the default' },
  { value: ['v1', { major: '1' }], version: 'the default' },
  { value: null, version: 'the default' }
]

for (const { value, version } of parsed) {
  t.test(`the parsed query value ${JSON.stringify(value)} specifies "${version}"`, async (t) => {
    const querystringParser = () => ({ version: value })
    const settings = { scheme: QueryParameterVersioning, defaultVersion: 'the default' }
    const app = await appWith(t, settings, { routerOptions: { querystringParser } })
    app.get('/probe', async (request) => ({ version: request.version }))
    t.same((await app.inject('/probe?version=v1')).json(), { version })
  })
}

interface Escaped { version: string, query: string }

const escaped: Escaped[] = [
  { version: '1.0', query: '?version=1.0' },
  { version: '', query: '?version=' },
  { version: '1 + 1', query: '?version=1%20%2B%201' },
  { version: 'a&b=c#d?e', query: '?version=a%26b%3Dc%23d%3Fe' },
  { version: '日', query: '?version=%E6%97%A5' }
]

for (const { version, query } of escaped) {
  t.test(`a link in version "${version}" ends in "${query}" and leads back to it`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning })
    app.get('/probe', { name: 'probe' }, tell)
    const { body } = await app.inject({ url: '/probe', query: { version } })
    t.same(JSON.parse(body), { version, self: `/probe${query}` })
    t.equal((await app.inject(JSON.parse(body).self)).body, body)
  })
}

t.test('documents have the parameter of the setting, or of a class field', async (t) => {
  class Own extends QueryParameterVersioning {
    override readonly versionParam = 'v'
  }
  t.same({ ...new QueryParameterVersioning().parameter }, { in: 'query', name: 'version' })
  t.same({ ...new QueryParameterVersioning({ versionParam: 'api' }).parameter }, { in: 'query', name: 'api' })
  t.same({ ...new Own().parameter }, { in: 'query', name: 'v' })
})

/** An app with a route for v1 and one for all other versions, which answer with what they are and have read. */
async function choosing (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  for (const version of ['v1', null]) {
    app.get('/b', { version }, async (request) => (
      { route: version ?? 'open', version: request.version, query: request.query }
    ))
  }
  return app
}

interface Query { query: string, version: string, route?: 'v1' }

const queries: Query[] = [
  { query: 'version=%zz', version: '%zz' },
  { query: 'version=%41%', version: '%41%' },
  { query: 'version=v1%C3', version: 'v1%C3' },
  { query: '%zz%41=v1&version=%zz%41', version: '%zz%41' },
  { query: 'version=v2&version=%zz%41', version: '%zz%41' },
  { query: 'version=%zz&version=v1', version: 'v1', route: 'v1' },
  { query: 'version=%761', version: 'v1', route: 'v1' },
  { query: 'v%65rsion=v1', version: 'v1', route: 'v1' },
  { query: '&&version=v1&', version: 'v1', route: 'v1' }
]

for (const { query, version, route = 'open' } of queries) {
  t.test(`the query ${query} specifies ${JSON.stringify(version)} before routing and after`, async (t) => {
    const plain = Fastify()
    plain.get('/b', async (request) => request.query)
    const expected = (await plain.inject(`/b?${query}`)).json()
    t.equal([expected.version].flat().at(-1), version, 'by the parser of Fastify')
    const response = await (await choosing(t)).inject(`/b?${query}`)
    t.same(response.json(), { route, version, query: expected })
  })
}

t.test('a request for a version with a malformed escape comes to the route that serves it', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['%zz%41', 'v1'] })
  app.get('/b', { version: '%zz%41' }, async ({ version }) => version)
  app.get('/b', { version: 'v1' }, async ({ version }) => version)
  t.equal((await app.inject('/b?version=%zz%41')).body, '%zz%41')
})
