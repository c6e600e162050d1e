import { VersionChangeOptionError } from '../errors.ts'
import { suggestionFor } from '../messages.ts'
import { ByStatus, entriesFor } from './by-status.ts'
import { ResponseDowngrade, toConvert } from './convert.ts'
import { isObject, pointerKey } from './documents.ts'
import { prepare } from './prepare.ts'
import { plainSchema } from './read.ts'
import { REQUEST_PARTS } from './steps.ts'
import { transformationsIn } from './zod.ts'

import type { Entry } from './by-status.ts'
import type { Direction, Move } from './convert.ts'
import type { Lineage, Stage } from './lineage.ts'
import type { OlderSchema } from './older.ts'
import type { PartStep, ReadChange, RequestPart, RouteStep } from './steps.ts'
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
  /** As it was written. */
  readonly given: unknown
  /** By media type, if a body or a response has a schema for each; otherwise one, by null. */
  readonly schemas: ReadonlyMap<string | null, unknown>
  /** Whether a change brought the schema. */
  readonly isOwn: boolean
  /**
   * Set once a change says `false` for the status: the stage whose schema its payloads keep, or null for the schema
   * that the handler speaks. Undefined while payloads are converted.
   */
  readonly keptAt: Stage | null | undefined
}

/** What one stage undoes of a route: `before` and `after` are its schemas. */
export interface Undone {
  readonly stage: Stage
  readonly step: RouteStep | undefined
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
  /** The stage that makes the schemas that the handler speaks, or null if they are as declared. */
  readonly #handled: Stage | null
  /** Newest first. */
  readonly #undone: Undone[] = []

  /** @param writtenFor the index of the version that the handler speaks */
  constructor (route: HandledRoute, lineage: Lineage, writtenFor: number) {
    this.#route = route
    this.#lineage = lineage
    this.#handled = lineage.after(writtenFor) ?? null
    this.#declared = declaredParts(route.schema)
  }

  /** Whether nothing has been undone. */
  get isAsDeclared (): boolean {
    return this.#undone.length === 0
  }

