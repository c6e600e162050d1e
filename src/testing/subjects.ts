import { toConvert } from '../changes/convert.ts'
import { isRequest, partsOf } from '../changes/parts.ts'
import { moveOf } from '../changes/plan.ts'
import { NO_CONTENT } from '../changes/read-changes.ts'
import { formsOf } from '../changes/route-forms.ts'
import { idsIn } from '../changes/schema.ts'
import { lossesOf } from '../changes/upgrade.ts'
import { serializerFor } from '../fastify/serializer-compiler.ts'
import { show } from '../messages.ts'
import { Conversion } from './conversion.ts'
import { Watched } from './watched-function.ts'
import { Side } from './side.ts'

import type { FastifyInstance } from 'fastify'
import type { Changes, Editions } from '../changes/changes.ts'
import type { Edition } from '../changes/edition.ts'
import type { HandledRoute } from '../changes/route-forms.ts'
import type { Move } from '../changes/plan.ts'
import type { ChangeFunction, Direction, ReadChange, ValueStep } from '../changes/read-changes.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { Compile } from './side.ts'

/** In the order in which they are checked: upgrades of lossless values are converted back. */
const DIRECTIONS = ['downgrade', 'upgrade'] as const

/** A place where changes convert values: a shared schema, or a part of a route. */
export interface Subject {
  /** As examples and problems call it: the `$id`, or `bookings query`. */
  readonly name: string
  /** Whether it is a part of a route: then no examples are needed, because its schema says everything of the value. */
  readonly isPart: boolean
  /** The newest version, and the older ones in which values are different, newest first. */
  readonly sides: readonly Side[]
  readonly conversions: readonly Conversion[]
}

/** The values of an older version. */
interface Older {
  readonly side: Side
  /** What is undone, newest change first. */
  readonly moves: readonly Move[]
  readonly changes: readonly ReadChange[]
  /** Of the value, and of what is in it. */
  readonly steps: readonly ValueStep[]
  /** What the oldest change does with the value itself. */
  readonly ofValue: readonly ValueStep[]
  readonly directions: readonly Direction[]
}

/** Everything that changes convert in an app, or in a context of it. */
export function subjectsOf (app: FastifyInstance, changes: Changes): Subject[] {
  const servers = [app, ...changes.servers as readonly FastifyInstance[]]
  const ids = [...new Set(changes.steps.flatMap(({ schemas }) => [...schemas.keys()]))]
  const schemas = ids.map((id) => {
    const server = servers.find((context) => idsIn(Object.values(context.getSchemas())).has(id)) ?? app
    return new Context(changes, server).ofSchema(id)
  })
  const routes = changes.routes.flatMap((route) => {
    const names = new Set(changes.steps.flatMap(({ routes }) => [...routes.get(route.name ?? '')?.keys() ?? []]))
    return [...names].flatMap((part) => new Context(changes, route.server).ofPart(route, part))
  })
  // Each namespace may have the same routes.
  const isSame = (first: Subject, second: Subject) => first.name === second.name &&
    [0, 1].every((i) => first.sides[i]?.schema === second.sides[i]?.schema)
  return [...schemas, ...routes.filter((route, i) => routes.findIndex((earlier) => isSame(route, earlier)) === i)]
}

/** A context whose functions are watched. */
class Context {
  readonly #versions: readonly string[]
  readonly #editions: Editions
  readonly #compile: Compile
  readonly #watched = new Map<unknown, Watched>()

