import { VersionInvalidError } from './errors.ts'
import { ignoreRejection } from './promises.ts'

import type { FastifyRequest } from 'fastify'
import type { MediaRange } from './http/accept.ts'
import type { Origin } from './http/origin.ts'
import type {
  DefaultByHeader, RawRequest, RefusalKind, ReverseOptions, VersionParameter, VersioningScheme
} from '../types/index.d.ts'

/** Where `reverse` puts the version of a link. */
export type LinkPlace = 'path' | 'namespace' | 'query' | 'host' | 'nowhere'

/** How a document shows where a request specifies the version. */
export type Documentation = 'parameter' | 'responseType' | 'bodyType' | 'host' | 'nowhere'

/** Node's request before it is routed, Fastify's afterwards. */
export type Requested = RawRequest | FastifyRequest

/** A version, and the scheme that has read it. */
export interface Named {
  readonly scheme: Scheme
  /** As the client specifies it. */
  readonly version: string
  /** What it is resolved to, or null if it is refused. */
  readonly resolved: string | null
}

/** A scheme as all rooms see it: BaseVersioning is the only class that implements it. */
export interface Scheme extends VersioningScheme {
  readonly label: string
  readonly place: string
  readonly placeText?: string
  readonly vary: string | null
  readonly linkPlace: LinkPlace
  readonly linkOptions: readonly string[]
  readonly knownAfterRouting: string | null
  readonly refusalKind: RefusalKind
  /** The parameter of a request that carries the version, as a document of OpenAPI has it, or null. */
  readonly parameter: VersionParameter | null
  /** The path parameter that a link fills in with the version, or null. */
  readonly impliedParam: string | null
  readonly mediaTypes: readonly string[] | null
  readonly clientDefault: DefaultByHeader | null

  /** The schemes of a list, in its order. Any other scheme has itself. */
  readonly members: readonly Scheme[]
  readonly isList: boolean
  /** The allowed versions without null; empty if every version is allowed. */
  readonly listedVersions: readonly string[]
  /** The request headers that the version depends on, also by its default, or null. */
  readonly varies: string | null
  /** The members by the places that a URL may have. */
  readonly inPath: readonly Scheme[]
  readonly inNamespace: readonly Scheme[]
  readonly inQuery: readonly Scheme[]
  readonly inHost: readonly Scheme[]
  readonly readsNamespaces: boolean
  /** Whether a link can carry the version. */
  readonly isInLinks: boolean
  /** Whether it makes its links itself. */
  readonly hasOwnReverse: boolean
  readonly documentation: Documentation
  /** What an error says is expected of the option `version`, or null if the scheme can choose handlers. */
  readonly whyNoChoice: string | null
  /** The app, or the context in it, whose names it looks up outside a request. The last of several apps wins. */
  defaultServer: object | undefined

  /** What a request specifies in each place, resolved. */
  named (request: Requested): readonly Named[]
  /** The version that a client means: null if it specifies none, undefined if the version is refused. */
  find (request: Requested): string | null | undefined
  /** The members whose version a request specifies; empty if it specifies none, or different ones. */
  naming (request: Requested): readonly Scheme[]
  /** What a version is resolved to, or null if it is refused. */
  resolve (named: string): string | null
  allows (version: string | null): boolean
  /** The version of a request that specifies none, or null. */
  defaultFor (request: Requested): string | null | Promise<string | null>
  /** The version that a link without one leads to, for the client of a request, or null. */
  defaultOfLinks (request: ReverseOptions['request']): string | null
  refusal (message?: string, request?: FastifyRequest): Error
  linkVersion (options: ReverseOptions): string | null
  /** The version among namespaces, or null if none is allowed, or if namespaces are not versions. */
  versionIn (namespaces: readonly string[]): string | null
  /** Another name under which links find a route, or null. */
  shortNameOf (name: string): string | null
  /** The version of a host, or undefined if it has none. */
  versionInHost (host: string): string | undefined
  /** @throws FST_ERR_REVERSE_HOST (400) or FST_ERR_REVERSE_OPTION if the host cannot have the version */
  originFor (version: string, origin: Origin): Origin
  /** The media type with a version, for documents: instead of the given one, or of the API's first; or null. */
  mediaTypeFor (version: string, mediaType?: string): string | null
  /** The host with a version, for documents, or null if it cannot have one. */
  hostFor (version: string, host: string): string | null
  /** Whether a media type has a version in its subtype. */
  namesVersion (mediaType: Pick<MediaRange, 'mediaType' | 'sent'>): boolean
}

/** The error of a scheme whose method has returned a wrong value, such as a promise that is not awaited. */
export function invalid ({ label }: Pick<Scheme, 'label'>, value: unknown): Error {
  ignoreRejection(value)
  return new VersionInvalidError(`${label}.determineVersion() must return a string or null.`, value)
}

/** The error of a scheme whose `readVersion` has returned what it must not. */
export function invalidRead ({ label }: Pick<Scheme, 'label'>, value: unknown): Error {
  ignoreRejection(value)
  const expected = 'a string, a list of strings, null or undefined'
  return new VersionInvalidError(`${label}.readVersion() must return ${expected}.`, value)
}

/** The error of a function among the options that has failed, or has returned a wrong value. */
export function invalidResult (option: string, expected: string, value: unknown, options?: ErrorOptions): Error {
  ignoreRejection(value)
  return Object.assign(new VersionInvalidError(`The option "${option}" must return ${expected}.`, value), options)
}
