import t from 'tap'

import { checkedPair, pairs } from '../../fuzz/check/model.ts'
import { fc, tries } from '../fixtures/property.ts'

t.test('a difference that is reported as added makes no value invalid', async (t) => {
  let count = 0
  fc.assert(fc.property(pairs, (pair) => { count += checkedPair(pair) }), { numRuns: tries(60) })
  t.ok(count > 0)
})
