import { requireChanges } from '../older-routes/decorators.ts'
import { entriesOf, isObject, listOf } from '../changes/schema.ts'
import { strangerIn } from '../changes/schema-reader.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { subjectsOf } from './subjects.ts'
import { Variants } from './variants.ts'
import { readBack } from './watched-function.ts'

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
 * @param instance the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have, or by a route and its part: `bookings query`
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export function checkChanges (instance: object, examples: ChangeExamples = {}): ChangeProblem[] {
  const app = instance as FastifyInstance
  const changes = requireChanges(app)
  if (changes.servers === null) throw new VersionChangeOptionError('Await app.ready() before checkChanges().')
  if (!isObject(examples)) throw invalidExamples('', 'an object', examples)
  const subjects = subjectsOf(app, changes)
  const names = subjects.map(({ name }) => name)
  const unknown = Object.keys(examples).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(`No change has the schema ${show(unknown)}.${suggestionFor(unknown, names)}`)
  }
  return subjects.flatMap((subject) => (
    problemsOf(subject, changes, Object.hasOwn(examples, subject.name) ? examples[subject.name] : [])
  ))
}

/** The problems of one schema, or of one part of a route. */
function problemsOf (subject: Subject, changes: Changes, examples: unknown): ChangeProblem[] {
  const { name, sides, conversions, isPart } = subject
  const problems: ChangeProblem[] = []
  const report = (version: string, example: unknown, message: string) => {
    if (problems.some((problem) => problem.message === message)) return
    problems.push({ schema: name, version, example, message })
  }
  const exampleSeeds = readExamples(name, examples, changes).flatMap(({ version, index, value }): Seed[] => {
    const side = sides.slice(1).findLast((candidate) => candidate.index >= index) ?? sides[0]
    const json = readBack(value)
    const { wrong } = side.validate(json)
    // A handler may return more for its changes than its schema says, and clients may send more to an open one.
    const isOfOthers = (key: string) => !side.hasName(key) && sides.some((other) => other.hasName(key))
    const stranger = side === sides[0]
      ? undefined
      : strangerIn(json, side.said)?.at(-1) ?? Object.keys(Object(json)).find(isOfOthers)
    if (wrong === null && stranger === undefined) return [{ version, value, side }]
    report(version, value, wrong === null
      ? `The example has ${show(stranger)}, which the schema of ${show(version)} does not have. Move it to its version.`
      : `The example is not valid: ${wrong}.`)
    return []
  })
  const seeds = [...exampleSeeds, ...sides.flatMap((side) => side.examples.map((value) => seedOf(side, value)))]
  if (!isPart && seeds.length === 0) {
    if (problems.length === 0) report(sides[0].version, undefined, noExample(name))
    return problems
  }
  const checks = conversions.map((conversion) => {
    const { from, to, older, isUsed } = conversion
    const variants = new Variants(from, to)
    /** @returns what values became */
    const check = ({ value, version: seedVersion, side }: Seed): Seed[] => {
      if (side !== from) return []
      const version = side === older ? seedVersion : older.version
      const { wrong, value: result } = conversion.try(value, version)
      if (wrong !== null) report(version, value, wrong)
      else if (isUsed) {
        const judge = (variant: unknown) => conversion.takes(variant) ? conversion.try(variant, version) : null
        variants.try(value, judge, (variant, message) => { report(version, variant, message) })
      }
      return result !== undefined && to.takes(result) ? [seedOf(to, result)] : []
    }
    return { conversion, variants, check }
  })
  const converted = checks.flatMap(({ check }) => seeds.flatMap(check))
  for (const { conversion, variants, check } of checks) {
    if (problems.length > 0) return problems
    const { from, older, isUsed } = conversion
    // An example of one version is one of the other version once it is converted. Or else the schema says all.
    const full = () => [variants.full(undefined)].filter((value) => value !== undefined && from.takes(value))
    const choices = [seeds, converted].map((some) => some.filter(({ side }) => side === from))
    const sources = choices.find((some) => some.length > 0) ?? full().map((value) => seedOf(from, value))
    if (sources.length === 0 && isPart) report(older.version, undefined, noExample(name))
    if (isUsed && sources !== choices[0]) sources.forEach(check)
    for (const fault of conversion.faults(variants)) report(older.version, sources[0]?.value, fault)
  }
  return problems
}

function noExample (name: string): string {
  return `There is no example. Write checkChanges(app, { ${show(name)}: [an example] }), or "examples" into the schema.`
}

function seedOf (side: Side, value: unknown): Seed {
  return { side, value, version: side.version }
}

/** Examples with their versions, those of the newest one first. */
function readExamples (name: string, examples: unknown, changes: Changes) {
  const byVersion: unknown = Array.isArray(examples) ? { [changes.versions.at(-1) as string]: examples } : examples
  if (!isObject(byVersion) || !Object.values(byVersion).every(Array.isArray)) {
    throw invalidExamples(` of ${show(name)}`, 'an array, or an array for each version', byVersion)
  }
  const lists = entriesOf(byVersion).map(([version, list]) => ({ version, list, index: changes.indexOf(version) }))
  return lists.sort((a, b) => b.index - a.index).flatMap(({ version, list, index }) => (
    listOf(list).map((value) => ({ version, index, value }))
  ))
}

function invalidExamples (place: string, expected: string, examples: unknown): Error {
  return new VersionChangeOptionError(`Invalid examples${place}: expected ${expected}, got ${show(examples)}.`)
}
