import { VersionChangeOptionError } from '../errors.ts'
import { suggestionFor } from '../messages.ts'
import { ResponseDowngrade, toConvert } from './convert.ts'
import { isObject, pointerKey } from './documents.ts'
import { prepare } from './prepare.ts'
import { plainSchema } from './read.ts'
import { REQUEST_PARTS } from './steps.ts'
import { transformationsIn } from './zod.ts'

import type { Direction, Move } from './convert.ts'
import type { Lineage, Stage } from './lineage.ts'
import type { OlderSchema } from './older.ts'
import type { ReadChange, RequestPart, ResponseStep, RouteStep, Said } from './steps.ts'
import type {
  Convert, Downgrade, HandledRoute, HandledSchemas, RouteSchema, Variant, WrittenSchemas
} from './variant.ts'

/** The schemas of a route as they are in one version. */
interface Parts {
  readonly request: ReadonlyMap<RequestPart, Part>
  /** By status, in lower case. */
  readonly response: ReadonlyMap<string, Part>
}

interface Part {
  readonly schema: unknown
  /** Whether a change brought the schema. */
  readonly isOwn: boolean
  /** The stage from which payloads of the status are sent as they are, or null if they never are. */
  readonly frozen: Frozen | null
}

interface Frozen {
  /** The stage before, or null if there is none. */
  readonly before: Stage | null
}

/** A route after one stage. */
export interface Undone {
  readonly stage: Stage
  readonly said: RouteStep | undefined
  readonly before: Parts
  readonly after: Parts
  readonly changes: readonly ReadChange[]
}

const NO_LINK: Variant['link'] = Object.freeze({ querystring: null, params: null })

/** A route, undone stage by stage. */
export class RouteHistory {
  readonly #route: HandledRoute
  readonly #lineage: Lineage
  readonly #declared: Parts
  readonly #writtenFor: number
  /** Newest first. */
  readonly #undone: Undone[] = []

  /** @param writtenFor the index of the version that the handler speaks */
  constructor (route: HandledRoute, lineage: Lineage, writtenFor: number) {
    this.#route = route
    this.#lineage = lineage
    this.#writtenFor = writtenFor
    this.#declared = partsOf(route.schema)
  }

  /** Whether nothing has been undone. */
  get isAsDeclared (): boolean {
    return this.#undone.length === 0
  }

