import { entriesOf, isObject, plainSchema } from './schema.ts'

import type { Converter } from './convert.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { Move } from './plan.ts'
import type { ObjectSchema } from './schema.ts'
import type { Upgrade } from './upgrade.ts'

/** The schemas of a route, as Fastify takes them. */
export type RouteSchema = Readonly<Record<string, unknown>>

/** The parts of a route by name: `body`, `querystring` or `response 200`. */
export type Parts = ReadonlyMap<string, Part>

/** A part of a request or a response, by media type. The key null stands for any media type. */
export type Part = ReadonlyMap<string | null, Media>

export interface Media {
  /** The schema as the user has written it. */
  readonly schema: unknown
  /** The whole part as the oldest change of its route has written it; undefined if no change has. */
  readonly written: unknown
  /** The moves that undo changes, newest change first; none if the part is as in the version of the handler. */
  readonly moves: readonly Move[]
  /** The conversion for versions that the route serves, which in a request is an upgrade; absent without moves. */
  readonly conversion?: Conversion | Conversion & Upgrade
}

export interface Conversion {
  /** Converts a value from the version of the client to the version of the handler, or back. */
  readonly convert: Converter
  /** The validator, or the serializer, of the older schema. */
  readonly compiled: Compiled
}

export function isRequest (part: string): boolean {
  return !part.startsWith('response ')
}

/** Returns the parts of a route that changes can convert. */
export function partsOf ({ body, query, querystring = query, response }: RouteSchema): Parts {
  const request = ([['body', body], ['querystring', querystring]] as const).filter(([, schema]) => schema !== undefined)
  const responses = entriesOf(response).map(([status, schema]) => [`response ${status.toLowerCase()}`, schema] as const)
  return new Map([...request, ...responses].map(([part, schema]) => [part, partOf(plainSchema(schema))]))
}

/** Returns a part by media type, with the key null for any. */
export function partOf (schemas: unknown): Part {
  const part = new Map<string | null, Media>()
  withSchemas(schemas, (schema, type) => part.set(type, { schema, written: undefined, moves: [] }))
  return part
}

/**
 * Returns a part of a route in which `change` has replaced the schema, or each schema of its `content`. The fields
 * beside these schemas stay, but for the examples of a replaced schema.
 */
export function withSchemas (part: unknown, change: (schema: unknown, type: string | null) => unknown): unknown {
  const plain = plainSchema(part)
  const { content } = Object(plain) as { content?: unknown }
  if (!isObject(content)) return change(plain, null)
  const changed = Object.entries(content as Record<string, ObjectSchema>).map(([type, media]) => {
    const { example, examples, ...others } = media
    const schema = change(plainSchema(media.schema), type)
    return [type, schema === media.schema ? media : { ...others, schema }]
  })
  return { ...plain as object, content: Object.fromEntries(changed) }
}

/** Tells whether a part differs from the version of the handler, for any media type. */
export function isTouched (part: Part | undefined): boolean {
  return [...part?.values() ?? []].some(({ moves }) => moves.length > 0)
}

/** Tells whether a text or a stream is sent as it is, because nothing is undone, or the app itself converts it. */
export function isOutside ({ moves }: Media): boolean {
  return moves.every(({ steps }) => steps.every(({ isOutside }) => isOutside))
}
