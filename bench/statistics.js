export function median (values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/**
 * How many times the other row's values, pair by pair: what both met in their round drops out.
 *
 * @param rows a list of values for each start, as are `others`
 * @returns the median of all pairs, with the least and the greatest median of a start
 */
export function ratio (rows, others) {
  const ratios = rows.map((row, i) => row.map((value, j) => value / others[i][j]))
  const medians = ratios.map(median)
  return { low: Math.min(...medians), middle: median(ratios.flat()), high: Math.max(...medians) }
}
