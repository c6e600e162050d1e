import { contextVersions, findContext } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { countDeclared } from '../fastify/declared-before.ts'
import { isWithin, rootOf } from '../instances.ts'
import { shortList, show, warn, warnOfSome } from '../messages.ts'
import { beginsWithDate, byDate } from '../options/instant.ts'
import { VERSION_PLACEHOLDER, matches } from '../options/media-types.ts'
import { CONTEXT_OPTIONS, SETTINGS } from '../options/options.ts'
import { labelOf } from '../routes.ts'
import { settingsOf } from '../schemes/base.ts'
import { RULES, SOME_READ } from '../schemes/reading.ts'
import { versionSegments } from './path-warnings.ts'

import type { FastifyInstance, RegisterOptions } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Lifecycle } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Setting } from '../schemes/reading.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

/** A registration of the plugin. */
export interface Registration {
  readonly server: FastifyInstance
  readonly context: VersioningContext
  readonly options: VersioningOptions
}

const DEFAULTS = { ...SETTINGS, ...CONTEXT_OPTIONS }
/** By place, the characters that a version cannot have there, because clients cannot send or schemes not read them. */
const UNREADABLE: Readonly<Record<string, RegExp>> = {
  header: /,|[^ -~]/, accept: /[^ -~]/, 'content-type': /[^ -~]/, host: /[^a-z\d]/
}
/** The options that a route with `deprecated` uses even if it has no version. */
const OF_RETIREMENT = ['enforceSunset', 'now']

/**
 * Checks that the settings of each registration are used, and do what they seem to do.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming settings that no scheme uses
 */
export function checkSettings (registrations: readonly Registration[], routes: readonly Route[]): void {
  checkInherited(registrations)
  for (const registration of registrations) {
    const isBelow = ({ server }: { readonly server: object }) => isWithin(server, registration.server)
    const [registrationsBelow, routesBelow] = [registrations.filter(isBelow), routes.filter(isBelow)]
    checkUsed(registration, registrationsBelow, routesBelow)
    checkEnforced(registration, registrationsBelow, routesBelow)
    const isDecided = registrations.some(({ server, options }) => (
      options.enforceSunset !== undefined && isWithin(registration.server, server)
    ))
    if (!isDecided) checkPast(registration, routesBelow)
    checkBase(registration, routesBelow)
    const { context: { lifecycle, scheme }, options } = registration
    if (scheme === null) continue
    checkVersions(registration, scheme)
    if (options.defaultVersion) checkClientDefault(scheme)
    if (options.allowedVersions !== undefined) checkReadable(scheme)
    if (options.lifecycle && lifecycle !== null) checkReleases(scheme, lifecycle)
  }
  checkRoutesSeen(registrations, routes)
  checkOpen(registrations, routes)
}

/**
 * Warns of a scheme that gets no versions, although its context lists some, because it serves every version then. Its
 * constructor may not pass them to `super()`, or it is an instance, which has its own settings.
 */
function checkOpen (registrations: readonly Registration[], routes: readonly Route[]): void {
  const all = [
    ...registrations.map(({ context: { scheme, schemeSource, settings }, server, options }) => {
      if (scheme?.author !== schemeSource) return { scheme, settings }
      // `checkInstance` warns of versions next to an instance.
      const isInherited = options.scheme === undefined || options.allowedVersions
      return { scheme: isInherited ? null : scheme, settings: findContext(Object.getPrototypeOf(server))?.settings }
    }),
    ...routes.map(({ context: { settings }, ownScheme }) => ({ scheme: ownScheme, settings }))
  ]
  const open = all.filter(({ scheme, settings }) => (
    scheme && !scheme.isList && scheme.listedVersions.length === 0 && settings?.allowedVersions?.length &&
    settingsOf.get(scheme.author)?.allowedVersions === undefined
  ))
  warnOfSome('FST_WARN_VERSION_SETTINGS', open.map(({ scheme }) => String(scheme?.label)), 'Pass "allowedVersions" ' +
    'to "super(settings)" in the class, or to the constructor of the instance (null to allow all). These schemes ' +
    'serve every version, although their context lists some: %s.')
}