  get #parts (): Parts {
    return this.#undone.at(-1)?.after ?? this.#declared
  }

  /**
   * The route after one stage.
   *
   * @returns null if the stage does not change it
   * @throws FST_ERR_VERSION_CHANGE_OPTION
   */
  look (stage: Stage): Undone | null {
    const before = this.#parts
    const { name } = this.#route
    const said = name === null ? undefined : stage.step.routes.get(name)
    const after = said === undefined ? before : this.#altered(before, said)
    const changes = new Set([...this.#check(stage, after), ...saidIn(said).map(({ change }) => change)])
    return changes.size === 0 ? null : { stage, said, before, after, changes: [...changes] }
  }

  undo (undone: Undone): void {
    this.#undone.push(undone)
  }

  #altered ({ request, response }: Parts, said: RouteStep): Parts {
    const requestAfter = new Map(request)
    for (const [part, { value: schema }] of said.older) requestAfter.set(part, { schema, isOwn: true, frozen: null })
    for (const [part, { change }] of said.parts) {
      if (part === 'params' && this.#route.hasParams === false) {
        throw this.#error(change, 'the URL of the route has no parameters')
      }
      if (!requestAfter.has(part)) throw this.#error(change, `the route has no schema for the ${part}`)
    }
    const responseAfter = new Map(response)
    const last = this.#undone.at(-1)?.stage ?? null
    for (const [status, { change, value }] of said.response) {
      const known = governing(response, status)
      if (known === undefined) throw this.#unknownStatus(change, status, response)
      if (known.frozen !== null) continue
      if (value === false) responseAfter.set(status, { ...known, frozen: { before: last } })
      else if (value.older !== undefined) responseAfter.set(status, { schema: value.older, isOwn: true, frozen: null })
    }
    return { request: requestAfter, response: responseAfter }
  }

  /**
   * Whether the schemas that a stage alters can be converted.
   *
   * @returns the changes that do
   */
  #check ({ shapes, step }: Stage, { request, response }: Parts): ReadChange[] {
    const found: ReadChange[] = []
    const check = (part: string, schema: unknown, direction: Direction) => {
      for (const [place, one] of contentsOf(schema)) {
        const { obstacles: [obstacle], changes } = prepare(shapes.of(one), direction, shapes)
        found.push(...changes)
        if (obstacle === undefined) continue
        const { pointer, reason } = obstacle
        const label = labelsOf(changes.size > 0 ? [...changes] : step.changes)
        const at = place + pointer
        throw new VersionChangeOptionError(
          `Change ${label}, ${this.#route.label}, ${part}${at === '' ? '' : ` at ${at}`}: ${reason}.`
        )
      }
    }
    for (const [part, { schema }] of request) {
      check(part, schema, 'upgrade')
      if (part === 'querystring' || part === 'params') prepare(shapes.of(schema), 'downgrade', shapes)
    }
    for (const [status, { schema, frozen }] of response) {
      if (frozen === null) check(`response ${status}`, schema, 'downgrade')
    }
    return found
  }

  /**
   * The schemas that the handler speaks, if newer versions have different ones.
   *
   * @returns null if the schemas are as they were declared
   */
  handled (): HandledSchemas | null {
    const { request, response } = this.#declared
    const stage = this.#lineage.after(this.#writtenFor)
    if (stage === undefined) return null
    const schemas = [...request.values(), ...response.values()].flatMap(({ schema }) => contentsOf(schema))
      .map(([, schema]) => schema)
    if (schemas.every((schema) => this.#lineage.partOf(schema, stage, false).schema === schema)) return null
    const later = this.#lineage.stages.filter(({ step }) => step.index > this.#writtenFor)
    const changes = later.flatMap(({ shapes }) => (
      schemas.flatMap((schema) => [...prepare(shapes.of(schema), 'downgrade', shapes).changes])
    ))
    return { changes: [...new Set(changes)].map(({ change }) => change), ...this.#writtenIn(this.#declared, null) }
  }

  /** The route in the oldest version that has been reached. */
  variant (versions: readonly string[]): Variant {
    const undone = this.#undone
    const { stage } = undone.at(-1) as Undone
    return {
      versions,
      changes: [...new Set(undone.flatMap(({ changes }) => changes))].map(({ change }) => change),
      ...this.#writtenIn(this.#parts, stage),
      upgrade: {
        bodyFor: this.#bodyFor(),
        querystring: this.#convertPart('querystring', 'upgrade', null),
        params: this.#convertPart('params', 'upgrade', null),
        headers: this.#convertPart('headers', 'upgrade', null)
      },
      downgradeFor: this.#downgradeFor(),
      link: this.#link()
    }
  }

  /** Most routes have none of their own. */
  #link (): Variant['link'] {
    const querystring = this.#convertPart('querystring', 'downgrade', null)
    const params = this.#convertPart('params', 'downgrade', null)
    return querystring === null && params === null ? NO_LINK : { querystring, params }
  }

  /** @param stage makes the schemas, or null if they are in the version of the handler */
  #writtenIn (parts: Parts, stage: Stage | null): WrittenSchemas {
    const handled = this.#lineage.after(this.#writtenFor) ?? null
    const copies = new Map<Stage, OlderSchema[]>()
    const originalIds = new Map<string, string>()
    const write = (schema: unknown, isOwn: boolean, at: Stage | null) => {
      if (at === null) return schema
      const copy = this.#lineage.partOf(schema, at, isOwn)
      copies.set(at, [...copies.get(at) ?? [], copy])
      for (const [id, original] of copy.originalIds) originalIds.set(id, original)
      return copy.schema
    }
    const schema = this.#written(parts, ({ schema, isOwn, frozen }) => (
      mapContents(schema, (one) => write(one, isOwn, (frozen === null ? stage : frozen.before) ?? handled))
    ))
    for (const part of REQUEST_PARTS) this.#checkTransformations(part, schema[part])
    const shared = [...copies].flatMap(([at, some]) => [...this.#lineage.sharedOf(some, at).values()])
    for (const copy of shared) for (const [id, original] of copy.originalIds) originalIds.set(id, original)
    const sharedSchemas = [...new Set(shared.map(({ schema }) => schema as { $id: string }))]
    return { schema, sharedSchemas, originalIds }
  }

  /**
   * Both schemas validate a part that is upgraded: what both have would transform its own result.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION
   */
  #checkTransformations (part: RequestPart, older: unknown): void {
    const found = (schema: unknown) => contentsOf(schema).flatMap(([, one]) => [...transformationsIn(one)])
    const newer = new Set(found(this.#declared.request.get(part)?.schema))
    const isTwice = found(older).some((one) => newer.has(one))
    const mediaTypes = [null, ...mediaTypesOf(older)]
    if (!isTwice || mediaTypes.every((type) => this.#convertPart(part, 'upgrade', type) === null)) return
    throw new VersionChangeOptionError(
      `Change ${labelsOf(this.#undone.flatMap(({ changes }) => changes))}, ${this.#route.label}, ${part}: the older ` +
      'schema and the newest one share a transformation of Zod, which would run twice. Transform in the handler, or ' +
      'give the route an older schema without the transformation.'
    )
  }

  #error (change: ReadChange, reason: string): Error {
    return new VersionChangeOptionError(`Change ${change.label}, ${this.#route.label}: ${reason}.`)
  }

  #unknownStatus (change: ReadChange, status: string, response: Parts['response']): Error {
    const known = [...response.keys()]
    if (known.length === 0) {
      return this.#error(change, `the route has no response schema, so there is nothing to change for ${status}`)
    }
    return new VersionChangeOptionError(
      `Change ${change.label}, ${this.#route.label}: the route has no response schema for ${status}, ` +
      `but for ${known.join(', ')}.${suggestionFor(status, known)}`
    )
  }

  #written ({ request, response }: Parts, write: (part: Part) => unknown): RouteSchema {
    const { schema } = this.#route
    const { query, ...written } = Object.fromEntries(Object.entries(schema ?? {}))
    for (const [part, one] of request) written[part] = write(one)
    if (response.size > 0) {
      // V8 gives an object that gets a property 200 an array of 300 slots, but not one that is parsed with it.
      written.response = JSON.parse(JSON.stringify(Object.fromEntries([...response.keys()].map((one) => [one, 0]))))
      for (const [status, one] of response) (written.response as Record<string, unknown>)[status] = write(one)
    }
    return written
  }

  /** What is undone of a part of a request, in the order in which it is converted. */
  #convertPart (part: RequestPart, direction: Direction, mediaType: string | null): Convert | null {
    const moves = this.#undone.flatMap(({ stage, said, after }): Move[] => {
      const functions = said?.parts.get(part)
      const shapes = movesIn(contentOf(after.request.get(part)?.schema, mediaType), stage)
      if (functions === undefined) return shapes
      return [{ change: functions.change, apply: functions.value[direction] }, ...shapes]
    })
    if (direction === 'upgrade') moves.reverse()
    return toConvert(moves, direction, this.#route.label, direction === 'upgrade' ? part : `${part} of a link`)
  }

  #bodyFor (): Variant['upgrade']['bodyFor'] {
    // Fastify does not validate a body whose media type is not listed.
    const listed = mediaTypesOf(this.#parts.request.get('body')?.schema)
    const others = this.#undone.flatMap(({ after }) => mediaTypesOf(after.request.get('body')?.schema))
    const other = listed.length > 0 ? null : this.#convertPart('body', 'upgrade', null)
    return byMediaType(listed.length > 0 ? listed : others, other, (one) => this.#convertPart('body', 'upgrade', one))
  }

  #downgradeFor (): Variant['downgradeFor'] {
    const statuses = this.#undone.flatMap(({ said, after }) => (
      [...after.response.keys(), ...said?.response.keys() ?? []]
    ))
    return byStatus([...new Set(statuses)].map((status) => {
      const mediaTypes = this.#undone.flatMap(({ after }) => mediaTypesOf(governing(after.response, status)?.schema))
      const of = (mediaType: string | null) => this.#downgradeOf(status, mediaType)
      return { index: indexOf(status), of: byMediaType(mediaTypes, of(null), of) }
    }))
  }

  #downgradeOf (status: string, mediaType: string | null): Downgrade | null {
    const moves: Move[] = []
    for (const { stage, said, before, after } of this.#undone) {
      const part = governing(after.response, status)
      if (part?.frozen) break
      const one = saidOf(status, said, before)
      if (one !== undefined && one.value !== false) moves.push({ change: one.change, apply: one.value.downgrade })
      moves.push(...movesIn(contentOf(part?.schema, mediaType), stage))
    }
    return moves.length === 0 ? null : new ResponseDowngrade(moves, this.#route.label, status)
  }
}

