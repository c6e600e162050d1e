import { idOf, isObject, normalId } from './documents.ts'
import { entriesOf, listOf, viewOf } from './view.ts'
import { isZod, keywordsOf } from './zod.ts'

import type { Located, ObjectSchema, Schemas } from './documents.ts'
import type { Choice, Selector, Shape } from './shapes.ts'

type JsonType = 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

const TYPES: readonly JsonType[] = ['array', 'boolean', 'null', 'number', 'object', 'string']

/** Where OpenAPI has schemas, whose names are their `$id`s. */
const COMPONENTS = '#/components/schemas/'

/** What is known of a value by its schema alone. */
interface Traits {
  readonly types: ReadonlySet<JsonType>
  readonly required: ReadonlySet<string>
  /** By property, the values that it can have. */
  readonly constants: ReadonlyMap<string, ReadonlySet<unknown>>
}

const UNKNOWN: Traits = { types: new Set(TYPES), required: new Set(), constants: new Map() }

interface Branch { readonly shape: Shape | null, readonly traits: Traits }

/**
 * What tells the branches of `anyOf` or `oneOf` apart: the type of the value, then a required property that has
 * different constants in each branch.
 *
 * @param schemas the branches, in the version of the value
 * @returns null if nothing tells them apart
 */
export function selectorOf ({ schema, branches }: Choice, schemas: Schemas): Selector | null {
  const hint = isObject(schema.discriminator) ? schema.discriminator : {}
  const known = branches.map(({ located, shape }): Branch => ({
    shape: shape.isAlive ? shape : null,
    traits: withMapped(traitsOf(located, schemas, []), located.schema, hint)
  }))
  const byType = new Map<JsonType, Selector>()
  for (const type of TYPES) {
    const selector = selectorAmong(known.filter(({ traits }) => traits.types.has(type)), type, hint.propertyName)
    if (selector === null) return null
    byType.set(type, selector)
  }
  return (value) => (byType.get(typeOf(value)) as Selector)(value)
}

function selectorAmong (branches: readonly Branch[], type: JsonType, preferred: unknown): Selector | null {
  const [only = null, ...others] = new Set(branches.map(({ shape }) => shape))
  if (others.length === 0) return () => only
  if (type !== 'object') return null
  const names = [...branches[0].traits.constants.keys()].sort((a) => a === preferred ? -1 : 0)
  for (const name of names) {
    const shapes = shapesBy(name, branches)
    if (shapes !== null) return (value) => shapes.get((value as Record<string, unknown>)[name])
  }
  return null
}

/** The shapes by the value of a property, or null if it does not tell them apart. */
function shapesBy (name: string, branches: readonly Branch[]): ReadonlyMap<unknown, Shape | null> | null {
  const shapes = new Map<unknown, Shape | null>()
  for (const { shape, traits: { constants, required } } of branches) {
    const values = constants.get(name)
    if (values === undefined || !required.has(name)) return null
    for (const value of values) {
      if (shapes.has(value) && shapes.get(value) !== shape) return null
      shapes.set(value, shape)
    }
  }
  return shapes
}

/** OpenAPI names branches by the values of a property, or each has its own name. */
function withMapped (traits: Traits, schema: unknown, { propertyName, mapping }: ObjectSchema): Traits {
  if (typeof propertyName !== 'string' || traits.constants.has(propertyName)) return traits
  const { $ref = idOf(schema) } = Object(schema) as ObjectSchema
  if (typeof $ref !== 'string') return traits
  const reference = normalId($ref)
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  const targets = [reference, COMPONENTS + name]
  const mapped = entriesOf(mapping)
    .filter(([, target]) => typeof target === 'string' && targets.includes(normalId(target)))
    .map(([value]) => value)
  const values = mapped.length > 0 ? mapped : [name]
  return {
    ...traits,
    required: new Set([...traits.required, propertyName]),
    constants: new Map([...traits.constants, [propertyName, new Set(values)]])
  }
}

