import t from 'tap'

import { changing, schemeNames, settingNames } from '../../fuzz/changes/changes.ts'
import { fc, tries } from '../fixtures/property.ts'

const { seed = 0 } = fc.readConfigureGlobal()

for (const [i, scheme] of schemeNames.entries()) {
  const setting = settingNames[i % settingNames.length]
  t.test(`an API with changes answers and is documented like one written by hand: ${scheme}, ${setting}`, async () => {
    const cases = changing.cases.map((one) => ({ ...one as object, scheme, setting }) as never)
    await fc.assert(fc.asyncProperty(fc.noBias(cases), async (one) => { await changing.check(one) }), {
      numRuns: tries(2), seed: seed + i
    })
  })
}
