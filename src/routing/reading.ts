import type { ChoiceStore } from './store.ts'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/** What a scheme read of a request while it was routed. */
export interface Reading {
  readonly scheme: VersioningScheme
  /** What another scheme read, where routes of several share a URL. */
  readonly next: Reading | undefined
  /** The default included; null: none. */
  version: string | null
  /** Whether the client named the version. */
  isNamed: boolean
  /** The routes that it was read for last, one of which the router takes unless their other constraints are not met. */
  store: ChoiceStore
  /** Whether one of them was chosen only to say that it does not serve the version. */
  isRefused: boolean
}

const kReading: unique symbol = Symbol('fastify-versioning.reading')
type Marked = RawRequest & { [kReading]?: Reading }

/** What all schemes read of a request while it was routed. */
export function readingsOf (raw: object): Reading | undefined {
  return (raw as Marked)[kReading]
}

/** What a scheme read of a request while it was routed; undefined where it was not asked. */
export function readingOf (raw: object, scheme: VersioningScheme): Reading | undefined {
  let reading = readingsOf(raw)
  while (reading !== undefined && reading.scheme !== scheme) reading = reading.next
  return reading
}

/** Reads the version by which the routes of a store are chosen. The router may ask several stores for one request. */
export function read (raw: RawRequest, scheme: VersioningScheme, store: ChoiceStore): Reading {
  const named = namedIn(raw, scheme)
  const isNamed = named !== null
  const version = isNamed ? named : scheme.defaultVersion
  const known = readingOf(raw, scheme)
  if (known !== undefined) {
    known.version = version
    known.isNamed = isNamed
    known.store = store
    return known
  }
  const reading = { scheme, next: readingsOf(raw), version, isNamed, store, isRefused: false }
  ;(raw as Marked)[kReading] = reading
  return reading
}

/**
 * The router cannot answer an error; what a scheme throws here it throws again when it is asked to judge. A promise
 * comes too late.
 */
function namedIn (raw: RawRequest, scheme: VersioningScheme): string | null {
  try {
    const version: unknown = scheme.readVersion?.(raw) ?? null
    if (typeof version === 'string') return version
    if (version !== null) Promise.resolve(version).catch(() => {})
  } catch {}
  return null
}
