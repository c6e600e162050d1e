import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import usage from '../../src/usage/index.ts'
import { makeApp } from '../../examples/usage/app.ts'
import { play } from '../../examples/usage/traffic.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { UsageRow } from '../../types/usage.d.ts'

const now = () => Date.parse('2026-11-28T12:00Z')
const prefix = '/versions-in-use'
const headers = { cookie: 'team=1' }

t.test('the page is served behind the hook alone, has a policy without scripts, and no cache keeps it', async (t) => {
  const app = await makeApp(now)
  t.teardown(() => app.close())
  for (const url of ['', '/summary.json', '/clients/acme']) {
    t.equal((await app.inject(prefix + url)).statusCode, 401)
    const response = await app.inject({ url: prefix + url, headers })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['cache-control'], 'no-store')
  }
  const { body, headers: { 'content-security-policy': policy } } = await app.inject({ url: prefix, headers })
  t.match(policy, /^default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+';/)
  t.notMatch(body, /<script| style="| on\w+="|https?:/)
  t.match(body, '<b class="good">No known client calls what is retired.</b>')
})

t.test('the page says who is left, by when, and what each client must change', async (t) => {
  const app = await makeApp(now)
  t.teardown(() => app.close())
  await play(app, 100)
  await app.inject({ url: '/rooms', headers: { 'api-version': 'v1' } })
  await app.inject({ url: '/rooms', headers: { 'x-account': '<script>alert(1)</script>', 'api-version': 'v1' } })
  await app.inject({ url: '/rooms', headers: { 'api-version': 'v9' } })
  const { body } = await app.inject({ url: prefix, headers })
  for (const part of [
    '<b>7 clients must leave a version.</b> 3 of them would notice nothing in v3.',
    '1 request specified no version, or a version that is not served.',
    '<h2>v1 <small class="soon">ends on 31 December 2026</small></h2>',
    '<dt>Clients that can be moved to v3 today<dd>2',
    '<dt>Calls by default<dd>100',
    '<dt>Calls of unknown clients<dd>1',
    '<b>&lt;script&gt;alert(1)&lt;/script&gt;</b>',
    '<p>A booking has several guests. Lists have a cursor instead of pages.',
    '<b class="good">Nothing but the version.</b>',
    '<summary>1 route to be looked at</summary>',
    '<span class="quiet">unknown clients</span>',
    '<code>guests</code> in the body: it is required'
  ]) t.ok(body.includes(part), part)
  const { leaving, clients } = (await app.inject({ url: `${prefix}/summary.json`, headers })).json()
  t.same([leaving, clients.length], [7, 8])
  t.match((await app.inject({ url: `${prefix}/clients/bolt`, headers })).json(), { client: 'bolt', status: 'fix' })
})

t.test('the JSON of a client is found by its whole name', async (t) => {
  const app = await makeApp(now)
  t.teardown(() => app.close())
  for (const client of ['x'.repeat(128), 'a/b?c', '__proto__']) {
    await app.inject({ url: '/rooms', headers: { 'x-account': client, 'api-version': 'v1' } })
    const { statusCode, body } = await app.inject({ url: `${prefix}/clients/${encodeURIComponent(client)}`, headers })
    t.equal(statusCode, 200)
    t.match(JSON.parse(body), { client, versions: [{ calls: 1 }] })
  }
})

t.test('the page and its JSON take a version instead of the latest one', async (t) => {
  const app = await makeApp(now)
  t.teardown(() => app.close())
  await play(app, 1)
  const ask = async (url: string) => await app.inject({ url: prefix + url, headers })
  t.match((await ask('?to=v2&team=1')).body, '<th>What it must change for v2<')
  for (const url of ['/summary.json', '/clients/bolt']) {
    t.match((await ask(`${url}?to=v2`)).json(), { to: 'v2' })
    t.match((await ask(`${url}?too=v2`)).json(), { to: 'v3' })
  }
  for (const url of ['', '/summary.json', '/clients/bolt']) {
    for (const query of ['to=v9', 'to=', 'to=v1&to=v2', 'to=__proto__']) {
      const response = await ask(`${url}?${query}`)
      t.match(response.json(), { statusCode: 400, code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "to": / })
      t.equal(response.headers['cache-control'], 'no-store')
    }
  }
})

