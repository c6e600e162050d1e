import t from 'tap'

import { movable } from '../../fuzz/usage/usage.ts'
import { fc, tries } from '../fixtures/property.ts'

t.test('a route that is called unaffected answers the same in both versions', async (t) => {
  let compared = 0
  const property = fc.asyncProperty(movable.cases, async (model) => { compared += await movable.check(model) })
  await fc.assert(property, { numRuns: tries(movable.batch) })
  t.ok(compared > 0, `${compared} answers`)
})
