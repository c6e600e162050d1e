import { printTable, rangeText } from './table.js'

/**
 * Prints the targets next to the measured values.
 *
 * @param targets `{ what, limit, measured, isNoisy }`, each of them a ratio; `measured` with the least and the greatest
 */
export function printTargets (targets) {
  const rows = targets.map(({ what, limit, measured, isNoisy = false }) => [
    what, limit.toFixed(2), rangeText(measured), verdict(measured.middle <= limit, isNoisy)
  ])
  printTable('Targets', [['What', 'At most', 'Measured', 'Verdict'], ...rows])
}

function verdict (isMet, isNoisy) {
  if (isNoisy) return 'too noisy to tell'
  return isMet ? 'met' : 'missed'
}
