import { datesIn, toConvert } from '../changes/convert.ts'
import { readJson } from '../changes/json.ts'
import { isRequest, partsOf } from '../changes/parts.ts'
import { moveOf } from '../changes/plan.ts'
import { NO_CONTENT, changesOf } from '../changes/read-changes.ts'
import { formsOf } from '../changes/route-forms.ts'
import { idsIn } from '../changes/schema.ts'
import { lossesOf } from '../changes/upgrade.ts'
import { validatorFor } from '../fastify/compilers.ts'
import { serializerFor } from '../fastify/serializer-compiler.ts'
import { show } from '../messages.ts'
import { sideOf } from './side.ts'
import { watchedFunction } from './watched-function.ts'

import type { FastifyInstance } from 'fastify'
import type { Changes } from '../changes/changes.ts'
import type { Converter } from '../changes/convert.ts'
import type { HandledRoute } from '../changes/route-forms.ts'
import type { Move } from '../changes/plan.ts'
import type { ChangeFunction, Direction, ValueStep } from '../changes/read-changes.ts'
import type { Conversion } from './conversion.ts'
import type { Compile, Side } from './side.ts'
import type { Watched } from './watched-function.ts'

/** The directions in their order: the check of a lossless upgrade needs the downgrade to convert values back. */
const DIRECTIONS = ['downgrade', 'upgrade'] as const

/** A shared schema, or a part of a route, whose values changes convert. */
export interface Subject {
  /** The name in examples and problems: the `$id`, or `bookings query`. */
  readonly name: string
  /** Whether the subject is a part of a route. Then no examples are needed, because its schema describes all values. */
  readonly isPart: boolean
  /** The newest version, and the older ones in which values are different, newest first. */
  readonly sides: readonly Side[]
  readonly conversions: readonly Conversion[]
}

/** How values of a version differ from those of the newest version. */
interface Values {
  readonly side: Side
  /** The moves that undo changes, newest change first. */
  readonly moves: readonly Move[]
  /** The steps of the value, and of the values in it. */
  readonly steps: readonly ValueStep[]
  /** The steps of the oldest change for the value itself. */
  readonly oldest: readonly ValueStep[]
  readonly canConvert: (direction: Direction) => boolean
}

/** Returns everything that changes convert in an app, or in a context of the app. */
export function subjectsOf (app: FastifyInstance, changes: Changes): Subject[] {
  const servers = [app, ...changes.servers as readonly FastifyInstance[]]
  const ids = [...new Set(changes.steps.flatMap(({ schemas }) => [...schemas.keys()]))]
  const schemas = ids.map((id) => {
    const server = servers.find((context) => idsIn(Object.values(context.getSchemas())).has(id)) ?? app
    return watchedContext(changes, server).ofSchema(id)
  })
  const routes = changes.routes.flatMap((route) => {
    const names = new Set(changes.steps.flatMap(({ routes }) => [...routes.get(route.name ?? '')?.keys() ?? []]))
    return [...names].flatMap((part) => watchedContext(changes, route.server).ofPart(route, part))
  })
  // The same route may be in each namespace.
  const isSame = (first: Subject, second: Subject) => first.name === second.name &&
    [0, 1].every((i) => first.sides[i]?.schema === second.sides[i]?.schema)
  return [...schemas, ...routes.filter((route, i) => routes.findIndex((earlier) => isSame(route, earlier)) === i)]
}

