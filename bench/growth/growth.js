import { run } from '../child.js'
import { inTurn } from '../pace.js'
import { isSmoke, sizes } from '../sizes.js'
import { median, range, ratiosOf } from '../statistics.js'
import { printTable, rangeText } from '../table.js'

const { routes, versions, versionedRoutes, turns } = sizes.growth

/**
 * What many routes cost, and many versions at a URL, next to the same routes without us: every app in its own process.
 *
 * @returns the targets
 */
export async function measureGrowth () {
  const byRoutes = await inTurn(routes, async (count) => ({ label: count, ...await compare(count, 0) }))
  printApps('Growth: named routes, next to the same routes without us', 'routes', byRoutes)
  const byVersions = await inTurn(versions, async (count) => ({
    label: count, ...await compare(versionedRoutes, count)
  }))
  const title = `Growth: ${versionedRoutes} routes, several at a URL, next to Fastify's own constraint`
  printApps(title, 'versions at a URL', byVersions)
  const [fewest, most] = [byRoutes[0], byRoutes.at(-1)].map(({ ours }) => median(ours.link))
  return [
    ...byRoutes.map(({ label, boot }) => ({
      what: `boot, ${label} named routes`, limit: label < 1_000 ? 1.20 : 1.12, measured: boot
    })),
    ...byVersions.map(({ label, boot }) => ({
      what: `boot, ${label} versions at a URL / Fastify's constraint`, limit: 1.20, measured: boot
    })),
    { what: `a link among ${routes.at(-1)} names / among ${routes[0]}`, limit: 1.5, measured: range([most / fewest]) }
  ]
}

/** Columns of what both said, and the ratios of their boots. */
async function compare (count, versions) {
  const said = { ours: [], theirs: [] }
  for (let turn = 0; turn < turns(count); turn++) {
    for (const mode of turn % 2 === 0 ? ['ours', 'theirs'] : ['theirs', 'ours']) {
      const args = [String(count), String(versions), mode, ...isSmoke ? ['--smoke'] : []]
      said[mode].push(await run('growth/measure.js', { args, execArgv: ['--expose-gc'] }))
    }
  }
  const [ours, theirs] = [said.ours, said.theirs].map(toColumns)
  return { ours, theirs, boot: range(ratiosOf(ours.boot, theirs.boot)) }
}

function toColumns (rows) {
  return Object.fromEntries(Object.keys(rows[0]).map((key) => [key, rows.map((row) => row[key])]))
}

function printApps (title, head, apps) {
  const rows = apps.map(({ label, ours, theirs, boot }) => [
    label.toLocaleString('en'),
    `${median(theirs.boot).toFixed(1)} → ${median(ours.boot).toFixed(1)}`,
    rangeText(boot),
    `${median(theirs.heap).toFixed(2)} → ${median(ours.heap).toFixed(2)}`,
    `${median(theirs.request).toFixed(1)} → ${median(ours.request).toFixed(1)}`,
    ours.link[0] === null ? '–' : median(ours.link).toFixed(0)
  ])
  printTable(title, [[head, 'boot, ms', 'boot, ×', 'heap, MB', 'a request by inject, µs', 'a link, ns'], ...rows])
}
