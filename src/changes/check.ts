import { isDeepStrictEqual } from 'node:util'

import { VersionChangeOptionError } from '../errors.ts'
import { isObject } from './documents.ts'
import { show, suggestionFor } from '../messages.ts'
import { isZod } from './zod.ts'

import type { Changes } from './changes.ts'
import type { VersionChangeError } from '../errors.ts'
import type { SharedSchemas } from './variant.ts'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'

/** @returns what is wrong with a value, as a clause, or null if it is valid. */
export type Validate = (value: unknown) => string | null

/** What a check of changes needs of an app. */
export interface Checked {
  readonly changes: Changes
  /** The context that shares a schema. */
  readonly contextWith: (id: string) => CheckedContext
}

interface CheckedContext {
  readonly schemas: SharedSchemas
  /** @returns a function that validates as the context does; it may change the value */
  readonly compile: (schema: unknown) => Validate
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
  id: string, { changes, contextWith }: Checked, given: ChangeExamples[string] | undefined
): ChangeProblem[] {
  const { schemas, compile } = contextWith(id)
  const problems: ChangeProblem[] = []
  const versions = changes.versionsWith(id, schemas)
  const [newest, ...older] = versions
  checkVersions(id, given, versions)
  const validators = new Map(versions.map((version) => [version, compile(changes.schemaOf(id, version, schemas))]))
  const examples = new Map(versions.map((version) => (
    [version, examplesOf(given, version, version === newest) ?? examplesIn(changes.givenSchema(id, version, schemas))]
  )))

  /** @returns null: the value is valid in the version */
  function wrongIn (value: unknown, version: string): string | null {
    const validate = validators.get(version) as Validate
    return validate(toJson(value))
  }

  /** @returns the converted value, or undefined if it cannot be converted */
  function convert (direction: 'upgrade' | 'downgrade', value: unknown, version: string, example: unknown): unknown {
    const report = (message: string) => problems.push({ schema: id, version, example, message })
    try {
      const converted = changes[direction](id, value, version, schemas)
      const to = direction === 'upgrade' ? newest : version
      const wrong = wrongIn(converted, to)
      if (wrong === null) return converted
      report(`The ${direction} gives ${show(converted)}, which is not valid in ${show(to)}: ${wrong}.`)
    } catch (error) {
      report(((error as VersionChangeError).cause as Error).message)
    }
    return undefined
  }

  for (const [version, some] of examples) {
    for (const example of some) {
      const wrong = wrongIn(example, version)
      if (wrong !== null) {
        problems.push({ schema: id, version, example, message: `The example is not valid: ${wrong}.` })
      } else if (version === newest) {
        for (const other of older) convert('downgrade', example, other, example)
      } else {
        const upgraded = convert('upgrade', example, version, example)
        if (upgraded === undefined || !changes.isLossless(id, version)) continue
        const back = convert('downgrade', upgraded, version, example)
        if (back === undefined || isDeepStrictEqual(toJson(back), toJson(example))) continue
        const message = `Upgraded and downgraded again, it is ${show(back)}, although the change is lossless.`
        problems.push({ schema: id, version, example, message })
      }
    }
  }
  if ([...examples.values()].every(({ length }) => length === 0)) {
    const message = 'There is no example: give one, or write "examples" into the schema.'
    problems.push({ schema: id, version: newest, example: undefined, message })
  }
  return problems
}

/** The examples that were given for a version, or undefined. */
function examplesOf (
  given: ChangeExamples[string] | undefined, version: string, isNewest: boolean
): readonly unknown[] | undefined {
  if (given === undefined) return undefined
  if (isArray(given)) return isNewest ? given : undefined
  return Object.hasOwn(given, version) ? given[version] : undefined
}

function isArray (value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function checkVersions (id: string, given: ChangeExamples[string] | undefined, versions: readonly string[]): void {
  for (const version of given === undefined || isArray(given) ? [] : Object.keys(given)) {
    if (versions.includes(version)) continue
    throw new VersionChangeOptionError(
      `Examples of ${show(id)} are checked in ${versions.map(show).join(', ')}, not in ${show(version)}.` +
      suggestionFor(version, versions)
    )
  }
}

function examplesIn (schema: unknown): readonly unknown[] {
  const { examples } = isZod(schema) ? { ...schema.meta?.() } : Object(schema) as { readonly examples?: unknown }
  return isArray(examples) ? examples : []
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
