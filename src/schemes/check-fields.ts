import leven from 'leven'

import { KINDS, VersioningOptionError, must } from '../errors.ts'
import { isToken, namesIn } from '../http/headers.ts'
import { show } from '../messages.ts'
import { SETTINGS, normalizeSettings } from '../options/options.ts'
import { RULES } from './reading.ts'

import type { VersioningScheme } from '../../types/index.d.ts'
import type { Settings } from '../options/options.ts'

type Rule = readonly [expected: string, isRight: (value: unknown) => boolean]

const HELP = 'custom-schemes.md#members'
const TEXT_RULE: Rule = ['a text', isText]
const TEXT_OR_NOTHING: Rule = ['a text or null', (value) => (value ?? null) === null || isText(value)]

/** The fields of a scheme that are read once, when it is registered, with a rule for each. */
const RULES_OF_FIELDS = {
  // The label of an anonymous class is empty.
  label: ['a text', (value) => typeof value === 'string'],
  place: TEXT_RULE,
  placeText: ['a text', (value) => value === undefined || isText(value)],
  vary: ['the name of a request header, or null', (value) => (
    value === null || (isText(value) && namesIn(value).every(isToken))
  )],
  invalidVersionMessage: TEXT_RULE,
  refusalKind: among(Object.keys(KINDS)),
  knownAfterRouting: TEXT_OR_NOTHING,
  linkPlace: among(['path', 'namespace', 'query', 'host', 'nowhere']),
  impliedParam: TEXT_OR_NOTHING,
  linkOptions: ["a list of names such as ['tenant']", (value) => Array.isArray(value) && value.every(isText)],
  parameter: ["an object such as { in: 'cookie', name: 'v' }, or null", (value) => (
    value === null || (['query', 'header', 'cookie'].includes(Object(value).in) && isText(Object(value).name))
  )]
} as const satisfies Record<string, Rule>

export type Field = keyof typeof RULES_OF_FIELDS | 'defaultVersion'
export const FIELDS = [...Object.keys(RULES_OF_FIELDS), 'defaultVersion'] as readonly Field[]
/** The fields that may follow from a setting, so that a class may have a getter for them. */
const DERIVED: readonly string[] = ['impliedParam', 'linkOptions', 'parameter', 'refusalKind']
const READ_ONCE = [...FIELDS, ...Object.keys(SETTINGS), 'hostnameRegex'].filter((name) => !DERIVED.includes(name))
/** The members that an app may replace in a scheme. */
const MEMBERS = [
  ...READ_ONCE, ...DERIVED, 'determineVersion', 'hostFor', 'isAllowedVersion', 'linkVersion', 'mediaTypeFor', 'permit',
  'readVersion', 'refusal', 'reverse'
]

/**
 * Checks the names of a scheme's members, and that no accessor or method computes a field that is read once.
 *
 * @throws FST_ERR_VERSIONING_OPTION for an accessor or a method in place of a field, and for a misspelt member
 */
export function checkFields (scheme: object): void {
  for (let owner = scheme; !Object.hasOwn(owner, RULES); owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      const { get, value } = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
      const isMethod = owner !== scheme && typeof value === 'function' && name !== 'resolveVersion'
      const subject = `"${name}" of ${scheme.constructor.name}`
      if (READ_ONCE.includes(name) && (isMethod || get !== undefined)) {
        throw new VersioningOptionError(
          `Make ${subject} a class field, not a ${isMethod ? 'method' : 'getter'}: the plugin reads it once, when it ` +
          'is registered.', HELP
        )
      }
      const near = MEMBERS.find((member) => member in scheme && isMisspelt(name, member))
      if (near === undefined) continue
      throw new VersioningOptionError(`Unknown member ${subject}. Did you mean "${near}"?`, HELP)
    }
  }
}

/** Tells whether a name is misspelt. An app may have members of its own, such as a plural, or `_readVersion`. */
function isMisspelt (name: string, member: string): boolean {
  const isPlural = name === `${member}s` || member === `${name}s`
  const isWord = /^[A-Za-z]{8,}$/.test(name)
  return isWord && !MEMBERS.includes(name) && !isPlural && leven(name.toLowerCase(), member.toLowerCase()) < 2
}

/** Tells whether an app has replaced a member of this package's classes, by a field of an object or of a class. */
export function isReplaced (scheme: object, name: string): boolean {
  let owner = scheme
  while (!Object.hasOwn(owner, name) && !Object.hasOwn(owner, RULES)) owner = Object.getPrototypeOf(owner)
  return !Object.hasOwn(owner, RULES)
}

/**
 * Checks a scheme with all its class fields, which JavaScript sets after the constructor of BaseVersioning.
 *
 * @param hasHost whether it extends HostNameVersioning
 * @returns its settings
 * @throws FST_ERR_VERSIONING_OPTION for a field that is not right
 */
export function checkScheme (scheme: VersioningScheme, hasHost: boolean): Settings {
  checkFields(scheme)
  const { defaultVersion, linkPlace } = scheme
  if (typeof (defaultVersion ?? '') !== 'string') {
    const shown = typeof defaultVersion === 'function' ? 'a function' : show(defaultVersion)
    throw new VersioningOptionError(
      `Invalid "defaultVersion" of ${scheme.constructor.name}: expected a string or null, got ${shown}. Pass { ` +
      'header, version } to the constructor or to the plugin.', 'which-version.md'
    )
  }
  const settings = normalizeSettings(scheme)
  for (const [name, [expected, isRight]] of Object.entries(RULES_OF_FIELDS)) {
    const value: unknown = scheme[name as Field]
    must(isRight(value), name, expected, value, HELP)
  }
  must(linkPlace !== 'host' || hasHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace, HELP)
  const { impliedParam, versionParam } = scheme
  must(!/[-.(/]/.test(impliedParam ?? ''), impliedParam === versionParam ? 'versionParam' : 'impliedParam',
    'a name without "-", "." and "(", where Fastify ends the name of a parameter', impliedParam)
  must(scheme.place !== 'accept' || !/^q$/i.test(versionParam), 'versionParam',
    'a name other than "q", which is the weight of a media type', versionParam)
  const { hostnameRegex: pattern } = scheme as { readonly hostnameRegex?: unknown }
  const isPattern = pattern === undefined || (pattern instanceof RegExp && hasGroup(pattern))
  must(isPattern, 'hostnameRegex', 'a regular expression with a group for the version', pattern, HELP)
  return settings
}

function isText (value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function among (values: readonly string[]): Rule {
  return [`one of ${values.join(', ')}`, (value) => values.includes(value as string)]
}

/** Tells whether an expression has a group. With an empty alternative it matches any text, and so shows its groups. */
function hasGroup ({ source, flags }: RegExp): boolean {
  return (new RegExp(`|${source}`, flags).exec('') as RegExpExecArray).length > 1
}
