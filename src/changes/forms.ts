import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { refuse, toConvert } from './convert.ts'
import { entriesOf, isObject, plainSchema } from './schema.ts'
import { BY_VERSION } from './shape.ts'
import { openObjectIn } from './unknown-properties.ts'
import { isTransformation } from './zod.ts'

import type { Convert, Move } from './convert.ts'
import type { Edition } from './edition.ts'
import type { Compiled } from './fastify-parts.ts'
import type { ReadChange, Step, ValueStep } from './read.ts'
import type { Shapes } from './shape.ts'

/** A route as changes see it: its handler speaks one version. */
export interface HandledRoute {
  /** Without the namespace that is its version; null if only changes of schemas apply to it. */
  readonly name: string | null
  /** As messages call it: `GET /bookings`. */
  readonly label: string
  readonly schema: Readonly<Record<string, unknown>>
  /** Why its requests cannot have a body, or null if they can. */
  readonly bodyless: string | null
  /** The indexes of the versions that it serves, oldest first. */
  readonly served: readonly number[]
  /** The index of the version that the handler speaks. */
  readonly spoken: number
  /** Makes the validator, or the serializer, of a part. */
  readonly compile: (schema: object, part: string, type: string | null) => Compiled
}

/** How a route serves versions that no change tells apart, all older than the one that its handler speaks. */
export interface Form {
  /** Oldest first, by their indexes. */
  readonly versions: readonly number[]
  /** Newest first. */
  readonly changes: readonly ReadChange[]
  readonly edition: Edition
  /** By name: `body`, `querystring` or `response 200`. */
  readonly parts: ReadonlyMap<string, Part>
  /** The parts of a request that are upgraded, in the order of their validation. */
  readonly request: readonly Part[]
  /** Converts the query of a link into the versions of the form; null if nothing changes it. */
  readonly downgradeQuery: Convert | null
}

/** A part of a request or a response in an older version. */
export interface Part {
  readonly name: string
  /** As errors call it: `GET /bookings, response 200`. */
  readonly subject: string
  /** Whether it differs from what the handler speaks. */
  readonly isTouched: boolean
  /** By media type, or by null for any. */
  readonly slices: ReadonlyMap<string | null, Slice>
}

/** A part with one media type. */
export interface Slice {
  /** As it was written. */
  readonly schema: unknown
  /** Null if the slice is as the handler speaks it. */
  readonly conversion: Conversion | null
}

export interface Conversion {
  /** From the version of the client to the version of the handler, or back. */
  readonly convert: Convert
  /** The validator, or the serializer, of the older schema. */
  readonly compiled: Compiled
}

/** How changes let a route answer in older versions. */
export interface OlderVersions {
  /** Null until the app is ready, and for a route that nothing changes. */
  byVersion: ReadonlyMap<string | null, Form> | null
  /** Its schema as it was declared, where Fastify compiles an older one. */
  declared: object | null
}

type Schemas = ReadonlyMap<string | null, unknown>
type Parts = ReadonlyMap<string, Schemas>

/** What one step undoes of a route, whose schemas are `parts` then. */
interface Undone {
  readonly shapes: Shapes
  readonly parts: Parts
  readonly changes: readonly ReadChange[]
}

/**
 * How a route serves the versions before the one that its handler speaks, newest first.
 *
 * @param stages newest first
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and the part
 */
export function formsOf (route: HandledRoute, stages: readonly Shapes[]): Form[] {
  const undone: Undone[] = []
  let parts = partsOf(route.schema)
  for (const shapes of stages) {
    const { step } = shapes
    if (step.index > route.spoken || step.index <= route.served[0]) continue
    const older = altered(route, parts, step)
    const changes = changesIn(route, parts, older, shapes)
    if (changes.length === 0) continue
    parts = older
    undone.push({ shapes, parts, changes })
  }
  return undone.flatMap(({ shapes: { step } }, i) => {
    const next = undone.at(i + 1)?.shapes.step.index ?? 0
    const versions = route.served.filter((index) => index < step.index && index >= next)
    return versions.length === 0 ? [] : [formOf(route, undone.slice(0, i + 1), versions)]
  })
}

function formOf (route: HandledRoute, undone: readonly Undone[], versions: readonly number[]): Form {
  const { shapes: { older: edition }, parts: written } = undone[undone.length - 1]
  const changes = [...new Set(undone.flatMap(({ changes }) => changes))]
  const movesOf = (name: string, type: string | null) => undone.flatMap((one) => movesIn(route, name, type, one))
  const sliceOf = (name: string, type: string | null, schema: unknown): Slice => {
    const moves = movesOf(name, type)
    if (moves.length === 0) return { schema, conversion: null }
    const subject = `${route.label}, ${name}`
    const convert = isRequest(name)
      ? toConvert(moves.reverse(), 'upgrade', changes, subject)
      : toConvert(moves, 'downgrade', changes, subject, true)
    try {
      const bundle = edition.bundle(schema, isRequest(name) ? 'validated' : 'serialized')
      const compiled = route.compile(bundle as object, name, type)
      return { schema, conversion: { convert, compiled } }
    } catch (error) {
      refuse(changes, route.label, name, `the older schema does not compile: ${(error as Error).message}`)
    }
  }
  const parts = new Map([...written].map(([name, schemas]): [string, Part] => {
    const slices = new Map([...schemas].map(([type, schema]) => [type, sliceOf(name, type, schema)]))
    const isTouched = [...slices.values()].some(({ conversion }) => conversion !== null)
    return [name, { name, subject: `${route.label}, ${name}`, isTouched, slices }]
  }))
  const request = ['body', 'querystring'].flatMap((name) => parts.get(name) ?? []).filter(({ isTouched }) => isTouched)
  const query = movesOf('querystring', null)
  const subject = `${route.label}, querystring of a link`
  const downgradeQuery = query.length === 0 ? null : toConvert(query, 'downgrade', changes, subject)
  return { versions, changes, edition, parts, request, downgradeQuery }
}

