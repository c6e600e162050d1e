import { parseItem } from 'structured-headers'
import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { ending } from '../fixtures/lifecycle.ts'

interface Instant { given: string | Date, seconds: number, httpDate: string }

const instants: Instant[] = [
  { given: '2026-01-01', seconds: 1767225600, httpDate: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  { given: new Date('2026-09-01'), seconds: 1788220800, httpDate: 'Tue, 01 Sep 2026 00:00:00 GMT' },
  { given: '2026-12-31T23:59:59Z', seconds: 1798761599, httpDate: 'Thu, 31 Dec 2026 23:59:59 GMT' },
  { given: '2026-12-31T23:59Z', seconds: 1798761540, httpDate: 'Thu, 31 Dec 2026 23:59:00 GMT' },
  { given: '2026-12-31T23:59:59.999999999Z', seconds: 1798761599, httpDate: 'Thu, 31 Dec 2026 23:59:59 GMT' },
  { given: '2026-01-01T00:00:00+02:00', seconds: 1767218400, httpDate: 'Wed, 31 Dec 2025 22:00:00 GMT' },
  { given: '2026-01-01T00:00:00-11:30', seconds: 1767267000, httpDate: 'Thu, 01 Jan 2026 11:30:00 GMT' },
  { given: '2024-02-29', seconds: 1709164800, httpDate: 'Thu, 29 Feb 2024 00:00:00 GMT' },
  { given: '1970-01-01', seconds: 0, httpDate: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { given: new Date(1), seconds: 0, httpDate: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { given: new Date(-1), seconds: -1, httpDate: 'Wed, 31 Dec 1969 23:59:59 GMT' },
  { given: '0001-01-01', seconds: -62135596800, httpDate: 'Mon, 01 Jan 0001 00:00:00 GMT' },
  { given: '9999-12-31T23:59:59Z', seconds: 253402300799, httpDate: 'Fri, 31 Dec 9999 23:59:59 GMT' }
]

for (const { given, seconds, httpDate } of instants) {
  const shown = given instanceof Date ? `a Date of ${given.getTime()} ms` : given

  t.test(`${shown} is sent as a structured date and as an HTTP date`, async (t) => {
    const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated: given, sunset: given } } })
    app.get('/', async () => '')
    const { headers } = await app.inject('/?version=v1')
    t.equal(headers.deprecation, `@${seconds}`)
    const [date] = parseItem(headers.deprecation as string)
    t.ok(date instanceof Date)
    t.equal((date as Date).getTime(), seconds * 1000)
    t.equal(headers.sunset, httpDate)
  })
}

t.test('a Date that is modified later does not change the ending', async (t) => {
  const deprecated = new Date('2026-01-01')
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated } } })
  app.get('/', async () => '')
  deprecated.setFullYear(2030)
  t.equal((await app.inject('/?version=v1')).headers.deprecation, '@1767225600')
})

t.test('a version may be deprecated without a sunset', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated: '2026-01-01', info: '/leaving' } } })
  app.get('/', async () => '')
  const { headers } = await app.inject('/?version=v1')
  t.equal(headers.sunset, undefined)
  t.notMatch(headers.link, 'sunset')
})

t.test('the offset of a date may have hours only', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { sunset: '2026-01-01T01:00+01' } } })
  app.get('/', async () => '')
  t.equal((await app.inject('/?version=v1')).headers.sunset, 'Thu, 01 Jan 2026 00:00:00 GMT')
})

t.test('a version may have a sunset without a deprecation', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { sunset: '2026-01-01', info: '/leaving' } } })
  app.get('/', async () => '')
  const { headers } = await app.inject('/?version=v1')
  t.equal(headers.deprecation, undefined)
  t.equal(headers.sunset, 'Thu, 01 Jan 2026 00:00:00 GMT')
  t.match(headers.link, '</leaving>; rel="deprecation", </leaving>; rel="sunset"')
})
