import { run } from '../child.js'
import { isSmoke, sizes } from '../sizes.js'
import { printTable } from '../table.js'

const MAX_GROWTH_MB = 5
const cases = ['AcceptHeaderVersioning', 'HostNameVersioning', 'QueryParameterVersioning'].flatMap((scheme) => (
  [[scheme, 'plain'], [scheme, 'chosen']]
)).slice(0, sizes.attack.cases)

/**
 * What the heap has grown by after a million different requests, with and without handlers chosen by version.
 *
 * @returns the targets
 */
export async function measureAttack () {
  const grown = []
  // Two at once: this is not about time.
  for (let i = 0; i < cases.length; i += 2) grown.push(...await Promise.all(cases.slice(i, i + 2).map(attack)))
  const requests = sizes.attack.requests.toLocaleString('en')
  printTable(`Memory under attack: growth of the heap after ${requests} different requests`, [
    ['', 'MB'],
    ...cases.map((one, i) => [labelOf(one), grown[i].toFixed(2)])
  ])
  return [{ what: 'heap under attack, the worst of them, MB', limit: MAX_GROWTH_MB, measured: worst(grown) }]
}

async function attack ([scheme, mode]) {
  const args = [scheme, mode, ...isSmoke ? ['--smoke'] : []]
  return (await run('attack/measure.js', { args, execArgv: ['--expose-gc'] })).grown
}

function labelOf ([scheme, mode]) {
  return mode === 'chosen' ? `${scheme}, handlers chosen by version` : scheme
}

function worst (values) {
  return { low: Math.min(...values), middle: Math.max(...values), high: Math.max(...values) }
}
