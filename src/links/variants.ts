import { schemeOf } from '../context.ts'
import { pairsIn } from '../http/query.ts'
import { slotOf } from '../routes.ts'
import { NO_ARGS, NO_KWARGS, kwargsOf, optionsWith } from './link-options.ts'
import { writtenVersion } from './version.ts'

import type { FastifyRequest } from 'fastify'
import type { Route, RouteVariant } from '../routes.ts'
import type { LinkTarget } from './target.ts'
import type { LinkQuery, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

/** A request whose parameters have been upgraded keeps the older ones, as their validator left them. */
const kParams: unique symbol = Symbol('fastify-versioning.params')
interface Keeping extends Partial<ReversingRequest> {
  [kParams]?: { readonly sent: ReverseKwargs, readonly upgraded: ReverseKwargs }
}

/** Call it when the parameters of a request have been upgraded. */
export function keepParams (request: FastifyRequest & Keeping, sent: unknown, upgraded: unknown): void {
  request[kParams] = { sent: sent as ReverseKwargs, upgraded: { ...upgraded as ReverseKwargs } }
}

/** The parameters of a request in the version of the client: as the older schema accepted them, once it has. */
export function sentParams (request: Keeping): ReverseKwargs {
  return request[kParams]?.sent ?? (request.params ?? NO_KWARGS) as ReverseKwargs
}

/** Whether the app has changed the parameters of a request since they were upgraded. */
export function hasOtherParams (request: Keeping, params: ReverseKwargs): boolean {
  const kept = request[kParams]
  if (kept === undefined) return false
  const names = Object.keys(params)
  const { upgraded } = kept
  return names.length !== Object.keys(upgraded).length || names.some((name) => params[name] !== upgraded[name])
}

/**
 * The parameters of a request in the version of its handler. Until Fastify has validated them, they are text in the
 * version of the client.
 *
 * @returns null if they are not valid
 */
export function handledParams (route: Route, request: Keeping, params: ReverseKwargs): ReverseKwargs | null {
  const upgradeSent = route.variant?.upgradeSent ?? null
  if (upgradeSent === null || request[kParams] !== undefined) return params
  // Validators may change the object they are given.
  const { value = null } = upgradeSent({ ...params })
  return value
}

/** The variant of a route for a version, or null if its handler answers as it is written. */
export function variantIn (route: Route, method: string, version: string | null = null): RouteVariant | null {
  const slot = slotOf(route, method)
  if (slot === null) return route.variant
  const claimant = slot.claimants.find(({ claim }) => claim.versions.includes(version as string))
  return (claimant ?? slot.open)?.variant ?? null
}

/**
 * The options of a link, converted from the version of the handler to the version that the link leads to.
 *
 * @param version null for the default version of the scheme of the route
 * @param implied the parameter that has the version, which values in the order of the path leave out, or null
 */
export function convertOptions (
  target: LinkTarget, options: ReverseOptions, version: string | null, implied: string | null
): ReverseOptions {
  const scheme = schemeOf(target.route)
  const { args, kwargs } = nameArgs(target, options.args ?? NO_ARGS, kwargsOf(options), implied)
  const meant = writtenVersion(scheme, target, kwargs) ?? version ?? scheme?.defaultOfLinks(options.request)
  const variant = variantIn(target.route, target.paths[0].methods[0], meant)
  if (variant === null) return options
  const { query } = options
  return optionsWith(options, {
    args, kwargs: olderParams(variant, kwargs), format: undefined, ...query && { query: olderQuery(variant, query) }
  })
}

/** Values in the order of the path, by the names that no other value has; those beyond stay as they are. */
export function nameArgs (
  target: LinkTarget, args: ReverseArgs, kwargs: ReverseKwargs, implied: string | null = null
): { args: ReverseArgs, kwargs: ReverseKwargs } {
  if (args.length === 0) return { args, kwargs }
  const names = target.names.filter((name) => name !== implied && !Object.hasOwn(kwargs, name))
  const open = names.slice(0, args.length)
  return {
    args: args.slice(open.length),
    kwargs: { ...Object.fromEntries(open.map((name, i) => [name, args[i]])), ...kwargs }
  }
}

/** The parameters of a link, converted from the version of the handler to an older version. */
export function olderParams (variant: RouteVariant | null, params: ReverseKwargs): ReverseKwargs {
  const downgrade = variant?.link.params ?? null
  return downgrade === null || Object.keys(params).length === 0 ? params : downgrade(params) as ReverseKwargs
}

/**
 * The query of a link, as `olderParams`.
 *
 * @throws FST_ERR_REVERSE_OPTION for what cannot be a query
 */
export function olderQuery (variant: RouteVariant | null, query: LinkQuery): LinkQuery {
  const downgrade = variant?.link.querystring ?? null
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
