import { isDeepStrictEqual } from 'node:util'

import { VersioningConflictError, VersioningOptionError } from '../errors.ts'
import { nameOf, show, suggestionFor } from '../messages.ts'
import { isFieldNames } from '../http/headers.ts'
import { unknownOption } from '../options/read.ts'
import { CONTEXT_OPTIONS, toContextOptions } from '../options/options.ts'
import { SETTINGS, normalizeSettings } from '../options/options.ts'
import { recordOf } from '../scheme.ts'
import { BaseVersioning } from '../schemes/base.ts'
import { SeveralVersioning } from '../schemes/several.ts'

import type { App, Schemes } from './app.ts'
import type { VersioningContext } from '../context.ts'
import type { Settings } from '../options/options.ts'
import type { Scheme } from '../scheme.ts'
import type { VersioningOptions, VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'

const OWN_OPTIONS = ['scheme', ...Object.keys(SETTINGS), ...Object.keys(CONTEXT_OPTIONS)]
/** What Fastify's `register` and fastify-cli take for themselves and hand on. */
const FASTIFY_OPTIONS = ['prefix', 'logLevel', 'logSerializers', 'skipOverride']
const VERSION_METHODS = ['readVersion', 'determineVersion']
const METHODS = ['determineVersion', 'isAllowedVersion', 'reverse']
/** The methods of a scheme that overrides neither. */
const { determineVersion: notImplemented } = BaseVersioning.prototype

/**
 * The context of a registration.
 *
 * @param options as given to `register`
 * @param parent the context above; undefined at the first registration
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toContext (
  options: VersioningOptions, parent: VersioningContext | undefined, { routes, schemes, trustsProxy }: App
): VersioningContext {
  for (const option in options) checkOption(option, options)
  const settings = normalizeSettings(options, parent?.settings)
  const schemeSource = options.scheme === undefined ? parent?.schemeSource ?? null : options.scheme
  const active = toScheme('scheme', schemeSource, null, settings, schemes)
  return {
    ...active,
    ...toContextOptions(options, active.scheme ?? settings, parent),
    schemeSource,
    linkScheme: active.scheme ?? parent?.linkScheme ?? null,
    routes,
    trustsProxy
  }
}

/**
 * The scheme of a context or a route, from the option that the user wrote.
 *
 * @param option the option that names the scheme, for the error
 * @param given a class, made with `settings`; an instance, which keeps its own; a list of these; or `off`
 * @param off the value that switches versioning off, or undefined if no value does
 * @param schemes the schemes that the app already has
 */
export function toScheme (
  option: string, given: unknown, off: null | false | undefined, settings: Settings, schemes: Schemes
): Pick<VersioningContext, 'scheme' | 'settings'> {
  if (given === off) return { scheme: null, settings }
  if (Array.isArray(given)) {
    const members = given.map((one, i) => toMember(`${option}.${i}`, one, settings, schemes))
    checkMembers(option, members)
    const made = schemes.of(members, settings, () => recordOf(new SeveralVersioning(members, settings)))
    return { scheme: made, settings }
  }
  if (isSchemeClass(given)) {
    const made = schemes.of(given, settings, () => toRecord(option, Reflect.construct(given, [settings])))
    return { scheme: made, settings }
  }
  if (isScheme(given)) {
    const scheme = toRecord(option, given)
    const own = normalizeSettings(given, settings)
    const defaultVersion = scheme.clientDefault?.given ?? own.defaultVersion
    return { scheme, settings: { ...own, defaultVersion } }
  }
  const orOff = off === undefined ? '' : `, or ${off}`
  throw new VersioningOptionError(option, `the class or an instance of a versioning scheme${orOff}`, show(given))
}

/** @throws FST_ERR_VERSIONING_OPTION for a list in a list, and for a scheme that has no `readVersion` */
function toMember (option: string, given: unknown, settings: Settings, schemes: Schemes): VersioningScheme {
  const { scheme } = Array.isArray(given) ? { scheme: null } : toScheme(option, given, undefined, settings, schemes)
  if (typeof scheme?.source.readVersion === 'function') return scheme.source
  throw new VersioningOptionError(option, 'the class or an instance of a scheme that has readVersion()', show(given))
}

function checkMembers (option: string, members: readonly VersioningScheme[]): void {
  if (members.length === 0) throw new VersioningOptionError(option, 'at least one scheme', '[]')
  for (const [i, member] of members.entries()) {
    const twin = members.slice(0, i).find((other) => isAlike(other, member))
    if (twin === undefined) continue
    throw new VersioningConflictError(`Invalid "${option}": it has ${nameOf(member)} twice with the same settings.`)
  }
}

/** Whether two schemes are of one class and have the same fields. */
function isAlike (a: VersioningScheme, b: VersioningScheme): boolean {
  return a === b || (a.constructor === b.constructor && isDeepStrictEqual({ ...a }, { ...b }))
}

/** Class fields come after the constructor has checked the settings; an object may have come without one. */
function toRecord (option: string, scheme: VersioningScheme): Scheme {
  checkImplemented(option, scheme)
  normalizeSettings(scheme)
  const { allowedVersions, defaultVersion, vary } = scheme
  if (typeof defaultVersion === 'object' && defaultVersion !== null) {
    const expected = 'a string or null, because only the constructor of BaseVersioning takes a function'
    throw new VersioningOptionError('defaultVersion', expected, show(defaultVersion))
  }
  if (vary !== undefined && vary !== null && !isFieldNames(vary)) {
    throw new VersioningOptionError('vary', 'the name of a request header, or null', show(vary))
  }
  if (allowedVersions === undefined || allowedVersions === null || Array.isArray(allowedVersions)) {
    return recordOf(scheme)
  }
  throw new VersioningOptionError('allowedVersions', 'an array of strings and null, or null', show(allowedVersions))
}

/** SPEC.md: BaseVersioning itself answers 501. A subclass that does not read the version can only be a mistake. */
function checkImplemented (option: string, scheme: VersioningScheme): void {
  const label = nameOf(scheme)
  const isWritten = scheme.readVersion !== undefined || scheme.determineVersion !== notImplemented
  if (isWritten || label === 'BaseVersioning') return
  const methods = [scheme, Object.getPrototypeOf(scheme)].flatMap((one) => Object.getOwnPropertyNames(one ?? {}))
  const written = methods.find((name) => /^(?:determine|read)_?version$/i.test(name) && !VERSION_METHODS.includes(name))
  const meant = VERSION_METHODS.find((name) => name[0] === written?.[0].toLowerCase())
  const hint = meant === undefined ? '' : ` Is its method ${written}() meant to be ${meant}()?`
  throw new VersioningConflictError(
    `Invalid "${option}": ${label} has neither readVersion() nor determineVersion().${hint}`
  )
}

function checkOption (option: string, options: object): void {
  if (OWN_OPTIONS.includes(option) || FASTIFY_OPTIONS.includes(option)) return
  const value = Object.entries(options).find(([name]) => name === option)?.[1]
  if (option === 'namespace' || option === 'version') {
    throw new VersioningOptionError(option, `a ${option} on the register() of a context with routes`, show(value))
  }
  throw unknownOption(option, `one of the options ${OWN_OPTIONS.join(', ')}`, value, suggestionFor(option, OWN_OPTIONS))
}

function isSchemeClass (value: unknown): value is VersioningSchemeClass {
  return typeof value === 'function' && isScheme(value.prototype)
}

function isScheme (value: unknown): value is VersioningScheme {
  if (typeof value !== 'object' || value === null) return false
  return METHODS.every((method) => typeof Reflect.get(value, method) === 'function')
}
