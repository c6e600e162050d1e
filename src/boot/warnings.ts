import { contextOf, schemeOf } from '../context.ts'
import { show } from '../messages.ts'
import { DEFAULT_SETTINGS } from '../options/options.ts'
import { hasParameter } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'

import type { Settings } from '../options/options.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

/** Probable mistakes, by code. docs/errors.md has the cause and the fix of each. */
export type WarningCode =
  | 'FST_WARN_VERSION_DEFAULT'
  | 'FST_WARN_VERSION_FORWARDED_HOST'
  | 'FST_WARN_VERSION_LOST_OPTION'
  | 'FST_WARN_VERSION_NAMESPACE'
  | 'FST_WARN_VERSION_PARAM'
  | 'FST_WARN_VERSION_PREFIX'
  | 'FST_WARN_VERSION_SETTING'
  | 'FST_WARN_VERSION_UNSEEN'

const MAX_SHOWN = 5
const SETTINGS = Object.keys(DEFAULT_SETTINGS) as (keyof Settings)[]

/** A setting that the scheme does not read. A scheme that inherits it may read it. */
interface Unread {
  readonly scheme: Scheme
  readonly setting: keyof Settings
  readonly why: string
}

/** The warnings of one app, as warnings of the process: each text once. */
export class Warnings {
  readonly #emitted = new Set<string>()
  #unread: Unread[] = []

  /** Warns of a default version that is allowed (SPEC.md, Base contract 4), although the list leaves it out. */
  warnDefaultNotListed ({ defaultVersion, allowedVersions }: Scheme): void {
    const isListed = !allowedVersions?.length || allowedVersions.includes(defaultVersion)
    if (defaultVersion === null || isListed) return
    this.#emit('FST_WARN_VERSION_DEFAULT', `The default version ${show(defaultVersion)} is not in allowedVersions, ` +
      `${show(allowedVersions)}: it is the version of a request without one, and allowed for one that specifies it.`)
  }

  /** Warns of routes whose versions are determined, although the plugin has not seen their options. */
  warnUnseenRoutes (labels: readonly string[]): void {
    const isTwin = (label: string) => label.startsWith('HEAD ') && labels.includes(label.replace('HEAD', 'GET'))
    const shown = labels.filter((label) => !isTwin(label))
    this.#emit('FST_WARN_VERSION_UNSEEN', `Routes were declared before fastify-versioning was loaded: ${list(shown)}` +
      '. Their options "name", "version" and "versioning" are not read. Await its registration first.')
  }

  /** Warns of an option of `register` that has no effect on the routes of the plugin. */
  warnLostOption (option: 'namespace' | 'version' | 'writtenFor', plugin: string, why: string): void {
    this.#emit('FST_WARN_VERSION_LOST_OPTION', `The option "${option}" of the plugin ${show(plugin)} has no effect ` +
      `on its routes: ${why}`)
  }

  /** Records a registration. Whether another scheme reads a setting is known when the app is ready. */
  noteUnreadSettings (options: VersioningOptions, scheme: Scheme, isInstance: boolean): void {
    for (const setting of SETTINGS) {
      const isGiven = options[setting] !== undefined && options[setting] !== DEFAULT_SETTINGS[setting]
      if (!isGiven || (!isInstance && reads(scheme, setting))) continue
      const name = scheme.label
      const why = isInstance ? `the instance of ${name} keeps its own` : `${name} does not read it`
      this.#unread.push({ scheme, setting, why })
    }
  }

  /** Warns of mistakes that show only when all routes of the app are known. */
  warnRoutes (routes: readonly Route[]): void {
    const byScheme = groupByScheme(routes)
    for (const { scheme, setting, why } of this.#unread) {
      const isRead = [...byScheme.keys()].some((other) => other !== scheme && reads(other, setting))
      if (!isRead) this.#emit('FST_WARN_VERSION_SETTING', `The option "${setting}" has no effect: ${why}.`)
    }
    this.#unread = []
    const inNamespaces: [Scheme, Route[]][] = []
    for (const [scheme, declared] of byScheme) {
      const asked = declared.filter(isAsked)
      const { impliedParam, isDetermined } = scheme
      if (isDetermined && impliedParam !== null) this.#warnMissingParameter(scheme, impliedParam, asked)
      if (scheme.readsNamespaces && !scheme.isList && asked.length > 0) inNamespaces.push([scheme, asked])
      this.#warnForwardedHost(scheme, declared)
    }
    if (inNamespaces.length > 0) this.#warnNamespaces(inNamespaces)
  }

  /** If the version is a parameter of the path: warns of routes without that parameter. */
  #warnMissingParameter (scheme: Scheme, param: string, routes: readonly Route[]): void {
    // Most paths plainly have it, and parsing a path as the router does takes longer.
    const start = `/:${param}/`
    const bare = routes.filter(({ url }) => !url.startsWith(start) && !hasParameter(url, param))
    if (bare.length === 0) return
    const { defaultVersion } = scheme
    const fate = scheme.clientDefault !== null
      ? 'is always in the default version of the client'
      : scheme.allows(defaultVersion) ? fateOf(defaultVersion) : 'is always refused'
    this.#emit('FST_WARN_VERSION_PARAM', `Under ${scheme.label} a route without the parameter ${show(param)} ` +
      `${fate}: ${list(bare.map(labelOf))}.`)
  }

  /** If the version is a namespace: some route of the app must be in a namespace that is allowed. */
  #warnNamespaces (all: readonly [Scheme, readonly Route[]][]): void {
    const names = all.flatMap(([, routes]) => routes.flatMap(({ namespace }) => namespace.names))
    const isFound = all.some(([scheme, routes]) => routes.some((route) => isInVersion(scheme, route)))
    if (!isFound) {
      const why = names.length === 0
        ? 'none is in a namespace'
        : `none of their namespaces is allowed, ${list(names)}`
      const label = all[0][0].label
      this.#emit('FST_WARN_VERSION_NAMESPACE', `No route under ${label} can be requested in a version: ${why}.`)
    }
    const forgotten = all.flatMap(([scheme, routes]) => (
      routes.filter((route) => !isInVersion(scheme, route) && hasVersionInPrefix(scheme, route))
    ))
    if (forgotten.length === 0) return
    this.#emit('FST_WARN_VERSION_PREFIX', 'A segment of their prefix is an allowed version, but no namespace of ' +
      `these routes is: ${list(forgotten.map(labelOf))}. Give the option "namespace" next to "prefix".`)
  }

  /** Links to the successor have the host that a proxy forwards, which caches do not have in their keys. */
  #warnForwardedHost (scheme: Scheme, routes: readonly Route[]): void {
    const isExposed = scheme.inHost.length > 0 && routes.some(({ server, ending }) => {
      const { baseUrl, lifecycle, trustsProxy } = contextOf(server)
      return baseUrl === null && (lifecycle !== null || ending !== undefined) && trustsProxy
    })
    if (!isExposed) return
    this.#emit('FST_WARN_VERSION_FORWARDED_HOST', `Under ${scheme.label} and trustProxy the links to successors ` +
      'hold the host that X-Forwarded-Host names, which caches do not tell apart. Set the option "baseUrl".')
  }

  #emit (code: WarningCode, message: string): void {
    if (this.#emitted.has(message)) return
    this.#emitted.add(message)
    process.emitWarning(message, 'FastifyVersioningWarning', code)
  }
}

