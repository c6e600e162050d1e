import { contextOf, schemeOf } from '../context.ts'
import { registryOf } from '../links/scope.ts'
import { Places, versionsOf } from '../routing/reach.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Registry } from '../links/registry.ts'
import type { Route } from '../routes.ts'
import type { AppVersion } from '../../types/index.d.ts'

/** A route under one of its methods. */
interface Serving {
  readonly method: string
  readonly route: Route
}

/** `app.versions`: the versions of the app in release order, and the routes that serve each of them. */
export function appVersions (this: FastifyInstance): AppVersion[] {
  const { options, routes: { list } } = registryOf(this) as Registry
  const places = new Places(list, options)
  const byVersion = new Map<string | null, Serving[]>(releaseOrder(list).map((version) => [version, []]))
  for (const route of list) {
    for (const version of versionsOf(route)) {
      const served = byVersion.get(version) ?? []
      byVersion.set(version, served)
      const methods = route.methods.filter((method) => places.isServedBy(route, method, version))
      served.push(...methods.map((method) => ({ method, route })))
    }
  }
  const neutral = byVersion.get(null) ?? []
  byVersion.delete(null)
  const versions = [...byVersion, [null, neutral] as const].filter(([, served]) => served.length > 0)
  return versions.map(([version, served]) => ({
    version,
    ...datesOf(served.map(({ route }) => endingIn(route, version)).find((ending) => ending !== undefined)),
    routes: served.map(({ method, route: { url, name } }) => ({ method, url, name }))
  }))
}

/** The versions that schemes list, each once. What one list has before a version stands before it. */
function releaseOrder (routes: readonly Route[]): (string | null)[] {
  const order: (string | null)[] = []
  for (const list of new Set(routes.map((route) => schemeOf(route)?.allowedVersions ?? []))) {
    let at = order.length
    for (const version of list.toReversed()) {
      const known = order.indexOf(version)
      if (known === -1) order.splice(at, 0, version)
      else at = known
    }
  }
  return order
}

/** How a version ends; the end of a single route is not that of its versions. */
function endingIn ({ server }: Route, version: string | null): Ending | undefined {
  return (contextOf(server) as VersioningContext).lifecycle?.get(version as string)
}

function datesOf (ending: Ending | undefined): Pick<AppVersion, 'deprecated' | 'sunset'> {
  const deprecated = ending?.deprecation ? new Date(ending.deprecatedAt) : null
  const sunset = typeof ending?.sunsetAt === 'number' ? new Date(ending.sunsetAt) : null
  return { deprecated, sunset }
}
