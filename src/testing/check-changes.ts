import { AjvCompiler } from '@fastify/ajv-compiler'
import { isDeepStrictEqual } from 'node:util'

import { isJson } from '../changes/json.ts'
import { requireChanges } from '../changes/older-routes.ts'
import { entriesOf, idsIn, isObject, listOf } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { extremesOf } from './bounds.ts'
import { variantsOf } from './variants.ts'

import type { FastifyInstance } from 'fastify'
import type { ChangeExamples, ChangeProblem } from '../../types/testing.d.ts'
import type { Changes, Editions } from '../changes/changes.ts'
import type { Compiled, Failure } from '../fastify/compilers.ts'
import type { Direction, ValueStep } from '../changes/read.ts'
import type { ObjectSchema } from '../changes/schema.ts'

/** What a validator makes of a copy of a value, as JSON has it, and what is wrong with it, as a clause, or null. */
type Validate = (value: unknown) => { readonly wrong: string | null, readonly value: unknown }

/**
 * Whether examples of the changed schemas can be converted, and are valid then.
 *
 * @param given the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export function checkChanges (given: object, examples: ChangeExamples = {}): ChangeProblem[] {
  const app = given as FastifyInstance
  const changes = requireChanges(app)
  const { servers } = changes
  if (servers === null) throw new VersionChangeOptionError('checkChanges needs an app that is ready.')
  if (!isObject(examples)) throw invalidExamples('', 'an object', examples)
  const ids = [...new Set(changes.steps.flatMap(({ schemas }) => [...schemas.keys()]))]
  const unknown = Object.keys(examples).find((id) => !ids.includes(id))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(`No change has the schema ${show(unknown)}.${suggestionFor(unknown, ids)}`)
  }
  return ids.flatMap((id) => {
    const server = [app, ...servers].find((one) => idsIn(Object.values(one.getSchemas())).has(id)) ?? app
    const check = new SchemaCheck(id, changes, server)
    check.run(Object.hasOwn(examples, id) ? examples[id] : [])
    return check.problems
  })
}

/** The check of one schema. Versions are indexes. What is wrong is thrown, and becomes a problem. */
class SchemaCheck {
  readonly problems: ChangeProblem[] = []
  readonly #id: string
  readonly #changes: Changes
  readonly #server: FastifyInstance
  readonly #editions: Editions
  readonly #schema: unknown
  readonly #newest: number
  readonly #validators = new Map<number, Validate>()

  constructor (id: string, changes: Changes, server: FastifyInstance) {
    this.#id = id
    this.#changes = changes
    this.#server = server
    this.#editions = changes.editionsIn(server)
    this.#schema = this.#editions.newest.find(id)?.schema
    this.#newest = changes.versions.length - 1
  }

