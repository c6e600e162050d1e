/** A range of versions, both ends included, in the order of `allowedVersions`. An end that it leaves out is open. */
export interface VersionRange {
  readonly from?: unknown
  readonly to?: unknown
}

/** Tells whether a value has one end or both ends of a range, and nothing else. */
export function isRange (value: unknown): value is VersionRange {
  const { from, to } = Object(value) as VersionRange
  for (const name in Object(value)) {
    if (name !== 'from' && name !== 'to') return false
  }
  return from !== undefined || to !== undefined
}
