import { run } from '../child.js'
import { apart, inTurn } from '../pace.js'
import { isSmoke } from '../sizes.js'
import { printTable } from '../table.js'
import { linkNames } from './links.js'

const limits = new Map([['URLPathVersioning', 1], ['NamespaceVersioning', 1], ['QueryParameterVersioning', 2]])

/**
 * What calls in the process cost: `determineVersion` and `reply.reverse`.
 *
 * @returns the targets
 */
export async function measureCalls () {
  const [versions, ...links] = (await inTurn(apart(['', ...linkNames]), measure)).flat()
  printTable('In the process: determineVersion', [
    ['', 'ns'],
    ...versions.map(([name, time]) => [name, time.toFixed(0)])
  ])
  printTable('In the process: reply.reverse', [
    ['', 'ns', '× path-to-regexp', '× named-routes', '× concatenation'],
    ...links.map(([name, time, ...ratios]) => [name, time.toFixed(0), ...ratios.map(({ middle }) => middle.toFixed(2))])
  ])
  return links.filter(([name]) => limits.has(name)).map(([name, , measured]) => ({
    what: `reply.reverse, ${name} / path-to-regexp`, limit: limits.get(name), measured
  }))
}

function measure (names) {
  return run('calls/measure.js', { args: [names.join(), ...isSmoke ? ['--smoke'] : []], execArgv: ['--expose-gc'] })
}