/** Version-neutral routes are left out. */
function groupByScheme (routes: readonly Route[]): Map<Scheme, Route[]> {
  const byScheme = new Map<Scheme, Route[]>()
  for (const route of routes) {
    const scheme = schemeOf(route)
    if (scheme === null) continue
    const list = byScheme.get(scheme)
    if (list === undefined) byScheme.set(scheme, [route])
    else list.push(route)
  }
  return byScheme
}

/** Without HEAD, which goes with its GET, and OPTIONS, which plugins answer. */
function isAsked ({ methods }: Route): boolean {
  return methods.some((method) => method !== 'HEAD' && method !== 'OPTIONS')
}

function reads ({ settingsRead, readsNamespaces, isList }: Scheme, setting: keyof Settings): boolean {
  // The owner of the app writes namespaces.
  if (setting === 'resolveVersion') return isList || !readsNamespaces
  const isShared = setting === 'defaultVersion' || setting === 'allowedVersions'
  return isShared || settingsRead === null || settingsRead.includes(setting)
}

function fateOf (version: string | null): string {
  return version === null ? 'never has a version' : `is always in the default version, ${show(version)}`
}

function isInVersion (scheme: Scheme, { namespace }: Route): boolean {
  return scheme.versionIn(namespace.names) !== null
}

function hasVersionInPrefix (scheme: Scheme, { server }: Route): boolean {
  if (!scheme.allowedVersions?.length) return false
  return server.prefix.split('/').some((segment) => segment !== '' && scheme.allows(segment))
}

function list (texts: readonly string[]): string {
  const shown = [...new Set(texts)]
  const more = shown.length > MAX_SHOWN ? ` and ${shown.length - MAX_SHOWN} more` : ''
  return shown.slice(0, MAX_SHOWN).join(', ') + more
}
