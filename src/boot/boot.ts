import { rootOf } from '../context.ts'

import type { DeclaredRoutes } from './declared-routes.ts'
import type { Unread } from './diagnose-registrations.ts'
import type { SchemeInstances } from './scheme-instances.ts'
import type { Warnings } from './warnings.ts'
import type { Uses } from '../context.ts'
import type { VersionedRoutes } from '../routing/claims.ts'
import type { RouteVersions } from '../../types/index.d.ts'

/** What is of use until the app is ready: one for all contexts of an app. */
export interface Boot {
  readonly uses: Uses
  readonly instances: SchemeInstances
  readonly routes: DeclaredRoutes
  readonly unread: Unread[]
  readonly warnings: Warnings
  readonly versions: VersionedRoutes
}

const kBoot: unique symbol = Symbol('fastify-versioning.boot')
const kVersions: unique symbol = Symbol('fastify-versioning.versions')

interface Carrier {
  [kBoot]?: Boot
  [kVersions]?: RouteVersions | null
}

export function bootOf (server: object): Boot {
  return (server as Carrier)[kBoot] as Boot
}

export function setBoot (server: object, boot: Boot): void {
  (rootOf(server) as Carrier)[kBoot] = boot
}

/** The versions that the routes of a context serve unless they say otherwise; undefined: every one. */
export function defaultVersionsOf (server: object): RouteVersions | null | undefined {
  return (server as Carrier)[kVersions]
}

export function setDefaultVersions (server: object, versions: RouteVersions | null): void {
  (server as Carrier)[kVersions] = versions
}
