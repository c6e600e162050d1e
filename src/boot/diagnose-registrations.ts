import { nameOf, show } from '../errors.ts'
import { HostNameVersioning } from '../schemes/host-name.ts'
import { NamespaceVersioning } from '../schemes/namespace.ts'
import { QueryParameterVersioning } from '../schemes/query-parameter.ts'
import { URLPathVersioning } from '../schemes/url-path.ts'
import { DEFAULT_SETTINGS } from '../options/settings.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Settings } from '../options/settings.ts'
import type { Warnings } from './warnings.ts'
import type { VersioningOptions, VersioningScheme } from '../../types/index.d.ts'

type Setting = keyof Settings
const SETTINGS = Object.keys(DEFAULT_SETTINGS) as Setting[]

/** Settings that a way of determining the version does not read; a custom scheme may read any. */
const UNREAD = new Map<unknown, readonly Setting[]>([
  [URLPathVersioning.prototype.determineVersion, ['mediaTypes']],
  [NamespaceVersioning.prototype.determineVersion, ['versionParam', 'mediaTypes']],
  [HostNameVersioning.prototype.determineVersion, ['versionParam', 'mediaTypes']],
  [QueryParameterVersioning.prototype.determineVersion, ['mediaTypes']]
])

/** A setting that is given to a scheme which does not read it; another one may that inherits it. */
export interface Unread {
  readonly scheme: VersioningScheme
  readonly setting: Setting
  readonly why: string
}

/** The settings of a registration that its scheme does not read. */
export function unreadIn (options: VersioningOptions, { scheme, schemeClass }: VersioningContext): Unread[] {
  if (scheme === null) return []
  const given = SETTINGS.filter((setting) => isSet(options[setting], DEFAULT_SETTINGS[setting]))
  const unread = schemeClass === null ? given : given.filter((setting) => !reads(scheme, setting))
  const name = nameOf(scheme)
  const why = schemeClass === null ? `the instance of ${name} keeps its own` : `${name} does not read it`
  return unread.map((setting) => ({ scheme, setting, why }))
}

/** Warns of settings that no scheme with a route reads. */
export function warnOfUnread (
  warnings: Warnings, unread: readonly Unread[], schemes: readonly VersioningScheme[]
): void {
  for (const { scheme, setting, why } of unread) {
    const isRead = schemes.some((other) => other !== scheme && reads(other, setting))
    if (!isRead) warnings.warn('FST_WARN_VERSION_SETTING', setting, why)
  }
}

function isSet (value: unknown, byDefault: unknown): boolean {
  return value !== undefined && value !== byDefault
}

function reads ({ determineVersion }: VersioningScheme, setting: Setting): boolean {
  return !UNREAD.get(determineVersion)?.includes(setting)
}

/** Warns of a default version that is permitted (SPEC.md, Base contract 4), though the list leaves it out. */
export function warnOfDefault (warnings: Warnings, { defaultVersion, allowedVersions }: VersioningScheme): void {
  const isListed = !allowedVersions?.length || allowedVersions.includes(defaultVersion)
  if (defaultVersion === null || isListed) return
  warnings.warn('FST_WARN_VERSION_DEFAULT', show(defaultVersion), show(allowedVersions))
}

/** Warns of a second registration in one context. */
export function warnOfSecond (warnings: Warnings, first: VersioningContext, second: VersioningContext): void {
  warnings.warn('FST_WARN_VERSION_TWICE', nameOf(second.scheme), nameOf(first.scheme))
}

/** Warns of routes of the app that the plugin has not seen. */
export function warnOfUnseen (warnings: Warnings, root: FastifyInstance): void {
  const methods = root.printRoutes().matchAll(/ \(([A-Z, -]+)\)/g)
  // An OPTIONS route alone is that of @fastify/cors, which is best registered first.
  if ([...methods].some(([, names]) => names !== 'OPTIONS')) warnings.warn('FST_WARN_VERSION_UNSEEN')
}