/** @param within the schemas that lead there: a schema inside itself adds nothing */
function traitsOf (located: Located, schemas: Schemas, within: readonly unknown[]): Traits {
  const { schema, document } = schemas.enter(located.schema, located.document)
  if (!isObject(schema) || within.includes(schema)) return UNKNOWN
  const inner = [...within, schema]
  const of = (part: unknown) => traitsOf({ schema: part, document }, schemas, inner)
  const traits = [ownTraitsOf(keywordsIn(schema), document, schemas)]
  if (typeof schema.$ref === 'string') {
    const target = schemas.resolve(schema.$ref, document)
    if (target !== null) traits.push(traitsOf(target, schemas, inner))
  }
  const { same, choices } = viewOf(schema)
  traits.push(...same.map(of), ...choices.map(([, branches]) => branches.map(of).reduce(either)))
  const all = traits.reduce(both)
  const isNullable = isZod(schema) && schema._zod.def.type === 'nullable'
  return isNullable ? { ...all, types: new Set([...all.types, 'null']) } : all
}

/** A schema in the words of JSON Schema, as far as it tells alternatives apart. */
function keywordsIn (schema: ObjectSchema): ObjectSchema {
  return isZod(schema) ? keywordsOf(schema) : schema
}

function ownTraitsOf (schema: ObjectSchema, document: Located['document'], schemas: Schemas): Traits {
  const constants = new Map<string, ReadonlySet<unknown>>()
  for (const [name, part] of entriesOf(schema.properties)) {
    const values = valuesOf({ schema: part, document }, schemas, [])
    if (values !== null) constants.set(name, values)
  }
  const required = listOf(schema.required) as readonly string[]
  return { types: typesOf(schema), required: new Set(required), constants }
}

function typesOf (schema: ObjectSchema): ReadonlySet<JsonType> {
  const values = constantsOf(schema)
  if (values !== null) return new Set(values.map(typeOf))
  const types = [schema.type ?? TYPES].flat().map((type) => type === 'integer' ? 'number' : type)
  return new Set(schema.nullable === true ? [...types, 'null'] : types) as Set<JsonType>
}

/** The values that a schema lists, or null if it lists none. */
function constantsOf (schema: ObjectSchema): readonly unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}

/** The same, wherever they are listed: in a schema referred to, or in alternatives. */
function valuesOf (located: Located, schemas: Schemas, within: readonly unknown[]): ReadonlySet<unknown> | null {
  const { schema, document } = schemas.enter(located.schema, located.document)
  if (!isObject(schema) || within.includes(schema)) return null
  const own = constantsOf(keywordsIn(schema))
  if (own !== null) return new Set(own)
  const inner = [...within, schema]
  if (typeof schema.$ref === 'string') {
    const target = schemas.resolve(schema.$ref, document)
    return target === null ? null : valuesOf(target, schemas, inner)
  }
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
    .map((part) => valuesOf({ schema: part, document }, schemas, inner))
  if (alternatives.length === 0 || alternatives.includes(null)) return null
  return new Set(alternatives.flatMap((values) => [...values as Set<unknown>]))
}

/** What is known where both schemas hold. */
function both (a: Traits, b: Traits): Traits {
  const constants = new Map(a.constants)
  for (const [name, values] of b.constants) {
    const others = constants.get(name)
    constants.set(name, others === undefined ? values : new Set([...values].filter((value) => others.has(value))))
  }
  return {
    types: new Set([...a.types].filter((type) => b.types.has(type))),
    required: new Set([...a.required, ...b.required]),
    constants
  }
}

/** What is known where one of two schemas holds. */
function either (a: Traits, b: Traits): Traits {
  const constants = [...a.constants].flatMap(([name, values]) => {
    const others = b.constants.get(name)
    return others === undefined ? [] : [[name, new Set([...values, ...others])] as const]
  })
  return {
    types: new Set([...a.types, ...b.types]),
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    constants: new Map(constants)
  }
}

function typeOf (value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
