/**
 * Nanoseconds per call, of several who take turns in short rounds.
 *
 * @param contestants each with `call` and, unless it takes a number, `inputs(count)`, which makes its arguments
 * @param sizes `rounds`, and `calls` in each of them
 * @returns a list for each of them
 */
export function timeInTurns (contestants, { rounds, calls }) {
  const times = contestants.map(() => [])
  // Twice as often as counts, so that everybody is compiled.
  for (let round = -rounds; round < rounds; round++) {
    for (const i of contestants.keys()) {
      const turned = (i + round + rounds) % contestants.length
      const at = round % 2 === 0 ? turned : contestants.length - 1 - turned
      const time = timeOnce(contestants[at], calls)
      if (round >= 0) times[at].push(time)
    }
  }
  return times
}

function timeOnce ({ call, inputs = numbers }, count) {
  const given = inputs(count)
  // Nobody is to pay for what the one before has left behind.
  globalThis.gc({ type: 'minor' })
  let length = 0
  const start = process.hrtime.bigint()
  for (let i = 0; i < count; i++) length += call(given[i]).length
  const end = process.hrtime.bigint()
  if (length === 0) throw new Error('Nothing came out of the calls.')
  return Number(end - start) / count
}

function numbers (count) {
  return Array.from({ length: count }, (_, i) => i % 1000)
}
