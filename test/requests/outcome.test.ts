import t from 'tap'

import {
  BaseVersioning, HeaderVersioning, VersionError
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
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
