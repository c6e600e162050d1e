import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { TYPESCRIPT } from '../fixtures/typescript.ts'

/** Node holds about 300 MB where texts are kept twice, and 15 MB where a thousand of them are. */
const MAX_GROWTH = 10e6
const HEAP = fileURLToPath(new URL('unknown-names-heap.ts', import.meta.url))

for (const [place, scheme] of [['name', 'namespace'], ['version', 'namespace'], ['name', 'query']]) {
  t.test(`10,000 texts of 15 kB as the ${place} of a link by ${scheme} are not kept in memory`, async (t) => {
    const args = ['--expose-gc', TYPESCRIPT, HEAP, place, scheme]
    // Coverage would take memory, too.
    const env = { ...process.env, NODE_V8_COVERAGE: '' }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    t.ok(Number(stdout) < MAX_GROWTH, `${stdout} bytes`)
  })
}
