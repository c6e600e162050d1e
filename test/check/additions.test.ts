import t from 'tap'

import { checking } from '../../fuzz/check/check.ts'
import { fc, tries } from '../fixtures/property.ts'

t.test('a difference that is reported as added makes no value invalid', async (t) => {
  let compared = 0
  await fc.assert(fc.asyncProperty(checking.cases, async (pair) => {
    compared += await checking.check(pair)
  }), { numRuns: tries(40) })
  t.ok(compared > 0)
})