/** The changes of a step that apply to a route, whose parts are `older` before it. */
function changesIn (route: HandledRoute, newer: Parts, older: Parts, shapes: Shapes): ReadChange[] {
  const { step } = shapes
  const own = route.name === null ? undefined : step.routes.get(route.name)
  const found = new Set([...own?.values() ?? []].map(({ change }) => change))
  for (const part of ['params', 'headers']) {
    if (!shapes.of(route.schema[part]).isAlive) continue
    refuse(step.changes, route.label, part, `nothing is converted there: ${BY_VERSION}`)
  }
  for (const [part, schemas] of older) {
    const ofRoute = own?.get(part)
    const steps = new Set(ofRoute === undefined ? [] : [ofRoute])
    for (const schema of schemas.values()) {
      const shape = shapes.of(schema)
      const inside = shapes.check(shape, isRequest(part) ? 'upgrade' : 'downgrade')
      if (typeof inside === 'string') refuse(step.changes, route.label, part, inside)
      for (const one of inside) steps.add(one)
      // Links go the other way.
      if (part === 'querystring') shapes.check(shape, 'downgrade')
    }
    for (const { change } of steps) found.add(change)
    if (isRequest(part) && steps.size > 0) checkRequest(route, part, steps, [newer, older], shapes)
  }
  return [...found]
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for schemas by which a client could do more than in the newest version */
function checkRequest (
  { label }: HandledRoute, part: string, steps: ReadonlySet<ValueStep>, [newer, older]: Parts[], shapes: Shapes
): void {
  for (const step of steps) {
    const { change, older } = step
    step.isSent = true
    const pointer = openObjectIn(older)
    if (pointer === null) continue
    const place = pointer === '' ? '' : ` at ${pointer}`
    const [id] = [...shapes.step.schemas].find(([, one]) => one.older === older) ?? []
    const ofSchema = id === undefined ? '' : `. The schema is '${id}'`
    refuse([change], label, part, `the older schema${place} needs "additionalProperties": false, or true if ` +
      'properties that it does not describe may reach the handler. In "allOf", false leaves nothing to the siblings: ' +
      'say true, or "unevaluatedProperties": false around them if the validator knows it (Ajv 2019)' + ofSchema)
  }
  const schemasIn = (parts: Parts) => [...parts.get(part)?.values() ?? []]
  const isTransformed =
    schemasIn(newer).some((one) => shapes.newer.has(one, ({ schema }) => isTransformation(schema))) ||
    schemasIn(older).some((one) => shapes.older.has(one, ({ schema }) => isTransformation(schema)))
  if (!isTransformed) return
  const changes = [...steps].map(({ change }) => change)
  refuse(changes, label, part, 'a transformation of Zod would run in the older and in the newest schema: describe ' +
    'the value as it is sent, and convert it in "upgrade"')
}

function movesIn ({ name }: HandledRoute, part: string, type: string | null, { shapes, parts }: Undone): Move[] {
  const step = shapes.step.routes.get(name ?? '')?.get(part)
  const schemas = parts.get(part)
  const only = type === null ? [...schemas?.values() ?? []][0] : undefined
  const shape = shapes.of(schemas?.get(type) ?? schemas?.get(null) ?? only)
  return [...step === undefined ? [] : [step], ...shape.isAlive ? [shape] : []]
}

/**
 * The schemas of a route before a step.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION
 */
function altered ({ name, label, bodyless }: HandledRoute, parts: Parts, step: Step): Parts {
  const older = new Map(parts)
  for (const [part, { change, older: schema }] of name === null ? [] : step.routes.get(name) ?? []) {
    if (part === 'body' && bodyless !== null) refuse([change], label, part, bodyless)
    if (schema !== undefined && (parts.has(part) || isRequest(part))) {
      older.set(part, schemasOf(schema))
      const type = isRequest(part) ? undefined : unlistedIn(schemasOf(schema), parts.get(part) as Schemas)
      if (type === undefined) continue
      refuse([change], label, part, `its older "content" needs ${show(type)}, which the route can answer with`)
    } else if (!parts.has(part)) {
      const known = [...parts.keys()].join(', ') || 'none'
      throw new VersionChangeOptionError(
        `Change ${change.label}, ${label}: it has no schema for the ${part}, but for ${known}.`
      )
    }
  }
  return older
}

/** A media type of JSON that an older response does not list: its payload would be sent as it is. */
function unlistedIn (older: Schemas, newer: Schemas): string | undefined {
  const types = older.has(null) || older.has('*/*') ? [] : [...newer.keys()].map((type) => type ?? 'application/json')
  return types.find((type) => type.includes('json') && !older.has(type))
}

function isRequest (part: string): boolean {
  return !part.startsWith('response ')
}

/** The schemas of a route that changes apply to. */
export function partsOf ({ body, query, querystring = query, response }: HandledRoute['schema']): Parts {
  const request = ([['body', body], ['querystring', querystring]] as const).filter(([, schema]) => schema !== undefined)
  const responses = entriesOf(response).map(([status, schema]) => [`response ${status.toLowerCase()}`, schema] as const)
  return new Map([...request, ...responses].map(([part, schema]) => [part, schemasOf(plainSchema(schema))]))
}

function schemasOf (schema: unknown): Schemas {
  const { content } = Object(schema) as { content?: Record<string, { schema: unknown }> }
  if (!isObject(content)) return new Map([[null, schema]])
  return new Map(Object.entries(content).map(([type, one]) => [type, plainSchema((one as { schema: unknown }).schema)]))
}