/**
 * Checks that some scheme uses the settings of a registration: its own scheme, or that of a context below or a route.
 * `scheme: null` says that there is no scheme. Warns of settings that none of these schemes reads.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the settings
 */
function checkUsed (
  { server, context, options }: Registration, registrations: readonly Registration[], routes: readonly Route[]
): void {
  const changed = Object.keys(options).filter((name) => isSet(name, options))
  const schemes = [...registrations.map(({ context }) => context.scheme), ...routes.map(({ scheme }) => scheme)]
    .filter((scheme) => scheme !== null)
  const unread = changed.filter((name) => schemes.length > 0 && !schemes.some((scheme) => mayRead(scheme, name)))
  const where = underPrefix(server)
  if (unread.length > 0) {
    warnOf(`Remove ${quoted(unread)} where fastify-versioning is registered${where}, or use a scheme that reads ` +
      `it: it has no effect on ${shortList([...new Set(schemes.map(({ label }) => label))])}.`)
  }
  if (options.reportVersions === true && schemes.length > 0 && !schemes.some((each) => each.listedVersions.length)) {
    warnOf(`Add "allowedVersions"${where}, or remove "reportVersions": without a list, no response reports versions.`)
  }
  const { prefix } = options as RegisterOptions
  if (prefix && prefix !== '/' && !routes.some(({ url }) => `${url}/`.includes(`${prefix}/`))) {
    warnOf(`Remove "prefix" where fastify-versioning is registered${where}, or move it to the register() of the ` +
      `routes: fastify-versioning declares no routes, so ${show(prefix)} has no effect.`)
  }
  checkInstance(context, changed.filter((name) => !unread.includes(name)), options.scheme === undefined)
  if (options.scheme !== undefined || schemes.length > 0) return
  const used = routes.some(({ retirement }) => retirement !== undefined) ? OF_RETIREMENT : []
  const unused = changed.filter((name) => name !== 'baseUrl' && !used.includes(name))
  if (routes.some((route) => contextVersions.of(route.server))) unused.push('version')
  if (unused.length === 0) return
  throw new VersioningOptionError(
    `Set "scheme" where fastify-versioning is registered${where}, such as HeaderVersioning: without a scheme, no ` +
    `request has a version, and ${quoted(unused)} would have no effect.`
  )
}

/** Tells whether a scheme may read a setting. A class of an app may read every setting. */
function mayRead ({ members }: Scheme, name: string): boolean {
  const setting = name as Setting
  return !SOME_READ.includes(setting) || members.some(({ author, isOurs }) => (
    !isOurs || author[RULES].reads.includes(setting)
  ))
}

/**
 * Warns of settings next to an instance: they have no effect, because an instance has its own settings.
 *
 * @param isOfParent whether a context above has the instance
 */
function checkInstance (
  { scheme, schemeSource }: VersioningContext, changed: readonly string[], isOfParent: boolean
): void {
  if (scheme === null || scheme.author !== schemeSource) return
  const unused = changed.filter((name) => (
    Object.hasOwn(SETTINGS, name) && (isOfParent || !isSet(name, scheme.settings))
  ))
  if (unused.length === 0) return
  warnOf(`Move ${quoted(unused)} into the constructor of ${scheme.label}, or give its class instead of an instance: ` +
    'an instance has its own settings, and reads none of a registration. If it has no "allowedVersions", it serves ' +
    'every version.')
}

/** Warns of `enforceSunset` where no version and no route has a sunset. */
function checkEnforced (
  { options }: Registration, registrations: readonly Registration[], routes: readonly Route[]
): void {
  const lifecycles = registrations.flatMap(({ context }) => [...context.lifecycle?.values() ?? []])
  const all = [...lifecycles, ...routes.flatMap(({ retirement }) => retirement ?? [])]
  if (options.enforceSunset !== true || all.some(({ sunsetAt }) => sunsetAt !== null)) return
  warnOf('Write a "sunset" into "lifecycle", or remove "enforceSunset": no version and no route has a sunset, so ' +
    'none of them ever answers 410.')
}

