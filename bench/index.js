/**
 * What the plugin costs, measured next to everything that one might use instead: prints its tables as Markdown. With
 * `--smoke` everything runs once, and the numbers mean nothing.
 */
import { measureAttack } from './attack/attack.js'
import { BenchError } from './bench-error.js'
import { measureChanges } from './changes/changes.js'
import { measureCalls } from './calls/calls.js'
import { measureDocuments } from './documents/documents.js'
import { measureGrowth } from './growth/growth.js'
import { describeMachine } from './machine.js'
import { inTurn } from './pace.js'
import { isSmoke } from './sizes.js'
import { printTargets } from './targets.js'
import { smokeWire } from './wire/smoke.js'
import { measureWire } from './wire/wire.js'

const begin = performance.now()
try {
  console.log(await describeMachine())
  const measured = [measureWire, measureCalls, measureGrowth, measureChanges, measureDocuments, measureAttack]
  const parts = isSmoke ? [smokeWire, ...measured] : measured
  const targets = await inTurn(parts, (measure) => measure())
  if (!isSmoke) printTargets(targets.flat())
  console.log(`\nMeasured in ${Math.round((performance.now() - begin) / 1000)} s.`)
} catch (error) {
  if (!(error instanceof BenchError)) throw error
  console.error(`\n${error.message}`)
  // Servers and connections may be left.
  process.exit(1)
}
