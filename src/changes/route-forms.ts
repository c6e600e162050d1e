import { isDeepStrictEqual } from 'node:util'

import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { fitting, refusesUnknown } from '../fastify/compilers.ts'
import { show } from '../messages.ts'
import { labelsOf, refuseChange, toConvert } from './convert.ts'
import { isOutside, isRequest, isTouched, partOf, partsOf } from './parts.ts'
import { moveBy, moveOf } from './plan.ts'
import { NO_CONTENT, changesOf } from './read-changes.ts'
import { mapValues } from './schema.ts'
import { BY_VERSION } from './stage.ts'
import { describesInParts, openObjectIn, removedPropertyIn } from './unknown-properties.ts'
import { upgradeOf } from './upgrade.ts'
import { isTransformation, isZod } from './zod.ts'

import type { Edition } from './edition.ts'
import type { TagRule } from './etags.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { HookSkipper } from '../fastify/skipped-hooks.ts'
import type { Conversion, Media, Part, Parts, RouteSchema } from './parts.ts'
import type { ChangeFunction, ReadChange, ValueStep } from './read-changes.ts'
import type { Stage } from './stage.ts'

/** Media types of several values, which handlers send one after the other. */
export const STREAMS = /^text\/event-stream\b|ndjson|jsonl|json-?lines|json-seq|json-stream|stream\+json/i

/** Methods whose requests have no body. Fastify throws for a schema of their body. */
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']

/** Advice for an open object in an older schema, by the JSON pointer that leads to the object. */
const ADVICE: readonly [place: RegExp, advice: string][] = [
  [/\/allOf\/\d+(?:\/\$ref)*$/, '. In "allOf", false leaves nothing to the siblings: say true, or ' +
    '"unevaluatedProperties": false around them if the validator knows it (Ajv 2019)'],
  [/\/(?:any|one)Of\/\d+(?:\/\$ref)*$/,
    '. In alternatives say true: with false, Fastify removes what the next one describes']
]

/** A route with all that changes need to know of it. */
export interface HandledRoute {
  /** The name without the namespace that is the version; null if only changes of schemas apply to the route. */
  readonly name: string | null
  /** The route in messages: `GET /bookings`. */
  readonly label: string
  readonly methods: readonly string[]
  readonly schema: RouteSchema
  /** The indexes of the versions that it serves, oldest first. */
  readonly served: readonly number[]
  /** The index of the version that the handler is written for. */
  readonly writtenFor: number
  /** Makes the validator, or the serializer, of a part. */
  readonly compile: (schema: object, part: string, type: string | null) => Compiled
}

/** How a route serves versions that are older than its handler, and between which no change applies to the route. */
export interface Form {
  /** The indexes of these versions, oldest first. */
  readonly versions: readonly number[]
  /** The changes that are undone, newest first. */
  readonly changes: readonly ReadChange[]
  readonly edition: Edition
  /** The route in messages. */
  readonly label: string
  /** The parts of the route, by their names in the version of the handler. */
  readonly parts: Parts
  /** The names of responses whose status differs in these versions, by their names in the version of the handler. */
  readonly renamed: Renamed
  /** The answers for the statuses that the handler has sent until now. */
  readonly byStatus: Map<number, Answer>
  /** The parts of a request that are upgraded, in the order of their validation. */
  readonly request: readonly string[]
  /** Names that only responses of these versions have, if no schema describes the body. `noteUnseen` adds them. */
  readonly oldNames: Set<string>
  /** Converts the query of a link into the versions of the form; null if no change applies to the query. */
  readonly downgradeQuery: ChangeFunction | null
}

type Renamed = ReadonlyMap<string, string>

/** A response in an older version. */
export interface Answer {
  /** The older response; undefined if the route does not describe the response. */
  readonly part: Part | undefined
  readonly status: number
}

const NO_CONVERSION: Conversion = { convert: () => null, compiled: () => '' }

/** How changes let a route answer in older versions. */
export interface OlderVersions {
  /** The forms of the route; null until the app is ready, and for a route to which no change applies. */
  readonly byVersion: ReadonlyMap<string | null, Form> | null
  /** The tag rules of older versions; null until the app is ready, and if no route with the same changes needs them. */
  readonly tags: ReadonlyMap<string | null, TagRule> | null
  /** Lets a request skip the hooks that convert; null until the app is ready, and for a route without such hooks. */
  readonly skipper: HookSkipper | null
}

