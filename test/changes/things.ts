type Json = ReturnType<JSON['parse']>

/** What fields of a thing hold. */
export type Type = 'text' | 'digits' | 'integer' | 'list' | 'object'

/** A thing in one version: the types of its fields. */
export type Shape = Readonly<Record<string, Type>>

/** How a thing changes from one version to the next; `to` is the new name of a field that is renamed. */
export interface Op {
  readonly op: 'rename' | 'drop' | 'add' | keyof typeof CONVERSIONS
  readonly field: string
  readonly to: string
}

export type Thing = Record<string, unknown>

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

/** Which type of a field becomes which, and how its values do. */
const CONVERSIONS = {
  number: { from: 'digits', type: 'integer', upgrade: Number, downgrade: String },
  wrap: { from: 'text', type: 'list', upgrade: (value: Json) => [value], downgrade: ([value]: Json) => value },
  nest: { from: 'text', type: 'object', upgrade: (value: Json) => ({ value }), downgrade: ({ value }: Json) => value }
} as const

/** Whether a change can be made of a shape. */
export function fits (shape: Shape, { op, field, to }: Op): boolean {
  if (op === 'add') return !(field in shape)
  if (op === 'rename') return field in shape && !(to in shape)
  if (op === 'drop') return shape[field] === 'text' && Object.keys(shape).length > 1
  return shape[field] === CONVERSIONS[op].from
}

/** The shape after a change. */
export function after (shape: Shape, op: Op): Shape {
  return changed(shape, op, 'text', ({ type }) => type) as Shape
}

/** A thing of the version before, in the version that has the change. */
export function upgrade (thing: Thing, op: Op): Thing {
  return changed(thing, op, ADDED, ({ upgrade }, value) => upgrade(value))
}

function changed (
  thing: Thing, { op, field, to }: Op, added: string,
  convert: (conversion: typeof CONVERSIONS[keyof typeof CONVERSIONS], value: unknown) => unknown
): Thing {
  const { [field]: value, ...rest } = thing
  if (op === 'add') return { ...thing, [field]: added }
  if (op === 'drop') return rest
  return op === 'rename' ? { ...rest, [to]: value } : { ...rest, [field]: convert(CONVERSIONS[op], value) }
}

export function downgrade (thing: Thing, { op, field, to }: Op): Thing {
  const { [op === 'rename' ? to : field]: value, ...rest } = thing
  if (op === 'add') return rest
  if (op === 'drop') return { ...thing, [field]: ADDED }
  return { ...rest, [field]: op === 'rename' ? value : CONVERSIONS[op].downgrade(value as Json) }
}

export function schemaOf (shape: Shape): object {
  const properties = Object.entries(shape).map(([field, type]) => [field, SCHEMAS[type]])
  return { ...outer(Object.fromEntries(properties)), additionalProperties: false }
}

const outer = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })

interface Place {
  readonly schema: (thing: object) => object
  /** A body with a thing. */
  readonly body: (thing: unknown) => unknown
  /** Converts the things of a body. */
  readonly convert: (body: Json, by: (thing: Thing) => Thing) => unknown
}

/** Where things are in a body. */
export const PLACES = {
  direct: { schema: (thing) => thing, body: (thing) => thing, convert: (body, by) => by(body) },
  list: {
    schema: (thing) => ({ type: 'array', items: thing }),
    body: (thing) => [thing, thing],
    convert: (body, by) => body.map(by)
  },
  map: {
    schema: (thing) => ({ type: 'object', additionalProperties: thing }),
    body: (thing) => ({ key: thing }),
    convert: (body, by) => Object.fromEntries(Object.entries(body).map(([key, thing]) => [key, by(thing as Thing)]))
  },
  nested: {
    schema: (thing) => outer({ data: outer({ things: { type: 'array', items: thing } }) }),
    body: (thing) => ({ data: { things: [thing] } }),
    convert: (body, by) => ({ ...body, data: { ...body.data, things: body.data.things.map(by) } })
  },
  twice: {
    schema: (thing) => outer({ one: thing, other: thing }),
    body: (thing) => ({ one: thing, other: thing }),
    convert: (body, by) => ({ ...body, one: by(body.one), other: by(body.other) })
  }
} satisfies Record<string, Place>
