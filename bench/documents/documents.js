import { run } from '../child.js'
import { inTurn } from '../pace.js'
import { sizes } from '../sizes.js'
import { range, ratiosOf } from '../statistics.js'
import { printTable, rangeText } from '../table.js'

const { routes, versions, turns } = sizes.documents

/**
 * What a document for each version costs, next to as many documents of @fastify/swagger alone.
 *
 * @returns the targets
 */
export async function measureDocuments () {
  const said = await inTurn([...Array(turns).keys()], () => (
    run('documents/measure.js', { args: [String(routes), String(versions)] })
  ))
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0) / 1_000
  const [ours, theirs] = ['ours', 'theirs'].map((mode) => said.map((one) => sum(one[mode])))
  const ratios = (part) => range(said.map((one) => sum(part(one.ours)) / sum(part(one.theirs))))
  const [seconds, alone] = [range(ours), range(theirs)]
  const title = `Documents: ${routes} routes × ${versions} versions, all documents in seconds`
  printTable(title, [
    ['', 's', '×'],
    ['@fastify/swagger alone, one document as often', rangeText(alone), '–'],
    ['a document for each version', rangeText(seconds), rangeText(range(ratiosOf(ours, theirs)))],
    ['the first one', '–', rangeText(ratios((all) => all.slice(0, 1)))],
    ['the others', '–', rangeText(ratios((all) => all.slice(1)))]
  ])
  return [{ what: `documents of ${routes} routes × ${versions} versions, s`, limit: 2, measured: seconds }]
}
