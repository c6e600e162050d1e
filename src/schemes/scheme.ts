import { isDeepStrictEqual } from 'node:util'

import { withNames } from '../http/response-headers.ts'
import { isOutOfOrder } from '../options/release-order.ts'
import { BASE } from './base.ts'
import { FIELDS, checkScheme, isReplaced } from './check-fields.ts'
import { HostNameVersioning, versionInName } from './host-name.ts'
import { MediaTypeVersioning } from './media-type.ts'
import {
  CLIENTS, RULES, agreed, allows, isListed, readingsIn, resolve, versionAmong, versionMeant
} from './reading.ts'

import type { FastifyRequest } from 'fastify'
import type { AllowedVersions } from '../../types/index.d.ts'
import type { Settings } from '../options/options.ts'
import type { BaseVersioning } from './base.ts'
import type { Field } from './check-fields.ts'
import type { Author, Reading, Requested } from './reading.ts'

/** The methods of BaseVersioning that an author may replace, and about which the plugin asks whether they are. */
const REPLACEABLE = [
  'determineVersion', 'permit', 'isAllowedVersion', 'linkVersion', 'reverse', 'mediaTypeFor', 'hostFor'
] as const

/** The methods that decide which version a request has. */
const DETERMINING = ['determineVersion', 'permit', 'isAllowedVersion'] as const

export type Listed = Pick<Settings, 'allowedVersions'> & Pick<Author, 'defaultVersion'>

const schemes = new WeakMap<BaseVersioning, Scheme>()

interface Registered extends Pick<BaseVersioning, Field> {}

/** The fields of the author's object, which are all set now. They have a class because fields of Scheme follow. */
class Registered {
  /** The object that requests show as `versioningScheme`. The plugin writes nothing into it. */
  readonly author: BaseVersioning
  readonly settings: Settings
  /** The schemes of a list, in its order. Any other scheme is its only member. */
  readonly members: readonly Scheme[]
  /** The list around a member that lists no versions, with those of the list; null for any other scheme. */
  readonly within: Listed | null

  constructor (author: BaseVersioning, members: readonly Scheme[] | null, within: Listed | null) {
    const settings = checkScheme(author, author instanceof HostNameVersioning)
    this.settings = { ...settings, defaultVersion: author[CLIENTS] ?? settings.defaultVersion }
    Object.assign(this, Object.fromEntries(FIELDS.map((name) => [name, author[name]])))
    this.author = author
    this.members = members ?? [this as unknown as Scheme]
    this.within = within
  }
}

/**
 * A scheme as the plugin has it: a frozen record of what an author's object says when it is registered. For requests,
 * the plugin calls only methods of the contract on the object itself. Fields are computed from those above them.
 */
export class Scheme extends Registered {
  /** The parameter of the path that is the version, or null. */
  readonly param = this.impliedParam ?? null
  readonly versionParam = this.settings.versionParam
  readonly mediaTypes = this.settings.mediaTypes
  /** The default versions of clients, if each has its own. */
  readonly clientDefault = this.author[CLIENTS]
  readonly allowedVersions: AllowedVersions | null = (this.within ?? this.settings).allowedVersions
  /** The allowed versions without null; empty if every version is allowed. */
  readonly listedVersions = (this.allowedVersions ?? []).filter((version) => version !== null)

  /** Whether no range can be read in the order of the versions. */
  readonly isOutOfOrder = isOutOfOrder(this.listedVersions)

  /** The methods that the author, or a class between, has replaced. */
  readonly ownMethods: ReadonlySet<typeof REPLACEABLE[number]> = new Set(
    REPLACEABLE.filter((name) => this.author[name] !== BASE[name])
  )

  /** Whether an author's method determines the version, and may forget to ask whether the version is allowed. */
  readonly isDetermined: boolean = this.members.some(({ ownMethods }) => ownMethods.has('determineVersion'))

  /** The listed versions, if they alone say which versions are allowed; null if the author has a say in it. */
  readonly #plainVersions: readonly string[] | null =
    DETERMINING.some((name) => this.ownMethods.has(name)) || this.author.resolveVersion !== undefined ||
    this.author.readVersion === undefined
      ? null
      : this.listedVersions

  /** Whether its class is one of this package. */
  readonly isOurs = !isReplaced(this.author, 'constructor')

  /** Whether the message of a refusal is ours, and not SPEC.md's or its author's. */
  readonly mayNameVersions = this.author[RULES].mayNameVersions && !isReplaced(this.author, 'invalidVersionMessage')

  /** The request headers that the version depends on, also by its default, or null. */
  readonly varies = withNames(this.vary ?? '', this.clientDefault?.header ?? '') || null

