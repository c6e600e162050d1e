import { run } from '../child.js'
import { isSmoke, sides, sizes } from '../settings.js'
import { printSides } from '../table.js'

const CASES = [
  { label: '100 named routes', what: 'names', count: 100 },
  { label: '1,000 named routes', what: 'names', count: 1_000 },
  { label: '1,000 routes, 5 versions at a URL', what: 'versions', count: 1_000 },
  { label: '200 routes, changes in 5 versions', what: 'changes', count: 200 },
  { label: '400 routes and schemas, all changed', what: 'schemas', count: 400 },
  { label: 'documents of 1,000 routes in 5 versions', what: 'documents', count: 1_000 },
  { label: 'import', what: 'import', count: 0 }
]

/**
 * What boot costs: every app in its own process, in which a small one was started before. "Without us" is the app with
 * the same routes; for several versions at a URL, by Fastify's own constraint; for documents, @fastify/swagger alone;
 * for changed schemas, the app with the plugin and without changes.
 */
export async function measureBoot () {
  const rows = []
  for (const { label, what, count } of CASES) {
    const said = Object.fromEntries(Object.keys(sides).map((side) => [side, []]))
    for (let turn = 0; turn < sizes.turns; turn++) {
      const order = Object.entries(sides)
      for (const [side, directory] of turn % 2 === 0 ? order : order.toReversed()) {
        // Fastify has no import to measure beside ours.
        if (what === 'import' && side === 'without') continue
        said[side].push(await run('./boot/measure.js', what, isSmoke ? 5 : count, directory))
      }
    }
    rows.push({ label, said })
  }
  print('Boot', 'ms of CPU time', rows, 'time')
  print('Heap', 'MB', rows.filter(({ said }) => said.ours[0].heap !== null), 'heap')
}

function print (title, unit, rows, key) {
  printSides(title, unit, rows.map(({ label, said }) => ({
    label,
    times: Object.fromEntries(Object.entries(said).filter(([, list]) => list.length > 0)
      .map(([side, list]) => [side, list.map((start) => [start[key]])]))
  })))
}
