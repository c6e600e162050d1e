import { parse } from 'node:querystring'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'

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
  { query: '?', version: 'the default' },
  { query: '?version=v1', version: 'v1' },
  { query: '?version=v1&version=v2', version: 'v2' },
  { query: '?version=v1&page=2&version=v2&version=v3', version: 'v3' },
  { query: '?version=v1&version=', version: '' },
  { query: '?version=v1&version', version: '' },
  { query: '?version=&version=v1', version: 'v1' },
  { query: '?version', version: '' },
  { query: '?version=', version: '' },
  { query: '?Version=v1', version: 'the default' },
  { query: '?versions=v1&aversion=v2', version: 'the default' },
  { query: '?version[]=v1&version[a]=v2', version: 'the default' },
  { query: '?v%65rsion=v1', version: 'v1' },
  { query: '?version=v%31', version: 'v1' },
  { query: '?version=v%2531', version: 'v%31' },
  { query: '?version=1+0', version: '1 0' },
  { query: '?version=1%2B0', version: '1+0' },
  { query: '?version=a=b', version: 'a=b' },
  { query: '?version=%E6%97%A5', version: '日' },
  { query: '?version=__proto__', version: '__proto__' },
  { query: '?version=constructor', version: 'constructor' },
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

for (const versionParam of ['v', '__proto__', 'constructor', 'toString']) {
  t.test(`a parsed query may be an ordinary object without ${versionParam}`, async (t) => {
    const settings = { scheme: QueryParameterVersioning, versionParam, defaultVersion: 'v1', allowedVersions: ['v1'] }
    const app = await appWith(t, settings, { routerOptions: { querystringParser: (text) => ({ ...parse(text) }) } })
    app.get('/probe', { name: 'probe' }, async (request) => ({ version: request.version }))
    t.same((await app.inject('/probe?page=2')).json(), { version: 'v1' })
  })
}

interface Parsed { value: unknown, version: string }

const parsed: Parsed[] = [
  { value: 'v1', version: 'v1' },
  { value: ['v1', 'v2'], version: 'v2' },
  { value: [], version: 'the default' },
  { value: { major: '1' }, version: 'the default' },
  { value: ['v1', { major: '1' }], version: 'the default' },
  { value: [['v1']], version: 'the default' },
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

t.test('a link to another route is in the version of the request, not in its query', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/probe', async (_request, reply) => reply.reverse('item', ['a?b']))
  app.get('/items/:id', { name: 'item' }, async () => '')
  t.equal((await app.inject('/probe?page=2&version=v1')).body, '/items/a%3Fb?version=v1')
})

t.test('a link with the default version has it in its query', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, defaultVersion: 'v1' })
  app.get('/probe', { name: 'probe' }, tell)
  t.same((await app.inject('/probe')).json(), { version: 'v1', self: '/probe?version=v1' })
})

t.test('a request has no version if the parser returns null for an empty query', async (t) => {
  const parser = (text: string) => text === '' ? null as never : Object.fromEntries(new URLSearchParams(text))
  const app = await appWith(t, { scheme: QueryParameterVersioning, defaultVersion: 'v1' }, {
    routerOptions: { querystringParser: parser }
  })
  app.get('/', async (request) => ({ version: request.version }))
  t.same((await app.inject('/')).json(), { version: 'v1' })
  t.same((await app.inject('/?version=v2')).json(), { version: 'v2' })
})

t.test('a link without a version keeps the parameter that the caller puts into its query', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings', { name: 'bookings' }, async () => '')
  await app.ready()
  const query = { version: 'v2', page: 2 }
  t.equal(app.reverse('bookings', [], { query }), '/bookings?version=v2&page=2')
  t.equal(app.reverse('bookings', [], { query, version: null }), '/bookings?page=2')
})

t.test('documents have the parameter of the setting, or of a class field', async (t) => {
  class Own extends QueryParameterVersioning {
    override readonly versionParam = 'v'
  }
  t.same({ ...new QueryParameterVersioning().parameter }, { in: 'query', name: 'version' })
  t.same({ ...new QueryParameterVersioning({ versionParam: 'api' }).parameter }, { in: 'query', name: 'api' })
  t.same({ ...new Own().parameter }, { in: 'query', name: 'v' })
})
