import { schemeOf } from '../context.ts'
import { pairsIn } from '../http/query.ts'
import { groupOf } from '../routes.ts'
import { NO_ARGS, optionsWith } from './link-options.ts'
import { writtenVersion } from './version.ts'

import type { LinkQuery, ReverseArgs, ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'
import type { Route } from '../routes.ts'
import type { LinkTarget } from './target.ts'

/**
 * The options of a link with the query as the version has it that the link leads to.
 *
 * @param version null for the default version of the scheme of the route
 * @throws FST_ERR_VERSION_CHANGE if a change of the query has no function `downgrade`
 */
export function withOlderQuery (
  target: LinkTarget, options: ReverseOptions, kwargs: ReverseKwargs, version: string | null
): ReverseOptions {
  const { query } = options
  if (!query) return options
  const scheme = schemeOf(target.route)
  const named = nameArgs(target, options.args ?? NO_ARGS, kwargs).kwargs
  const meant = writtenVersion(scheme, target, named) ?? version ?? scheme?.defaultOfLinks(options.request) ?? null
  return optionsWith(options, { query: olderQuery(target.route, target.paths[0].methods[0], query, meant) })
}

/**
 * The query of a link as a version has it.
 *
 * @param query as handlers have it
 * @throws FST_ERR_VERSION_CHANGE if a change of the query has no function `downgrade`
 */
export function olderQuery (route: Route, method: string, query: LinkQuery, version: string | null): LinkQuery {
  const group = groupOf(route, method)
  // One of these at most serves the version by changes.
  const routes = group === undefined ? [route] : [...group.claimants, ...group.open === null ? [] : [group.open]]
  const older = routes.map(({ older }) => older.byVersion?.get(version)).find((one) => one !== undefined)
  const downgrade = older?.downgradeQuery ?? null
  return downgrade === null ? query : downgrade(toObject(query)) as LinkQuery
}

/** Values in the order of the path, by the names that no other value has; those beyond stay as they are. */
export function nameArgs (
  target: LinkTarget, args: ReverseArgs, kwargs: ReverseKwargs
): { args: ReverseArgs, kwargs: ReverseKwargs } {
  if (args.length === 0) return { args, kwargs }
  const names = target.names.filter((name) => !Object.hasOwn(kwargs, name))
  const open = names.slice(0, args.length)
  return {
    args: args.slice(open.length),
    kwargs: { ...Object.fromEntries(open.map((name, i) => [name, args[i]])), ...kwargs }
  }
}

/** A query as a handler has it: a parameter that is repeated is a list. */
function toObject (query: LinkQuery): object {
  const values = new Map<string, unknown[]>()
  for (const [name, value] of pairsIn(query)) {
    if (value !== undefined && value !== null) values.set(name, [...values.get(name) ?? [], value])
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}
