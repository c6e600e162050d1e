import t from 'tap'

import { byDate } from '../../src/index.ts'

interface Resolved { named: string, allowed?: (string | null)[], version: string | null }

const dates = ['2025-06-01', '2025-11-15', '2026-03-01', '2026-09-01']

const resolveds: Resolved[] = [
  { named: '2025-06-01', version: '2025-06-01' },
  { named: '2025-06-02', version: '2025-06-01' },
  { named: '2025-11-14', version: '2025-06-01' },
  { named: '2025-11-15', version: '2025-11-15' },
  { named: '2026-08-31', version: '2026-03-01' },
  { named: '9999-12-31', version: '2026-09-01' },
  { named: '2025-05-31', version: null },
  { named: '0001-01-01', version: null },
  { named: '0000-01-01', version: null },
  { named: '2024-02-29', allowed: ['2024-02-28'], version: '2024-02-28' },
  { named: 'banana', version: 'banana' },
  { named: '', version: '' },
  { named: '2026-02-30', version: '2026-02-30' },
  { named: '2025-02-29', version: '2025-02-29' },
  { named: '2026-3-1', version: '2026-3-1' },
  { named: '20260301', version: '20260301' },
  { named: '2026-04-01\n', version: '2026-04-01\n' },
  { named: '2026-04-01T00:00Z', version: '2026-04-01T00:00Z' },
  { named: '+002026-04-01', version: '+002026-04-01' },
  { named: '٢٠٢٦-04-01', version: '٢٠٢٦-04-01' },
  { named: '2026-04-01', allowed: ['2026-09-01', '2025-06-01', '2026-03-01'], version: '2026-03-01' },
  { named: '2026-04-01', allowed: [null, 'v1', '2026-02-30', '2025-06-01', '2026-03-01-a'], version: '2025-06-01' },
  { named: '2026-04-01', allowed: ['v1', 'v2'], version: '2026-04-01' },
  { named: '2026-04-01', allowed: [], version: '2026-04-01' }
]

for (const { named, allowed = dates, version } of resolveds) {
  t.test(`"${named}" is resolved to "${version}" among ${JSON.stringify(allowed)}`, async (t) => {
    t.equal(byDate(named, allowed), version)
  })
}

t.test('the time to resolve a version is linear in its length', async (t) => {
  t.equal(byDate('2026-03-01'.repeat(100_000), dates)?.length, 1_000_000)
})
