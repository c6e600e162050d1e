import { VersionChangeOptionError } from '../errors.ts'
import { openObjectIn, transforms } from './request-schemas.ts'
import { entriesOf, isObject, plainSchema } from './schema.ts'
import { refuse } from './shape.ts'

import type { Move } from './convert.ts'
import type { Edition } from './edition.ts'
import type { ReadChange, Step, ValueStep } from './read.ts'
import type { Shapes } from './shape.ts'

/** The schemas of a context before one step. */
export interface Stage {
  readonly step: Step
  readonly edition: Edition
  readonly shapes: Shapes
}

/** A route as changes see it: its handler speaks one version. */
export interface HandledRoute {
  /** Without the namespace that is its version; null if only changes of schemas apply to it. */
  readonly name: string | null
  /** As messages call it: `GET /bookings`. */
  readonly label: string
  readonly schema: Readonly<Record<string, unknown>>
  /** The indexes of the versions that it serves, oldest first. */
  readonly served: readonly number[]
  /** The index of the version that the handler speaks. */
  readonly spoken: number
}

/** How a route serves versions that no change tells apart, all older than the one that its handler speaks. */
export interface Form {
  /** Oldest first, by their indexes. */
  readonly versions: readonly number[]
  /** Newest first. */
  readonly changes: readonly ReadChange[]
  /** By part: `body`, `querystring` or `response 200`. */
  readonly parts: ReadonlyMap<string, Part>
  readonly edition: Edition
}

/** By media type, or by null if the part has one schema. */
export type Part = ReadonlyMap<string | null, Slice>

export interface Slice {
  /** As it was written. */
  readonly schema: unknown
  /** What is undone, newest change first; nothing if the slice is as the handler speaks it. */
  readonly moves: readonly Move[]
}

type Schemas = ReadonlyMap<string | null, unknown>
type Parts = ReadonlyMap<string, Schemas>

/** What one stage undoes of a route, whose schemas are `parts` then. */
interface Undone {
  readonly stage: Stage
  readonly parts: Parts
  readonly changes: readonly ReadChange[]
}

/**
 * How a route serves the versions before the one that its handler speaks, newest first.
 *
 * @param stages newest first
 * @param newest the schemas as they are in the newest version
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and the part
 */
export function formsOf (route: HandledRoute, stages: readonly Stage[], newest: Edition): Form[] {
  const undone: Undone[] = []
  const spoken = partsOf(route.schema)
  let parts = spoken
  for (const stage of stages) {
    if (stage.step.index > route.spoken || stage.step.index <= route.served[0]) continue
    const older = altered(route, parts, stage.step)
    const changes = changesIn(route, older, stage)
    if (changes.length === 0) continue
    parts = older
    undone.push({ stage, parts, changes })
  }
  return undone.flatMap(({ stage: { step, edition }, parts }, i) => {
    const next = undone.at(i + 1)?.stage.step.index ?? 0
    const versions = route.served.filter((index) => index < step.index && index >= next)
    if (versions.length === 0) return []
    const some = undone.slice(0, i + 1)
    const form = {
      versions,
      changes: [...new Set(some.flatMap(({ changes }) => changes))],
      parts: new Map([...parts].map(([part, schemas]) => [part, slicesOf(route, part, schemas, some)])),
      edition
    }
    checkTransformations(route, form, spoken, newest)
    return [form]
  })
}

function slicesOf (route: HandledRoute, part: string, schemas: Schemas, undone: readonly Undone[]): Part {
  return new Map([...schemas].map(([type, schema]) => (
    [type, { schema, moves: undone.flatMap((one) => movesIn(route, part, type, one)) }]
  )))
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
function checkTransformations ({ label }: HandledRoute, form: Form, spoken: Parts, newest: Edition): void {
  for (const [part, slices] of form.parts) {
    if (part.startsWith('response') || ![...slices.values()].some(({ moves }) => moves.length > 0)) continue
    const older = [...slices.values()].some(({ schema }) => transforms(form.edition, schema))
    if (!older && ![...spoken.get(part)?.values() ?? []].some((schema) => transforms(newest, schema))) continue
    refuse(form.changes, label, part, 'a transformation of Zod would run in the older and in the newest schema')
  }
}

/** The changes of a stage that apply to a route. */
function changesIn (route: HandledRoute, parts: Parts, stage: Stage): ReadChange[] {
  const { shapes } = stage
  const own = route.name === null ? undefined : stage.step.routes.get(route.name)
  const found = new Set([...own?.values() ?? []].map(({ change }) => change))
  for (const [part, schemas] of parts) {
    const isRequest = !part.startsWith('response')
    const step = own?.get(part)
    if (isRequest && step !== undefined) checkClosed(step, route.label, part)
    for (const schema of schemas.values()) {
      const shape = shapes.of(schema)
      const steps = shapes.check(shape, isRequest ? 'upgrade' : 'downgrade')
      if (typeof steps === 'string') refuse(stage.step.changes, route.label, part, steps)
      for (const one of steps) {
        found.add(one.change)
        if (isRequest) checkClosed(one, route.label, part)
      }
      // Links go the other way.
      if (part === 'querystring') shapes.check(shape, 'downgrade')
    }
  }
  return [...found]
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for an older schema that does not say what becomes of unknown properties */
function checkClosed ({ change, older }: ValueStep, label: string, part: string): void {
  const pointer = openObjectIn(older)
  if (pointer === null) return
  const place = pointer === '' ? '' : ` at ${pointer}`
  refuse([change], label, part, `the older schema${place} needs "additionalProperties": false, or true if properties ` +
    'that it does not describe may reach the handler')
}

function movesIn ({ name }: HandledRoute, part: string, type: string | null, { stage, parts }: Undone): Move[] {
  const step = stage.step.routes.get(name ?? '')?.get(part)
  const schemas = parts.get(part)
  const only = type === null ? [...schemas?.values() ?? []][0] : undefined
  const shape = stage.shapes.of(schemas?.get(type) ?? schemas?.get(null) ?? only)
  return [...step === undefined ? [] : [step], ...shape.isAlive ? [shape] : []]
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
function altered ({ name, label }: HandledRoute, parts: Parts, step: Step): Parts {
  const older = new Map(parts)
  for (const [part, { change, older: schema }] of name === null ? [] : step.routes.get(name) ?? []) {
    if (schema !== undefined && (parts.has(part) || !part.startsWith('response'))) older.set(part, schemasOf(schema))
    else if (!parts.has(part)) {
      const known = [...parts.keys()].join(', ') || 'none'
      throw new VersionChangeOptionError(
        `Change ${change.label}, ${label}: it has no schema for the ${part}, but for ${known}.`
      )
    }
  }
  return older
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
