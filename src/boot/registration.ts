import { isDeepStrictEqual } from 'node:util'

import { VersioningConflictError, VersioningOptionError, addSentence } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { CONTEXT_OPTIONS, SETTINGS, normalizeSettings, toContextOptions } from '../options/options.ts'
import { must } from '../options/read.ts'
import { mergeOrders } from '../options/release-order.ts'
import { BaseVersioning, SCHEME } from '../schemes/base.ts'
import { Scheme } from '../schemes/scheme.ts'
import { SchemeList } from '../schemes/several.ts'

import type { App } from './app.ts'
import type { VersioningContext } from '../context.ts'
import type { Settings } from '../options/options.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

const OWN_OPTIONS = ['scheme', ...Object.keys(SETTINGS), ...Object.keys(CONTEXT_OPTIONS)]
/** What Fastify's `register` and fastify-cli take for themselves and hand on. */
const FASTIFY_OPTIONS = ['prefix', 'logLevel', 'logSerializers', 'skipOverride']

/** The schemes made of classes and lists, by the settings of the context: a context makes each once. */
const made = new WeakMap<Settings, Map<unknown, Scheme>>()

/**
 * The context of a registration.
 *
 * @param options as given to `register`
 * @param parent the context above; undefined at the first registration
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toContext (
  options: VersioningOptions, parent: VersioningContext | undefined, { trustsProxy, warned }: App
): VersioningContext {
  for (const [option, value] of Object.entries(options)) checkOption(option, value)
  const hasSettings = Object.keys(SETTINGS).some((name) => options[name as keyof typeof SETTINGS] !== undefined)
  const settings = hasSettings || parent === undefined ? normalizeSettings(options, parent?.settings) : parent.settings
  const schemeSource = options.scheme === undefined ? parent?.schemeSource ?? null : withoutList(options.scheme)
  const scheme = toScheme('scheme', schemeSource, null, settings)
  // An instance has its own settings, and so may a list: contexts below inherit them, but no methods of its class.
  const hasOwn = scheme !== null && (scheme.isList || scheme.author === schemeSource)
  const inherited = hasOwn
    ? {
        ...normalizeSettings({ ...scheme.author }, settings),
        defaultVersion: scheme.clientDefault ?? scheme.defaultVersion
      }
    : settings
  if (scheme?.isList) made.set(inherited, new Map([[schemeSource, scheme]]))
  return {
    ...toContextOptions(options, scheme ?? settings, parent),
    scheme,
    schemeSource,
    settings: inherited,
    warned,
    trustsProxy
  }
}

/**
 * The scheme of a context or a route, from the option that the user wrote.
 *
 * @param option the option that names the scheme, for the error
 * @param source a class, made with `settings`; an instance, which keeps its own; a list of these; or `off`
 * @param off the value that switches versioning off, or undefined if no value does
 */
export function toScheme (
  option: string, source: unknown, off: null | false | undefined, settings: Settings
): Scheme | null {
  const given = withoutList(source)
  if (given === off) return null
  if (given instanceof BaseVersioning) return written(option, given)
  const known = made.get(settings) ?? new Map<unknown, Scheme>()
  made.set(settings, known)
  const key = Array.isArray(given) ? [...known.keys()].find((one) => isSameList(one, given)) : given
  let scheme = known.get(key)
  if (scheme === undefined) known.set(given, scheme = make(option, given, off, settings))
  return scheme
}

/** A list of one is this one. What switches versioning off does not stand in a list. */
function withoutList (source: unknown): unknown {
  return Array.isArray(source) && source.length === 1 && source[0] && !Array.isArray(source[0]) ? source[0] : source
}

/** A list that is written again is the same one. */
function isSameList (one: unknown, other: readonly unknown[]): boolean {
  return Array.isArray(one) && one.length === other.length && other.every((member, i) => member === one[i])
}

function make (option: string, given: unknown, off: null | false | undefined, settings: Settings): Scheme {
  if (Array.isArray(given)) return listOf(option, given, settings)
  if (typeof given === 'function' && (given === BaseVersioning || given.prototype instanceof BaseVersioning)) {
    return written(option, Reflect.construct(given, [settings]))
  }
  if (SCHEME in Object(typeof given === 'function' ? given.prototype : given)) {
    throw new VersioningConflictError(
      `Invalid "${option}": ${show(given)} extends BaseVersioning of another copy of fastify-versioning. Install the ` +
      'package once.'
    )
  }
  const expected = 'a class that extends BaseVersioning, an instance of one, or a list of them'
  throw new VersioningOptionError(option, off === undefined ? expected : `${expected}, or ${off}`, show(given))
}

function listOf (option: string, given: readonly unknown[], contextSettings: Settings): Scheme {
  if (given.length === 0) throw new VersioningOptionError(option, 'at least one scheme', '[]')
  const settings = settingsOfList(given, contextSettings)
  const members = given.map((one, i) => {
    const scheme = Array.isArray(one) ? null : toScheme(`${option}.${i}`, one, undefined, settings)
    if (scheme?.author.readVersion !== undefined) return scheme
    const expected = 'the class or an instance of a scheme that has readVersion()'
    throw new VersioningOptionError(`${option}.${i}`, expected, show(one))
  })
  const twin = members.find(({ author }, i) => members.slice(0, i).some(({ author: other }) => (
    other.constructor === author.constructor && isDeepStrictEqual({ ...other }, { ...author })
  )))
  if (twin === undefined) return new SchemeList(members, settings)
  throw new VersioningConflictError(`Invalid "${option}": it has ${twin.label} twice with the same settings.`)
}

/** A list has the versions and the default of its context, or else those of its members that are instances. */
function settingsOfList (given: readonly unknown[], settings: Settings): Settings {
  const instances = given.filter((one) => one instanceof BaseVersioning).map((author) => Scheme.register(author))
  const lists = instances.map(({ allowedVersions }) => allowedVersions ?? []).filter(({ length }) => length > 0)
  const defaults = instances.map(({ clientDefault, defaultVersion }) => clientDefault ?? defaultVersion)
  return {
    ...settings,
    allowedVersions: settings.allowedVersions?.length || lists.length === 0
      ? settings.allowedVersions
      : mergeOrders(lists),
    defaultVersion: settings.defaultVersion ?? defaults.find((version) => version !== null) ?? null
  }
}

/** SPEC.md: BaseVersioning itself answers 501. */
function written (option: string, author: BaseVersioning): Scheme {
  const scheme = Scheme.register(author)
  const isWritten = author.constructor === BaseVersioning || author.readVersion !== undefined ||
    scheme.own.has('determineVersion')
  must(isWritten, option, 'a scheme with readVersion() or determineVersion()', author.constructor)
  return scheme
}

function checkOption (option: string, value: unknown): void {
  if (OWN_OPTIONS.includes(option) || FASTIFY_OPTIONS.includes(option)) return
  must(!/^(?:namespace|version)$/.test(option), option, `a ${option} on the register() of a context with routes`, value)
  const error = new VersioningOptionError(option, `one of the options ${OWN_OPTIONS.join(', ')}`, show(value))
  throw addSentence(error, suggestionFor(option, OWN_OPTIONS))
}
