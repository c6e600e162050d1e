import { contextVersions, schemeOf } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { CONTEXT_OPTIONS, SETTINGS } from '../options/options.ts'
import { warnInstance } from '../requests/warnings.ts'

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
  for (const { server, context, options } of registrations) {
    const changed = Object.keys(options).filter((name) => isSet(name, options))
    checkInstance(context, changed, options.scheme === undefined)
    if (options.scheme !== undefined) continue
    const isBelow = (record: { readonly server: object }) => (
      record.server === server || Object.prototype.isPrototypeOf.call(server, record.server)
    )
    const below = routes.filter(isBelow)
    const hasScheme = registrations.filter(isBelow).some(({ context }) => context.scheme !== null) ||
      below.some((route) => schemeOf(route) !== null)
    if (hasScheme) continue
    const used = below.some(({ retirement }) => retirement !== undefined) ? OF_RETIREMENT : []
    const unused = changed.filter((name) => name !== 'baseUrl' && !used.includes(name))
    if (below.some((route) => contextVersions.of(route.server))) unused.push('version')
    if (unused.length === 0) continue
    const names = quoted(unused)
    const where = server.prefix === '' ? '' : ` at ${server.prefix}`
    throw new VersioningOptionError(
      `Set "scheme" where fastify-versioning is registered${where}, such as HeaderVersioning: without a scheme, no ` +
      `request has a version, and ${names} would have no effect.`
    )
  }
}

/**
 * An instance keeps its own settings: those next to it have no effect, and if it has none, it allows every version.
 *
 * @param isOfParent whether a context above has the instance
 */
function checkInstance (
  { scheme, schemeSource }: VersioningContext, changed: readonly string[], isOfParent: boolean
): void {
  if (scheme === null || scheme.author !== schemeSource) return
  const { clientDefault, settings } = scheme
  const ofScheme = { ...settings, defaultVersion: clientDefault ?? settings.defaultVersion }
  const unused = changed.filter((name) => (
    Object.hasOwn(SETTINGS, name) && (isOfParent || !isSet(name, ofScheme))
  ))
  if (unused.length > 0) warnInstance(quoted(unused), scheme)
}

/** Whether a setting or an option has another value than its default. */
function isSet (name: string, options: object): boolean {
  if (!Object.hasOwn(DEFAULTS, name)) return false
  const value: unknown = options[name as keyof typeof options]
  const isEmpty = Array.isArray(value) && value.length === 0
  return value !== undefined && value !== DEFAULTS[name as keyof typeof DEFAULTS].default && !isEmpty
}

function quoted (options: readonly string[]): string {
  return options.map((name) => `"${name}"`).join(', ')
}
