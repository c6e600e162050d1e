import t from 'tap'

import { changing } from '../../fuzz/changes/changes.ts'
import { fc, tries } from '../fixtures/property.ts'

t.test('an API with changes answers and is documented like one written by hand', async () => {
  await fc.assert(fc.asyncProperty(changing.cases, async (subject) => { await changing.check(subject) }), {
    numRuns: tries(8)
  })
})
