import { AjvCompiler } from '@fastify/ajv-compiler'

import { isObject } from '../changes/schema.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { isZod } from '../changes/zod.ts'
import { SchemaReader } from './schema-reader.ts'

import type { Edition } from '../changes/edition.ts'
import type { Compiled, Failure } from '../fastify/compilers.ts'

/** What a validator makes of a value, and what is wrong with it, as a clause, or null. */
interface Validated { readonly wrong: string | null, readonly value: unknown }

type Use = 'validate' | 'serialize'

/** Makes the validators, and the serializers, of an app; null if it has none, or if it refuses the schema. */
export type Compile = (schema: object, use: Use) => Compiled | null

/** Ajv that changes nothing but for defaults, or that leaves only what is described, as a serializer does. */
const KEEPING = { removeAdditional: false, coerceTypes: false, useDefaults: true }
const REMOVING = { removeAdditional: 'all', coerceTypes: false, useDefaults: true }

/** How one version has the values of a schema. */
export class Side {
  /** As messages show the version. */
  readonly version: string
  /** The schema as it is written, with its own examples. */
  readonly schema: unknown
  readonly reader: SchemaReader
  readonly #bundles: Readonly<Record<Use, object>>
  readonly #compile: Compile
  #validator: Compiled | null = null
  #serializer: Compiled | null = null
  #strict: Compiled | null = null

  constructor (version: string, schema: unknown, edition: Edition, compile: Compile) {
    const bundle = edition.bundle(schema) as object
    this.version = version
    this.schema = schema
    this.reader = new SchemaReader(bundle)
    this.#bundles = { validate: bundle, serialize: openSerializer(edition.bundle(schema, 'serialized')) as object }
    this.#compile = compile
  }

  /** What validation makes of a copy of a value. */
  validate (value: unknown): Validated {
    const { validate } = this.#bundles
    this.#validator ??= this.#compile(validate, 'validate') ?? validatorOf(validate, KEEPING)
    return validated(this.#validator, value)
  }

  /**
   * What a client gets of a value.
   *
   * @throws what the serializer throws
   */
  send (value: unknown): unknown {
    const { validate, serialize } = this.#bundles
    this.#serializer ??= this.#compile(serialize, 'serialize') ?? emulated(openSerializer(validate))
    return JSON.parse(this.#serializer(value) as string)
  }

  /** What is wrong with a value that nobody coerces, as a clause; or null. */
  strictly (value: unknown): string | null {
    this.#strict ??= validatorOf(this.#bundles.validate, KEEPING)
    return this.validate(value).wrong ?? validated(this.#strict, value).wrong
  }

  /** Whether validation takes a value, and changes nothing but for defaults. */
  takes (value: unknown): boolean {
    const { wrong, value: after } = this.validate(value)
    return wrong === null && changeIn(value, after) === null
  }
}

/** A place of a value that is not what it was. */
export interface Difference { readonly path: readonly string[], readonly isLost: boolean }

/**
 * The first place where a value is not what it was, or null. It may have more members.
 *
 * @param isFine whether what is there may be left out
 */
export function changeIn (
  before: unknown, after: unknown, isFine: (path: readonly string[]) => boolean = () => false,
  path: readonly string[] = []
): Difference | null {
  // Serializers write dates as schemas say.
  if (typeof before === 'bigint' || typeof (Object(before) as { toJSON?: unknown }).toJSON === 'function') return null
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    return Object.is(before, after) || (before === 0 && after === 0) ? null : { path, isLost: false }
  }
  for (const [key, member] of Object.entries(before)) {
    const inner = [...path, key]
    if (member === undefined) continue
    if (!Object.hasOwn(after, key)) {
      if (!isFine(inner)) return { path: inner, isLost: true }
      continue
    }
    const change = changeIn(member, after[key], isFine, inner)
    if (change !== null) return change
  }
  return null
}

/** Where a value has what JSON has not; null if nowhere. */
export function notANumberIn (value: unknown, path: readonly string[] = []): readonly string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : path
  for (const [key, member] of isObject(value) ? Object.entries(value) : []) {
    const found = notANumberIn(member, [...path, key])
    if (found !== null) return found
  }
  return null
}

function validated (validator: Compiled, given: unknown): Validated {
  // Ajv changes the type of a value if it knows what holds it.
  const holder = { value: isObject(given) ? structuredClone(given) : given }
  const result = validator(holder.value, validator.schemaEnv && { parentData: holder, parentDataProperty: 'value' })
  if (result === false) return { wrong: textOf(validator.errors ?? []), value: given }
  const { error, value = holder.value } = Object(result) as { error?: Error | readonly Failure[], value?: unknown }
  return { wrong: (Array.isArray(error) ? textOf(error) : (error as Error | undefined)?.message) ?? null, value }
}

function validatorOf (schema: unknown, options: object): Compiled {
  if (isZod(schema)) {
    return (value) => {
      const { error, data } = schema.safeParse(value)
      return error === undefined ? { value: data } : { error: new Error(textOf(error.issues)) }
    }
  }
  // Keywords pass that only serializers and documents know. The app itself has validated the schema.
  const customOptions = { strict: false, logger: false, validateSchema: false, ...options }
  return AjvCompiler()({}, { customOptions } as never)({ schema } as never) as Compiled
}

/** What stands for a serializer in an app whose routes have none. */
function emulated (schema: unknown): Compiled {
  const validator = validatorOf(schema, REMOVING)
  return (given) => {
    const { wrong, value } = validated(validator, JSON.parse(JSON.stringify(given)))
    if (wrong !== null) throw new Error(wrong)
    return JSON.stringify(value)
  }
}

function textOf (failures: readonly Failure[]): string {
  return failures.map(({ path = [], instancePath = path.map((key) => `/${String(key)}`).join(''), message = '' }) => (
    `${instancePath} ${message}`.trim()
  )).join(', ')
}
