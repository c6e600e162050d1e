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

/** What became of a value, and what is wrong with it, or null. */
export interface Outcome {
  readonly wrong: string | null
  readonly value: unknown
  /** Whether a validator of the app has made another value, in which members may have other names. */
  readonly mayRename?: boolean
}

/** Makes the validators, and the serializers, of an app; undefined if it has none. */
export type Compile = (schema: object, use: 'validated' | 'serialized') => Compiled | undefined

/** How one version has the values of a schema. */
export type Side = ReturnType<typeof sideOf>

/**
 * @param schema as it is written
 * @throws FST_ERR_VERSION_CHANGE_OPTION if nothing compiles it
 */
export function sideOf (index: number, version: string, schema: unknown, edition: Edition, compile: Compile) {
  const bundle = edition.bundle(schema) as object
  const description = new Description([new Edition(new Map()).at(bundle)])
  /** What all schemas in it say. */
  const limits = schemasIn([bundle]).map(keywordsOf)
  const own = compiledByApp(bundle, 'validated')
  const strict = compiledStrictly()
  const validator = own ?? strict
  /** Compiled for the first value: not every schema is one of responses. */
  let serializer: Compiled | undefined

  /** Of the app, unless its compilers take other schemas only, of parts in which this one is not. */
  function compiledByApp (schema: object, use: 'validated' | 'serialized'): Compiled | undefined {
    try {
      return fitting(compile(schema, use) as Compiled)
    } catch {}
  }

  /** Serializers take schemas that validators refuse, and the app may have schemas of another library. */
  function compiledStrictly (): Compiled {
    try {
      return strictly(bundle)
    } catch (error) {
      if (own !== undefined) return own
      const text = `checkChanges() cannot compile the schema ${show(schema)} of ${show(version)}`
      throw new VersionChangeOptionError(`${text}: ${(error as Error).message}.`)
    }
  }

  /** What validation makes of a copy of a value. */
  function validateBy (compiled: Compiled, value: unknown): Outcome {
    const copy = isObject(value) ? structuredClone(value) : value
    const { error, value: made, isOther } = validate(compiled, copy) as Validated
    const wrong = Array.isArray(error) ? failuresText(error) : (error as Error | null)?.message ?? null
    return { wrong, value: made, mayRename: isOther && !isZod(schema) }
  }

  /** Whether validation takes a value, and changes nothing but for defaults. */
  function takes (value: unknown): boolean {
    const { wrong, value: after } = validateBy(validator, value)
    return wrong === null && changeIn(value, after) === null
  }

  /** What a client gets of a value, which nobody coerces. */
  function send (value: unknown): Outcome {
    try {
      serializer ??= compiledByApp(openSerializer(edition.bundle(schema, 'serialized')) as object, 'serialized') ??
        ((value) => JSON.stringify(writtenIn(value, description)))
      const sent: unknown = JSON.parse(serializer(value) as string)
      // The serializer of Zod has validated it, whose dates are text now.
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
    /** Valid values that the schema itself has. */
    examples: description.places.flatMap(({ keywords: { examples, example } }) => [examples, [example]].flat())
      .filter((value) => value !== undefined && takes(value)),
    /** Whether a schema in it has a member of this name. */
    hasName: (key: string) => limits.some(({ properties }) => Object.hasOwn(Object(properties), key)),
    validate: (value: unknown) => validateBy(validator, value),
    takes,
    send
  }
}

/** Whether a member may be different, or be left out: then it is undefined. */
type IsFine = (path: Path, member: unknown, after: unknown) => boolean

/** The first place where a value is not what it was, or null. It may have more members. */
export function changeIn (
  before: unknown, after: unknown, isFine: IsFine = () => false, path: Path = []
): Path | null {
  // Serializers write dates as schemas say.
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

/** A validator that changes nothing but for defaults. */
function strictly (schema: unknown): Compiled {
  if (isZod(schema)) {
    return (value) => {
      const { error, data } = schema.safeParse(value)
      return error === undefined ? { value: data } : { error: error.issues }
    }
  }
  // Keywords pass that only serializers and documents know. The app itself has validated the schema.
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
