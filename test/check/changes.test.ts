import t from 'tap'

import { compare } from '../../src/check/index.ts'
import { cases } from './changes.ts'

const ORDER = ['breaking', 'added']
const KINDS = { ERR: 'breaking', WARN: 'breaking', INFO: 'added', none: undefined } as const

for (const { name, before, after, expected, oasdiff: [rule, level], reason } of cases) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} if ${name}`, async (t) => {
    const differences = compare(before, after)
    const kinds = ORDER.filter((kind) => differences.some((one) => one.kind === kind))
    t.same(kinds, expected, JSON.stringify(differences))
    for (const { at, message } of differences) {
      t.match(at, /^#\/(?:paths|webhooks)\//)
      t.match(message, /^(?:[A-Z]+ \/|webhook ").*[^.]$/)
    }
    t.same(compare(before, before), [], 'a document does not differ from itself')
    const isAlike = kinds[0] === KINDS[level]
    t.equal(isAlike, reason === undefined, `oasdiff: ${rule} ${level}`)
  })
}
