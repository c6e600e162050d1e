import { pairsIn } from '../http/query.ts'
import { slotOf } from '../routes.ts'

import type { Route } from '../routes.ts'
import type { LinkQuery } from '../../types/index.d.ts'

/**
 * The query of a link, from the version of the handler to the version of the link.
 *
 * @throws FST_ERR_REVERSE_OPTION for what cannot be a query
 * @throws FST_ERR_VERSION_CHANGE if a change of the query has no function `downgrade`
 */
export function olderQuery (route: Route, query: LinkQuery, version: string | null): LinkQuery {
  const slot = slotOf(route, route.methods[0])
  const claimant = slot?.claimants.find(({ claim }) => claim.versions.includes(version))
  const { older } = claimant ?? slot?.open ?? route
  const downgrade = older.byVersion?.get(version)?.downgradeQuery ?? null
  return downgrade === null ? query : downgrade(toObject(query)) as LinkQuery
}

/** A query as a handler has it: a parameter that is repeated is a list. */
function toObject (query: LinkQuery): object {
  const pairs = pairsIn(query).filter(([, value]) => value !== undefined && value !== null)
  if (!(Symbol.iterator in query)) return Object.fromEntries(pairs)
  const values = new Map<string, unknown[]>()
  for (const [name, value] of pairs) values.set(name, [...values.get(name) ?? [], value])
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}
