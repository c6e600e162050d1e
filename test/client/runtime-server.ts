/** Servers under every scheme for the other runtimes. One line of output has their addresses. */
import t from 'tap'

import { pairs, serve } from './server.ts'

const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2099-12-31' } }

await t.test('the servers', { timeout: 0 }, async (t) => {
  // Not every system finds *.localhost.
  const all = pairs.filter(({ host }) => host === undefined)
  const served = await Promise.all(all.map(async (pair) => ({
    name: pair.name,
    place: pair.place,
    origin: await serve(t, pair, ['v1', 'v2'], { lifecycle, reportVersions: true, servedVersion: 'API-Version' })
  })))
  process.send?.({ servers: served })
  await new Promise((resolve) => process.once('disconnect', resolve))
})
