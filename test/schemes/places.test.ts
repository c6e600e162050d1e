import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, differing, places, requestOf } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }
const route = { url: '/probe', method: 'GET', handler: async ({ version }: FastifyRequest) => version } as const

/** A scheme of the user's, which says nothing of its place. */
class Cookie extends BaseVersioning {
  override readVersion ({ headers }: RawRequest | FastifyRequest): string | null {
    return headers.cookie ?? null
  }
}

for (const { Scheme, place, text, naming } of Object.values(places)) {
  const declared = Object.values(places).filter((one) => one.Scheme === Scheme)

  t.test(`a version that ${Scheme.name} reads is reported with the place "${place}"`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, { ...settings, scheme: Scheme })
    declareIn(app, declared, route)
    t.equal((await app.inject(requestOf('/probe', naming('v1')))).body, 'v1')
    t.same(events.map(({ place, requested }) => ({ place, requested })), [{ place, requested: 'v1' }])
  })

  t.test(`an ambiguity says that ${Scheme.name} reads the version in the ${text}`, async (t) => {
    const app = await appWith(t, { ...settings, scheme: [Scheme, Cookie] })
    declareIn(app, declared, route)
    const response = await app.inject(requestOf('/probe', naming('v1'), { headers: { cookie: 'v2' } }))
    // A route answers the version of its namespace alone.
    const versions = place === 'namespace' ? ['v1'] : settings.allowedVersions
    const message = differing([`the ${text}`, 'Cookie'], versions)
    t.match(response.json(), { statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS', message })
  })
}

t.test('a version that a custom scheme reads is reported with the place "custom"', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...settings, scheme: Cookie })
  app.route(route)
  await app.inject({ url: '/probe', headers: { cookie: 'v1' } })
  t.same(events.map(({ place, requested }) => ({ place, requested })), [{ place: 'custom', requested: 'v1' }])
})