/** @returns a function of the header Content-Type */
function byMediaType<Value> (
  mediaTypes: readonly string[], other: Value, of: (mediaType: string) => Value
): (contentType: string | undefined) => Value {
  const known = new Map(mediaTypes.map((one) => [one, of(one)]))
  return known.size === 0 ? always(other) : oneOf(known, other)
}

function always<Value> (value: Value): () => Value {
  return () => value
}

function oneOf<Value> (known: ReadonlyMap<string, Value>, other: Value): (contentType: string | undefined) => Value {
  return (contentType) => {
    const value = known.get(mediaTypeIn(contentType))
    return value === undefined ? other : value
  }
}

/** What a status has. */
interface OfStatus {
  readonly index: number
  readonly of: (contentType: string | undefined) => Downgrade | null
}

/** The entry of a status: by its own index, its class's, or the default's. A list takes less memory than a map. */
function byStatus (known: readonly OfStatus[]): Variant['downgradeFor'] {
  return (status, contentType) => {
    const found = atIndex(known, status) ?? atIndex(known, Math.floor(status / 100)) ?? atIndex(known, 0)
    return found === undefined ? null : found.of(contentType)
  }
}

function atIndex (known: readonly OfStatus[], index: number): OfStatus | undefined {
  for (const one of known) if (one.index === index) return one
  return undefined
}

