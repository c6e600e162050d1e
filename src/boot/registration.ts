import { isDeepStrictEqual, types } from 'node:util'

import { VersioningOptionError, forbid, invalidOption, must } from '../errors.ts'
import { suggestionFor } from '../messages.ts'
import { CONTEXT_OPTIONS, SETTINGS, normalizeSettings, toContextOptions } from '../options/options.ts'
import { mergeOrders } from '../options/release-order.ts'
import { isThenable } from '../promises.ts'
import { BaseVersioning, SCHEME } from '../schemes/base.ts'
import { Scheme } from '../schemes/scheme.ts'
import { schemeList } from '../schemes/scheme-list.ts'

import type { VersioningContext } from '../context.ts'
import type { Settings } from '../options/options.ts'
import type { VersioningOptions } from '../../types/index.d.ts'

const OWN_OPTIONS = ['scheme', ...Object.keys(SETTINGS), ...Object.keys(CONTEXT_OPTIONS)]
/** The options that Fastify's `register` and fastify-cli read themselves, and also pass to the plugin. */
const FASTIFY_OPTIONS = ['prefix', 'logLevel', 'logSerializers', 'skipOverride']

/** The schemes made of classes and lists, by the settings of the context: a context makes each scheme once. */
const made = new WeakMap<Settings, Map<unknown, Scheme>>()

/**
 * Returns the context of a registration.
 *
 * @param options as given to `register`
 * @param parent the context above; undefined at the first registration
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toContext (
  options: VersioningOptions, parent: VersioningContext | undefined,
  { trustsProxy, warned }: Pick<VersioningContext, 'trustsProxy' | 'warned'>
): VersioningContext {
  must(!isThenable(options), 'options', 'an object (await the promise)', options)
  for (const option of Object.keys(options)) checkOption(option)
  const hasSettings = Object.keys(SETTINGS).some((name) => options[name as keyof typeof SETTINGS] !== undefined)
  const settings = hasSettings || parent === undefined ? normalizeSettings(options, parent?.settings) : parent.settings
  const schemeSource = options.scheme === undefined ? parent?.schemeSource ?? null : withoutList(options.scheme)
  const scheme = toScheme('scheme', schemeSource, null, settings)
  // An instance has its own settings, and a list may have some: contexts below inherit them, but no methods.
  const hasOwn = scheme !== null && (scheme.isList || scheme.author === schemeSource)
  const { defaultVersion } = scheme?.settings ?? settings
  const settingsBelow = hasOwn ? { ...normalizeSettings({ ...scheme.author }, settings), defaultVersion } : settings
  if (scheme?.isList) made.set(settingsBelow, new Map([[schemeSource, scheme]]))
  return {
    ...toContextOptions(options, scheme ?? settings, parent),
    scheme,
    schemeSource,
    settings: settingsBelow,
    warned,
    trustsProxy
  }
}

/**
 * Returns the scheme of a context or a route, made of the option that the user wrote.
 *
 * @param option the option that names the scheme, for the error
 * @param source a class, made with `settings`; an instance, which keeps its own; a list of these; or `off`
 * @param off the value that switches versioning off, or undefined if no value does
 */
export function toScheme (
  option: string, source: unknown, off: null | false | undefined, settings: Settings
): Scheme | null {
  const bare = withoutList(source)
  if (off !== undefined && bare === off) return null
  if (bare instanceof BaseVersioning) return checkImplemented(bare)
  const schemes = made.get(settings) ?? new Map<unknown, Scheme>()
  made.set(settings, schemes)
  const key = Array.isArray(bare) ? [...schemes.keys()].find((list) => isSameList(list, bare)) : bare
  let scheme = schemes.get(key)
  if (scheme === undefined) schemes.set(bare, scheme = make(option, bare, off, settings))
  return scheme
}

/** Returns the scheme in a list with one scheme, and any other source as it is. A list may not hold null or false. */
function withoutList (source: unknown): unknown {
  return Array.isArray(source) && source.length === 1 && source[0] && !Array.isArray(source[0]) ? source[0] : source
}

/** Tells whether a source is a list with the same members: a list that is written twice means one scheme. */
function isSameList (source: unknown, list: readonly unknown[]): boolean {
  return Array.isArray(source) && source.length === list.length && list.every((member, i) => member === source[i])
}

