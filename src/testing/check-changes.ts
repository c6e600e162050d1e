import { strangerIn } from '../changes/description.ts'
import { entriesOf, isObject, listOf } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { requireChanges } from '../older-routes/decorators.ts'
import { addedTo, converted, faultsOf, takes } from './conversion.ts'
import { sampleOf } from './samples.ts'
import { subjectsOf } from './subjects.ts'
import { tryVariants } from './variants.ts'
import { readBack } from './watched-function.ts'

import type { FastifyInstance } from 'fastify'
import type { ChangeExamples, ChangeProblem } from '../../types/testing.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { Side } from './side.ts'
import type { Subject } from './subjects.ts'
import type { Tried } from './variants.ts'

/** A value that is valid in the version of a side. */
interface Seed {
  readonly value: unknown
  /** The version in problems. */
  readonly version: string
  readonly side: Side
}

/**
 * Checks whether examples of the changed schemas, and values like them, can be converted, and are valid then.
 *
 * @param instance the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have, or by a route and its part: `bookings query`
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export function checkChanges (instance: object, examples: ChangeExamples = {}): ChangeProblem[] {
  const app = Object(instance) as FastifyInstance
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

/** Returns the problems of one schema, or of one part of a route. */
function problemsOf (subject: Subject, changes: Changes, examples: unknown): ChangeProblem[] {
  const { name, sides, conversions, isPart } = subject
  const isPatched = changes.routes.some(({ methods, server, schema: { body } }) => (
    methods.includes('PATCH') &&
      [body, changes.editionsIn(server).newest.at(body).target?.schema].includes(sides[0].schema)
  ))
  const problems: ChangeProblem[] = []
  const report = (version: string, example: unknown, message: string) => {
    if (problems.some((problem) => problem.message === message)) return
    problems.push({ schema: name, version, example, message })
  }
  const reportNone = (version: string, list = '[an example]') => {
    const call = `checkChanges(app, { ${show(name)}: ${list} })`
    report(version, undefined, `There is no example. Write ${call}, or "examples" into the schema.`)
  }
  const seeds = [
    ...readExamples(subject, examples, changes).filter((seed) => {
      const wrong = wrongExample(seed, sides)
      if (wrong !== null) report(seed.version, seed.value, wrong)
      return wrong === null
    }),
    ...sides.flatMap((side) => side.examples.map((value) => seedOf(side, value)))
  ]
  if (!isPart && seeds.length === 0) {
    if (problems.length === 0) reportNone(sides[0].version)
    return problems
  }
  const checks = conversions.map((conversion) => {
    const { from, to, older, isUsed } = conversion
    const tried: Tried = { failed: new Set(), uses: new Map(), isBlind: true }
    /** Checks a value and values like it. @returns the converted value, unless it is invalid */
    const check = ({ value, version: ofSeed, side }: Seed): Seed[] => {
      const version = side === older ? ofSeed : older.version
      const { wrong, value: result } = converted(conversion, value, version)
      const judge = (variant: unknown) => (
        takes(conversion, variant) ? converted(conversion, variant, version) : null
      )
      if (wrong !== null) report(version, value, wrong)
      else if (isUsed) tryVariants(value, from, to, judge, (...problem) => { report(version, ...problem) }, tried)
      return result !== undefined && to.takes(result) ? [seedOf(to, result)] : []
    }
    return { conversion, tried, check, ofSide: seeds.filter(({ side }) => side === from) }
  })
  const made = checks.flatMap(({ check, ofSide }) => ofSide.flatMap(check))
  for (const { conversion, tried, check, ofSide } of checks) {
    if (problems.length > 0) return problems
    const { from, older, isUsed } = conversion
    let sources = ofSide
    if (ofSide.length === 0) {
      // An example of another version is converted into an example of this one. Without any, the schema gives a sample.
      const results = made.filter(({ side }) => side === from)
      const full = seedOf(from, sampleOf(from.description.places.slice(0, 1)))
      sources = results.length > 0 || full.value === undefined || !from.takes(full.value) ? results : [full]
      // A plain array has examples of the newest version, and there may be no function that converts them.
      const list = from === older ? `{ ${show(older.version)}: [an example] }` : undefined
      if (isUsed && sources.length === 0) reportNone(older.version, list)
      if (isUsed) sources.forEach(check)
    }
    if (problems.length > 0) return problems
    for (const fault of [...faultsOf(conversion, tried), ...isPatched ? addedTo(conversion) : []]) {
      report(older.version, sources[0]?.value, fault)
    }
  }
  return problems
}

function seedOf (side: Side, value: unknown): Seed {
  return { side, value, version: side.version }
}

/** Reads examples with their versions, and returns those of the newest version first. */
function readExamples ({ name, sides }: Subject, examples: unknown, changes: Changes): Seed[] {
  const byVersion: unknown = Array.isArray(examples) ? { [changes.versions.at(-1) as string]: examples } : examples
  if (!isObject(byVersion) || !Object.values(byVersion).every(Array.isArray)) {
    throw invalidExamples(` of ${show(name)}`, 'an array, or an array for each version', byVersion)
  }
  return entriesOf(byVersion).map(([version, list]) => ({ version, list, index: changes.indexOf(version) }))
    .sort((a, b) => b.index - a.index).flatMap(({ version, list, index }) => {
      const side = sides.slice(1).findLast((candidate) => candidate.index >= index) ?? sides[0]
      return listOf(list).map((value) => ({ version, value, side }))
    })
}

/** Returns what is wrong with an example of a version, or null. */
function wrongExample ({ side, value, version }: Seed, sides: readonly Side[]): string | null {
  let json: unknown
  try {
    structuredClone(value)
    json = readBack(value)
  } catch (error) {
    return `The example is not valid: ${(error as Error).message.split('\n', 1)[0].replace(/\.$/, '')}.`
  }
  // A Zod schema may require a Date, as a handler returns it, which JSON does not have.
  const { wrong } = side.validate(isZod(side.schema) ? value : json)
  if (wrong !== null) return `The example is not valid: ${wrong}.`
  // A handler may return more for its changes than its schema says, and clients may send more to an open one.
  if (side === sides[0]) return null
  const isOfOthers = (key: string) => !side.hasName(key) && sides.some((candidate) => candidate.hasName(key))
  const stranger = strangerIn(json, side.description)?.at(-1) ?? Object.keys(Object(json)).find(isOfOthers)
  return stranger === undefined
    ? null
    : `The example has ${show(stranger)}, which the schema of ${show(version)} does not have. Move it to its version.`
}

function invalidExamples (place: string, expected: string, examples: unknown): Error {
  return new VersionChangeOptionError(`Invalid examples${place}: expected ${expected}, got ${show(examples)}.`)
}
