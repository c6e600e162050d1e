import { run } from '../child.js'
import { apart } from '../pace.js'
import { isSmoke, sizes } from '../sizes.js'
import { printTable } from '../table.js'

const MAX_GROWTH_MB = 5
const cases = [
  'AcceptHeaderVersioning', 'ContentTypeVersioning', 'HeaderVersioning', 'HostNameVersioning',
  'QueryParameterVersioning', 'names of links', 'versions of links'
]

/**
 * How much the heap has grown after a million different requests, half of them to handlers chosen by version. The same
 * after requests with long texts that are the name or the version of a link.
 *
 * @returns the targets
 */
export async function measureAttack () {
  // All at once: this is not about time.
  const grown = (await Promise.all(apart(cases).map(attack))).flat()
  const requests = sizes.attack.requests.toLocaleString('en')
  printTable(`Memory under attack: growth of the heap after ${requests} different requests`, [
    ['', 'MB'],
    ...cases.map((name, i) => [name, grown[i].toFixed(2)])
  ])
  const measured = { low: Math.min(...grown), middle: Math.max(...grown), high: Math.max(...grown) }
  return [{ what: 'heap under attack, the worst of them, MB', limit: MAX_GROWTH_MB, measured }]
}

function attack (together) {
  const args = [together.join(), ...isSmoke ? ['--smoke'] : []]
  return run('attack/measure.js', { args, execArgv: ['--expose-gc'] })
}
