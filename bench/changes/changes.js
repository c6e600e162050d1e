import { run } from '../child.js'
import { inTurn } from '../pace.js'
import { isSmoke, sizes } from '../sizes.js'
import { median, range, ratiosOf } from '../statistics.js'
import { printTable, rangeText } from '../table.js'

/**
 * What one handler for all versions costs, compared with the same versions written by hand.
 *
 * @returns the targets
 */
export async function measureChanges () {
  const { routes, versions, turns } = sizes.changes
  const args = isSmoke ? ['--smoke'] : []
  const execArgv = ['--expose-gc']
  const apps = { changes: [], hand: [] }
  for (let turn = 0; turn < turns; turn++) {
    for (const mode of turn % 2 === 0 ? ['changes', 'hand'] : ['hand', 'changes']) {
      const said = await run('changes/measure.js', { args: [routes, versions, mode, ...args].map(String), execArgv })
      apps[mode].push(said)
    }
  }
  const ratioOf = (what) => range(ratiosOf(...[apps.changes, apps.hand].map((said) => said.map((one) => one[what]))))
  const middle = (mode, what) => median(apps[mode].map((one) => one[what]))
  const [boot, heap] = ['boot', 'heap'].map(ratioOf)
  printTable(`Changes: ${routes} routes, ${versions} versions, and a route for each version by hand`, [
    ['', 'by hand', 'changes', '×'],
    ['boot, ms of CPU time', middle('hand', 'boot').toFixed(0), middle('changes', 'boot').toFixed(0), rangeText(boot)],
    ['heap, MB', middle('hand', 'heap').toFixed(1), middle('changes', 'heap').toFixed(1), rangeText(heap)]
  ])
  const requests = await inTurn([3, 2, 1], async (version) => {
    const [ours, theirs] = await run('changes/times.js', { args: ['3', String(version), ...args], execArgv })
    return { version, ours, theirs, ratio: range(ratiosOf(ours, theirs)) }
  })
  printTable('Changes: a request without a socket, of three versions', [
    ['', 'ns', 'changes, ns', '×'],
    ...requests.map(({ version, ours, theirs, ratio }) => [
      version === 3 ? 'the newest version, and without changes' : `v${version}, and a route by hand`,
      median(theirs).toFixed(0),
      median(ours).toFixed(0),
      ratio.middle.toFixed(3)
    ])
  ])
  return [
    { what: 'boot with changes', limit: 1.2, measured: boot },
    { what: 'heap with changes', limit: 1.2, measured: heap },
    ...requests.map(({ version, ratio }) => (
      { what: `a request of v${version} with changes`, limit: version === 3 ? 1.01 : 1.05, measured: ratio }
    ))
  ]
}
