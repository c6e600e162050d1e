import { contextVersions, schemeOf } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { countDeclared } from '../fastify/declared-before.ts'
import { isWithin, rootOf } from '../instances.ts'
import { shortList, show, warn } from '../messages.ts'
import { beginsWithDate, byDate } from '../options/instant.ts'
import { VERSION_PLACEHOLDER, matches } from '../options/media-types.ts'
import { CONTEXT_OPTIONS, SETTINGS } from '../options/options.ts'
import { labelOf } from '../routes.ts'
import { AcceptHeaderVersioning } from '../schemes/accept-header.ts'
import { ContentTypeVersioning } from '../schemes/content-type.ts'
import { HeaderVersioning } from '../schemes/header.ts'
import { HostNameVersioning } from '../schemes/host-name.ts'
import { NamespaceVersioning } from '../schemes/namespace.ts'
import { QueryParameterVersioning } from '../schemes/query-parameter.ts'
import { URLPathVersioning } from '../schemes/url-path.ts'
import { versionSegments } from './warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { BaseVersioning } from '../schemes/base.ts'
import type { Scheme } from '../schemes/scheme.ts'
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
/** The classes that read each of these settings. Another class, of an app, may read all of them. */
const READERS = new Map<string, readonly (typeof BaseVersioning)[]>([
  ['versionHeader', [HeaderVersioning]],
  ['versionParam', [URLPathVersioning, QueryParameterVersioning, AcceptHeaderVersioning, ContentTypeVersioning]],
  ['mediaTypes', [AcceptHeaderVersioning, ContentTypeVersioning]],
  ['resolveVersion', [
    HeaderVersioning, URLPathVersioning, QueryParameterVersioning, AcceptHeaderVersioning, ContentTypeVersioning,
    HostNameVersioning
  ]]
])
export const OUR_CLASSES = new Set([...READERS.values(), NamespaceVersioning].flat())

/**
 * Checks that some scheme uses the settings of each registration: its own, that of a context below, or of a route.
 * `scheme: null` says that there is none. Warns of settings that no scheme of these reads.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the settings
 */
export function checkSettingsUsed (registrations: readonly Registration[], routes: readonly Route[]): void {
  for (const { server, context, options } of registrations) {
    const changed = Object.keys(options).filter((name) => isSet(name, options))
    const isBelow = (record: { readonly server: object }) => isWithin(record.server, server)
    const below = routes.filter(isBelow)
    const schemes = [...registrations.filter(isBelow).map(({ context }) => context.scheme), ...below.map(schemeOf)]
      .filter((scheme) => scheme !== null)
    const isRead = (name: string) => schemes.length === 0 || schemes.some((scheme) => mayRead(scheme, name))
    const unread = changed.filter((name) => !isRead(name))
    const where = placeOf(server)
    if (unread.length > 0) {
      const labels = [...new Set(schemes.map(({ label }) => label))]
      warnOf(`Remove ${quoted(unread)} where fastify-versioning is registered${where}, or use a scheme that reads ` +
        `it: it has no effect on ${shortList(labels)}.`)
    }
    checkInstance(context, changed.filter((name) => !unread.includes(name)), options.scheme === undefined)
    if (options.scheme !== undefined || schemes.length > 0) continue
    const used = below.some(({ retirement }) => retirement !== undefined) ? OF_RETIREMENT : []
    const unused = changed.filter((name) => name !== 'baseUrl' && !used.includes(name))
    if (below.some((route) => contextVersions.of(route.server))) unused.push('version')
    if (unused.length === 0) continue
    const names = quoted(unused)
    throw new VersioningOptionError(
      `Set "scheme" where fastify-versioning is registered${where}, such as HeaderVersioning: without a scheme, no ` +
      `request has a version, and ${names} would have no effect.`
    )
  }
}

function mayRead ({ members }: Scheme, setting: string): boolean {
  const readers = READERS.get(setting)
  return readers === undefined || members.some(({ author: { constructor } }) => (
    readers.includes(constructor as typeof BaseVersioning) || !OUR_CLASSES.has(constructor as typeof BaseVersioning)
  ))
}

/**
 * Warns of settings that are read, and do not what they seem to: a sunset that is not enforced or does not exist, a
 * default version that is a preview, a `baseUrl` with a version, and `byDate` without dates.
 */
