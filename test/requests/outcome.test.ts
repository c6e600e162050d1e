import { Writable } from 'node:stream'
import t from 'tap'

import {
  BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, VersionError
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { VersionUsage, VersioningOptions } from '../../types/index.d.ts'

const handler = async () => 'ok'

const plain: VersioningOptions = { ...ending, lifecycle: null }

t.test('a version can be gone where no versions are listed', async (t) => {
  const app = await appWith(t, { ...ending, allowedVersions: null, enforceSunset: true, now: clockAt(SUNSET).now })
  app.get('/', handler)
  t.equal((await app.inject('/?version=v1')).statusCode, 410)
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
})

t.test('a refusal lists the versions in its headers only with the option reportVersions', async (t) => {
  for (const reportVersions of [true, false]) {
    const app = await appWith(t, { ...plain, reportVersions })
    app.get('/', handler)
    const { headers } = await app.inject('/?version=v9')
    t.equal(headers['api-supported-versions'], reportVersions ? 'v1, v2, v3' : undefined)
  }
})

t.test('a refusal is not an error in the log', async (t) => {
  const levels: number[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      levels.push(JSON.parse(chunk).level)
      done()
    }
  })
  const app = await appWith(t, ending, { logger: { stream } })
  app.get('/', handler)
  await app.inject('/?version=v9')
  t.ok(levels.length > 0)
  t.same(levels.filter((level) => level > 30), [])
})

t.test('a URL where versions do not choose serves each of them, next to a URL where they do', async (t) => {
  const app = await appWith(t, plain)
  app.get('/chosen', { version: 'v1' }, handler)
  app.get('/', handler)
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
})

t.test('a route of two URLs serves at each of them what no other route serves', async (t) => {
  const app = await appWith(t, plain)
  app.get('/a/:other?', { version: 'v1' }, handler)
  app.get('/a/:id?', async () => 'open')
  for (const url of ['/a', '/a/7']) {
    t.equal((await app.inject(`${url}?version=v1`)).body, 'ok')
    t.equal((await app.inject(`${url}?version=v2`)).body, 'open')
  }
})

t.test('a forwarded version is refused where the router chose a route that does not serve it', async (t) => {
  const app = await appWith(t, { ...plain, scheme: HostNameVersioning }, { trustProxy: true })
  app.get('/', { version: ['v1', 'v2'] }, async (request) => request.version)
  app.get('/', { version: 'v3' }, async (request) => request.version)
  const ask = (version: string) => (
    app.inject({ url: '/', headers: { host: 'v1.example.com', 'x-forwarded-host': `${version}.example.com` } })
  )
  t.equal((await ask('v1')).body, 'v1')
  t.equal((await ask('v2')).body, 'v2')
  t.match((await ask('v3')).json(), {
    statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', message: 'Invalid version in hostname.'
  })
})

interface Status { fields: object, status: number, outcomes: VersionUsage['outcome'][] }

const statuses: Status[] = [
  { fields: { statusCode: 400 }, status: 400, outcomes: ['refused'] },
  { fields: { status: 499 }, status: 499, outcomes: ['refused'] },
  { fields: { statusCode: 404, status: 500 }, status: 404, outcomes: ['refused'] },
  { fields: { statusCode: 500 }, status: 500, outcomes: [] },
  { fields: { statusCode: 399 }, status: 500, outcomes: [] },
  { fields: {}, status: 500, outcomes: [] }
]

for (const { fields, status, outcomes } of statuses) {
  const isTold = outcomes.length > 0
  t.test(`an error with ${JSON.stringify(fields)} is ${isTold ? '' : 'not '}reported as a refusal`, async (t) => {
    class Failing extends BaseVersioning {
      override determineVersion (): string { throw Object.assign(new Error('no'), fields) }
    }
    const events = usageEvents(t)
    const app = await appWith(t, { scheme: Failing })
    app.get('/', handler)
    t.equal((await app.inject('/')).statusCode, status)
    t.same(events.map(({ outcome }) => outcome), outcomes)
  })
}

t.test('the refusal of a list has the versions that the URL answers, even if its member lists others', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v1', 'v3'] })
  const app = await appWith(t, {
    allowedVersions: ['v1', 'v2', 'v3'], scheme: [HeaderVersioning, own]
  })
  showRefusals(app)
  app.get('/', { version: 'v3' }, handler)
  t.same((await app.inject('/?v=v9')).json().allowedVersions, ['v3'])
})

t.test('the refusal of the only member of a list has the versions that the URL answers', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v1', 'v3'] })
  const app = await appWith(t, { scheme: [own] })
  showRefusals(app)
  app.get('/', { version: 'v3' }, handler)
  t.same((await app.inject('/?v=v9')).json().allowedVersions, ['v3'])
})

t.test('a refusal by a member of a list keeps versions that no scheme has', async (t) => {
  class Beta extends BaseVersioning {
    override readVersion (): string { throw new VersionError('notFound', 'no', ['beta']) }
  }
  const app = await appWith(t, {
    allowedVersions: ['v1', 'v2'], scheme: [HeaderVersioning, Beta]
  })
  showRefusals(app)
  app.get('/', { version: 'v1' }, handler)
  t.match((await app.inject('/')).json(), { detail: 'no', allowedVersions: ['beta'] })
})
