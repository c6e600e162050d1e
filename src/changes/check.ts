import { AjvCompiler } from '@fastify/ajv-compiler'
import { isDeepStrictEqual } from 'node:util'

import { changesIn, contextOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { extremesOf } from './bounds.ts'
import { requireChanges } from './older-routes.ts'
import { idsIn, isObject } from './schema.ts'
import { isZod } from './zod.ts'

import type { FastifyInstance } from 'fastify'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'
import type { Changes, Lineage } from './changes.ts'
import type { ValueStep } from './read.ts'
import type { Direction } from './shape.ts'

/** @returns what is wrong with a value, as a clause, or null if it is valid */
type Validate = (value: unknown) => string | null

/** What a compiler makes. */
interface Validator {
  (value: unknown): unknown
  readonly errors?: readonly Failure[] | null
}

interface Failure {
  readonly instancePath?: string
  readonly path?: readonly PropertyKey[]
  readonly message?: string
}

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
  if (!changes.isSettled) throw new VersionChangeOptionError('checkChanges needs an app that is ready.')
  if (!isObject(examples)) {
    throw new VersionChangeOptionError(`Invalid examples: expected an object, got ${show(examples)}.`)
  }
  const ids = [...new Set(changes.steps.flatMap(({ schemas }) => [...schemas.keys()]))]
  const unknown = Object.keys(examples).find((id) => !ids.includes(id))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(`No change has the schema ${show(unknown)}.${suggestionFor(unknown, ids)}`)
  }
  const servers = [app, ...contextOf(app).routes.map(({ server }) => server)]
    .filter((server) => changesIn(server) === changes)
  return ids.flatMap((id) => {
    const server = servers.find((one) => idsIn(Object.values(one.getSchemas())).has(id)) ?? app
    const check = new SchemaCheck(id, changes, server)
    check.run(Object.hasOwn(examples, id) ? examples[id] : [])
    return check.problems
  })
}

/** The check of one schema. */
class SchemaCheck {
  readonly problems: ChangeProblem[] = []
  readonly #id: string
  readonly #changes: Changes
  readonly #lineage: Lineage
  readonly #server: FastifyInstance
  readonly #newest: string
  /** Where the schema, or one in it, changes: newest first. Null for steps that cannot upgrade it. */
  readonly #stages: readonly { index: number, older: string, steps: readonly ValueStep[] | null }[]
  readonly #validators = new Map<string, Validate>()

