import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { sizes } from './settings.js'

setFlagsFromString('--expose-gc')
/** Node's own garbage collection, without an option on the command line. */
export const gc = runInNewContext('gc')

/**
 * Nanoseconds of a call, of several who take turns in short rounds.
 *
 * @param calls functions that take a number and return something that has a length
 * @returns a list for each of them
 */
export function timeInTurns (calls) {
  const { rounds } = sizes
  const times = calls.map(() => [])
  // Twice as often as counts, so that everybody is compiled.
  for (let round = -4 * rounds; round < 4 * rounds; round++) {
    const order = [...calls.keys()]
    for (const i of round % 2 === 0 ? order : order.toReversed()) {
      const time = timeOf(calls[i])
      if (round >= 0) times[i].push(time)
    }
  }
  return times
}

function timeOf (call) {
  // Nobody is to pay for what the one before has left behind.
  gc({ type: 'minor' })
  let length = 0
  const begin = process.hrtime.bigint()
  for (let i = 0; i < sizes.calls; i++) length += call(i % 1000).length
  const end = process.hrtime.bigint()
  if (length === 0) throw new Error('Nothing came out of the calls.')
  return Number(end - begin) / sizes.calls
}

/** Megabytes after a garbage collection. */
export function heapUsed () {
  gc()
  return process.memoryUsage().heapUsed / 1e6
}

/** Milliseconds of CPU time that a function takes. */
export async function cpuTimeOf (make) {
  const begin = process.cpuUsage()
  await make()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1e3
}
