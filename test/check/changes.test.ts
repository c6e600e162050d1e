import t from 'tap'

import { compare } from '../../src/check/index.ts'
import { body, cases, corners, open } from './changes.ts'

const ORDER = ['breaking', 'added']
const KINDS: Readonly<Record<string, string>> = { ERR: 'breaking', WARN: 'breaking', INFO: 'added' }

for (const [name, before, after, expected, oasdiff, reason] of [...cases, ...corners]) {
  t.test(`compare() reports ${expected.join(' and ') || 'nothing'} if ${name}`, async (t) => {
    const differences = compare(before, after)
    const kinds = ORDER.filter((kind) => differences.some((one) => one.kind === kind))
    t.same(kinds, expected, JSON.stringify(differences))
    for (const { at, message } of differences) {
      t.match(at, /^#\/(?:paths|webhooks|servers)/)
      t.match(message, /^(?:[A-Z]+ \/|webhook "|servers ).*[^.]$/)
    }
    t.same(compare(before, before), [], 'a document does not differ from itself')
    if (oasdiff) t.equal(kinds[0] === KINDS[oasdiff.split(' ')[0]], reason === undefined, `oasdiff: ${oasdiff}`)
  })
}

t.test('alternatives are compared by the name of their reference', async (t) => {
  const make = (type: string) => ({
    ...body({ anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }),
    components: { schemas: { A: open({ properties: { a: { type } } }), B: open({}) } }
  })
  t.match(compare(make('integer'), make('string')), [
    { kind: 'breaking', message: 'POST /bookings  body: "a" is string now, was integer' }
  ])
})
