// Alone in its process, because it measures memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'

import { NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { declare, linker } from './app.ts'

/** Node holds about 300 MB where texts are kept twice, and 15 MB where a thousand of them are. */
const MAX_GROWTH = 10e6

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is about to be freed may still be there. */
async function heap (): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  collect()
  return process.memoryUsage().heapUsed
}

for (const [place, scheme] of [
  ['name', NamespaceVersioning], ['version', NamespaceVersioning], ['name', QueryParameterVersioning]
] as const) {
  t.test(`10,000 texts of 15 kB as the ${place} of a link by ${scheme.name} are not kept in memory`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme, allowedVersions: null })
    declare(app, [['v1', '/it', 'it'], ['v1', '/links']], answer)
    const ask = (text: string) => place === 'name'
      ? link('/v1/links', text)
      : link('/v1/links', 'it', null, { version: text })
    for (let i = 0; i < 200; i++) await ask('warm')
    const before = await heap()
    let most = 0
    for (let i = 0; i < 10_000; i++) {
      // Neither shared with another text nor in pieces.
      await ask(Buffer.from(String(i).padStart(15_000, 'x')).toString('latin1'))
      // A store that is emptied when it is full would hide at the end what it has held.
      if (i % 707 === 0) most = Math.max(most, await heap() - before)
    }
    t.ok(most < MAX_GROWTH, `${most} bytes`)
  })
}
