import type { Convert } from './convert.ts'
import type { Failure } from './fastify-parts.ts'
import type { Form } from './history.ts'

/** How changes let a route answer in older versions. */
export interface OlderVersions {
  /** Null until the app is ready, and for a route that nothing changes. */
  byVersion: ReadonlyMap<string | null, Older> | null
  /** Its schema as it was declared, where Fastify compiles an older one. */
  declared: object | null
}

/** How a route answers in an older version. */
export interface Older {
  readonly form: Form
  /** The parts of a request that are upgraded, in the order of their validation. */
  readonly request: readonly OlderPart[]
  /** By status, in lower case: each of the route, and null where it is as the handler speaks it. */
  readonly responses: ReadonlyMap<string, OlderPart | null>
  /** Converts the query of a link into this version; null if nothing changes it. */
  readonly downgradeQuery: Convert | null
}

/** A part of a request or a response in an older version. */
export interface OlderPart {
  /** `body`, `querystring`, or `response 200`. */
  readonly name: string
  /** As errors call it: `GET /bookings, response 200`. */
  readonly subject: string
  /** By media type, or by null for any. A slice is null if it is as the handler speaks it. */
  readonly slices: ReadonlyMap<string | null, OlderSlice | null>
}

/** A part with one media type. */
export interface OlderSlice {
  /** From the version of the client to the version of the handler, or back. */
  readonly convert: Convert
  /** The validator, or the serializer, of the older schema. */
  readonly compiled: Compiled
}

/** A validator, or a serializer. */
export type Compiled = ((value: unknown, context?: object) => unknown) & {
  readonly errors?: readonly Failure[] | null
  readonly schemaEnv?: object
}
