import { toBaseUrl } from '../options/base-url.ts'
import { VersioningOptionError, show } from '../errors.ts'
import { POLICY_OPTIONS, toPolicy } from '../options/policy.ts'
import { DEFAULT_SETTINGS, normalizeSettings } from '../options/settings.ts'
import { checkVary } from '../http/vary.ts'

import type { FastifyInstance } from 'fastify'
import type { Boot } from './boot.ts'
import type { VersioningContext } from '../context.ts'
import type { RouterOptions } from '../paths/ownership.ts'
import type { SchemeInstances } from './scheme-instances.ts'
import type { Settings } from '../options/settings.ts'
import type { VersioningOptions, VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'

const OWN_OPTIONS = ['scheme', ...Object.keys(DEFAULT_SETTINGS), 'baseUrl', 'logVersion', ...POLICY_OPTIONS]
/** What Fastify's `register` takes for itself and hands on. */
const FASTIFY_OPTIONS = ['prefix', 'logLevel', 'logSerializers']
const METHODS = ['determineVersion', 'isAllowedVersion', 'reverse']

const ROUTER_DEFAULTS: RouterOptions = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 100,
  useSemicolonDelimiter: false
}

/**
 * What a registration makes of its context.
 *
 * @param options as given to `register`
 * @param parent the context that it takes the place of; undefined at the first registration
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toContext (
  options: VersioningOptions, parent: VersioningContext | undefined, { instances, uses }: Boot
): VersioningContext {
  for (const option in options) checkOption(option, options)
  const settings = normalizeSettings(options, parent?.settings)
  const inherited = parent?.schemeClass ?? parent?.scheme ?? null
  const given = options.scheme === undefined ? inherited : options.scheme
  const active = toSchemeAndSettings('scheme', given, null, settings, instances)
  return {
    ...active,
    ...toPolicy(options, (active.scheme ?? settings).allowedVersions, parent),
    linkScheme: active.scheme ?? parent?.linkScheme ?? null,
    baseUrl: options.baseUrl === undefined ? parent?.baseUrl ?? null : toBaseUrl(options.baseUrl),
    logVersion: options.logVersion === undefined ? parent?.logVersion ?? false : toLogVersion(options.logVersion),
    uses
  }
}

/**
 * What a scheme, as the user gives it, makes of a context or a route.
 *
 * @param option the option that names the scheme, for the error
 * @param given a class, made with `settings`; an instance, which keeps its own; or `off`
 * @param off the value that switches versioning off
 * @param instances the schemes that the app has already
 */
export function toSchemeAndSettings (
  option: string, given: unknown, off: null | false, settings: Settings, instances: SchemeInstances
): Pick<VersioningContext, 'scheme' | 'schemeClass' | 'settings'> {
  if (given === off) return { scheme: null, schemeClass: null, settings }
  if (isSchemeClass(given)) {
    const scheme = instances.of(given, settings)
    checkFields(scheme)
    return { scheme, schemeClass: given, settings }
  }
  if (isScheme(given)) {
    checkFields(given)
    return { scheme: given, schemeClass: null, settings: normalizeSettings(given, settings) }
  }
  throw new VersioningOptionError(option, `the class or an instance of a versioning scheme, or ${off}`, show(given))
}

/**
 * A `name` or a `namespace`.
 *
 * @throws FST_ERR_VERSIONING_OPTION unless it is a non-empty string without `:`
 */
export function checkName (option: 'name' | 'namespace', value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '' && !value.includes(':')) return
  throw new VersioningOptionError(option, 'a non-empty string without ":"', show(value))
}

/**
 * How the app's router is configured. Fastify accepts these options at the top or in `routerOptions`, where it fills in
 * the defaults: what differs from the default is what the user set.
 */
export function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
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

function toLogVersion (value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new VersioningOptionError('logVersion', 'true or false', show(value))
}

/** Class fields come after the constructor has checked the settings; an object may have come without one. */
function checkFields (scheme: VersioningScheme): void {
  checkVary(scheme)
  normalizeSettings(scheme)
  const { allowedVersions } = scheme
  if (allowedVersions === undefined || allowedVersions === null || Array.isArray(allowedVersions)) return
  throw new VersioningOptionError('allowedVersions', 'an array of strings and null, or null', show(allowedVersions))
}

function checkOption (option: string, options: object): void {
  if (OWN_OPTIONS.includes(option) || FASTIFY_OPTIONS.includes(option)) return
  const value = show(Object.entries(options).find(([name]) => name === option)?.[1])
  if (option === 'namespace' || option === 'version') {
    throw new VersioningOptionError(option, `a ${option} on the register() of a context with routes`, value)
  }
  throw new VersioningOptionError(option, `one of the options ${OWN_OPTIONS.join(', ')}`, value)
}

function isSchemeClass (value: unknown): value is VersioningSchemeClass {
  return typeof value === 'function' && isScheme(value.prototype)
}

function isScheme (value: unknown): value is VersioningScheme {
  if (typeof value !== 'object' || value === null) return false
  return METHODS.every((method) => typeof Reflect.get(value, method) === 'function')
}