  constructor (changes: Changes, server: FastifyInstance) {
    const watch = (apply: ChangeFunction | null): ChangeFunction | null => {
      if (apply === null) return null
      const watched = new Watched(apply)
      this.#watched.set(watched.call, watched)
      return watched.call
    }
    this.#versions = changes.versions
    this.#editions = changes.editionsWith(server, (step) => (
      { ...step, upgrade: watch(step.upgrade), downgrade: watch(step.downgrade) }
    ))
    this.#compile = (schema, use) => (use === 'validated'
      ? server.validatorCompiler?.({ schema, method: 'POST', url: '/;check', httpPart: 'body' })
      : serializerFor(server, schema, '/;check')
    ) as Compiled | undefined
  }

  ofSchema (id: string): Subject {
    const editions = this.#editions
    const schema = editions.newest.find(id)?.schema
    const newest = this.#side(this.#versions.length - 1, schema, editions.newest)
    const stages = editions.stagesOf(schema)
    const older = stages.map(({ step, older }, i): Older => {
      const undone = stages.slice(0, i + 1)
      return {
        side: this.#side(step.index - 1, older.find(id)?.schema, older),
        moves: undone.map((stage) => moveOf(stage, schema)),
        changes: undone.flatMap(({ step }) => step.changes),
        steps: undone.flatMap((stage) => stage.shapeOf(schema).alive().flatMap(({ steps }) => steps)),
        ofValue: stages[i].shapeOf(schema).steps,
        directions: DIRECTIONS.filter((direction) => editions.canConvert(direction, schema, step.index - 1))
      }
    })
    return this.#subject(id, `the schema ${show(id)}, value`, null, newest, older)
  }

  /** A part of a route, once for each media type that it lists. */
  ofPart (route: HandledRoute, part: string): Subject[] {
    const forms = formsOf({ ...route, compile: () => String }, this.#editions.stages)
    const draft = partsOf(route.schema).get(part)
    const types = new Set(forms.flatMap(({ parts }) => [...parts.get(part)?.keys() ?? []]))
    return [...types].map((type) => {
      const compile: Compile = (schema, use) => (
        (use === 'validated') === isRequest(part) ? route.compile(schema, part, type) : this.#compile(schema, use)
      )
      const [anyMedia] = draft?.values() ?? []
      const { schema = {} } = draft?.get(type) ?? draft?.get(null) ?? anyMedia ?? {}
      const newest = this.#side(route.spoken, schema, this.#editions.editionIn(route.spoken), compile)
      const older = forms.flatMap(({ parts, edition, versions }): Older[] => {
        const { schema, moves = [], changes = [] } = parts.get(part)?.get(type) ?? {}
        // A response without a body has no value.
        if (moves.length === 0 || schema === NO_CONTENT) return []
        const index = Math.max(...versions)
        const steps = this.#editions.stages.filter(({ step }) => step.index > index && step.index <= route.spoken)
          .flatMap(({ step }) => step.routes.get(String(route.name))?.get(part) ?? [])
        // Queries are downgraded in links.
        const directions = DIRECTIONS.filter((direction) => part === 'querystring'
          ? steps.every((step) => step[direction] !== null)
          : isRequest(part) === (direction === 'upgrade')
        )
        const side = this.#side(index, schema, edition, compile)
        return [{ side, moves, changes, steps, ofValue: steps.slice(-1), directions }]
      })
      const name = `${route.name} ${part === 'querystring' ? 'query' : part}`
      return this.#subject(name, `${route.label}, ${part}`, part, newest, older, compile)
    })
  }

  #side (index: number, schema: unknown, edition: Edition, compile = this.#compile): Side {
    return new Side(index, this.#versions[index], schema, edition, compile)
  }

  /**
   * @param label as errors have it
   * @param part of a route; null for a shared schema
   */
  #subject (
    name: string, label: string, part: string | null, newest: Side, all: readonly Older[], use: Compile = this.#compile
  ): Subject {
    const compile = (schema: object) => use(schema, 'validated')
    const before = (i: number, list = all) => list[i - 1] ?? { side: newest, moves: [] }
    // Versions may differ in other parts of the route alone.
    const older = all.filter(({ moves }, i) => moves.length > before(i).moves.length)
    const conversions = older.flatMap(({ side, moves, changes, steps, ofValue, directions }, i) => {
      const isUnused = part !== null || steps.every(({ isSent, isAnswered }) => !isSent && !isAnswered)
      const { side: newer, moves: { length } } = before(i, older)
      const made: Conversion[] = []
      for (const direction of directions) {
        const isUpgrade = direction === 'upgrade'
        const [from, to] = isUpgrade ? [side, newest] : [newest, side]
        // What is between the sides is known if one function alone is.
        const isOwn = ofValue.length === 1 && moves.length === length + 1
        const watched = isOwn ? this.#watched.get(ofValue[0][direction]) : undefined
        made.push(new Conversion(direction, from, to, {
          converts: isUpgrade
            // The newest version is judged by itself.
            ? moves.map((move, n) => (
              toConvert([move], direction, changes, label, false, lossesOf(n === 0 ? [] : [move], compile))
            )).reverse()
            : moves.map((move, n) => toConvert([move], direction, changes, label, n === moves.length - 1)),
          isUsed: isUnused || steps.some(({ isSent, isAnswered }) => isUpgrade ? isSent : isAnswered),
          isText: part === 'querystring' && !isUpgrade,
          back: steps.every(({ isLossless }) => isLossless) ? made[0] : undefined,
          watched: watched && (isUpgrade ? [watched, side, newer] : [watched, newer, side])
        }))
      }
      return made
    })
    return { name, isPart: part !== null, sides: [newest, ...older.map(({ side }) => side)], conversions }
  }
}