export const NOT_OLDER: OlderVersions = Object.freeze({ byVersion: null, tags: null, skipper: null })

/** A route before a step that changed it, with all changes since. */
interface Undone {
  readonly stage: Stage
  readonly parts: Parts
  readonly renamed: Renamed
  readonly changes: ReadonlySet<ReadChange>
}

/**
 * Returns the forms of a route for the versions that are older than its handler, newest first.
 *
 * @param stages newest first
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and the part
 */
export function formsOf (route: HandledRoute, stages: readonly Stage[]): Form[] {
  const undone: Undone[] = []
  let last: Omit<Undone, 'stage'> = { parts: partsOf(route.schema), renamed: new Map(), changes: new Set() }
  for (const stage of stages) {
    const { index } = stage.step
    if (index > route.writtenFor || index <= route.served[0]) continue
    const before = undo(route, last, stage)
    if (before.changes.size > last.changes.size) undone.push(last = before)
  }
  return undone.flatMap((before, i) => {
    const next = undone.at(i + 1)?.stage.step.index ?? 0
    const versions = route.served.filter((index) => index < before.stage.step.index && index >= next)
    return versions.length === 0 ? [] : [formOf(route, before, versions)]
  })
}

/** Returns forms by their versions. */
export function byVersionOf (forms: readonly Form[], versions: readonly string[]): ReadonlyMap<string, Form> {
  return new Map(forms.flatMap((form) => form.versions.map((index) => [versions[index], form])))
}

function formOf (route: HandledRoute, undone: Undone, versions: number[]): Form {
  const { label } = route
  const { renamed, stage: { older: edition } } = undone
  const changes = [...undone.changes]
  const parts = mapValues(undone.parts, (part, name) => mapValues(part, (media, type): Media => {
    const { schema, moves } = media
    if (moves.length === 0 && !renamed.has(name)) return media
    if (schema === NO_CONTENT) return { ...media, conversion: NO_CONVERSION }
    if (type !== null && !isRequest(name) && STREAMS.test(type) && !isOutside(media)) {
      refuseChange(changes, label, name, `the plugin does not see the messages of ${show(type)}. Convert each with ` +
        'app.downgrade(), and write "outside": true in the change')
    }
    const subject = `${label}, ${name}`
    const compile = (bundle: object) => route.compile(bundle, name, type)
    try {
      const compiled = fitting(compile(edition.bundle(schema, isRequest(name) ? 'validated' : 'serialized') as object))
      if (!isRequest(name)) {
        const convert = toConvert(moves, 'downgrade', changes, subject, true)
        return { ...media, conversion: { convert, compiled: blamingChanges(compiled, changes, subject) } }
      }
      const upgrade = upgradeOf(edition.at(schema), moves, changes, subject, compile, true)
      return { ...media, conversion: { compiled, ...upgrade } }
    } catch (error) {
      const { message, name: kind } = error as Error
      const hint = edition.has(schema, ({ schema }) => isZod(schema)) || moves.some(({ newer }) => isZod(newer?.schema))
        ? '. Zod schemas, and no others, need the compilers of fastify-type-provider-zod'
        : kind === 'TypeError' ? '. Let the compiler of the app take JSON Schemas, too' : ''
      return refuseChange(changes, label, name, `the older schema does not compile: ${message}${hint}`)
    }
  }))
  const request = ['body', 'querystring'].filter((name) => isTouched(parts.get(name)))
  const moves = parts.get('querystring')?.get(null)?.moves ?? []
  const subject = `${label}, querystring of a link`
  const downgradeQuery = moves.length === 0 ? null : toConvert(moves, 'downgrade', changes, subject)
  const notes = { byStatus: new Map(), oldNames: new Set<string>() }
  return { versions, changes, edition, label, parts, renamed, ...notes, request, downgradeQuery }
}

/** Tells whether a response of a route differs in a form. */
export function hasOlderResponse ({ parts, renamed }: Form): boolean {
  return [...parts].some(([name, part]) => !isRequest(name) && (isTouched(part) || renamed.has(name)))
}

