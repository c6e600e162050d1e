import { Ajv } from 'ajv'

/** What fields of a thing hold. */
export type Type = 'text' | 'digits' | 'integer' | 'list' | 'object'

/** A thing in one version: the types of its fields. */
export type Shape = Readonly<Record<string, Type>>

/** How a thing changes from one version to the next. */
export type Op =
  | { readonly op: 'rename', readonly field: string, readonly to: string }
  | { readonly op: 'number' | 'wrap' | 'nest' | 'drop', readonly field: string }
  | { readonly op: 'add', readonly field: string }

export type Thing = Record<string, unknown>

/** Where things are in a body. */
export type Place = 'direct' | 'list' | 'map' | 'nested' | 'twice'

const SCHEMAS: Record<Type, object> = {
  text: { type: 'string' },
  digits: { type: 'string', pattern: '^[0-9]{1,3}$' },
  integer: { type: 'integer' },
  list: { type: 'array', minItems: 1, items: { type: 'string' } },
  object: {
    type: 'object', required: ['value'], properties: { value: { type: 'string' } }, additionalProperties: false
  }
}
export const ADDED = 'added'

/** The shape after a change. */
export function after (shape: Shape, op: Op): Shape {
  const { [op.field]: type, ...rest } = shape
  if (op.op === 'add') return { ...shape, [op.field]: 'text' }
  if (op.op === 'drop') return rest
  if (op.op === 'rename') return { ...rest, [op.to]: type as Type }
  return { ...rest, [op.field]: ({ number: 'integer', wrap: 'list', nest: 'object' } as const)[op.op] }
}

/** Whether a change can be made of a shape. */
export function fits (shape: Shape, op: Op): boolean {
  if (op.op === 'add') return !(op.field in shape)
  if (!(op.field in shape)) return false
  if (op.op === 'rename') return !(op.to in shape)
  if (op.op === 'drop') return shape[op.field] === 'text' && Object.keys(shape).length > 1
  return shape[op.field] === (op.op === 'number' ? 'digits' : 'text')
}

/** A thing of the version before, in the version that has the change. */
export function upgrade (thing: Thing, op: Op): Thing {
  const { [op.field]: value, ...rest } = thing
  if (op.op === 'add') return { ...thing, [op.field]: ADDED }
  if (op.op === 'drop') return rest
  if (op.op === 'rename') return { ...rest, [op.to]: value }
  return { ...rest, [op.field]: op.op === 'number' ? Number(value) : op.op === 'wrap' ? [value] : { value } }
}

export function downgrade (thing: Thing, op: Op): Thing {
  if (op.op === 'rename') {
    const { [op.to]: value, ...rest } = thing
    return { ...rest, [op.field]: value }
  }
  const { [op.field]: value, ...rest } = thing
  if (op.op === 'add') return rest
  if (op.op === 'drop') return { ...thing, [op.field]: ADDED }
  const inner = value as { [key: string]: unknown, [index: number]: unknown }
  return { ...rest, [op.field]: op.op === 'number' ? String(value) : op.op === 'wrap' ? inner[0] : inner['value'] }
}

export function schemaOf (shape: Shape): object {
  const properties = Object.fromEntries(Object.entries(shape).map(([field, type]) => [field, SCHEMAS[type]]))
  return { type: 'object', required: Object.keys(shape), properties, additionalProperties: false }
}

/** A schema of things at a place. */
export function placed (place: Place, thing: object): object {
  const outer = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })
  if (place === 'direct') return thing
  if (place === 'list') return { type: 'array', items: thing }
  if (place === 'map') return { type: 'object', additionalProperties: thing }
  return place === 'nested'
    ? outer({
      data: outer({ things: { type: 'array', items: thing } })
    })
    : outer({ one: thing, other: thing })
}

/** Converts the things of a body. */
export function convertAt (place: Place, body: never, convert: (thing: Thing) => Thing): unknown {
  const { data, one, other } = body as { data: { things: Thing[] }, one: Thing, other: Thing }
  if (place === 'direct') return convert(body)
  if (place === 'list') return (body as Thing[]).map(convert)
  if (place === 'map') {
    const entries = Object.entries(body as Record<string, Thing>)
    return Object.fromEntries(entries.map(([key, thing]) => [key, convert(thing)]))
  }
  if (place === 'nested') return { ...body as object, data: { ...data, things: data.things.map(convert) } }
  return { ...body as object, one: convert(one), other: convert(other) }
}

/** A body with one thing. */
export function bodyOf (place: Place, thing: unknown): unknown {
  if (place === 'direct') return thing
  if (place === 'list') return [thing, thing]
  if (place === 'map') return { key: thing }
  return place === 'nested' ? { data: { things: [thing] } } : { one: thing, other: thing }
}

/** As Fastify's own. */
export function validator (): Ajv {
  return new Ajv({ coerceTypes: 'array', useDefaults: true, removeAdditional: true, strict: false, logger: false })
}
