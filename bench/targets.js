import { printTable, rangeText } from './table.js'

/**
 * Prints what is aimed at beside what was measured.
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
