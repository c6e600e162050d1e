import fc from 'fast-check'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { additions, recursions, rewritings } from './check/check.ts'
import { defaults } from './check/defaults.ts'
import { changing } from './changes/changes.ts'
import { sound } from './changes/sound.ts'
import { choice } from './choice/choice.ts'
import { events } from './events/events.ts'
import { Mismatch } from './fuzzer.ts'
import { linking } from './links/links.ts'
import { values as hostile } from './links/values.ts'
import { versionsOfLinks } from './links/versions.ts'
import { schemes } from './schemes/schemes.ts'
import { movable } from './usage/usage.ts'
import { wire } from './wire/wire.ts'

import type { Fuzzer } from './fuzzer.ts'

/** Every fuzzer, in the order in which they run. */
const fuzzers = [
  choice, linking, versionsOfLinks, hostile, schemes, changing, sound, events, additions, rewritings, defaults,
  recursions, movable, wire
] as Fuzzer[]
/** How long fast-check may look for a smaller case that fails, in milliseconds. */
const SHRINKING = 300_000

const { values, positionals } = parseArgs({
  options: { batches: { type: 'string' }, seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
  allowPositionals: true
})
const seconds = Number(values.seconds)
const batches = values.batches === undefined ? undefined : Number(values.batches)
const seed = values.seed === undefined ? Math.floor(Math.random() * 0x7fffffff) : Number(values.seed)
const names = fuzzers.map(({ name }) => name)
const isCount = batches === undefined || (Number.isInteger(batches) && batches > 0)
if (!(seconds > 0) || !isCount || !Number.isInteger(seed) || positionals.some((name) => !names.includes(name))) {
  console.error(`Usage: npm run fuzz -- [--seconds 60 | --batches 2] [--seed 7] [${names.join(' ')}]`)
  process.exit(2)
}

// An app of chance is one that the plugin warns of.
process.removeAllListeners('warning')

const chosen = fuzzers.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
for (const fuzzer of chosen) {
  if (!await run(fuzzer, 1000 * seconds / chosen.length)) process.exitCode = 1
}

/**
 * Checks a number of batches, or cases until the time is over. Batches have seeds in a row, so that a failure is found
 * again at once.
 */
async function run (fuzzer: Fuzzer, time: number): Promise<boolean> {
  const end = performance.now() + time
  let [cases, compared, next] = [0, 0, seed]
  const property = fc.asyncProperty(fuzzer.cases, async (subject) => {
    cases++
    compared += await fuzzer.check(subject)
  })
  try {
    do {
      const result = await fc.check(property, {
        seed: next, numRuns: fuzzer.batch, interruptAfterTimeLimit: SHRINKING
      })
      if (result.failed) {
        console.log(`${fuzzer.name}: seed ${seed}, failed. Again: npm run fuzz -- --seed ${next} ${fuzzer.name}\n`)
        const error = result.errorInstance
        console.log(error instanceof Mismatch ? error.message : error)
        return false
      }
      next++
      // Some memory is freed between the turns of the event loop only.
      await setImmediate()
    } while (batches === undefined ? performance.now() < end : next < seed + batches)
    console.log(`${fuzzer.name}: seed ${seed}, ${cases} cases, ${compared} comparisons`)
    return true
  } finally {
    await fuzzer.close?.()
  }
}
