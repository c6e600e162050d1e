import { sizes } from '../sizes.js'
import { median, range, ratiosOf, spread } from '../statistics.js'
import { printTable, rangeText } from '../table.js'
import { contestants, limits } from './contestants.js'
import { fight } from './duel.js'

const MAX_SPREAD = 0.15

const byKey = new Map(contestants.map((contestant) => [contestant.key, contestant]))

/** Each contestant compared with the empty hook, and where there is a target, with another contestant. */
const duels = [
  ...contestants.filter(({ baseline }) => baseline).map(({ key, baseline }) => ({ key, other: baseline })),
  ...limits.filter(({ other }) => byKey.get(other).baseline)
].slice(0, sizes.wire.duels)

/**
 * CPU time of the server's process per request. Every pair is started afresh a few times, for two processes of the same
 * code are not equally fast.
 *
 * @returns the targets
 */
export async function measureWire () {
  const results = []
  for (let start = 0; start < sizes.wire.starts; start++) {
    // Who has no limit is started once: that it is twice as slow needs no hundredths.
    for (const { key, other } of start === 0 ? duels : duels.filter(isLimited)) {
      const [own, others] = await fight([byKey.get(key), byKey.get(other)], sizes.wire)
      results.push({ key, other, own, others, ratios: ratiosOf(own, others) })
    }
  }
  const noise = median(results.filter(({ other }) => other === 'hook').map(({ others }) => spread(others)))
  printTimes(results, noise)
  return limits.filter(({ key, other }) => results.some((one) => one.key === key && one.other === other))
    .map(({ key, other, limit }) => ({
      what: `${byKey.get(key).label} / ${byKey.get(other).label}`,
      limit,
      measured: rangeOf(results, key, other),
      isNoisy: noise > MAX_SPREAD
    }))
}

function isLimited ({ key, other }) {
  return limits.some((limit) => limit.key === key && limit.other === other)
}

/** The median of all rounds, between the medians of the starts. */
function rangeOf (results, key, other) {
  const rows = results.filter((one) => one.key === key && one.other === other).map(({ ratios }) => ratios)
  return { ...range(rows.map(median)), middle: median(rows.flat()) }
}

function printTimes (results, noise) {
  const rows = contestants.flatMap(({ key, label, baseline }) => {
    const times = results.flatMap((one) => [one.key === key ? one.own : [], one.other === key ? one.others : []]).flat()
    if (times.length === 0) return []
    return [[label, median(times).toFixed(1), baseline ? rangeText(rangeOf(results, key, baseline)) : '1']]
  })
  printTable('On the wire: CPU time of the server', [['', 'µs a request', '× empty hook, same URL'], ...rows])
  const text = `the middle half of the rounds of the empty hook is ${(noise * 100).toFixed(1)} % of their median apart.`
  console.log(noise > MAX_SPREAD ? `\nToo noisy to tell: ${text}` : `\nNoise: ${text}`)
}