  run (examples: ChangeExamples[string]): void {
    const given: unknown = Array.isArray(examples) ? { [this.#changes.versions[this.#newest]]: examples } : examples
    const indexed = entriesOf(given).map(([version, some]) => ({ some, index: this.#changes.indexOf(version) }))
    if (!isObject(given) || !indexed.every(({ some }) => Array.isArray(some))) {
      throw invalidExamples(` of ${show(this.#id)}`, 'an array, or an array for each version', given)
    }
    const found = indexed.sort((a, b) => b.index - a.index)
      .flatMap(({ some, index }) => listOf(some).map((example) => ({ example, index })))
    for (const { example, index } of found) this.#report(index, example, () => this.#check(example, index))
    if (found.length === 0) this.#report(this.#newest, undefined, () => { throw new Error('There is no example.') })
  }

  #check (example: unknown, index: number): void {
    const { wrong } = this.#validated(example, index)
    if (wrong !== null) throw new Error(`The example is not valid: ${wrong}.`)
    const steps = this.#editions.stepsOf('upgrade', this.#schema, index)
    if (steps?.length === 0) return this.#checkOlder(example, index)
    if (steps === null) return
    if (!this.#report(index, example, () => this.#checkUpgrade(example, index, steps))) return
    if (steps.some(({ isSent }) => isSent)) this.#report(index, example, () => this.#checkBounds(example, index))
    if (!isMeant(steps, 'isSent') && !steps.every(({ isLossless }) => isLossless)) return
    this.#checkVariants(example, index, index, (value) => this.#checkUpgrade(value, index, steps))
  }

  #checkUpgrade (example: unknown, index: number, steps: readonly ValueStep[]): void {
    const upgraded = this.#converted('upgrade', example, index)
    if (!steps.every(({ isLossless }) => isLossless)) return
    const back = this.#converted('downgrade', upgraded, index)
    if (isDeepStrictEqual(toJson(back), toJson(example))) return
    throw new Error(`Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`)
  }

  /** Checks an example of the newest version in each older form. */
  #checkOlder (example: unknown, from: number): void {
    for (const { step } of this.#editions.stagesOf(this.#schema)) {
      const index = step.index - 1
      const steps = this.#editions.stepsOf('downgrade', this.#schema, index)
      if (steps === null) return
      const isFine = this.#report(index, example, () => {
        const older = this.#converted('downgrade', example, index)
        const upgrades = this.#editions.stepsOf('upgrade', this.#schema, index)
        if (upgrades?.some(({ isSent }) => isSent) !== true) return
        this.#report(index, older, () => this.#checkBounds(older, index))
      })
      if (!isFine || !isMeant(steps, 'isAnswered')) continue
      this.#checkVariants(example, from, index, (value) => { this.#converted('downgrade', value, index) })
    }
  }

  /** Checks values like an example that are valid as they are. One problem is enough for what differs in one place. */
  #checkVariants (example: unknown, index: number, at: number, check: (value: unknown) => void): void {
    const failed = new Set<string>()
    for (const { value, what, places } of variantsOf(toJson(example), this.#bundleIn(index))) {
      if (places.some((one) => failed.has(one))) continue
      const valid = this.#validated(value, index)
      if (valid.wrong !== null || !isKept(value, valid.value)) continue
      try {
        check(value)
      } catch (error) {
        for (const one of places) failed.add(one)
        this.#report(at, value, () => { throw new Error(`The example ${what} is valid, too. ${messageOf(error)}`) })
      }
    }
  }

  /** Whether the newest schema refuses what the older one takes. Clients of responses meet no bounds. */
  #checkBounds (value: unknown, index: number): void {
    const upgrade = this.#editions.converter('upgrade', this.#id, index)
    for (const { value: extreme, pointer } of extremesOf(toJson(value), this.#bundleIn(this.#newest))) {
      if (this.#validated(extreme, index).wrong !== null) continue
      const { wrong } = this.#validated(upgrade(extreme), this.#newest)
      if (wrong === null) continue
      const [older, newest] = [index, this.#newest].map((one) => show(this.#changes.versions[one]))
      throw new Error(`${older} takes more at ${show(pointer)} than ${newest} has room for: ${wrong}.`)
    }
  }

  #converted (direction: Direction, given: unknown, index: number): unknown {
    const value: unknown = isJson(given) ? structuredClone(given) : given
    const converted = this.#editions.converter(direction, this.#id, index, true)(value)
    const place = isJson(given) ? differenceIn(given, value) : null
    if (place !== null) {
      throw new Error(`The ${direction} modifies what it is given, at ${show(place)}: copy objects inside of it.`)
    }
    const to = direction === 'upgrade' ? this.#newest : index
    const { wrong, value: validated } = this.#validated(converted, to)
    const version = show(this.#changes.versions[to])
    if (wrong !== null) {
      throw new Error(`The ${direction} gives ${show(converted)}, which is not valid in ${version}: ${wrong}.`)
    }
    const lost = lostIn(toJson(converted), validated, direction === 'upgrade' ? given : null)
    if (lost !== null) throw new Error(`The ${direction} makes ${show(lost)}, which validation in ${version} replaces.`)
    return converted
  }

  #validated (value: unknown, index: number): ReturnType<Validate> {
    const validate = this.#validators.get(index) ?? validatorOf(this.#server, this.#bundleIn(index))
    this.#validators.set(index, validate)
    return validate(toJson(value))
  }

  #bundleIn (index: number): unknown {
    const edition = this.#editions.editionIn(index)
    return edition.bundle(edition.find(this.#id)?.schema)
  }

  /** @returns whether nothing is wrong */
  #report (index: number, example: unknown, check: () => void): boolean {
    try {
      check()
      return true
    } catch (error) {
      this.problems.push({
        schema: this.#id, version: this.#changes.versions[index], example, message: messageOf(error)
      })
      return false
    }
  }
}

/** Whether values are converted in a direction: in a route, or only outside of requests. */
function isMeant (steps: readonly ValueStep[], use: 'isSent' | 'isAnswered'): boolean {
  return steps.some((step) => step[use]) || !steps.some(({ isSent, isAnswered }) => isSent || isAnswered)
}

/** The error of a change says where and why in its cause; other errors say it themselves. */
function messageOf (error: unknown): string {
  const { message, cause } = ((error as Error).cause ?? error) as Error
  return cause instanceof Error ? `${message.replace(/\.$/, '')}: ${cause.message}` : message
}

/** Whether validation has changed nothing of a value, but for defaults. */
function isKept (value: unknown, validated: unknown): boolean {
  if (!isObject(value) || !isObject(validated)) return Object.is(value, validated)
  if (Array.isArray(value) && value.length !== validated.length) return false
  return Object.entries(value).every(([key, member]) => isKept(member, validated[key]))
}

/**
 * The place of what validation has removed, or of null, which it has replaced; or null.
 *
 * @param before the value before an upgrade, which may have what is removed; null for a downgrade, where much is
 */
function lostIn (value: unknown, validated: unknown, before: unknown, pointer = ''): string | null {
  if (value === null && validated !== null) return pointer
  if (!isObject(value) || !isObject(validated)) return null
  for (const [key, member] of Object.entries(value)) {
    const own = before === null ? null : (Object(before) as ObjectSchema)[key]
    const isRemoved = !Object.hasOwn(validated, key)
    if (isRemoved && own !== undefined) continue
    const lost = isRemoved ? `${pointer}/${key}` : lostIn(member, validated[key], own, `${pointer}/${key}`)
    if (lost !== null) return lost
  }
  return null
}

/** The first place where two values differ, as a JSON pointer; or null. */
function differenceIn (one: unknown, other: unknown, pointer = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null
  if (!isObject(one) || !isObject(other)) return pointer
  const key = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .find((key) => !isDeepStrictEqual(one[key], other[key]))
  return key === undefined ? pointer : differenceIn(one[key], other[key], `${pointer}/${key}`)
}

/** By the compiler of the context, unless it has none, or does not know a keyword that only responses have. */
function validatorOf ({ validatorCompiler }: FastifyInstance, schema: unknown): Validate {
  if (isZod(schema)) {
    return (value) => {
      const { error, data } = schema.safeParse(value)
      return { wrong: textOf(error?.issues), value: data }
    }
  }
  const definition = { schema: schema as object, method: 'POST', url: '/', httpPart: 'body' }
  let compiled: unknown
  try {
    compiled = validatorCompiler?.(definition)
  } catch {}
  // Keywords pass that only serializers and documents know.
  const options = { customOptions: { strict: false, logger: false } }
  const validate = (compiled ?? AjvCompiler()({}, options as never)(definition as never)) as Compiled
  return (given) => {
    const result = validate(given)
    if (result === false) return { wrong: textOf(validate.errors ?? []), value: given }
    const { error, value = given } = Object(result) as { error?: Error, value?: unknown }
    return { wrong: error?.message ?? null, value }
  }
}

/** @returns null for no failures */
function textOf (failures: readonly Failure[] | undefined): string | null {
  return failures?.map(({ path = [], instancePath = path.map((key) => `/${String(key)}`).join(''), message = '' }) => (
    `${instancePath} ${message}`.trim()
  )).join(', ') ?? null
}

function invalidExamples (place: string, expected: string, given: unknown): Error {
  return new VersionChangeOptionError(`Invalid examples${place}: expected ${expected}, got ${show(given)}.`)
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
