import t from 'tap'

import { BaseVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

/** A subclass with accessors in place of fields. */
function computing<Scheme extends typeof BaseVersioning> (Base: Scheme, values: Record<string, unknown>): Scheme {
  const Computing = class extends (Base as typeof BaseVersioning) {}
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(Computing.prototype, name, { get: () => value, configurable: true })
  }
  return Computing as Scheme
}

const NAMES = [
  'defaultVersion', 'allowedVersions', 'versionParam', 'invalidVersionMessage', 'label', 'place', 'placeText',
  'isInLinks', 'vary', 'parameter', 'settingsRead', 'knownAfterRouting', 'linkOptions'
]
const schemes = [BaseVersioning, ...Object.values(places).map(({ Scheme }) => Scheme)]

for (const Scheme of schemes) {
  t.test(`a subclass of ${Scheme.name} may have an accessor instead of each field`, async (t) => {
    const values = Object.fromEntries(NAMES.map((name) => [name, Symbol(name)]))
    const scheme = new (computing(Scheme, values))() as unknown as Record<string, unknown>
    for (const name of NAMES) t.equal(scheme[name], values[name], name)
  })

  t.test(`a subclass of ${Scheme.name} may assign each field in its constructor`, async (t) => {
    const values = Object.fromEntries(NAMES.map((name) => [name, Symbol(name)]))
    class Assigning extends Scheme {
      constructor () {
        super()
        Object.assign(this, values)
      }
    }
    const scheme = new Assigning() as unknown as Record<string, unknown>
    for (const name of NAMES) t.equal(scheme[name], values[name], name)
  })
}

t.test('responses use the accessor vary', async (t) => {
  const scheme = computing(QueryParameterVersioning, { vary: 'X-Client' })
  const app = await appWith(t, { scheme })
  app.get('/', async () => '')
  t.equal((await app.inject('/')).headers.vary, 'X-Client')
})

t.test('usage events use the accessors place and label', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { scheme: computing(HeaderVersioning, { place: 'gateway', label: 'Gateway' }) })
  app.get('/', async () => '')
  await app.inject({ url: '/', headers: { 'api-version': 'v1' } })
  t.match(events, [{ place: 'gateway', scheme: 'Gateway' }])
})

t.test('a field of a subclass has priority over an accessor of its base class', async (t) => {
  const Computing = computing(HeaderVersioning, { vary: 'X-Client' })
  class Fixed extends Computing {
    override readonly vary = 'X-Fixed'
  }
  t.equal(new Fixed().vary, 'X-Fixed')
})