  constructor (id: string, changes: Changes, server: FastifyInstance) {
    const { versions } = changes
    this.#id = id
    this.#changes = changes
    this.#lineage = changes.lineageOf(server.getSchemas())
    this.#server = server
    this.#newest = versions[versions.length - 1]
    this.#stages = this.#lineage.stages.flatMap(({ step: { index }, shapes }) => {
      const shape = shapes.of({ $ref: `${id}#` })
      const steps = shapes.check(shape, 'upgrade')
      const upgrading = typeof steps === 'string' ? null : [...steps]
      return shape.isAlive ? [{ index, older: versions[index - 1], steps: upgrading }] : []
    })
  }

  run (examples: ChangeExamples[string]): void {
    const given = Array.isArray(examples) ? { [this.#newest]: examples } : examples
    const byVersion = Object.entries<readonly unknown[]>(given as { [version: string]: readonly unknown[] })
    const indexed = byVersion.map(([version, some]) => ({ version, some, index: this.#changes.indexOf(version) }))
    for (const { version, some, index } of indexed.sort((a, b) => b.index - a.index)) {
      for (const example of some) this.#guard(version, example, () => this.#check(example, version, index))
    }
    if (byVersion.every(([, { length }]) => length === 0)) this.#report(this.#newest, undefined, 'There is no example.')
  }

  #check (example: unknown, version: string, index: number): void {
    const wrong = this.#wrongIn(example, version)
    if (wrong !== null) return this.#report(version, example, `The example is not valid: ${wrong}.`)
    if (this.#stepsAfter(index)?.length === 0) {
      for (const { older } of this.#stages) {
        this.#guard(older, example, () => {
          const value = this.#converted('downgrade', example, older, example)
          if (value !== undefined) this.#checkBounds(value, older)
        })
      }
      return
    }
    const upgraded = this.#converted('upgrade', example, version, example)
    if (upgraded === undefined) return
    this.#checkBounds(example, version)
    if (this.#stepsAfter(index)?.every(({ isLossless }) => isLossless) !== true) return
    const back = this.#converted('downgrade', upgraded, version, example)
    if (back === undefined || isDeepStrictEqual(toJson(back), toJson(example))) return
    const message = `Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`
    this.#report(version, example, message)
  }

  /** Whether the newest schema refuses what the older one takes. */
  #checkBounds (value: unknown, version: string): void {
    const index = this.#changes.indexOf(version)
    if (this.#stepsAfter(index) === null) return
    const upgrade = this.#lineage.converter('upgrade', this.#id, index)
    for (const { value: extreme, pointer } of extremesOf(toJson(value), this.#bundleIn(this.#newest))) {
      const wrong = this.#wrongIn(extreme, version) === null ? this.#wrongIn(upgrade(extreme), this.#newest) : null
      if (wrong === null) continue
      const newest = show(this.#newest)
      const message = `${show(version)} takes more at ${show(pointer)} than ${newest} has room for: ${wrong}.`
      return this.#report(version, value, message)
    }
  }

  /** @returns the converted value, or undefined if it is not valid */
  #converted (direction: Direction, value: unknown, version: string, example: unknown): unknown {
    const converted = this.#lineage.converter(direction, this.#id, this.#changes.indexOf(version))(value)
    const to = direction === 'upgrade' ? this.#newest : version
    const wrong = this.#wrongIn(converted, to)
    if (wrong === null) return converted
    const gives = `The ${direction} gives ${show(converted)}`
    this.#report(version, example, `${gives}, which is not valid in ${show(to)}: ${wrong}.`)
    return undefined
  }

  /** Null if one of them cannot upgrade. */
  #stepsAfter (index: number): readonly ValueStep[] | null {
    const some: ValueStep[] = []
    for (const stage of this.#stages) {
      if (stage.index <= index) continue
      if (stage.steps === null) return null
      some.push(...stage.steps)
    }
    return some
  }

  /** @returns what is wrong with the value in the version, or null if it is valid */
  #wrongIn (value: unknown, version: string): string | null {
    const validate = this.#validators.get(version) ?? validatorOf(this.#server, this.#bundleIn(version))
    this.#validators.set(version, validate)
    return validate(toJson(value))
  }

  #bundleIn (version: string): unknown {
    const edition = this.#lineage.editionIn(this.#changes.indexOf(version))
    const schema = edition.find(this.#id)?.schema
    return edition.bundle(isZod(schema) ? schema : { $ref: `${this.#id}#` })
  }

  /** The error of a change says where and why in its cause; other errors say it themselves. */
  #guard (version: string, example: unknown, check: () => void): void {
    try {
      check()
    } catch (error) {
      const { cause = error } = error as Error
      this.#report(version, example, (cause as Error).message)
    }
  }

  #report (version: string, example: unknown, message: string): void {
    this.problems.push({ schema: this.#id, version, example, message })
  }
}

/**
 * Fastify gives a context a compiler once a route validates requests. It may refuse a schema that only responses have,
 * or one that is not in its language: then Fastify's own compiler is used.
 */
function validatorOf ({ validatorCompiler }: FastifyInstance, schema: unknown): Validate {
  if (isZod(schema)) return (value) => textOf(schema.safeParse(value).error?.issues)
  const byDefault = once(() => toValidate(AjvCompiler()({}, OPTIONS as never)({ schema } as never)))
  if (validatorCompiler === undefined) return (value) => byDefault()(value)
  const definition = { schema: schema as object, method: 'POST', url: '/', httpPart: 'body' }
  const own = once(() => toValidate(validatorCompiler(definition)))
  return (value) => {
    try {
      return own()(value)
    } catch {
      return byDefault()(value)
    }
  }
}

/** Keywords pass that only serializers and documents know. */
const OPTIONS = { customOptions: { strict: false, logger: false } }

function once<Value> (make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** @param validate what a compiler has made */
function toValidate (validate: unknown): Validate {
  return (value) => {
    const result = (validate as Validator)(value)
    if (result === false) return textOf((validate as Validator).errors ?? [])
    return (Object(result) as { error?: Error }).error?.message ?? null
  }
}

/** @returns null for no failures */
function textOf (failures: readonly Failure[] | undefined): string | null {
  return failures?.map(({ path = [], instancePath = path.map((key) => `/${String(key)}`).join(''), message = '' }) => (
    `${instancePath} ${message}`.trim()
  )).join(', ') ?? null
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