  get #parts (): Parts {
    return this.#undone.at(-1)?.after ?? this.#declared
  }

  /**
   * @returns null if the stage does not change the route
   * @throws FST_ERR_VERSION_CHANGE_OPTION
   */
  undoneBy (stage: Stage): Undone | null {
    const before = this.#parts
    const { name } = this.#route
    const step = name === null ? undefined : stage.step.routes.get(name)
    const after = step === undefined ? before : this.#altered(before, step)
    const ofRoute = step === undefined ? [] : [...step.parts.values(), ...step.response.values()]
    const changes = new Set([...this.#check(stage, after), ...ofRoute.map(({ change }) => change)])
    return changes.size === 0 ? null : { stage, step, before, after, changes: [...changes] }
  }

  undo (undone: Undone): void {
    this.#undone.push(undone)
  }

  #altered (before: Parts, step: RouteStep): Parts {
    const request = new Map(before.request)
    for (const [part, { change, older }] of step.parts) {
      if (part === 'params' && !this.#route.hasParams) {
        throw this.#error(change, 'the URL of the route has no parameters')
      }
      if (older !== undefined) request.set(part, partOf(older, true))
      else if (!request.has(part)) throw this.#error(change, `the route has no schema for the ${part}`)
    }
    const response = new Map(before.response)
    const last = this.#undone.at(-1)?.stage ?? null
    for (const [status, { change, older, downgrade }] of step.response) {
      const known = governing(before.response, status)
      if (known === undefined) {
        const others = [...before.response.keys()]
        throw others.length === 0
          ? this.#error(change, `the route has no response schema, so there is nothing to change for ${status}`)
          : this.#error(
            change, `the route has no response schema for ${status}, but for ${others.join(', ')}`,
            suggestionFor(status, others)
          )
      }
      if (known.keptAt !== undefined) continue
      if (downgrade === null) response.set(status, { ...known, keptAt: last })
      else if (older !== undefined) response.set(status, partOf(older, true))
    }
    return { request, response }
  }

  /**
   * Whether the schemas that a stage alters can be converted.
   *
   * @returns the changes that do
   */
  #check ({ shapes, step }: Stage, { request, response }: Parts): ReadChange[] {
    const found: ReadChange[] = []
    const check = (name: string, { schemas }: Part, direction: Direction) => {
      for (const [mediaType, schema] of schemas) {
        const { obstacle, changes } = prepare(shapes.of(schema), direction, shapes)
        found.push(...changes)
        if (obstacle === null) continue
        const label = labelsOf(changes.size > 0 ? [...changes] : step.changes)
        const at = (mediaType === null ? '' : `/content${pointerKey(mediaType)}/schema`) + obstacle.pointer
        throw new VersionChangeOptionError(
          `Change ${label}, ${this.#route.label}, ${name}${at === '' ? '' : ` at ${at}`}: ${obstacle.reason}.`
        )
      }
    }
    for (const [name, part] of request) {
      check(name, part, 'upgrade')
      if (name === 'querystring' || name === 'params') prepare(shapes.of(part.given), 'downgrade', shapes)
    }
    for (const [status, part] of response) {
      if (part.keptAt === undefined) check(`response ${status}`, part, 'downgrade')
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
    const stage = this.#handled
    if (stage === null) return null
    const schemas = [...request.values(), ...response.values()].flatMap((part) => [...part.schemas.values()])
    if (schemas.every((schema) => this.#lineage.olderPart(schema, stage, false).schema === schema)) return null
    const later = this.#lineage.stages.filter(({ step }) => step.index >= stage.step.index)
    const changes = later.flatMap(({ shapes }) => (
      schemas.flatMap((schema) => [...prepare(shapes.of(schema), 'downgrade', shapes).changes])
    ))
    return { changes: [...new Set(changes)].map(({ change }) => change), ...this.#writtenIn(this.#declared, null) }
  }

  /** The route in the oldest version that has been reached. */
  variant (versions: readonly string[]): Variant {
    const undone = this.#undone
    const { stage } = undone.at(-1) as Undone
    const querystring = this.#convertPart('querystring', 'downgrade')
    const params = this.#convertPart('params', 'downgrade')
    const bodies = this.#bodies()
    return {
      versions,
      changes: [...new Set(undone.flatMap(({ changes }) => changes))].map(({ change }) => change),
      ...this.#writtenIn(this.#parts, stage),
      upgrade: {
        body: bodies.every(({ value }) => value === null) ? null : new ByStatus(bodies),
        querystring: this.#convertPart('querystring', 'upgrade'),
        params: this.#convertPart('params', 'upgrade'),
        headers: this.#convertPart('headers', 'upgrade')
      },
      downgrade: this.#downgrades(),
      // Most routes have none of their own.
      link: querystring === null && params === null ? NO_LINK : { querystring, params }
    }
  }

  /** @param stage makes the schemas, or null if they are in the version of the handler */
  #writtenIn ({ request, response }: Parts, stage: Stage | null): WrittenSchemas {
    const copies = new Map<Stage, OlderSchema[]>()
    const write = ({ given, schemas, isOwn, keptAt }: Part) => {
      const at = (keptAt === undefined ? stage : keptAt) ?? this.#handled
      return mapSchemas(given, schemas, (schema) => {
        if (at === null) return schema
        const copy = this.#lineage.olderPart(schema, at, isOwn)
        copies.set(at, [...copies.get(at) ?? [], copy])
        return copy.schema
      })
    }
    const { query, ...schema }: Record<string, unknown> = { ...this.#route.schema }
    for (const [name, part] of request) {
      schema[name] = write(part)
      this.#checkTransformations(name, schema[name])
    }
    if (response.size > 0) {
      // V8 gives an object that gets a property 200 an array of 300 slots, but not one that is parsed with it.
      schema.response = JSON.parse(JSON.stringify(Object.fromEntries([...response.keys()].map((one) => [one, 0]))))
      for (const [status, part] of response) (schema.response as Record<string, unknown>)[status] = write(part)
    }
    const shared = [...copies].flatMap(([at, some]) => this.#lineage.sharedOf(some, at))
    const originalIds = [...copies.values(), shared].flat().flatMap((copy) => [...copy.originalIds])
    const sharedSchemas = new Set(shared.map((copy) => copy.schema as { $id: string }))
    return { schema, sharedSchemas: [...sharedSchemas], originalIds: new Map(originalIds) }
  }

  /**
   * Both schemas validate a part that is upgraded: what both have would transform its own result.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION
   */
  #checkTransformations (name: RequestPart, older: unknown): void {
    const { schemas } = partOf(older, false)
    const newer = transformationsIn(this.#declared.request.get(name)?.schemas.values() ?? [])
    const isTwice = [...transformationsIn(schemas.values())].some((one) => newer.has(one))
    const mediaTypes = [null, ...schemas.keys()]
    if (!isTwice || mediaTypes.every((type) => this.#convertPart(name, 'upgrade', type) === null)) return
    throw new VersionChangeOptionError(
      `Change ${labelsOf(this.#undone.flatMap(({ changes }) => changes))}, ${this.#route.label}, ${name}: the older ` +
      'schema and the newest one share a transformation of Zod, which would run twice. Transform in the handler, or ' +
      'give the route an older schema without the transformation.'
    )
  }

  #error (change: ReadChange, reason: string, hint = ''): Error {
    return new VersionChangeOptionError(`Change ${change.label}, ${this.#route.label}: ${reason}.${hint}`)
  }

  /** What is undone of a part of a request, in the order in which it is converted. */
  #convertPart (name: RequestPart, direction: Direction, mediaType: string | null = null): Convert | null {
    const moves = this.#undone.flatMap(({ stage, step, after }): Move[] => {
      const partStep = step?.parts.get(name)
      const shapes = movesIn(after.request.get(name), mediaType, stage)
      return partStep === undefined ? shapes : [partStep, ...shapes]
    })
    if (direction === 'upgrade') moves.reverse()
    return toConvert(moves, direction, this.#route.label, direction === 'upgrade' ? name : `${name} of a link`)
  }

  #bodies (): Entry<Convert | null>[] {
    const listed = mediaTypesOf(this.#parts.request.get('body'))
    const others = this.#undone.flatMap(({ after }) => mediaTypesOf(after.request.get('body')))
    return entriesFor(0, listed.length > 0 ? listed : others, (mediaType) => (
      // Fastify does not validate a body whose media type is not listed.
      mediaType === null && listed.length > 0 ? null : this.#convertPart('body', 'upgrade', mediaType)
    ))
  }

  #downgrades (): Variant['downgrade'] {
    const statuses = new Set(this.#undone.flatMap(({ step, after }) => (
      [...after.response.keys(), ...step?.response.keys() ?? []]
    )))
    return new ByStatus([...statuses].flatMap((status) => {
      const mediaTypes = this.#undone.flatMap(({ after }) => mediaTypesOf(governing(after.response, status)))
      return entriesFor(Number.parseInt(status, 10) || 0, mediaTypes, (one) => this.#downgradeOf(status, one))
    }))
  }

  #downgradeOf (status: string, mediaType: string | null): Downgrade | null {
    const moves: Move[] = []
    for (const { stage, step, before, after } of this.#undone) {
      const part = governing(after.response, status)
      if (part !== undefined && part.keptAt !== undefined) break
      const partStep = stepOf(status, step, before)
      if (partStep !== undefined) moves.push(partStep)
      moves.push(...movesIn(part, mediaType, stage))
    }
    return moves.length === 0 ? null : new ResponseDowngrade(moves, this.#route.label, status)
  }
}

