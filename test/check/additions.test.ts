import t from 'tap'

import { fc, tries } from '../fixtures/property.ts'
import { checkAdditions } from './additions.ts'
import { pairs } from './additions-schemas.ts'

t.test('a difference that is reported as added makes no value invalid', async (t) => {
  let compared = 0
  fc.assert(fc.property(pairs, (pair) => { compared += checkAdditions(pair) }), { numRuns: tries(40) })
  t.ok(compared > 0)
})
