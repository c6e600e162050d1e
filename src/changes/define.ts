import type { Change } from '../../types/index.d.ts'

/**
 * Returns what it is given: it is there for the types of a change.
 *
 * @param change checked when the plugin is registered with it
 */
export function defineChange (change: Change): Change {
  return change
}