/** The schemas of a route as it was declared. */
function declaredParts (schema: RouteSchema | undefined): Parts {
  const { query, querystring = query, ...others } = schema ?? {}
  const given: Readonly<Record<string, unknown>> = { ...others, querystring }
  const declared = (one: unknown) => partOf(plainSchema(one), false)
  const request = REQUEST_PARTS.filter((part) => given[part] !== undefined)
  const response = isObject(given.response) ? Object.entries(given.response) : []
  return {
    request: new Map(request.map((part) => [part, declared(given[part])])),
    response: new Map(response.map(([status, one]) => [status.toLowerCase(), declared(one)]))
  }
}

function partOf (given: unknown, isOwn: boolean): Part {
  const content = isObject(given) && isObject(given.content) ? Object.entries(given.content) : null
  const schemas = content?.map(([type, one]) => [type, plainSchema((one as { schema?: unknown }).schema)] as const)
  return { given, schemas: new Map<string | null, unknown>(schemas ?? [[null, given]]), isOwn, keptAt: undefined }
}

function mapSchemas (given: unknown, schemas: Part['schemas'], map: (schema: unknown) => unknown): unknown {
  if (schemas.has(null)) return map(given)
  const { content } = given as { content: Record<string, object> }
  const mapped = Object.entries(content).map(([type, one]) => [type, { ...one, schema: map(schemas.get(type)) }])
  return { ...given as object, content: Object.fromEntries(mapped) }
}

function mediaTypesOf (part: Part | undefined): string[] {
  return part === undefined ? [] : [...part.schemas.keys()].filter((type) => type !== null)
}

/** The keys under which Fastify looks up a status. */
function statusKeys (status: string): string[] {
  return [status, `${status[0]}xx`, 'default']
}

/** What applies to a status: its own entry, its class's, or the default. */
function governing (byStatus: Parts['response'], status: string): Part | undefined {
  return statusKeys(status).map((key) => byStatus.get(key)).find((part) => part !== undefined)
}

/** The change of the payloads of a status. The change of a class does not apply to statuses with their own schema. */
function stepOf (status: string, step: RouteStep | undefined, { response }: Parts): PartStep | undefined {
  const [key] = statusKeys(status).filter((one) => step?.response.has(one) || response.has(one))
  return step?.response.get(key)
}

/** The shape of the schema for a media type, if anything in it changes. */
function movesIn (part: Part | undefined, mediaType: string | null, { shapes }: Stage): Move[] {
  const type = [null, mediaType, '*/*'].find((one) => part?.schemas.has(one)) ?? null
  const shape = shapes.of(part?.schemas.get(type))
  return shape.isAlive ? [shape] : []
}

function labelsOf (changes: readonly ReadChange[]): string {
  return changes.map(({ label }) => label).join(' and ')
}
