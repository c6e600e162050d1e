import { AjvCompiler } from '@fastify/ajv-compiler'

import { Description, writtenIn } from '../changes/description.ts'
import { Edition } from '../changes/edition.ts'
import { isObject, keywordsOf, schemasIn } from '../changes/schema.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { isZod } from '../changes/zod.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { fitting, validate } from '../fastify/compilers.ts'
import { show } from '../messages.ts'

import type { Compiled, Failure, Validated } from '../fastify/compilers.ts'
import type { Path } from './watched-function.ts'

/** The result of a validator, a serializer or a conversion, and what is wrong with it, or null. */
export interface Outcome {
  readonly wrong: string | null
  readonly value: unknown
  /** Whether a validator of the app has made another value, in which members may have other names. */
  readonly mayRename?: boolean
}

/** Makes the validators, and the serializers, of an app; undefined if it has none. */
export type Compile = (schema: object, use: 'validated' | 'serialized') => Compiled | undefined

/** A version with the validator, the serializer and the description of its values of a schema. */
export type Side = ReturnType<typeof sideOf>

/**
 * Makes the side of a version.
 *
 * @param schema the schema as the user has written it
 * @throws FST_ERR_VERSION_CHANGE_OPTION if nothing compiles the schema
 */
export function sideOf (index: number, version: string, schema: unknown, edition: Edition, compile: Compile) {
  const bundle = edition.bundle(schema) as object
  const description = new Description([new Edition(new Map()).at(bundle)])
  /** The keywords of all schemas inside the schema. */
  const limits = schemasIn([bundle]).map(keywordsOf)
  const ofApp = compiledByApp(bundle, 'validated')
  const strict = compiledStrictly()
  const validator = ofApp ?? strict
  /** The serializer is compiled for the first value, because not every schema is a schema of responses. */
  let serializer: Compiled | undefined

  /** Compiles by the app's compiler; undefined if it only takes schemas of other parts, such as those of a library. */
  function compiledByApp (schema: object, use: 'validated' | 'serialized'): Compiled | undefined {
    try {
      return fitting(compile(schema, use) as Compiled)
    } catch {}
  }

  /** Compiles strictly. If only the app's compiler takes the schema, such as one of another library, it is enough. */
  function compiledStrictly (): Compiled {
    try {
      return strictly(bundle)
    } catch (error) {
      if (ofApp !== undefined) return ofApp
      const text = `checkChanges() cannot compile the schema ${show(schema)} of ${show(version)}`
      throw new VersionChangeOptionError(`${text}: ${(error as Error).message}.`)
    }
  }

  /** Validates a copy of a value. */
  function validateBy (compiled: Compiled, value: unknown): Outcome {
    const copy = isObject(value) ? structuredClone(value) : value
    const { error, value: made, isOther } = validate(compiled, copy) as Validated
    const wrong = Array.isArray(error) ? failuresText(error) : (error as Error | null)?.message ?? null
    return { wrong, value: made, mayRename: isOther && !isZod(schema) }
  }

  /** Tells whether validation takes a value, and changes nothing but defaults. */
  function takes (value: unknown): boolean {
    const { wrong, value: after } = validateBy(validator, value)
    return wrong === null && changeIn(value, after) === null
  }

  /** Serializes a value as for a client, and validates the result strictly, because clients coerce nothing. */
  function send (value: unknown): Outcome {
    try {
      serializer ??= compiledByApp(openSerializer(edition.bundle(schema, 'serialized')) as object, 'serialized') ??
        ((value) => JSON.stringify(writtenIn(value, description)))
      const sent: unknown = JSON.parse(serializer(value) as string)
      // The serializer of Zod has validated the value itself, in which dates were not text yet.
      const wrong = isZod(schema) ? null : validateBy(validator, sent).wrong ?? validateBy(strict, sent).wrong
      return { wrong, value: sent }
    } catch (error) {
      return { wrong: (error as Error).message, value }
    }
  }

  return {
    index,
    version,
    schema,
    description,
    limits,
    /** The valid examples in the schema itself. */
    examples: description.places.flatMap(({ keywords: { examples, example } }) => [examples, [example]].flat())
      .filter((value) => value !== undefined && takes(value)),
    /** Tells whether a schema inside the schema has a member with a name. */
    hasName: (key: string) => limits.some(({ properties }) => Object.hasOwn(Object(properties), key)),
    validate: (value: unknown) => validateBy(validator, value),
    takes,
    send
  }
}

/** Tells whether a member may differ, or may be left out, which `after` shows as undefined. */
type IsFine = (path: Path, member: unknown, after: unknown) => boolean

/** Returns the path of the first difference from the value before, or null. Added members do not count. */
export function changeIn (
  before: unknown, after: unknown, isFine: IsFine = () => false, path: Path = []
): Path | null {
  // Serializers write dates, and other values with `toJSON`, as their schemas say.
  if (typeof before === 'bigint' || typeof (Object(before) as { toJSON?: unknown }).toJSON === 'function') return null
  const isAlike = isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)
  if (!isAlike || before instanceof Map || before instanceof Set) {
    return before === after || Object.is(before, after) || isFine(path, before, after) ? null : path
  }
  for (const key of Object.keys(before)) {
    const member: unknown = before[key]
    const there: unknown = Object.hasOwn(after, key) ? after[key] : undefined
    const isSame = member === undefined || member === there
    const change = isSame ? null : changeIn(member, there, isFine, [...path, key])
    if (change !== null) return change
  }
  return null
}

/** Makes a validator that changes nothing but defaults. */
function strictly (schema: unknown): Compiled {
  if (isZod(schema)) {
    return (value) => {
      const { error, data } = schema.safeParse(value)
      return error === undefined ? { value: data } : { error: error.issues }
    }
  }
  // Only serializers and documents know some keywords, so Ajv is not strict. The app itself has validated the schema.
  const customOptions = {
    strict: false, logger: false, validateSchema: false, removeAdditional: false, coerceTypes: false, useDefaults: true
  }
  return AjvCompiler()({}, { customOptions } as never)({ schema } as never) as Compiled
}

function failuresText (failures: readonly Failure[]): string {
  return failures.map(({ path = [], instancePath = path.map((key) => `/${String(key)}`).join(''), message = '' }) => (
    `${instancePath} ${message}`.trim()
  )).join(', ')
}
