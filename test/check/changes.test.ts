import t from 'tap'

import { compare } from '../../src/check/index.ts'
import { cases } from './changes.ts'

const ORDER = ['breaking', 'unknown', 'added']
const KINDS = { ERR: 'breaking', WARN: 'unknown', INFO: 'added', none: undefined } as const

for (const { name, before, after, expected, oasdiff: [rule, level], reason } of cases) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} if ${name}`, async (t) => {
    const changes = compare(before, after)
    const kinds = ORDER.filter((kind) => changes.some((change) => change.kind === kind))
    t.same(kinds, expected, JSON.stringify(changes))
    for (const { at, message } of changes) {
      t.match(at, /^#\/(?:paths|webhooks)\//)
      t.match(message, /^[A-Z"\d].*[^.]$/)
    }
    t.same(compare(before, before), [], 'a document has not changed')
    const isAlike = kinds[0] === KINDS[level]
    t.equal(isAlike, reason === undefined, `oasdiff: ${rule} ${level}`)
  })
}
