import { run } from '../child.js'
import { sides, sizes } from '../settings.js'
import { printSides } from '../table.js'

const LABELS = { v3: 'v3, the newest', v2: 'v2', v1: 'v1, the oldest' }

/** Requests of an app with changes, without a socket. "Without us" is a route of that version, written by hand. */
export async function measureChanges () {
  const names = Object.keys(sides)
  const rows = []
  for (const [version, label] of Object.entries(LABELS)) {
    const starts = []
    for (let i = 0; i < sizes.starts; i++) {
      starts.push(await run('./changes/measure.js', version, ...Object.values(sides)))
    }
    rows.push({ label, times: Object.fromEntries(names.map((name, i) => [name, starts.map((start) => start[i])])) })
  }
  printSides('A request in an app with changes', 'ns', rows)
}
