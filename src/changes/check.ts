import { isDeepStrictEqual } from 'node:util'

import { VersionChangeOptionError } from '../errors.ts'
import { isObject } from './documents.ts'
import { show, suggestionFor } from '../messages.ts'
import { isZod } from './zod.ts'

import type { Changes } from './changes.ts'
import type { Direction } from './convert.ts'
import type { VersionChangeError } from '../errors.ts'
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
  return ids.flatMap((id) => checkSchema(id, checked, Object.hasOwn(given, id) ? given[id] : undefined))
}

function checkSchema (
  id: string, { changes, contextWith }: Checked, given: ChangeExamples[string] = {}
): ChangeProblem[] {
  const { schemas, compile } = contextWith(id)
  const lineage = changes.lineageOf(schemas)
  const problems: ChangeProblem[] = []
  const versions = lineage.versionsWith(id)
  const [newest, ...older] = versions
  const validators = new Map(versions.map((version) => [version, compile(lineage.bundle(id, version))]))
  const byVersion = Object.entries(isArray(given) ? { [newest]: given } : given)
  const examples = versions.flatMap((form) => {
    const own = byVersion.filter(([version]) => lineage.formOf(id, version) === form)
    return own.length > 0 ? own : [[form, examplesIn(lineage.given(id, form))] as const]
  })

  function report (version: string, example: unknown, message: string): void {
    problems.push({ schema: id, version, example, message })
  }

  /** @returns what is wrong with the value in the version, or null if it is valid */
  function wrongIn (value: unknown, version: string): string | null {
    const validate = validators.get(lineage.formOf(id, version)) as Validate
    return validate(toJson(value))
  }

  /** @returns the converted value, or undefined if it cannot be converted */
  function convert (direction: Direction, value: unknown, version: string, example: unknown): unknown {
    try {
      const converted = lineage.convert(direction, id, version)(value)
      const to = direction === 'upgrade' ? newest : version
      const wrong = wrongIn(converted, to)
      if (wrong === null) return converted
      const gives = `The ${direction} gives ${show(converted)}`
      report(version, example, `${gives}, which is not valid in ${show(to)}: ${wrong}.`)
    } catch (error) {
      report(version, example, ((error as VersionChangeError).cause as Error).message)
    }
    return undefined
  }

  for (const [version, some] of examples) {
    for (const example of some) {
      const wrong = wrongIn(example, version)
      if (wrong !== null) {
        report(version, example, `The example is not valid: ${wrong}.`)
      } else if (lineage.formOf(id, version) === newest) {
        for (const other of older) convert('downgrade', example, other, example)
      } else {
        const upgraded = convert('upgrade', example, version, example)
        if (upgraded === undefined || !lineage.isLossless(id, version)) continue
        const back = convert('downgrade', upgraded, version, example)
        if (back === undefined || isDeepStrictEqual(toJson(back), toJson(example))) continue
        report(version, example, `Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`)
      }
    }
  }
  if (examples.every(([, some]) => some.length === 0)) {
    report(newest, undefined, 'There is no example: give one, or write "examples" into the schema.')
  }
  return problems
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
