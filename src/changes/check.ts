import { isDeepStrictEqual } from 'node:util'

import { VersionChangeOptionError } from '../errors.ts'
import { isObject } from './documents.ts'
import { show, suggestionFor } from '../messages.ts'
import { isZod } from './zod.ts'

import type { Changes } from './changes.ts'
import type { Direction } from './convert.ts'
import type { Lineage } from './lineage.ts'
import type { SharedSchemas } from './variant.ts'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'

/** @returns what is wrong with a value, as a clause, or null if it is valid. */
export type Validate = (value: unknown) => string | null

/** What a check of changes needs of an app. */
export interface Checked {
  readonly changes: Changes
  /** The context that shares a schema. */
  readonly contextWith: (id: string) => {
    readonly schemas: SharedSchemas
    /** @returns a function that validates as the context does; it may change the value */
    readonly compile: (schema: unknown) => Validate
  }
}

/**
 * Whether examples of the changed schemas can be converted, and are valid then.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION for examples of a schema that no change has, or of an unknown version
 */
export function checkExamples (checked: Checked, given: ChangeExamples): ChangeProblem[] {
  const ids = checked.changes.ids()
  if (!isObject(given)) {
    throw new VersionChangeOptionError(`Invalid examples: expected an object, got ${show(given)}.`)
  }
  for (const id of Object.keys(given)) {
    if (ids.includes(id)) continue
    throw new VersionChangeOptionError(`No change has the schema ${show(id)}.${suggestionFor(id, ids)}`)
  }
  return ids.flatMap((id) => {
    const check = new SchemaCheck(id, checked)
    check.run(Object.hasOwn(given, id) ? given[id] : undefined)
    return check.problems
  })
}

/** The check of one schema. */
class SchemaCheck {
  readonly problems: ChangeProblem[] = []
  readonly #id: string
  readonly #lineage: Lineage
  /** One version for each form of the schema, newest first. */
  readonly #versions: readonly string[]
  /** By these versions. */
  readonly #validators: ReadonlyMap<string, Validate>

  constructor (id: string, { changes, contextWith }: Checked) {
    const { schemas, compile } = contextWith(id)
    const lineage = changes.lineageOf(schemas)
    this.#id = id
    this.#lineage = lineage
    this.#versions = lineage.versionsWith(id)
    this.#validators = new Map(this.#versions.map((version) => [version, compile(lineage.bundle(id, version))]))
  }

  get #newest (): string {
    return this.#versions[0]
  }

  run (given: ChangeExamples[string] = {}): void {
    const examples = this.#examples(given)
    for (const [version, some] of examples) for (const example of some) this.#check(example, version)
    if (examples.some(([, some]) => some.length > 0)) return
    this.#report(this.#newest, undefined, 'There is no example: give one, or write "examples" into the schema.')
  }

  /** By version, newest first: what was given for a form of the schema, or else its own examples. */
  #examples (given: ChangeExamples[string]): (readonly [version: string, examples: readonly unknown[]])[] {
    const byVersion = Object.entries(isArray(given) ? { [this.#newest]: given } : given)
    return this.#versions.flatMap((form) => {
      const own = byVersion.filter(([version]) => this.#formOf(version) === form)
      return own.length > 0 ? own : [[form, examplesIn(this.#lineage.given(this.#id, form))] as const]
    })
  }

  #check (example: unknown, version: string): void {
    if (!this.#isValid(example, version)) return
    if (this.#formOf(version) === this.#newest) {
      for (const other of this.#versions.slice(1)) this.#convert('downgrade', example, other, example)
      return
    }
    const upgraded = this.#convert('upgrade', example, version, example)
    if (upgraded === undefined || !this.#lineage.isLossless(this.#id, version)) return
    const back = this.#convert('downgrade', upgraded, version, example)
    if (back === undefined || isDeepStrictEqual(toJson(back), toJson(example))) return
    const message = `Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`
    this.#report(version, example, message)
  }

  #isValid (example: unknown, version: string): boolean {
    try {
      const wrong = this.#wrongIn(example, version)
      if (wrong !== null) this.#report(version, example, `The example is not valid: ${wrong}.`)
      return wrong === null
    } catch (error) {
      this.#reportError(version, example, error)
      return false
    }
  }

  /** @returns the converted value, or undefined if it cannot be converted */
  #convert (direction: Direction, value: unknown, version: string, example: unknown): unknown {
    try {
      const converted = this.#lineage.convert(direction, this.#id, version)(value)
      const to = direction === 'upgrade' ? this.#newest : version
      const wrong = this.#wrongIn(converted, to)
      if (wrong === null) return converted
      const gives = `The ${direction} gives ${show(converted)}`
      this.#report(version, example, `${gives}, which is not valid in ${show(to)}: ${wrong}.`)
    } catch (error) {
      this.#reportError(version, example, error)
    }
    return undefined
  }

  #formOf (version: string): string {
    return this.#lineage.formOf(this.#id, version)
  }

  /** @returns what is wrong with the value in the version, or null if it is valid */
  #wrongIn (value: unknown, version: string): string | null {
    const validate = this.#validators.get(this.#formOf(version)) as Validate
    return validate(toJson(value))
  }

  #report (version: string, example: unknown, message: string): void {
    this.problems.push({ schema: this.#id, version, example, message })
  }

  /** The error of a change says where and why in its cause; other errors say it themselves. */
  #reportError (version: string, example: unknown, error: unknown): void {
    const { cause = error } = error as Error
    this.#report(version, example, (cause as Error).message)
  }
}

function isArray (value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function examplesIn (schema: unknown): readonly unknown[] {
  const { examples } = isZod(schema) ? { ...schema.meta?.() } : Object(schema) as { readonly examples?: unknown }
  return isArray(examples) ? examples : []
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
