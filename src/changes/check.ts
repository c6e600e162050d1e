import { AjvCompiler } from '@fastify/ajv-compiler'
import { isDeepStrictEqual } from 'node:util'

import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { extremesOf } from './bounds.ts'
import { requireChanges } from './older-routes.ts'
import { entriesOf, idsIn, isObject, listOf } from './schema.ts'
import { isZod } from './zod.ts'

import type { FastifyInstance } from 'fastify'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'
import type { Changes, Editions } from './changes.ts'
import type { Compiled, Failure } from './fastify-parts.ts'
import type { Direction } from './shape.ts'

/** @returns what is wrong with a value, as a clause, or null if it is valid */
type Validate = (value: unknown) => string | null

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
    this.#editions = changes.editionsOf(server.getSchemas())
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
    const wrong = this.#wrongIn(example, index)
    if (wrong !== null) throw new Error(`The example is not valid: ${wrong}.`)
    const steps = this.#editions.stepsOf('upgrade', this.#schema, index)
    if (steps === null) return
    if (steps.length === 0) return this.#checkOlder(example)
    const upgraded = this.#converted('upgrade', example, index)
    this.#report(index, example, () => this.#checkBounds(example, index))
    if (!steps.every(({ isLossless }) => isLossless)) return
    const back = this.#converted('downgrade', upgraded, index)
    if (isDeepStrictEqual(toJson(back), toJson(example))) return
    throw new Error(`Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`)
  }

  /** Checks an example of the newest version in each older form. */
  #checkOlder (example: unknown): void {
    for (const { step } of this.#editions.stagesOf(this.#schema)) {
      const index = step.index - 1
      if (this.#editions.stepsOf('downgrade', this.#schema, index) === null) return
      this.#report(index, example, () => {
        const older = this.#converted('downgrade', example, index)
        this.#report(index, older, () => this.#checkBounds(older, index))
      })
    }
  }

  /** Whether the newest schema refuses what the older one takes. Clients of responses meet no bounds. */
  #checkBounds (value: unknown, index: number): void {
    if (this.#editions.stepsOf('upgrade', this.#schema, index)?.some(({ isSent }) => isSent) !== true) return
    const upgrade = this.#editions.converter('upgrade', this.#id, index)
    for (const { value: extreme, pointer } of extremesOf(toJson(value), this.#bundleIn(this.#newest))) {
      const wrong = this.#wrongIn(extreme, index) === null ? this.#wrongIn(upgrade(extreme), this.#newest) : null
      if (wrong === null) continue
      const [older, newest] = [index, this.#newest].map((one) => show(this.#changes.versions[one]))
      throw new Error(`${older} takes more at ${show(pointer)} than ${newest} has room for: ${wrong}.`)
    }
  }

  #converted (direction: Direction, value: unknown, index: number): unknown {
    const converted = this.#editions.converter(direction, this.#id, index)(value)
    const to = direction === 'upgrade' ? this.#newest : index
    const wrong = this.#wrongIn(converted, to)
    if (wrong === null) return converted
    const version = show(this.#changes.versions[to])
    throw new Error(`The ${direction} gives ${show(converted)}, which is not valid in ${version}: ${wrong}.`)
  }

  #wrongIn (value: unknown, index: number): string | null {
    const validate = this.#validators.get(index) ?? validatorOf(this.#server, this.#bundleIn(index))
    this.#validators.set(index, validate)
    return validate(toJson(value))
  }

  #bundleIn (index: number): unknown {
    const edition = this.#editions.editionIn(index)
    return edition.bundle(edition.find(this.#id)?.schema)
  }

  #report (index: number, example: unknown, check: () => void): void {
    try {
      check()
    } catch (error) {
      // The error of a change says where and why in its cause; other errors say it themselves.
      const { cause = error } = error as Error
      const { message } = cause as Error
      this.problems.push({ schema: this.#id, version: this.#changes.versions[index], example, message })
    }
  }
}

/** By the compiler of the context, unless it has none, or does not know a keyword that only responses have. */
function validatorOf ({ validatorCompiler }: FastifyInstance, schema: unknown): Validate {
  if (isZod(schema)) return (value) => textOf(schema.safeParse(value).error?.issues)
  const definition = { schema: schema as object, method: 'POST', url: '/', httpPart: 'body' }
  let compiled: unknown
  try {
    compiled = validatorCompiler?.(definition)
  } catch {}
  // Keywords pass that only serializers and documents know.
  const options = { customOptions: { strict: false, logger: false } }
  const validate = (compiled ?? AjvCompiler()({}, options as never)(definition as never)) as Compiled
  return (value) => {
    const result = validate(value)
    if (result === false) return textOf(validate.errors ?? [])
    return (Object(result) as { error?: Error }).error?.message ?? null
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
