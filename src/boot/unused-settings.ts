import { schemeOf } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { CONTEXT_OPTIONS, SETTINGS } from '../options/options.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

/** A registration of the plugin. */
export interface Registration {
  readonly server: FastifyInstance
  readonly context: VersioningContext
  readonly options: VersioningOptions
}

const DEFAULTS = { ...SETTINGS, ...CONTEXT_OPTIONS }
/** What a route with `deprecated` uses, too, if it has no version. */
const OF_RETIREMENT = ['enforceSunset', 'now']

/**
 * Checks that some scheme uses the settings of each registration: its own, that of a context below, or of a route.
 * `scheme: null` says that there is none.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the settings
 */
export function checkSettingsUsed (registrations: readonly Registration[], routes: readonly Route[]): void {
  for (const { server, options } of registrations) {
    if (options.scheme !== undefined) continue
    const isBelow = (record: { readonly server: object }) => (
      record.server === server || Object.prototype.isPrototypeOf.call(server, record.server)
    )
    const below = routes.filter(isBelow)
    const hasScheme = registrations.filter(isBelow).some(({ context }) => context.scheme !== null) ||
      below.some((route) => schemeOf(route) !== null)
    if (hasScheme) continue
    const used = below.some(({ retirement }) => retirement !== undefined) ? OF_RETIREMENT : []
    const unused = Object.entries(options).filter(([name, value]) => (
      Object.hasOwn(DEFAULTS, name) && name !== 'baseUrl' && !used.includes(name) && value !== undefined &&
      value !== DEFAULTS[name as keyof typeof DEFAULTS].default && !(Array.isArray(value) && value.length === 0)
    ))
    if (unused.length === 0) continue
    const names = unused.map(([name]) => `"${name}"`).join(', ')
    const where = server.prefix === '' ? '' : ` at ${server.prefix}`
    throw new VersioningOptionError(
      `Set "scheme" where fastify-versioning is registered${where}, such as HeaderVersioning: without a scheme, no ` +
      `request has a version, and ${names} would have no effect.`
    )
  }
}