/** Warns of versions and routes that are past their sunset, where no registration says whether sunsets are enforced. */
function checkPast ({ context, options }: Registration, routes: readonly Route[]): void {
  const versions = [...(options.lifecycle && context.lifecycle) ?? []]
  const declared = routes.filter((route) => route.context === context && !route.isAdded)
  const all = [
    ...versions.map(([version, retirement]) => ({ shown: show(version), retirement })),
    ...declared.map((route) => ({ shown: labelOf(route), retirement: route.retirement }))
  ]
  const now = context.now()
  const past = all.filter(({ retirement }) => (retirement?.sunsetAt ?? Infinity) <= now)
  warnOfSome('FST_WARN_VERSION_SETTINGS', past.map(({ shown }) => shown), 'Set "enforceSunset": true to answer 410, ' +
    'or false to go on: the sunset of %s has passed, and requests are served as before.')
}

/**
 * Warns of versions that do not do what they seem to: a default version that is a preview, space around a version, a
 * version in `baseUrl` or in media types, and `byDate` without dates.
 */
function checkVersions ({ context, options }: Registration, scheme: Scheme): void {
  const { allowedVersions, mediaTypes, resolveVersion } = options
  const { baseUrl, lifecycle, settings } = context
  const { defaultVersion, listedVersions } = scheme
  if (lifecycle?.get(defaultVersion as string)?.isPreview) {
    warn('FST_WARN_VERSION_DEFAULT', 'Choose another "defaultVersion", or remove "preview" of ' +
      `${show(defaultVersion)}: requests without a version get the preview, although it is not released.`)
  }
  // HTTP removes the space around the value of a header.
  const padded = allowedVersions === undefined ? [] : listedVersions.filter((version) => version !== version.trim())
  warnOfSome('FST_WARN_VERSION_SETTINGS', padded.map(show), 'Remove the space around %s in allowedVersions: the ' +
    'version without the space is refused.')
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
  const malformed = listedVersions.filter((version) => (
    resolveVersion === byDate && /^\d{4}-/.test(version) && !beginsWithDate(version)
  ))
  warnOfSome('FST_WARN_VERSION_SETTINGS', malformed.map(show), 'Write %s in allowedVersions with a date such as ' +
    "'2026-03-01': byDate does not read it as a date.")
  const types = mediaTypes ? settings.mediaTypes as readonly string[] : []
  const fixed = types.filter((type) => (
    versionSegments(type.replace(/[.+]/g, '/'), scheme).length > 0 && !types.join().includes(VERSION_PLACEHOLDER)
  ))
  warnOfSome('FST_WARN_VERSION_SETTINGS', fixed.map(show), 'Write {version} instead of the version into %s of ' +
    'mediaTypes: nothing reads a version that is written out.')
  const hidden = types.filter((type, i) => {
    const mediaType = type.replace(VERSION_PLACEHOLDER, '_')
    return types.slice(0, i).some((earlier) => matches({ mediaType, sent: mediaType }, earlier))
  })
  warnOfSome('FST_WARN_VERSION_SETTINGS', hidden.map(show), 'Move %s to the front of mediaTypes, or remove it: an ' +
    'entry before it reads the same types.')
}

/** Warns of a default version by the header that has the version: a request without a version has no such header. */
function checkClientDefault ({ clientDefault, members }: Scheme): void {
  const header = clientDefault?.header.toLowerCase() ?? null
  if (!members.some(({ isOurs, place, vary }) => isOurs && place === 'header' && vary?.toLowerCase() === header)) return
  warnOf(`Name another header in "defaultVersion", by which the app knows a client: "${header}" has the version ` +
    'itself, so that requests without a version never have it.')
}

/** Warns of a path of `baseUrl` that the routes have as well: the path is for gateways that remove it from requests. */
function checkBase ({ context: { baseUrl }, options }: Registration, routes: readonly Route[]): void {
  const path = options.baseUrl && baseUrl ? baseUrl.path : ''
  const named = routes.filter(({ name }) => name !== null)
  const isDoubled = path !== '' && named.length > 0 && named.every(({ url }) => `${url}/`.startsWith(`${path}/`))
  if (!isDoubled) return
  warnOf(`Remove ${show(path)} from "baseUrl", unless a gateway removes it from each request: links begin with it, ` +
    `and so do the paths of all routes with a name, so that links are such as ${path}${named[0].url}.`)
}