t.test('an error handler that answers 500 does not get a wrong version of a question', async (t) => {
  const app = bareApp(t)
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ error: 'Internal Server Error' }))
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(usage, { client: () => 'acme', routePrefix: '/usage', onRequest: async () => {} })
  app.get('/rooms', async () => [])
  for (const url of ['/usage', '/usage/summary.json', '/usage/clients/acme']) {
    const { statusCode, body } = await app.inject(`${url}?to=v9`)
    t.equal(statusCode, 400)
    t.match(body, /Invalid \\"to\\": /)
  }
})

t.test('the page says what is overdue, answered 410, or deprecated, 200 clients and wrong days', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3', 'v4'],
    lifecycle: {
      v1: { sunset: '2026-11-01' }, v2: { deprecated: '2026-01-01' }, v3: { deprecated: '2027-01-01' }
    },
    enforceSunset: true,
    now
  })
  const common = { day: '2026-11-28', method: 'GET', route: '/rooms', isDefault: false }
  const row = { ...common, version: 'v2', outcome: 'ok' } as const
  const rows: UsageRow[] = [
    ...Array.from({ length: 202 }, (_, i) => ({ ...row, client: `client ${i}`, calls: i + 1 })),
    { ...row, version: 'v1', outcome: 'gone', client: 'late', calls: 1000 },
    { ...row, day: '2026-99-<b>', client: 'never', calls: 999 }
  ]
  const store = { add: () => {}, read: () => rows }
  await app.register(usage, { store, routePrefix: prefix, onRequest: async () => {} })
  app.get('/rooms', async () => [])
  const { body } = await app.inject({ url: prefix })
  for (const part of [
    '<h2>v1 <small class="bad">ended on 1 November 2026</small></h2>',
    '<h2>v2 <small class="soon">deprecated since 1 January 2026</small></h2>',
    '<h2>v3 <small class="soon">deprecated from 1 January 2027</small></h2>',
    '<dt>Calls answered 410<dd>1,000',
    '<br><small class="bad">1000 answered 410</small>',
    '<td class="date bad">1 Nov 2026<br><b>overdue</b>',
    '<td class="date soon">no date',
    'the last on 2026-99-&lt;b&gt;',
    '<p class="quiet">And 4 clients with fewer calls.'
  ]) t.ok(body.includes(part), part)
})

t.test('the page counts what is called in later versions, and asks nobody to leave them', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: { v1: { sunset: '2026-12-01' }, v3: { preview: true } },
    now
  })
  await app.register(usage, { client: () => 'acme', routePrefix: prefix, onRequest: async () => {} })
  app.get('/rooms', async () => [])
  app.get('/old', { deprecated: { sunset: '2026-12-01' } }, async () => [])
  for (const version of ['v1', 'v3']) await app.inject({ url: '/rooms', headers: { 'api-version': version } })
  const { body } = await app.inject({ url: prefix })
  t.match(body, /<p>v1: 1 call,\nthe last on 28 Nov 2026\n<td/)
  t.equal(body.split('<dt>Clients that can be moved to v2 today').length, 2)
  await app.inject({ url: '/old', headers: { 'api-version': 'v2' } })
  t.match((await app.inject({ url: prefix })).body, /<p>v2: 1 call,\nthe last on 28 Nov 2026\n<td/)
})

t.test('the page says what to write where versions cannot be compared', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, defaultVersion: 'v1' })
  await app.register(usage, { routePrefix: prefix, onRequest: async () => {} })
  app.get('/rooms', async () => [])
  t.match((await app.inject(prefix)).json(), {
    statusCode: 500, message: /^Set "allowedVersions": without a list, no versions can be compared\. /
  })
})

for (const [subject, read] of [
  ['fails', () => { throw new Error('secret') }], ['returns no list', () => 7 as never]
] as [string, () => UsageRow[]][]) {
  t.test(`a store that ${subject} is a 503 that says so, and no cache keeps it`, async (t) => {
    const lines: { readonly err: { readonly stack: string } }[] = []
    const app = bareApp(t, { logger: { level: 'error', stream: { write: (line) => lines.push(JSON.parse(line)) } } })
    await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
    await app.register(usage, { store: { add: () => {}, read }, routePrefix: prefix, onRequest: async () => {} })
    app.get('/rooms', async () => [])
    for (const url of ['', '/summary.json', '/clients/acme']) {
      const response = await app.inject(prefix + url)
      t.match(response.json(), { statusCode: 503, message: 'The store of fastify-versioning/usage cannot be read.' })
      t.equal(response.headers['cache-control'], 'no-store')
    }
    t.match(lines.map(({ err }) => err.stack), new Array(3).fill(/caused by: .*(?:secret|store\.read)/s))
  })
}
