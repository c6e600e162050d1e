import t from 'tap'

import { changing } from '../../fuzz/changes/changes.ts'
import { fc, tries } from '../fixtures/property.ts'

const SCHEMES = [
  'header', 'query', 'accept', 'contentType', 'host', 'cookie', 'path', 'namespace', 'list', 'listWithPath',
  'listWithNamespace'
]
/** One for each scheme. */
const cases = fc.tuple(...SCHEMES.map((scheme) => changing.cases.map((one) => ({ ...one as object, scheme }))))

t.test('an API with changes answers and is documented like one written by hand, under each scheme', async () => {
  await fc.assert(fc.asyncProperty(cases, async (subjects) => {
    for (const subject of subjects) await changing.check(subject as never)
  }), { numRuns: tries(2) })
})
