import t from 'tap'

import { compare } from '../../src/check/index.ts'
import { cases } from './changes.ts'

const ORDER = ['breaking', 'added']
const KINDS: Readonly<Record<string, string>> = { ERR: 'breaking', WARN: 'breaking', INFO: 'added' }

for (const [name, before, after, expected, oasdiff, reason] of cases) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} if ${name}`, async (t) => {
    const differences = compare(before, after)
    const kinds = ORDER.filter((kind) => differences.some((one) => one.kind === kind))
    t.same(kinds, expected, JSON.stringify(differences))
    for (const { at, message } of differences) {
      t.match(at, /^#\/(?:paths|webhooks)\//)
      t.match(message, /^(?:[A-Z]+ \/|webhook ").*[^.]$/)
    }
    t.same(compare(before, before), [], 'a document does not differ from itself')
    const isAlike = kinds[0] === KINDS[oasdiff.split(' ')[0]]
    t.equal(isAlike, reason === undefined, `oasdiff: ${oasdiff}`)
  })
}
