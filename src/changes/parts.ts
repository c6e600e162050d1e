import { entriesOf, isObject, plainSchema } from './schema.ts'

import type { Converter } from './convert.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { Move } from './plan.ts'
import type { ObjectSchema } from './schema.ts'
import type { Upgrade } from './upgrade.ts'

/** The schemas of a route, as Fastify takes them. */
export type RouteSchema = Readonly<Record<string, unknown>>

/** By name: `body`, `querystring` or `response 200`. */
export type Parts = ReadonlyMap<string, Part>

/** A part of a request or a response: by media type, or by null for any. */
export type Part = ReadonlyMap<string | null, Media>

export interface Media {
  /** As it was written. */
  readonly schema: unknown
  /** The whole part as the oldest change of its route has written it; undefined if none has. */
  readonly written: unknown
  /** What is undone, newest change first; nothing if it is as in the version of the handler. */
  readonly moves: readonly Move[]
  /** Absent if nothing is undone. Made for the versions that the route serves. That of a request is an upgrade. */
  readonly conversion?: Conversion | Conversion & Upgrade
}

export interface Conversion {
  /** From the version of the client to the version of the handler, or back. */
  readonly convert: Converter
  /** The validator, or the serializer, of the older schema. */
  readonly compiled: Compiled
}

export function isRequest (part: string): boolean {
  return !part.startsWith('response ')
}

/** The schemas of a route that changes apply to. */
export function partsOf ({ body, query, querystring = query, response }: RouteSchema): Parts {
  const request = ([['body', body], ['querystring', querystring]] as const).filter(([, schema]) => schema !== undefined)
  const responses = entriesOf(response).map(([status, schema]) => [`response ${status.toLowerCase()}`, schema] as const)
  return new Map([...request, ...responses].map(([part, schema]) => [part, partOf(plainSchema(schema))]))
}

/** A part by media type, or by null for any. */
export function partOf (schemas: unknown): Part {
  const part = new Map<string | null, Media>()
  withSchemas(schemas, (schema, type) => part.set(type, { schema, written: undefined, moves: [] }))
  return part
}

/**
 * A part of a route with other schemas: itself, or each of its `content`. What stands beside these stays, but for
 * examples of another schema.
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

/** Whether a part differs from that of the handler's version, for any media type. */
export function isTouched (part: Part | undefined): boolean {
  return [...part?.values() ?? []].some(({ moves }) => moves.length > 0)
}

/** Whether a text or a stream is sent as it is: nothing is undone, or the app itself converts it. */
export function isOutside ({ moves }: Media): boolean {
  return moves.every(({ steps }) => steps.every(({ isOutside }) => isOutside))
}
