import t from 'tap'

import { changing, schemeNames } from '../../fuzz/changes/changes.ts'
import { fc, tries } from '../fixtures/property.ts'

const { seed = 0 } = fc.readConfigureGlobal()
for (const [i, scheme] of schemeNames.entries()) {
  t.test(`an API with changes answers and is documented like one written by hand, under ${scheme}`, async () => {
    const cases = changing.cases.map((one) => ({ ...one as object, scheme }))
    await fc.assert(fc.asyncProperty(cases, async (one) => { await changing.check(one as never) }), {
      numRuns: tries(2), seed: seed + i
    })
  })
}
