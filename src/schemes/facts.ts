import type { VersioningScheme } from '../../types/index.d.ts'

/** What follows from the other members of a scheme. */
export interface Facts<Scheme> {
  /** The schemes of a list, in its order. Any other scheme has itself. */
  readonly members: readonly Scheme[]
  readonly isList: boolean
  /** The allowed versions without null; empty if every version is allowed. */
  readonly listedVersions: readonly string[]
  /** The request headers that the version depends on, also by its default, or null. */
  readonly varies: string | null
  /** The members that have the version in a parameter of the path. */
  readonly inPath: readonly Scheme[]
  /** The members that have it in the query. */
  readonly inQuery: readonly Scheme[]
  /** The members that have it in the host. */
  readonly inHost: readonly Scheme[]
  /** Whether namespaces are versions. */
  readonly readsNamespaces: boolean
  /** Whether a link can carry the version. */
  readonly isInLinks: boolean
}

/** The members from which the facts follow. */
interface Scheme extends VersioningScheme, Facts<Scheme> {
  readonly clientDefault: { readonly header: string } | null
  readonly impliedParam: string | null
  readonly hasOwnReverse: boolean
}

/** How they follow. */
export const FACTS: { readonly [Name in keyof Facts<Scheme>]: (scheme: Scheme) => Facts<Scheme>[Name] } = {
  members: (scheme) => (scheme.schemes as readonly Scheme[] | undefined) ?? [scheme],
  isList: ({ schemes }) => schemes !== undefined,
  listedVersions: ({ allowedVersions }) => (allowedVersions ?? []).filter((version) => version !== null),
  varies: ({ vary, clientDefault }) => [vary, clientDefault?.header].filter(Boolean).join(', ') || null,
  inPath: ({ members }) => members.filter(({ impliedParam }) => impliedParam !== null),
  inQuery: ({ members }) => members.filter(({ linkPlace }) => linkPlace === 'query'),
  inHost: ({ members }) => members.filter(({ linkPlace }) => linkPlace === 'host'),
  readsNamespaces: ({ members }) => members.some(({ linkPlace }) => linkPlace === 'namespace'),
  isInLinks: ({ members }) => members.some(({ linkPlace, impliedParam, hasOwnReverse }) => (
    linkPlace !== 'nowhere' || impliedParam !== null || hasOwnReverse
  ))
}
