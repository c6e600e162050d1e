import t from 'tap'

import { BaseVersioning, HeaderVersioning, QueryParameterVersioning, VersionError } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { VersionUsage } from '../../types/index.d.ts'

const handler = async () => 'ok'

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

t.test('the refusal of a list has the versions that the URL answers, even if its member lists others', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v1', 'v3'] })
  for (const [scheme, allowedVersions] of [[[HeaderVersioning, own], ['v1', 'v2', 'v3']], [[own], null]] as const) {
    const app = showRefusals(await appWith(t, { allowedVersions, scheme }))
    app.get('/', { version: 'v3' }, handler)
    t.same((await app.inject('/?v=v9')).json().allowedVersions, ['v3'])
  }
})

t.test('a version can be gone where no versions are listed, and only reportVersions lists them', async (t) => {
  for (const reportVersions of [true, false]) {
    const options = { ...ending, enforceSunset: true, now: clockAt(SUNSET).now, reportVersions }
    const app = await appWith(t, { ...options, allowedVersions: null })
    app.get('/', handler)
    t.equal((await app.inject('/?version=v1')).statusCode, 410)
    t.equal((await app.inject('/?version=v2')).statusCode, 200)
    const listed = await appWith(t, options)
    listed.get('/', handler)
    const { headers } = await listed.inject('/?version=v9')
    t.equal(headers['api-supported-versions'], reportVersions ? 'v2, v3' : undefined)
  }
})
