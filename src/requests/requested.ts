import { ignoreRejection } from '../scheme.ts'

import type { Asking } from './asking.ts'

/** How much is told of what a client has written. */
const MAX_LENGTH = 64

/** What the client asked for, shortened. A scheme without `readVersion` only knows the version that it determined. */
export function requestedVersion (asking: Asking): string | null {
  if (asking.read === undefined) asking.read = readFor(asking)
  const { read } = asking
  const requested = Array.isArray(read) && read.length > 0 ? read.join(', ') : read
  return typeof requested === 'string' ? requested.slice(0, MAX_LENGTH).toWellFormed() : null
}

function readFor ({ version, request, scheme: { source } }: Asking): unknown {
  if (source.readVersion === undefined) return version
  try {
    const read: unknown = source.readVersion(request) ?? null
    ignoreRejection(read)
    return read
  } catch {
    return null
  }
}
