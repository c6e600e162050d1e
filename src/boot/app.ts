import { isDeepStrictEqual } from 'node:util'

import { rootOf, slot } from '../context.ts'
import { Registry } from '../links/registry.ts'
import { setRegistry } from '../links/scope.ts'
import { Routes } from '../routes.ts'
import { Claims } from '../routing/claims.ts'
import { versionConstraint } from '../routing/constraint.ts'
import { Warnings, hasUnseenRoutes } from './warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { Uses } from '../context.ts'
import type { Settings } from '../options/settings.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'

/** What the plugin keeps of one app, for all its contexts. */
export interface App {
  readonly uses: Uses
  readonly routes: Routes
  readonly claims: Claims
  readonly schemes: Schemes
  readonly warnings: Warnings
  isReady: boolean
}

const apps = slot<App>('app')

const ROUTER_DEFAULTS: RouterOptions = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 100,
  useSemicolonDelimiter: false
}

/** What is kept of the app that an instance belongs to; made at the first registration, whichever context has it. */
export function appOf (server: FastifyInstance): App {
  return apps.of(server) ?? prepare(server)
}

function prepare (server: FastifyInstance): App {
  const options = routerOptionsOf(server)
  const routes = new Routes()
  server.addConstraintStrategy(versionConstraint as never)
  setRegistry(server, new Registry(routes, options))
  const warnings = new Warnings()
  routes.isIncomplete = rootOf(server) === server && hasUnseenRoutes(server)
  if (routes.isIncomplete) warnings.ofUnseen()
  return apps.set(rootOf(server), {
    uses: { ownOptions: false, choice: false },
    routes,
    claims: new Claims(routes, options),
    schemes: new Schemes(),
    warnings,
    isReady: false
  })
}

/** The schemes that the plugin has made of classes: contexts that want the same one share it. */
export class Schemes {
  readonly #made: { scheme: VersioningScheme, schemeClass: VersioningSchemeClass, settings: Settings }[] = []

  /** The scheme of a class with settings: of equal settings the same one. */
  of (schemeClass: VersioningSchemeClass, settings: Settings): VersioningScheme {
    const known = this.#made.find((made) => (
      made.schemeClass === schemeClass && isDeepStrictEqual(made.settings, settings)
    ))
    if (known !== undefined) return known.scheme
    const scheme: VersioningScheme = Reflect.construct(schemeClass, [settings])
    this.#made.push({ scheme, schemeClass, settings })
    return scheme
  }
}

/**
 * How the app's router is configured. Fastify accepts these options at the top or in `routerOptions`, where it fills in
 * the defaults: what differs from the default is what the user set.
 */
function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
  const { routerOptions = {}, ...top } = initialConfig
  const { ...options } = ROUTER_DEFAULTS
  for (const given of [top, routerOptions] as Partial<RouterOptions>[]) {
    for (const name of Object.keys(ROUTER_DEFAULTS) as (keyof RouterOptions)[]) {
      // The router takes a limit of 0 for none given.
      const value = (given[name] === 0 ? undefined : given[name]) ?? ROUTER_DEFAULTS[name]
      if (value !== ROUTER_DEFAULTS[name]) Object.assign(options, { [name]: value })
    }
  }
  return options
}