/** Warns of versions that no client can send in any place that a scheme reads, and that no client gets by default. */
function checkReadable ({ clientDefault, defaultVersion, label, listedVersions, members }: Scheme): void {
  const sent = listedVersions.filter((version) => clientDefault === null && version !== defaultVersion)
  const unreadable = sent.filter((version) => members.every(({ author, isOurs, place }) => (
    isOurs && author.resolveVersion === undefined && UNREADABLE[place]?.test(version)
  )))
  warnOfSome('FST_WARN_VERSION_SETTINGS', unreadable.map(show), 'Rename %s in allowedVersions, because clients ' +
    `cannot send it where ${label} reads it: a host has lower-case letters and digits, a header has ASCII without ` +
    'commas.')
}

/** Warns of versions that are released before those that are listed as older. */
function checkReleases ({ listedVersions }: Scheme, lifecycle: Lifecycle): void {
  let latest = -Infinity
  const early = listedVersions.filter((version) => {
    const releasedAt = lifecycle.get(version)?.releasedAt ?? latest
    const isEarly = releasedAt < latest
    latest = Math.max(latest, releasedAt)
    return isEarly
  })
  warnOfSome('FST_WARN_VERSION_SETTINGS', early.map(show), 'Correct "released" of %s in "lifecycle", or the order of ' +
    'allowedVersions, oldest first: a version before it in the list is released later.')
}

/** Warns of a registration that came before the one around it, and so has not inherited its options. */
function checkInherited (registrations: readonly Registration[]): void {
  for (const [i, { server, options }] of registrations.entries()) {
    const names = Object.keys(options).filter((name) => name === 'scheme' ? options.scheme : isSet(name, options))
    const early = registrations.slice(0, i).filter((each) => isWithin(each.server, server))
    for (const { server: { prefix }, context: { scheme, schemeSource }, options: own } of early) {
      // An instance has its own settings, and loses none.
      const isOwn = (name: string) => scheme?.author === schemeSource && Object.hasOwn(SETTINGS, name)
      const lost = names.filter((name) => Reflect.get(own, name) === undefined && !isOwn(name))
      if (own.scheme === null || lost.length === 0) continue
      warnOf(`Register fastify-versioning${underPrefix(server)} before the contexts inside register it, or write ` +
        `${quoted(lost)} there, too: the registration ${prefix === '' ? 'inside' : `at ${prefix}`} came first.`)
    }
  }
}

/** Warns of a registration in a child context that sees no routes, or only neutral ones, such as those of documents. */
function checkRoutesSeen (registrations: readonly Registration[], routes: readonly Route[]): void {
  const registration = registrations.find(({ context }) => context.scheme !== null)
  if (registration === undefined || routes.some(({ scheme }) => scheme !== null)) return
  const root = rootOf(registration.server) as FastifyInstance
  const neutral = routes.filter(({ isAdded }) => !isAdded).length + routes.filter(({ alias }) => alias !== null).length
  if (root === registration.server || countDeclared(root) <= neutral) return
  warnOf('Wrap the plugin that registers fastify-versioning in fastify-plugin, or declare the routes inside it: ' +
    `fastify-versioning is registered in a context${underPrefix(registration.server)} without routes` +
    `${routes.length === 0 ? '' : ' that have versions'}, so no route of the app has a version.`)
}

function isSet (name: string, options: object): boolean {
  if (!Object.hasOwn(DEFAULTS, name)) return false
  const value: unknown = options[name as keyof typeof options]
  const isEmpty = Array.isArray(value) && value.length === 0
  return value !== undefined && value !== DEFAULTS[name as keyof typeof DEFAULTS].default && !isEmpty
}

function warnOf (message: string): void {
  warn('FST_WARN_VERSION_SETTINGS', message)
}

function underPrefix ({ prefix }: FastifyInstance): string {
  return prefix === '' ? '' : ` at ${prefix}`
}

function quoted (options: readonly string[]): string {
  return options.map((name) => `"${name}"`).join(', ')
}
