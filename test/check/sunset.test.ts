import t from 'tap'

import { assertCompatible, compare } from '../../src/check/index.ts'

const now = new Date('2026-06-01')
const text = { type: 'string' }
const responses = { 200: { description: 'ok' } }

/** What may be deprecated, and without it. */
const parts: Record<string, (part: object | undefined) => object> = {
  'GET /a': (part) => ({ get: part && { responses, ...part } }),
  'GET /a  query: "page"': (part) => ({
    get: { responses, parameters: part && [{ in: 'query', name: 'page', schema: text, ...part }] }
  }),
  'GET /a  response 200: "guest"': (part) => {
    const schema = { type: 'object', properties: part === undefined ? {} : { guest: { ...text, ...part } } }
    return { get: { responses: { 200: { content: { 'application/json': { schema } } } } } }
  },
  'GET /a  response 200: header "X-Count"': (part) => ({
    get: { responses: { 200: { headers: part && { 'X-Count': { schema: text, ...part } } } } }
  })
}
const documentOf = (item: object) => ({ openapi: '3.1.0', paths: { '/a': JSON.parse(JSON.stringify(item)) } })
const ended = (date: string) => `added: ended on ${date}, as announced`

const ENDINGS: [says: string, before: object, after: object | undefined, expected: string[]][] = [
  ['was removed after its sunset', { deprecated: true, 'x-sunset': '2026-05-31' }, undefined, [ended('2026-05-31')]],
  ['was removed at its sunset', { deprecated: true, 'x-sunset': '2026-06-01T00:00:00Z' }, undefined,
    [ended('2026-06-01T00:00:00Z')]],
  ['was removed before its sunset', { deprecated: true, 'x-sunset': '2026-06-02' }, undefined,
    ['breaking: was removed']],
  ['was removed without a sunset', { deprecated: true }, undefined, ['breaking: was removed']],
  ['was removed with a sunset that is no date', { deprecated: true, 'x-sunset': '2026-02-31x' }, undefined,
    ['breaking: was removed']],
  ['was removed with a sunset that is no text', { deprecated: true, 'x-sunset': ['2026-05-31'] }, undefined,
    ['breaking: was removed']],
  ['was removed with a date that does not exist', { deprecated: true, 'x-sunset': '2026-13-01' }, undefined,
    ['breaking: was removed']],
  ['was removed without being deprecated', { 'x-sunset': '2026-05-31' }, undefined, ['breaking: was removed']],
  ['ends earlier', { deprecated: true, 'x-sunset': '2026-12-31' }, { deprecated: true, 'x-sunset': '2026-11-30' },
    ['breaking: ends on 2026-11-30 now, was 2026-12-31']],
  ['ends later', { deprecated: true, 'x-sunset': '2026-11-30' }, { deprecated: true, 'x-sunset': '2026-12-31' }, []],
  ['gets a sunset', {}, { deprecated: true, 'x-sunset': '2026-12-31' }, []],
  ['loses its sunset', { deprecated: true, 'x-sunset': '2026-12-31' }, {}, []]
]

for (const [part, make] of Object.entries(parts)) {
  for (const [says, before, after, expected] of ENDINGS) {
    t.test(`${part} that ${says} is ${expected.join() || 'no difference'}`, async (t) => {
      const differences = compare(documentOf(make(before)), documentOf(make(after)), { now })
      t.strictSame(differences.map(({ kind, message }) => `${kind}: ${message}`),
        expected.map((one) => one.replace(': ', `: ${part}${part === 'GET /a' ? ' ' : ''} `)))
    })
  }
}

t.test('a property that is a reference has a sunset of its own', async (t) => {
  const reference = { $ref: '#/components/schemas/Guest' }
  const make = (openapi: string, properties: object) => ({
    ...documentOf(parts['GET /a']({
      responses: { 200: { content: { 'application/json': { schema: { type: 'object', properties } } } } }
    })),
    openapi,
    components: { schemas: { Guest: { type: 'string' } } }
  })
  const ended = { ...reference, deprecated: true, 'x-sunset': '2026-01-01' }
  const kindsOf = (version: string) => (
    compare(make(version, { guest: ended }), make(version, {}), { now }).map(({ kind }) => kind)
  )
  t.strictSame([kindsOf('3.1.0'), kindsOf('3.0.3')], [['added'], ['breaking']])
  t.strictSame(compare(make('3.1.0', { guest: ended }), make('3.1.0', { guest: reference }), { now }), [])
})

t.test('a 410 that comes or goes with the dates of a version is no difference', async (t) => {
  const gone = documentOf(parts['GET /a']({ responses: { ...responses, 410: { description: 'Gone' } } }))
  const before = documentOf(parts['GET /a']({}))
  t.strictSame([...compare(before, gone), ...compare(gone, before)], [])
})

t.test('without "now", it is now', async (t) => {
  const make = parts['GET /a']
  const sunset = (year: string) => documentOf(make({ deprecated: true, 'x-sunset': `${year}-01-01` }))
  t.match(compare(sunset('2020'), documentOf({})), [{ kind: 'added' }])
  t.match(compare(sunset('9020'), documentOf({})), [{ kind: 'breaking' }])
  t.throws(() => assertCompatible(sunset('9020'), documentOf({})))
  t.doesNotThrow(() => assertCompatible(sunset('9020'), documentOf({}), { now: Date.UTC(9021, 0) }))
})

t.test('"now" is a date, or milliseconds', async (t) => {
  for (const wrong of [new Date('no date'), NaN, 'tomorrow']) {
    t.throws(() => compare(documentOf({}), documentOf({}), { now: wrong as Date }), {
      name: 'TypeError', message: /^Expected "now" to be a date, or milliseconds since 1970, got /
    })
  }
})

t.test('a date of a webhook does not count, and neither does one in a schema that is too complicated', async (t) => {
  const hooks = (date: string) => ({
    openapi: '3.1.0', paths: {}, webhooks: { made: { post: { deprecated: true, 'x-sunset': date, responses } } }
  })
  t.strictSame(compare(hooks('2026-12-31'), hooks('2026-11-30'), { now }), [])
  const complicated = (date: string) => documentOf(parts['GET /a  response 200: "guest"']({
    not: { contains: { deprecated: true, 'x-sunset': date } }, contains: { 'x-sunset': date }
  }))
  t.strictSame(compare(complicated('2026-12-31'), complicated('2027-11-30'), { now }), [])
})