export function checkSettingsMeant (registrations: readonly Registration[], routes: readonly Route[]): void {
  for (const { server, context, options } of registrations) {
    const { allowedVersions, enforceSunset, lifecycle, resolveVersion } = options
    const { baseUrl, scheme } = context
    const isBelow = (record: { readonly server: object }) => isWithin(record.server, server)
    if (enforceSunset === true) {
      const lifecycles = registrations.filter(isBelow).flatMap(({ context }) => [...context.lifecycle?.values() ?? []])
      const ofRoutes = routes.filter(isBelow).flatMap(({ retirement }) => retirement ?? [])
      if ([...lifecycles, ...ofRoutes].every(({ sunsetAt }) => sunsetAt === null)) {
        warnOf('Write a "sunset" into "lifecycle", or remove "enforceSunset": no version and no route has a sunset, ' +
          'so none of them ever answers 410.')
      }
    }
    const isDecided = registrations.some(({ server: above, options }) => (
      options.enforceSunset !== undefined && isWithin(server, above)
    ))
    const own = { ...context, lifecycle: lifecycle ? context.lifecycle : null }
    const past = isDecided ? [] : pastIn(own, routes.filter((route) => route.context === context && !route.isAdded))
    if (past.length > 0) {
      warnOf('Set "enforceSunset": true to answer 410, or false to go on: the sunset of ' +
        `${shortList(past)} has passed, and requests are served as before.`)
    }
    if (scheme === null) continue
    const { defaultVersion, listedVersions } = scheme
    if (context.lifecycle?.get(defaultVersion as string)?.isPreview) {
      warn('FST_WARN_VERSION_DEFAULT', 'Choose another "defaultVersion", or remove "preview" of ' +
        `${show(defaultVersion)}: requests without a version get the preview, although it is not released.`)
    }
    // A header has no space around its value.
    const padded = allowedVersions === undefined ? [] : listedVersions.filter((version) => version !== version.trim())
    if (padded.length > 0) {
      warnOf(`Remove the space around ${padded.map(show).join(', ')} in allowedVersions: the version without the ` +
        'space is refused.')
    }
    const path = options.baseUrl && baseUrl && listedVersions.length > 1 ? baseUrl.path : ''
    const [version] = versionSegments(path, scheme)
    if (version !== undefined) {
      warnOf(`Remove ${show(version)} from "baseUrl": its path begins every link, so links of other versions begin ` +
        `with ${path}, too.`)
    }
    if (resolveVersion === byDate && !listedVersions.some(beginsWithDate)) {
      warnOf("Begin versions with a date, such as '2026-03-01', or remove byDate: none of allowedVersions has a " +
        `date, ${show(listedVersions)}, so every date is refused.`)
    }
    const malformed = listedVersions.filter((version) => /^\d{4}-/.test(version) && !beginsWithDate(version))
    if (resolveVersion === byDate && malformed.length > 0) {
      warnOf(`Write ${malformed.map(show).join(', ')} in allowedVersions with a date such as '2026-03-01': byDate ` +
        'does not read it as a date.')
    }
    const types = options.mediaTypes ? context.settings.mediaTypes as readonly string[] : []
    const fixed = types.filter((type) => versionSegments(type.replace(/[.+]/g, '/'), scheme).length > 0)
    if (fixed.length > 0 && !types.join().includes(VERSION_PLACEHOLDER)) {
      warnOf(`Write {version} instead of the version into ${fixed.map(show).join(', ')} of mediaTypes: nothing reads ` +
        'a version that is written out.')
    }
    const hidden = types.filter((type, i) => {
      const mediaType = type.replace(VERSION_PLACEHOLDER, '_')
      return types.slice(0, i).some((earlier) => matches({ mediaType, sent: mediaType }, earlier))
    })
    if (hidden.length > 0) {
      warnOf(`Move ${hidden.map(show).join(', ')} to the front of mediaTypes, or remove it: an entry before it reads ` +
        'the same types.')
    }
  }
}

function warnOf (message: string): void {
  warn('FST_WARN_VERSION_SETTINGS', message)
}

function placeOf ({ prefix }: FastifyInstance): string {
  return prefix === '' ? '' : ` at ${prefix}`
}

/** The versions of a context, and some routes, that are past their sunset. */
function pastIn ({ lifecycle, now }: Pick<VersioningContext, 'lifecycle' | 'now'>, routes: readonly Route[]): string[] {
  const versions = [...lifecycle ?? []].map(([version, { sunsetAt }]) => ({ shown: show(version), sunsetAt }))
  const ofRoutes = routes.map((route) => ({ shown: labelOf(route), sunsetAt: route.retirement?.sunsetAt ?? null }))
  const past = [...versions, ...ofRoutes].filter(({ sunsetAt }) => sunsetAt !== null && sunsetAt <= now())
  return past.map(({ shown }) => shown)
}

/** Warns of a registration in a child context that sees no route, or neutral ones alone, such as those of documents. */
export function checkRoutesSeen (registrations: readonly Registration[], routes: readonly Route[]): void {
  const registration = registrations.find(({ context }) => context.scheme !== null)
  if (registration === undefined || routes.some(({ scheme }) => scheme !== null)) return
  const root = rootOf(registration.server) as FastifyInstance
  const neutral = routes.filter(({ isAdded }) => !isAdded).length + routes.filter(({ alias }) => alias !== null).length
  if (root === registration.server || countDeclared(root) <= neutral) return
  warnOf('Wrap the plugin that registers fastify-versioning in fastify-plugin, or declare the routes inside it: ' +
    `fastify-versioning is registered in a context${placeOf(registration.server)} without routes` +
    `${routes.length === 0 ? '' : ' that have versions'}, so no route of the app has a version.`)
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
  if (unused.length === 0) return
  warnOf(`Move ${quoted(unused)} into the constructor of ${scheme.label}, or give its class instead of an instance: ` +
    'an instance has its own settings, and reads none of a registration. If it has no "allowedVersions", it serves ' +
    'every version.')
}

function isSet (name: string, options: object): boolean {
  if (!Object.hasOwn(DEFAULTS, name)) return false
  const value: unknown = options[name as keyof typeof options]
  const isEmpty = Array.isArray(value) && value.length === 0
  return value !== undefined && value !== DEFAULTS[name as keyof typeof DEFAULTS].default && !isEmpty
}

function quoted (options: readonly string[]): string {
  return options.map((name) => `"${name}"`).join(', ')
}
