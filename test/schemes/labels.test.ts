import t from 'tap'

import { places } from '../fixtures/places.ts'

for (const { Scheme } of Object.values(places)) {
  t.test(`the label of ${Scheme.name} is a field of the class, so that a minifier does not change it`, async (t) => {
    t.ok(Object.hasOwn(Scheme, 'label'))
    t.equal(Scheme.label, Scheme.name)
  })
}
