import { run } from '../child.js'
import { apart, inTurn } from '../pace.js'
import { isSmoke } from '../sizes.js'
import { printTable } from '../table.js'
import { linkNames } from './links.js'

/** How much more a request may take if the response has its version in a header. */
const MAX_SERVED_NS = 100

const limits = new Map([['URLPathVersioning', 1], ['NamespaceVersioning', 1], ['QueryParameterVersioning', 2]])

/**
 * What calls in the process cost: `determineVersion`, the option `servedVersion`, and `reply.reverse`.
 *
 * @returns the targets
 */
export async function measureCalls () {
  const names = ['determineVersion', 'servedVersion', ...linkNames]
  const [versions, served, ...links] = (await inTurn(apart(names), measure)).flat()
  printTimes('In the process: determineVersion', versions)
  printTimes('In the process: a request without a socket', served.rows)
  printTable('In the process: reply.reverse', [
    ['', 'ns', '× path-to-regexp', '× named-routes', '× concatenation'],
    ...links.map(([name, time, ...ratios]) => [name, time.toFixed(0), ...ratios.map(({ middle }) => middle.toFixed(2))])
  ])
  const targets = links.filter(([name]) => limits.has(name)).map(([name, , measured]) => ({
    what: `reply.reverse, ${name} / path-to-regexp`, limit: limits.get(name), measured
  }))
  return [{ what: 'servedVersion as a header, ns more', limit: MAX_SERVED_NS, measured: served.slower }, ...targets]
}

function printTimes (title, rows) {
  printTable(title, [['', 'ns'], ...rows.map(([name, time]) => [name, time.toFixed(0)])])
}

function measure (names) {
  return run('calls/measure.js', { args: [names.join(), ...isSmoke ? ['--smoke'] : []], execArgv: ['--expose-gc'] })
}
