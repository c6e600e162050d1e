import { isSmoke } from './sizes.js'

/**
 * Does a job for each of the items, one after the other so that they do not disturb each other. In smoke mode, whose
 * numbers mean nothing, all at once.
 *
 * @returns what became of them, in order
 */
export async function inTurn (items, job) {
  if (isSmoke) return Promise.all(items.map(job))
  const results = []
  for (const item of items) results.push(await job(item))
  return results
}

/** Lists of what may share a process: each item alone; in smoke mode all, for most of its time goes to starts. */
export function apart (items) {
  return isSmoke ? [items] : items.map((item) => [item])
}