/** Wraps a serializer: if the older schema of a response refuses a value, the error blames the changes. */
function blamingChanges (serialize: Compiled, changes: readonly ReadChange[], subject: string): Compiled {
  return function serializeOlder (value) {
    try {
      return serialize(value)
    } catch (error) {
      throw new VersionChangeError(labelsOf(changes), subject, 'the older schema refuses what it made', error)
    }
  }
}

/**
 * Returns a route as it was before a step.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION
 */
function undo (route: HandledRoute, last: Omit<Undone, 'stage'>, stage: Stage): Undone {
  const { label, schema: { params, headers } } = route
  const { step } = stage
  const newer = last.parts
  const routeSteps = ownStepsOf(route, last, stage)
  const changes = new Set([...last.changes, ...changesOf(routeSteps.values())])
  for (const [part, schema] of Object.entries({ params, headers })) {
    if (!stage.shapeOf(schema).isAlive || !stage.older.isStale(schema)) continue
    refuseChange(step.changes, label, part, `nothing is converted there: ${BY_VERSION}`)
  }
  const parts = new Map(newer)
  for (const [part, routeStep] of routeSteps) parts.set(part, altered(route, part, routeStep, newer, stage))
  for (const [part, draft] of parts) {
    const ofRoute = routeSteps.get(part)
    const steps = new Set(ofRoute === undefined ? [] : [ofRoute])
    parts.set(part, mapValues(draft, (media) => {
      const { schema, moves } = media
      const shape = stage.shapeOf(schema)
      const inside = shape.check(isRequest(part) ? 'upgrade' : 'downgrade')
      if (typeof inside === 'string') {
        // A schema that cannot be converted matters only if it contains or refers to a changed schema.
        if (ofRoute === undefined && !stage.older.isStale(schema)) return media
        refuseChange(stage.changesOf(schema), label, part, inside)
      }
      for (const schemaStep of inside) steps.add(schemaStep)
      return shape.isAlive ? { ...media, moves: [...moves, moveOf(stage, schema)] } : media
    }))
    for (const change of changesOf(steps)) changes.add(change)
    if (!isRequest(part)) for (const step of steps) step.isAnswered = true
    if (isRequest(part) && steps.size > 0) checkRequest(route, part, steps, [newer, parts], stage)
  }
  return { stage, parts, renamed: renamedBy(routeSteps, last.renamed, parts, label), changes }
}

/** Returns the changes of a route, by the names that its parts have in the version of the handler. */
function ownStepsOf (
  { name, label }: HandledRoute, { parts, renamed }: Omit<Undone, 'stage'>, { step }: Stage
): Map<string, ValueStep> {
  const steps = [...step.routes.get(name ?? '') ?? []].flatMap(([part, step]) => {
    const meant = [...parts.keys()].filter((name) => (renamed.get(name) ?? name) === part)
    if (meant.length === 0 && (step.older === undefined || !isRequest(part))) {
      const names = [...parts.keys()].map((name) => renamed.get(name) ?? name).join(', ')
      throw new VersionChangeOptionError(
        `Change ${step.change.label}: ${label} has no schema for the ${part}, so there is nothing to change. ` +
        'Add one. ' + (names === '' ? 'It has no other schemas.' : `It has schemas for: ${names}.`)
      )
    }
    return (meant.length === 0 ? [part] : meant).map((name) => [name, step] as const)
  })
  return new Map(steps)
}

/**
 * Returns the names of responses before their statuses changed, by the names in the version of the handler.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION for different schemas of one status
 */
function renamedBy (routeSteps: ReadonlyMap<string, ValueStep>, last: Renamed, parts: Parts, label: string): Renamed {
  const statuses = [...routeSteps].flatMap(([name, { status }]) => (
    status === null ? [] : [[name, `response ${status}`] as const]
  ))
  if (statuses.length === 0) return last
  const renamed = new Map([...last, ...statuses])
  const byOldName = new Map<string, string>()
  for (const name of parts.keys()) {
    const then = renamed.get(name) ?? name
    const first = byOldName.get(then) ?? name
    byOldName.set(then, name)
    const [ofFirst, ofThis] = [first, name].map((part) => mapValues(parts.get(part) as Part, ({ schema }) => schema))
    if (isDeepStrictEqual(ofFirst, ofThis)) continue
    const meant = [...routeSteps.values()].filter(({ status }) => then === `response ${status}`)
    refuseChange(changesOf(meant), label, then, 'older versions would have two schemas for it, of the ' +
      `${first} and of the ${name}: give both the same schema, or choose another "status"`)
  }
  return renamed
}

