import { formsOf, isRequest, partsOf } from '../changes/forms.ts'
import { NO_CONTENT } from '../changes/read.ts'
import { idsIn } from '../changes/schema.ts'
import { Side } from './side.ts'
import { Watched } from './watched.ts'

import type { FastifyInstance } from 'fastify'
import type { Changes, Editions } from '../changes/changes.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { HandledRoute } from '../changes/forms.ts'
import type { ChangeFunction, Direction } from '../changes/read.ts'
import type { Compile } from './side.ts'
import type { Trace } from './watched.ts'

/** A place where changes convert values: a shared schema, or a part of a route. */
export interface Subject {
  /** As examples and problems call it: the `$id`, or `bookings query`. */
  readonly name: string
  readonly newest: Side
  /** The older versions in which values are different, newest first. */
  readonly older: readonly OlderValues[]
  /** Whether examples must be given: no schema says everything of a value that many routes have. */
  readonly needsExample: boolean
  /** Where functions note what they do. */
  readonly trace: { current: Trace | null }
}

/** Values in older versions that no change tells apart. */
export interface OlderValues {
  /** The index of the last of these versions. */
  readonly index: number
  readonly side: Side
  readonly upgrade: Conversion | null
  readonly downgrade: Conversion | null
}

export interface Conversion {
  readonly convert: ChangeFunction
  /** Whether a route converts values in this direction; or no route in any. */
  readonly isUsed: boolean
  readonly isLossless: boolean
  /** Whether the result becomes text that is read again, as in links. */
  readonly isText: boolean
  /** What the last of the changes calls, with the sides that it is between; null if it is not known between which. */
  readonly watched: readonly [Watched, Side, Side] | null
}

/** Everything that changes convert in an app, or in a context of it. */
export function subjectsOf (app: FastifyInstance, changes: Changes): Subject[] {
  const servers = [app, ...changes.servers as readonly FastifyInstance[]]
  const ids = [...new Set(changes.steps.flatMap(({ schemas }) => [...schemas.keys()]))]
  const schemas = ids.map((id) => {
    const server = servers.find((one) => idsIn(Object.values(one.getSchemas())).has(id)) ?? app
    return ofSchema(id, changes, new WatchedFunctions(changes, server), compilersOf(servers, server))
  })
  const routes = changes.routes.flatMap((route) => {
    const names = new Set(changes.steps.flatMap(({ routes }) => [...routes.get(route.name ?? '')?.keys() ?? []]))
    return [...names].flatMap((part) => (
      ofPart(route, part, changes, new WatchedFunctions(changes, route.server), compilersOf([route.server, ...servers]))
    ))
  })
  // Each namespace may have the same routes.
  const isSame = (one: Subject, other: Subject) => one.name === other.name &&
    one.newest.schema === other.newest.schema && one.older[0]?.side.schema === other.older[0]?.side.schema
  return [...schemas, ...routes.filter((one, i) => routes.findIndex((other) => isSame(one, other)) === i)]
}

/** The functions of all changes, which note what they do. */
class WatchedFunctions {
  readonly editions: Editions
  readonly trace: Subject['trace'] = { current: null }
  readonly #watched = new Map<ChangeFunction, Watched>()

  constructor (changes: Changes, server: FastifyInstance) {
    const watch = (apply: ChangeFunction | null, direction: Direction, index: number): ChangeFunction | null => {
      if (apply === null) return null
      const watched = new Watched(apply, direction, index)
      const call: ChangeFunction = (value) => watched.call(value, this.trace.current as Trace)
      this.#watched.set(call, watched)
      return call
    }
    this.editions = changes.editionsWith(server, (step) => {
      const { change: { index }, upgrade, downgrade } = step
      return { ...step, upgrade: watch(upgrade, 'upgrade', index), downgrade: watch(downgrade, 'downgrade', index) }
    })
  }

  of (apply: ChangeFunction | null | undefined): Watched | null {
    return this.#watched.get(apply as ChangeFunction) ?? null
  }
}