  readonly isList = this.members.length > 1
  /** The parameters of paths that are the version. */
  readonly params: readonly string[] = this.members.map(({ param }) => param).filter((param) => param !== null)
  /** The members that have the version in the host. */
  readonly inHost: readonly Scheme[] = this.members.filter(({ linkPlace }) => linkPlace === 'host')
  /** The first member that has the version in the media type that a client accepts, or null. */
  readonly byAccept = this.members.map(({ author }) => author).find((author) => (
    author instanceof MediaTypeVersioning && author.place === 'accept'
  )) as MediaTypeVersioning | undefined ?? null

  /** Whether namespaces are versions. */
  readonly readsNamespaces: boolean = this.members.some(({ linkPlace }) => linkPlace === 'namespace')
  /** Whether a link can carry the version. */
  readonly isInLinks: boolean = this.members.some(({ linkPlace, param, ownMethods }) => (
    linkPlace !== 'nowhere' || param !== null || ownMethods.has('reverse')
  ))

  constructor (author: BaseVersioning, members: readonly Scheme[] | null = null, within: Listed | null = null) {
    super(author, members, within)
    Object.freeze(this)
    if (within === null) schemes.set(author, this)
  }

  /**
   * Returns the scheme of an object: the same scheme in all registrations, unless the object changes between them.
   *
   * @throws FST_ERR_VERSIONING_OPTION for a field that is not right
   */
  static register (author: BaseVersioning): Scheme {
    const before = schemes.get(author)
    const scheme = new Scheme(author)
    if (before === undefined || !isDeepStrictEqual(before, scheme)) return scheme
    schemes.set(author, before)
    return before
  }

  /** Returns the scheme of an object, or makes a scheme if no app has registered the object. */
  static of (author: BaseVersioning): Scheme {
    return schemes.get(author) ?? new Scheme(author)
  }

  allows (version: string | null): boolean {
    return allows(this.author, version) && (this.within === null || isListed(this.within, version))
  }

  /** Returns the version that a request for a version gets, or null if it is refused. An allowed version stays. */
  versionFor (version: string): string | null {
    if (this.#plainVersions?.includes(version) || this.allows(version)) return version
    const versions = this.members.map((member) => resolve(member.author, version, member))
    return versions.find((resolved) => resolved !== null && this.allows(resolved)) ?? null
  }

  /** Returns what a request specifies, in the place of each member. */
  readings (request: Requested): readonly Reading<Scheme>[] {
    const all: Reading<Scheme>[] = []
    // This runs for every request, and flatMap() takes longer than all the rest of a scheme.
    for (const member of this.members) {
      all.push(...readingsIn(member.author, member.author.readVersion?.(request), member))
    }
    return all
  }

  /** Returns the version of a request: null if it specifies none, undefined if the version is refused. */
  find (request: Requested): string | null | undefined {
    if (!this.isList) return versionMeant(this.author, this.author.readVersion?.(request), this)
    const first = agreed(this.readings(request))
    if (first === null) return null
    // A member may have its own settings.
    return first.resolved !== null && first.scheme.allows(first.resolved) ? first.resolved : undefined
  }

  /** Returns the version of a request, or whatever else the author's `determineVersion` returns or throws. */
  determine (request: FastifyRequest): unknown {
    const { author } = this
    if (this.#plainVersions === null) return author.determineVersion(request)
    const read = author.readVersion?.(request)
    // Most requests specify one version, which is listed. The listed text is returned, because V8 compares it and looks
    // it up faster than an equal text that is new.
    const index = typeof read === 'string' ? this.#plainVersions.indexOf(read) : -1
    return index === -1 ? author.permit(read, request) : this.#plainVersions[index]
  }

  /** Returns the member that has read the version of a request, or else the first member. It makes refusals. */
  readerFor (request: Requested): Scheme {
    const [first] = this.members
    try {
      return this.isList ? agreed(this.readings(request))?.scheme ?? first : first
    } catch {
      return first
    }
  }

  /** Returns the version among namespaces, or null if none is allowed, or if namespaces are not versions. */
  versionIn (namespaces: readonly string[]): string | null {
    for (const { author, linkPlace } of this.members) {
      const version = linkPlace === 'namespace' ? versionAmong(namespaces, author) : null
      if (version !== null) return version
    }
    return null
  }

  /** Returns the version of a host, or undefined if it has none, or if hosts have no versions. */
  versionInHost (host = ''): string | undefined {
    return this.author instanceof HostNameVersioning ? versionInName(host, this.author.hostnameRegex) : undefined
  }
}