/** Throws FST_ERR_VERSION_CHANGE_OPTION for schemas by which a client could do more than in the newest version. */
function checkRequest (
  route: HandledRoute, part: string, steps: ReadonlySet<ValueStep>, [newer, older]: Parts[], stage: Stage
): void {
  const { label } = route
  const changes = changesOf(steps)
  for (const step of steps) {
    const { change, id, older } = step
    step.isSent = true
    for (const [type, { schema }] of older === undefined ? [] : partOf(older)) {
      const outermost = stage.older.at(schema)
      const pointer = openObjectIn(outermost)
      const removed = pointer === null ? removedPropertyIn(outermost) : undefined
      if (pointer === null && removed === undefined) continue
      const compile = (definition: object) => route.compile((definition as { schema: object }).schema, part, type)
      const isRefusing = refusesUnknown(compile)
      if (pointer === null) {
        if (isRefusing) continue
        refuseChange([change], label, part, `"additionalProperties": false removes ${show(removed)}, which another ` +
          'schema of the "allOf" describes: say true there')
      }
      const place = `${type === null ? '' : `/content/${type}/schema`}${pointer}`
      const subject = id === null ? '' : ` of ${show(id)}`
      const where = `${subject}${place && ` at ${place}`}`
      const described = pointer === '' && describesInParts(outermost) ? '/allOf/0' : pointer
      const hint = ADVICE.find(([place]) => place.test(described))?.[1]
      const advice = isRefusing
        ? 'true, because with false the validator of this app refuses what it took before, and let "upgrade" leave ' +
          'unknown properties out'
        : `${hint === undefined ? 'false' : 'true'}. With true, older clients can set every property that only ` +
          `newer versions know${hint ?? ''}`
      refuseChange([change], label, part, `set "additionalProperties" in the older schema${where}. Write ${advice}`)
    }
  }
  for (const { schema } of (older.get(part) as Part).values()) {
    const name = stage.shapeOf(schema).alive().map((shape) => shape.removed()).find((removed) => removed !== undefined)
    if (name === undefined) continue
    refuseChange(changes, label, part, `a schema around the changed one has ${show(name)}, which ` +
      '"additionalProperties": false of the older one removes: say true there, or change the part by route')
  }
  const transforms = ([[newer, stage.newer], [older, stage.older]] as const).some(([parts, edition]) => (
    [...parts.get(part)?.values() ?? []].some(({ schema }) => edition.has(schema, isTransformation))
  ))
  if (!transforms) return
  refuseChange(changes, label, part, 'a transformation of Zod would run in the older and in the newest schema: ' +
    'describe the value as it is sent, and convert it in "upgrade"')
}

/**
 * Returns a part of a route as it was before a change.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION
 */
function altered (
  { label, methods }: HandledRoute, part: string, step: ValueStep, newer: Parts, stage: Stage
): Part {
  const { change, older = null } = step
  const method = methods.find((name) => WITHOUT_BODY.includes(name))
  if (part === 'body' && method !== undefined) {
    const advice = `give the route that has one another name, or ${BY_VERSION}`
    refuseChange([change], label, part, `${method} requests have no body: ${advice}`)
  }
  const draft = newer.get(part)
  // Only the status has changed.
  if (step.status !== null && step.downgrade === null) return draft as Part
  const before = older === null ? draft as Part : partOf(older)
  for (const type of isRequest(part) || before.has(null) || before.has('*/*') ? [] : (draft as Part).keys()) {
    const listed = type ?? 'application/json'
    if (!listed.includes('json') || before.has(listed)) continue
    // Without an older schema, a payload of this media type would be sent as it is.
    refuseChange([change], label, part, `its older "content" needs ${show(listed)}, which the route can answer with`)
  }
  const [first] = draft?.values() ?? []
  return mapValues(before, ({ schema }, type) => {
    const now = draft?.get(type) ?? draft?.get(null) ?? (type === null ? first : undefined)
    const moves = [...now?.moves ?? [], moveBy(stage, step, now?.schema)]
    return { schema, written: older ?? now?.written, moves }
  })
}