function ofSchema (id: string, { versions }: Changes, functions: WatchedFunctions, compile: Compile): Subject {
  const { editions, trace } = functions
  const schema = editions.newest.find(id)?.schema
  const newest = new Side(versions.at(-1) as string, schema, editions.newest, compile)
  let newer = newest
  const older = editions.stagesOf(schema).map(({ step, older: edition }): OlderValues => {
    const index = step.index - 1
    const side = new Side(versions[index], edition.find(id)?.schema, edition, compile)
    const change = step.schemas.get(id)
    const between: Record<Direction, [Side, Side]> = { upgrade: [side, newer], downgrade: [newer, side] }
    const conversion = (direction: Direction): Conversion | null => {
      const steps = [...editions.stepsOf(direction, schema, index) ?? []]
      if (steps.length === 0) return null
      const isUnused = steps.every(({ isSent, isAnswered }) => !isSent && !isAnswered)
      const watched = functions.of(change?.[direction])
      return {
        convert: editions.converter(direction, id, index),
        isUsed: isUnused || steps.some((one) => direction === 'upgrade' ? one.isSent : one.isAnswered),
        isLossless: steps.every(({ isLossless }) => isLossless),
        isText: false,
        watched: watched && [watched, ...between[direction]]
      }
    }
    newer = side
    return { index, side, upgrade: conversion('upgrade'), downgrade: conversion('downgrade') }
  })
  return { name: id, newest, older, needsExample: true, trace }
}

/** A part of a route, once for each media type that it lists. */
function ofPart (
  route: HandledRoute, part: string, { versions }: Changes, functions: WatchedFunctions, ofContext: Compile
): Subject[] {
  const { editions, editions: { stages }, trace } = functions
  const forms = formsOf({ ...route, compile: () => (value) => value }, stages)
  const steps = stages.flatMap(({ step }) => step.routes.get(route.name as string)?.get(part) ?? [])
  const draft = partsOf(route.schema).get(part)
  const types = new Set(forms.flatMap(({ parts }) => [...parts.get(part)?.keys() ?? []]))
  return [...types].map((type): Subject => {
    const compile: Compile = (schema, use) => {
      if ((use === 'validate') !== isRequest(part)) return ofContext(schema, use)
      return quietly(() => route.compile(schema, part, type))
    }
    const [first] = draft?.values() ?? []
    const { schema = {} } = draft?.get(type) ?? draft?.get(null) ?? first ?? {}
    const newest = new Side(versions[route.spoken], schema, editions.editionIn(route.spoken), compile)
    const older = forms.flatMap(({ parts, edition, versions: indexes, downgradeQuery }): OlderValues[] => {
      const { schema, conversion } = parts.get(part)?.get(type) ?? {}
      // A response without a body has no value.
      if (conversion === undefined || schema === NO_CONTENT) return []
      const index = Math.max(...indexes)
      const side = new Side(versions[index], schema, edition, compile)
      const of = (direction: Direction, convert: ChangeFunction | null): Conversion | null => {
        if (convert === null || steps.some((step) => step[direction] === null)) return null
        const watched = steps.length === 1 ? functions.of(steps[0][direction]) : null
        const between: [Side, Side] = direction === 'upgrade' ? [side, newest] : [newest, side]
        const isText = isRequest(part) && direction === 'downgrade'
        return { convert, isUsed: true, isLossless: false, isText, watched: watched && [watched, ...between] }
      }
      const { convert } = conversion
      return [{
        index,
        side,
        upgrade: of('upgrade', isRequest(part) ? convert : null),
        downgrade: of('downgrade', isRequest(part) ? downgradeQuery : convert)
      }]
    })
    const name = `${route.name} ${part === 'querystring' ? 'query' : part}`
    return { name, newest, older, needsExample: false, trace }
  })
}

/** The compilers of the context that has a schema, or the serializers of another one. */
function compilersOf (servers: readonly FastifyInstance[], server = servers[0]): Compile {
  const serializing = [server, ...servers].find(({ serializerCompiler }) => serializerCompiler !== undefined)
  return (schema, use) => quietly(() => use === 'validate'
    ? server.validatorCompiler?.({ schema, method: 'POST', url: '/', httpPart: 'body' })
    : serializing?.serializerCompiler?.({ schema, method: 'GET', url: '/', httpStatus: '200' } as never)
  ) as Compiled | null
}

/** What compilers make; null if they do not know a keyword that only the other ones have. */
function quietly<Result> (compile: () => Result): Result | null {
  try {
    return compile() ?? null
  } catch {
    return null
  }
}
