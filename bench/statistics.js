/** The value below which a part of the others is: 0.5 for the median. */
export function quantile (values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * part), values.length - 1)]
}

export function median (values) {
  return quantile(values, 0.5)
}

/** Least, middle and greatest of a row of values. */
export function range (values) {
  return { low: Math.min(...values), middle: median(values), high: Math.max(...values) }
}

/** How many times the values of another row, pair by pair; what both met in their round drops out. */
export function ratiosOf (values, others) {
  return values.map((value, i) => value / others[i])
}

/** How far the middle half of the values is apart, as a part of the median: one bad round does not count. */
export function spread (values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / median(values)
}
