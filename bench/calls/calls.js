import { run } from '../child.js'
import { sides, sizes } from '../settings.js'
import { printSides } from '../table.js'
import { cases } from './measure.js'

/** Nanoseconds of `determineVersion`, and of `reply.reverse`. All sides of a case share a process, and take turns. */
export async function measureCalls () {
  const own = Object.entries(sides).filter(([name]) => name !== 'without')
  for (const what of ['determineVersion', 'reverse']) {
    const rows = []
    for (const label of Object.keys(cases)) {
      const starts = []
      for (let i = 0; i < sizes.starts; i++) {
        starts.push(await run('./calls/measure.js', what, label, ...own.map(([, directory]) => directory)))
      }
      const times = Object.fromEntries(own.map(([name], i) => [name, starts.map((start) => start[i])]))
      rows.push({ label, times })
    }
    printSides(what, 'ns', rows)
  }
}
