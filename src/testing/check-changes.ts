import { requireChanges } from '../older-routes/older-routes.ts'
import { entriesOf, isObject, listOf } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { ConversionCheck } from './conversion-check.ts'
import { subjectsOf } from './subjects.ts'
import { Variants } from './variants.ts'

import type { FastifyInstance } from 'fastify'
import type { ChangeExamples, ChangeProblem } from '../../types/testing.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { Side } from './side.ts'
import type { Subject } from './subjects.ts'

/** A value that is valid on a side. */
interface Seed {
  readonly value: unknown
  /** As problems call it. */
  readonly version: string
  readonly side: Side
}

/**
 * Whether examples of the changed schemas, and values like them, can be converted, and are valid then.
 *
 * @param given the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have, or by a route and its part: `bookings query`
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export function checkChanges (given: object, examples: ChangeExamples = {}): ChangeProblem[] {
  const app = given as FastifyInstance
  const changes = requireChanges(app)
  if (changes.servers === null) throw new VersionChangeOptionError('checkChanges needs an app that is ready.')
  if (!isObject(examples)) throw invalidExamples('', 'an object', examples)
  const subjects = subjectsOf(app, changes)
  const names = subjects.map(({ name }) => name)
  const unknown = Object.keys(examples).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(`No change has the schema ${show(unknown)}.${suggestionFor(unknown, names)}`)
  }
  return subjects.flatMap((subject) => {
    const check = new SubjectCheck(subject, changes)
    check.run(Object.hasOwn(examples, subject.name) ? examples[subject.name] : [])
    return check.problems
  })
}

/** The check of one schema, or of one part of a route. */
class SubjectCheck {
  readonly problems: ChangeProblem[] = []
  readonly #subject: Subject
  readonly #changes: Changes

  constructor (subject: Subject, changes: Changes) {
    this.#subject = subject
    this.#changes = changes
  }

  run (examples: unknown): void {
    const { newest, older, needsExample } = this.#subject
    const given = this.#read(examples)
    const sides = [newest, ...older.map(({ side }) => side)]
    const seeds = [...given, ...sides.flatMap((side) => seedsIn(side))]
    if (needsExample && seeds.length + this.problems.length === 0) {
      return this.#report(newest.version, undefined, 'There is no example.')
    }
    if (needsExample && seeds.length === 0) return
    const checks = older.flatMap((values) => (['downgrade', 'upgrade'] as const).flatMap((direction) => {
      const conversion = values[direction]
      return conversion === null ? [] : [new ConversionCheck(this.#subject, values, direction, conversion)]
    }))
    const converted = checks.flatMap((check) => this.#convert(check, seeds))
    for (const check of checks) {
      if (this.problems.length > 0) return
      const [own, others] = [seeds, converted].map((some) => some.filter(({ side }) => side === check.from))
      // An example of one version is one of the other version once it is converted.
      const made = own.length > 0 ? [] : others.length > 0 ? others : madeOn(check.from)
      if (own.length + made.length === 0 && !needsExample) {
        return this.#report(check.older.version, undefined, 'There is no example.')
      }
      if (check.isUsed) this.#convert(check, made)
      for (const fault of check.faults()) this.#report(check.older.version, [...own, ...made].at(0)?.value, fault)
    }
  }

  /** @returns what values became */
  #convert (check: ConversionCheck, seeds: readonly Seed[]): Seed[] {
    const { from, to, older } = check
    return seeds.filter(({ side }) => side === from).flatMap((seed) => {
      const version = from === older ? seed.version : older.version
      const value = check.check(seed.value, version, (value, wrong) => { this.#report(version, value, wrong) })
      return value !== undefined && to.takes(value) ? [{ value, version: older.version, side: to }] : []
    })
  }

  /** The valid examples that the user has given. */
  #read (examples: unknown): Seed[] {
    const { name, newest, older } = this.#subject
    const byVersion: unknown = Array.isArray(examples) ? { [newest.version]: examples } : examples
    const lists = entriesOf(byVersion).map(([version, list]) => (
      { version, list, index: this.#changes.indexOf(version) }
    ))
    if (!isObject(byVersion) || !lists.every(({ list }) => Array.isArray(list))) {
      throw invalidExamples(` of ${show(name)}`, 'an array, or an array for each version', byVersion)
    }
    return lists.sort((a, b) => b.index - a.index).flatMap(({ version, list, index }) => {
      const side = older.findLast((one) => one.index >= index)?.side ?? newest
      return listOf(list).flatMap((value) => {
        const { wrong } = side.validate(toJson(value))
        if (wrong !== null) this.#report(version, value, `The example is not valid: ${wrong}.`)
        return wrong === null ? [{ version, value, side }] : []
      })
    })
  }

  #report (version: string, example: unknown, message: string): void {
    if (this.problems.some((problem) => problem.message === message)) return
    this.problems.push({ schema: this.#subject.name, version, example, message })
  }
}

/** The valid examples that a schema itself has. */
function seedsIn (side: Side): Seed[] {
  const { version, schema } = side
  const { examples, example } = Object(isZod(schema) ? schema.meta?.() : schema) as Record<string, unknown>
  return [...listOf(examples), ...example === undefined ? [] : [example]].filter((value) => side.takes(value))
    .map((value) => ({ version, value, side }))
}

/** A value with all that a schema says, if one can be made that is valid. */
function madeOn (side: Side): Seed[] {
  const value = new Variants(side.reader, side.reader).full()
  return value !== undefined && side.takes(value) ? [{ version: side.version, value, side }] : []
}

function invalidExamples (place: string, expected: string, given: unknown): Error {
  return new VersionChangeOptionError(`Invalid examples${place}: expected ${expected}, got ${show(given)}.`)
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