function make (option: string, source: unknown, off: null | false | undefined, settings: Settings): Scheme {
  if (Array.isArray(source)) return toList(option, source, settings)
  if (typeof source === 'function' && (source === BaseVersioning || source.prototype instanceof BaseVersioning)) {
    return checkImplemented(Reflect.construct(source, [settings]))
  }
  if (SCHEME in Object(typeof source === 'function' ? source.prototype : source)) {
    const { name } = typeof source === 'function' ? source : (source as object).constructor
    forbid('scheme', `The scheme ${name} comes from another copy of fastify-versioning. Install the package once ` +
      '("npm ls fastify-versioning" lists the copies).')
  }
  const form = off === undefined ? '(a class or an instance)' : `(a class, an instance or a list), or ${off}`
  throw invalidOption(option, `a scheme such as HeaderVersioning ${form}`, source)
}

function toList (option: string, sources: readonly unknown[], contextSettings: Settings): Scheme {
  must(sources.length > 0, option, 'at least one scheme', sources)
  const settings = settingsOfList(sources, contextSettings)
  const members = sources.map((source, i) => {
    must(!Array.isArray(source), `${option}.${i}`, 'a scheme such as HeaderVersioning (a class or an instance)', source)
    const scheme = toScheme(`${option}.${i}`, source, undefined, settings) as Scheme
    if (scheme.author.readVersion !== undefined) return scheme
    return forbid('scheme', `Give the scheme ${scheme.label} a method readVersion(): in a list, the plugin compares ` +
      'what all schemes read.')
  })
  // The private fields of an app's class cannot be compared, so its instances may differ.
  const twin = members.find(({ author, isOurs }, i) => members.slice(0, i).some(({ author: earlier }) => (
    earlier === author || (isOurs && isDeepStrictEqual({ ...earlier }, { ...author }))
  )))
  if (twin === undefined) return schemeList(members, settings)
  return forbid('scheme', `Remove one ${twin.label} from "${option}", or give it other settings.`)
}

/** Returns the settings of a list: the versions and the default of the context, or else those of its instances. */
function settingsOfList (sources: readonly unknown[], settings: Settings): Settings {
  const authors = sources.filter((source) => source instanceof BaseVersioning)
  const all = authors.map((author) => Scheme.register(author).settings)
  const lists = all.map(({ allowedVersions }) => allowedVersions ?? []).filter(({ length }) => length > 0)
  return {
    ...settings,
    allowedVersions: settings.allowedVersions?.length || lists.length === 0
      ? settings.allowedVersions
      : mergeOrders(lists),
    defaultVersion: [settings, ...all].map(({ defaultVersion }) => defaultVersion).find((each) => each !== null) ?? null
  }
}

/** Returns the record of an author's object, which must read versions. SPEC.md: BaseVersioning itself answers 501. */
function checkImplemented (author: BaseVersioning): Scheme {
  const scheme = Scheme.register(author)
  const isWritten = author.constructor === BaseVersioning || author.readVersion !== undefined ||
    scheme.ownMethods.has('determineVersion')
  const isAsync = types.isAsyncFunction(author.readVersion)
  if (isWritten && !isAsync) return scheme
  const method = `${author.constructor.name}.readVersion(request)`
  const advice = isAsync
    ? `Make ${method} synchronous: the router does not wait for a promise.`
    : `Write ${method}, which returns the version that the client sends.`
  const text = `${advice} A scheme that must wait needs determineVersion(request) instead.`
  throw new VersioningOptionError(text, 'custom-schemes.md#readversion')
}

function checkOption (option: string): void {
  if (OWN_OPTIONS.includes(option) || FASTIFY_OPTIONS.includes(option)) return
  if (/^(?:namespace|version)$/.test(option)) {
    const onRoute = option === 'version' ? 'to a route, or ' : ''
    forbid(option, `Move "${option}" ${onRoute}to the register() of a plugin that declares routes: ` +
      'fastify-versioning has no such option.')
  }
  if (/^(?:hostnameRegex|vary)$/.test(option)) {
    const advice = `Write "${option}" into a class that extends a scheme, and give the class as "scheme".`
    throw new VersioningOptionError(advice, 'custom-schemes.md#members')
  }
  const hint = suggestionFor(option, OWN_OPTIONS) || ` The options are ${OWN_OPTIONS.join(', ')}.`
  forbid(option, `Unknown option "${option}".${hint}`)
}
