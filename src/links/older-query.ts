import { VersionChangeError } from '../errors.ts'
import { pairsIn, toQuery } from '../http/query.ts'
import { labelOf, slotOf } from '../routes.ts'

import type { Route } from '../routes.ts'
import type { LinkQuery } from '../../types/index.d.ts'

/**
 * The query of a link as text, from the version of the handler to the version of the link.
 *
 * @throws FST_ERR_REVERSE_OPTION for what cannot be a query
 * @throws FST_ERR_VERSION_CHANGE if a change of the query has no function `downgrade`, or makes something else of it
 */
export function toOlderQuery (route: Route, query: LinkQuery, version: string | null): string {
  const written = toQuery(query)
  const slot = slotOf(route, route.methods[0])
  const claimant = slot?.claimants.find(({ claim }) => claim.versions.includes(version))
  const form = (claimant ?? slot?.open ?? route).older.byVersion?.get(version)
  if (!form?.downgradeQuery) return written
  const older = form.downgradeQuery(toObject(query)) as LinkQuery
  try {
    return toQuery(older)
  } catch (cause) {
    const changes = form.changes.map(({ label }) => label).join(' and ')
    const subject = `${labelOf(route)}, querystring of a link`
    throw new VersionChangeError(changes, subject, 'its function "downgrade" returned what is no query', cause)
  }
}

/** A query as a handler has it: a parameter that is repeated is a list. */
function toObject (query: LinkQuery): object {
  const values = new Map<string, unknown>()
  for (const [name, value] of pairsIn(query)) {
    if (value === undefined || value === null) continue
    values.set(name, values.has(name) ? [values.get(name), value].flat() : value)
  }
  return Object.fromEntries(values)
}
