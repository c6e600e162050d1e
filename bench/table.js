/** Prints a table as Markdown: rows of cells, of which the first row is the head; numbers are put to the right. */
export function printTable (title, [head, ...rows]) {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i].length)))
  const isNumeric = head.map((_, i) => i > 0 && rows.every((row) => /^[^a-z]*\d|^–?$/.test(row[i])))
  const rule = widths.map((width, i) => isNumeric[i] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))
  const lines = [head, ...rows].map((row) => row.map((cell, i) => (
    isNumeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])
  )))
  lines.splice(1, 0, rule)
  console.log(`\n${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
}

/** A ratio with the least and the greatest of its rounds. */
export function rangeText ({ low, middle, high }) {
  return `${middle.toFixed(3)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
