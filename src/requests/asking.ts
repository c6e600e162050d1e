import { answeredAt, servedVersions } from '../lifecycle/served.ts'
import { ignoreRejection } from '../promises.ts'
import { ambiguity, explanation } from '../scheme-errors.ts'
import { keptRead } from '../scheme.ts'

import type { Arrival } from '../lifecycle/served.ts'
import type { Named, Scheme } from '../scheme.ts'
import type { AllowedVersions, RefusalReason } from '../../types/index.d.ts'

/** How many characters of what the client specifies are reported. */
const MAX_REQUESTED_LENGTH = 64

/** A request whose version is being determined. */
export interface Asking extends Arrival {
  /** The scheme that has read the version; in a list the first member that has. */
  by: Scheme
  /** What it has read, or null for nothing. Undefined if the scheme determines the version in another way. */
  read: unknown
  /** The version that was determined, even if it is then refused, or null. */
  version: string | null
  /** Why it is refused, if that is known; null if it is not refused. */
  reason: RefusalReason | null
  /** A refusal made here, which says all that is known, or null. */
  refusal: Error | null
}

/** The versions that the URL answers now, or else the versions of a list, if nothing else says which they are. */
export function answeredOr<Listed extends AllowedVersions | null> (
  listed: Listed, asking: Asking
): AllowedVersions | Listed {
  const served = servedVersions(asking)
  return served.length === 0 ? listed : answeredAt(served, asking.context.now())
}

/** The error for a version that is not allowed, or that the URL does not serve. */
export function refusalFor (asking: Asking, reason: RefusalReason, message?: string): Error {
  const { by, request } = asking
  const [refusing] = by.members
  const { allowedVersions, refusalKind, isExplaining } = refusing
  const versions = answeredOr(allowedVersions, asking)
  const text = message ?? (isExplaining ? explanation(refusing, requestedVersion(asking), versions) : undefined)
  const refusal = refusing.refusal(request, text, versions, reason)
  asking.reason = reason
  // A scheme that makes its refusals itself does not know the versions of the URL.
  if (refusalKind !== null) asking.refusal = refusal
  return refusal
}

/** The error for a request that specifies different versions. */
export function ambiguityFor (asking: Asking, named: readonly Named[]): Error {
  asking.refusal = ambiguity(named, answeredOr(asking.scheme.allowedVersions, asking))
  return asking.refusal
}

/** What the client specified, shortened. A scheme without `readVersion` only knows the version that it determined. */
export function requestedVersion (asking: Asking): string | null {
  if (asking.read === undefined) asking.read = readFor(asking)
  const { read } = asking
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_REQUESTED_LENGTH).toWellFormed() : null
}

function readFor ({ version, request, scheme: { source } }: Asking): unknown {
  const kept = keptRead(request)
  if (kept !== undefined) return kept
  if (source.readVersion === undefined) return version
  try {
    const read: unknown = source.readVersion(request) ?? null
    ignoreRejection(read)
    return read
  } catch {
    return null
  }
}