/** 404 is 404, '4xx' is 4, and 'default' is 0. */
function indexOf (status: string): number {
  if (status === 'default') return 0
  return Number(status.endsWith('xx') ? status[0] : status)
}

/** The stage of a route as it was declared. */
function partsOf (schema: RouteSchema | undefined): Parts {
  const { query, querystring = query, ...others } = schema ?? {}
  const given: Readonly<Record<string, unknown>> = { ...others, querystring }
  const declared = (one: unknown): Part => ({ schema: plainSchema(one), isOwn: false, frozen: null })
  const request = REQUEST_PARTS.filter((part) => given[part] !== undefined)
  const response = isObject(given.response) ? Object.entries(given.response) : []
  return {
    request: new Map(request.map((part) => [part, declared(given[part])])),
    response: new Map(response.map(([status, one]) => [status.toLowerCase(), declared(one)]))
  }
}

/** The keys under which Fastify looks up a status. */
function keysOf (status: string): string[] {
  return [status, `${status[0]}xx`, 'default']
}

/** What applies to a status: its own entry, its class's, or the default. */
function governing<Value> (byStatus: ReadonlyMap<string, Value>, status: string): Value | undefined {
  const key = keysOf(status).find((one) => byStatus.has(one))
  return key === undefined ? undefined : byStatus.get(key)
}

/** The change of the payloads of a status. The change of a class does not apply to statuses with their own schema. */
function saidOf (
  status: string, said: RouteStep | undefined, { response }: Parts
): Said<ResponseStep | false> | undefined {
  for (const key of said === undefined ? [] : keysOf(status)) {
    const one = said?.response.get(key)
    if (one !== undefined) return one
    if (response.has(key)) return undefined
  }
  return undefined
}

/** The schemas by media type, which a body or a response may have instead of a single schema. */
function contentIn (schema: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(schema) && isObject(schema.content) ? schema.content as Record<string, unknown> : null
}

function schemaIn (one: unknown): unknown {
  return plainSchema((one as { readonly schema?: unknown }).schema)
}

/** The schemas of a part, with the pointers to them. */
function contentsOf (schema: unknown): (readonly [pointer: string, schema: unknown])[] {
  const content = contentIn(schema)
  if (content === null) return [['', schema]]
  return Object.entries(content).map(([type, one]) => [`/content${pointerKey(type)}/schema`, schemaIn(one)])
}

function mapContents (schema: unknown, map: (schema: unknown) => unknown): unknown {
  const content = contentIn(schema)
  if (content === null) return map(schema)
  const mapped = Object.entries(content).map(([type, one]) => [type, { ...one as object, schema: map(schemaIn(one)) }])
  return { ...schema as object, content: Object.fromEntries(mapped) }
}

function mediaTypesOf (schema: unknown): string[] {
  return Object.keys(contentIn(schema) ?? {})
}

/** The schema for a media type, null if the type is not listed, or undefined if there is no schema. */
function contentOf (schema: unknown, mediaType: string | null): unknown {
  const content = contentIn(schema)
  if (content === null) return schema
  const key = [mediaType ?? '*/*', '*/*'].find((type) => Object.hasOwn(content, type))
  return key === undefined ? undefined : schemaIn(content[key])
}

/** The media type in a Content-Type header, without its parameters. */
function mediaTypeIn (contentType = ''): string {
  return contentType.split(';', 1)[0].trim().toLowerCase()
}

function movesIn (schema: unknown, { shapes }: Stage): Move[] {
  const shape = shapes.of(schema)
  return shape.isAlive ? [shape] : []
}

/** Everything that the changes of one version describe of a route. */
function saidIn (said: RouteStep | undefined): Said<unknown>[] {
  return said === undefined ? [] : [...said.parts.values(), ...said.response.values()]
}

function labelsOf (changes: readonly ReadChange[]): string {
  return changes.map(({ label }) => label).join(' and ')
}