/** Makes the subjects of a context in which the functions of changes are watched. */
function watchedContext (changes: Changes, server: FastifyInstance) {
  const { versions } = changes
  const allWatched = new Map<unknown, Watched>()
  const watch = (apply: ChangeFunction | null): ChangeFunction | null => {
    if (apply === null) return null
    const watched = watchedFunction(apply)
    allWatched.set(watched.call, watched)
    return watched.call
  }
  const editions = changes.editionsWith(server, (step) => (
    { ...step, upgrade: watch(step.upgrade), downgrade: watch(step.downgrade) }
  ))
  // Fastify gives a compiler to the contexts that validate, such as a child of the one that has the schema.
  const validating = [server, ...changes.servers as readonly FastifyInstance[]]
    .find((context) => context.validatorCompiler) ?? server
  const compileAny: Compile = (schema, use) => (
    use === 'validated' ? validatorFor(validating, schema, '/;check') : serializerFor(server, schema, '/;check')
  )

  function ofSchema (id: string): Subject {
    const schema = editions.newest.find(id)?.schema
    const stages = editions.stagesOf(schema)
    const all = [editions.newest, ...stages.map(({ older }) => older)].map((edition, i): Values => {
      const undone = stages.slice(0, i)
      const index = undone.at(-1)?.step.index ?? versions.length
      const moves = undone.map((stage) => moveOf(stage, schema))
      return {
        side: sideOf(index - 1, versions[index - 1], edition.find(id)?.schema, edition, compileAny),
        moves,
        steps: moves.flatMap(({ steps }) => steps),
        oldest: undone.at(-1)?.shapeOf(schema).steps ?? [],
        canConvert: (direction) => (
          undone.every((stage) => typeof stage.shapeOf(schema).check(direction) !== 'string')
        )
      }
    })
    return { name: id, isPart: false, ...between(all, `the schema ${show(id)}, value`, null, compileAny) }
  }

  /** Returns a part of a route, once for each media type that the part lists. */
  function ofPart (route: HandledRoute, part: string): Subject[] {
    const { stages } = editions
    const forms = formsOf({ ...route, compile: () => String }, stages)
    const draft = partsOf(route.schema).get(part)
    const types = new Set(forms.flatMap(({ parts }) => [...parts.get(part)?.keys() ?? []]))
    return [...types].map((type) => {
      const compile: Compile = (schema, use) => (
        (use === 'validated') === isRequest(part) ? route.compile(schema, part, type) : compileAny(schema, use)
      )
      const valuesIn = (index: number, schema: unknown, moves: readonly Move[]): Values => {
        const steps = stages.filter(({ step }) => step.index > index && step.index <= route.writtenFor)
          .flatMap(({ step }) => step.routes.get(String(route.name))?.get(part) ?? [])
        return {
          side: sideOf(index, versions[index], schema, editions.editionIn(index), compile),
          moves,
          steps,
          // There is none if a shared schema has changed, too. With several media types, the function may read members
          // that only one of them has.
          oldest: types.size > 1 ? [] : steps.slice(moves.length - 1),
          // Links downgrade queries, so a query has both directions.
          canConvert: (direction) => part === 'querystring'
            ? steps.every((step) => step[direction] !== null)
            : isRequest(part) === (direction === 'upgrade')
        }
      }
      const [anyMedia] = draft?.values() ?? []
      const { schema = {} } = draft?.get(type) ?? draft?.get(null) ?? anyMedia ?? {}
      const all = [valuesIn(route.writtenFor, schema, []), ...forms.flatMap(({ parts, versions }): Values[] => {
        const { schema, moves = [] } = parts.get(part)?.get(type) ?? {}
        // A response without a body has no value.
        return moves.length === 0 || schema === NO_CONTENT ? [] : [valuesIn(Math.max(...versions), schema, moves)]
      })]
      const name = `${route.name} ${part === 'querystring' ? 'query' : part}`
      return { name, isPart: true, ...between(all, `${route.label}, ${part}`, part, compile) }
    })
  }

  /**
   * Makes the sides and the conversions between them.
   *
   * @param label the subject in errors
   * @param part the part of a route; null for a shared schema
   */
  function between (all: readonly Values[], label: string, part: string | null, compile: Compile) {
    // Some versions of a route differ only in other parts.
    const different = all.filter(({ moves }, i) => i === 0 || moves.length > all[i - 1].moves.length)
    const sides = different.map(({ side }) => side)
    const conversions = different.slice(1).flatMap(({ side, moves, steps, oldest, canConvert }, i) => {
      const isUnused = part !== null || steps.every(({ isSent, isAnswered }) => !isSent && !isAnswered)
      // A function is known to be between two sides if no other function is between them.
      const isKnown = oldest.length === 1 && moves.length === different[i].moves.length + 1
      let downgrade: Conversion | undefined
      return DIRECTIONS.filter(canConvert).map((direction): Conversion => {
        const isUpgrade = direction === 'upgrade'
        const towards = (newer: Side) => isUpgrade ? [side, newer] as const : [newer, side] as const
        const [from, to] = towards(sides[0])
        const watched = isKnown ? allWatched.get(oldest[0][direction]) : undefined
        // `tryOut` judges the newest version itself, so only losses between changes are searched here.
        const converts = moves.map((move, n) => {
          const losses = isUpgrade && n > 0 ? lossesOf([move], (schema) => compile(schema, 'validated')) : []
          const isLast = n === moves.length - 1
          const convert = toConvert([move], direction, changesOf(move.steps), label, !isUpgrade && isLast, losses)
          return isUpgrade || isLast ? convert : restoring(convert, move)
        })
        const conversion: Conversion = {
          direction,
          from,
          to,
          older: side,
          converts: isUpgrade ? converts.reverse() : converts,
          isUsed: isUnused || steps.some(({ isSent, isAnswered }) => isUpgrade ? isSent : isAnswered),
          isText: part === 'querystring' && !isUpgrade,
          back: steps.every(({ isLossless }) => isLossless) ? downgrade : undefined,
          watched: watched && [watched, ...towards(sides[i])]
        }
        if (!isUpgrade) downgrade = conversion
        return conversion
      })
    })
    return { sides, conversions }
  }

  return { ofSchema, ofPart }
}

/** Wraps a conversion so that the next function gets dates and instances as the newer function has passed them on. */
function restoring (convert: Converter, move: Move): Conversion['converts'][number] {
  const takesDate = datesIn(move.older)
  return (value) => {
    const json = readJson(value)
    return json.restore(convert(json.value), takesDate)
  }
}
