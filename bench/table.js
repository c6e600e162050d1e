import { isSmoke } from './settings.js'

/** In the order of the columns. What ours is measured beside has a column of its own. */
const HEADS = { without: 'without us', byHand: 'by hand', ours: 'ours', again: 'again', before: 'before' }
const WITH_VALUES = ['without', 'byHand', 'ours']

/**
 * Prints a table: a row for each thing, with a column for each side. In smoke mode numbers mean nothing.
 *
 * @param unit of the values
 * @param rows of `label` and `times`: by side, a list of values for each start; a side that has none is left out
 */
export function printSides (title, unit, rows) {
  if (isSmoke) return
  const sides = Object.keys(HEADS).filter((side) => rows.some(({ times }) => times[side] !== undefined))
  const values = sides.filter((side) => WITH_VALUES.includes(side))
  const others = sides.filter((side) => side !== 'ours')
  const cells = rows.map(({ label, times }) => [
    label,
    ...values.map((side) => times[side] === undefined ? '–' : numberText(median(times[side].flat()))),
    ...others.map((side) => times[side] === undefined ? '–' : ratioText(ratio(times.ours, times[side])))
  ])
  const heads = [...values.map((side) => HEADS[side]), ...others.map((side) => `× ${HEADS[side]}`)]
  printTable(`${title}, ${unit}`, [['', ...heads], ...cells])
}

function numberText (value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

function ratioText ({ low, middle, high }) {
  const text = middle.toFixed(3)
  return low === high ? text : `${text} (${low.toFixed(2)} to ${high.toFixed(2)})`
}

function median (values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/**
 * How many times the other row's values, pair by pair: what both met in their round drops out.
 *
 * @param rows a list of values for each start, as are `others`
 * @returns the median of all pairs, with the least and the greatest median of a start
 */
function ratio (rows, others) {
  const ratios = rows.map((row, i) => row.map((value, j) => value / others[i][j]))
  const medians = ratios.map(median)
  return { low: Math.min(...medians), middle: median(ratios.flat()), high: Math.max(...medians) }
}

/** Prints a table in Markdown, of which the first row is the head. */
function printTable (title, rows) {
  const [head] = rows
  const widths = head.map((_, i) => Math.max(3, ...rows.map((row) => row[i].length)))
  const rule = widths.map((width, i) => i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)
  const lines = rows.map((row) => row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
  lines.splice(1, 0, rule)
  console.log(`\n**${title}**\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
}
