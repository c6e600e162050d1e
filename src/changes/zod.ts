/** The parts of a schema of Zod 4 that are read. Zod is not a dependency. */
export interface ZodSchema {
  readonly _zod: { readonly def: ZodDefinition, readonly constr: new (definition: ZodDefinition) => ZodSchema }
  /** Its entry in the registry of Zod. Zod Mini has no such method. */
  readonly meta?: () => { readonly id?: unknown, readonly examples?: unknown } | undefined
}

type ZodDefinition = Readonly<Record<string, unknown>> & { readonly type: string }

/** Types whose schema describes the same value as the schema inside. */
const WRAPPERS = ['catch', 'default', 'nonoptional', 'nullable', 'optional', 'prefault', 'readonly']

export function isZod (schema: unknown): schema is ZodSchema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

/** The id of a schema in Zod's registry, or null if it has none. */
export function zodIdOf (schema: ZodSchema): string | null {
  const id = schema.meta?.()?.id
  return typeof id === 'string' && id !== '' ? id : null
}

/** A schema by its parts, in the words of JSON Schema. */
export interface View {
  /** The schemas of the same value. */
  readonly same: readonly unknown[]
  /** The alternatives of `anyOf`, `oneOf` or a union. */
  readonly choices: readonly (readonly [keyword: string, branches: readonly unknown[]])[]
  readonly properties: readonly (readonly [key: string, schema: unknown])[]
  readonly patterns: readonly (readonly [pattern: string, schema: unknown])[]
  /** The schema of every other property, if it is an object. */
  readonly rest: unknown
  readonly tuple: readonly unknown[]
  /** The schema of the items after the tuple, if it is an object. */
  readonly items: unknown
  /** Parts that are not looked into when values are converted. */
  readonly blocked: readonly (readonly [keyword: string, schema: unknown])[]
}

const NOTHING: View = {
  same: [], choices: [], properties: [], patterns: [], rest: undefined, tuple: [], items: undefined, blocked: []
}

export function zodViewOf ({ _zod: { def } }: ZodSchema): View {
  const { type } = def
  if (WRAPPERS.includes(type)) return { ...NOTHING, same: [def.innerType] }
  switch (type) {
    case 'object': return { ...NOTHING, properties: Object.entries(def.shape as object), rest: def.catchall }
    case 'array': return { ...NOTHING, items: def.element }
    case 'record': return { ...NOTHING, rest: def.valueType }
    case 'tuple': return { ...NOTHING, tuple: def.items as unknown[], items: def.rest }
    case 'union': return { ...NOTHING, choices: [[type, def.options as unknown[]]] }
    case 'intersection': return { ...NOTHING, same: [def.left, def.right] }
    case 'lazy': return { ...NOTHING, same: [(def.getter as () => unknown)()] }
    default: return { ...NOTHING, blocked: Object.values(def).filter(isZod).map((part) => [type, part]) }
  }
}

/** The schemas directly inside a schema. */
export function zodPartsOf (schema: ZodSchema): unknown[] {
  const { same, choices, properties, rest, tuple, items, blocked } = zodViewOf(schema)
  const named = [...properties, ...blocked].map(([, part]) => part)
  return [...same, ...choices.flatMap(([, branches]) => branches), ...named, rest, ...tuple, items].filter(isZod)
}

/** The schemas of Zod in schemas that make other values of what they accept. */
export function transformationsIn (schemas: Iterable<unknown>): Set<unknown> {
  const seen = new Set([...schemas].filter(isZod))
  for (const one of seen) for (const part of zodPartsOf(one)) seen.add(part as ZodSchema)
  return new Set([...seen].filter(({ _zod: { def } }) => typeof def.transform === 'function'))
}

/**
 * A copy of a schema with other parts. Its id is not copied, because a registry has each id once.
 *
 * @param copy of a part
 */
export function zodCopy ({ _zod: { def, constr: Schema } }: ZodSchema, copy: (part: unknown) => unknown): ZodSchema {
  const copied = Object.entries(def).map(([key, value]) => {
    if (isZod(value)) return [key, copy(value)]
    if (Array.isArray(value) && value.some(isZod)) return [key, value.map(copy)]
    if (key === 'getter' && typeof value === 'function') return [key, () => copy(value())]
    return [key, key === 'shape' ? shapeOf(value as object, copy) : value]
  })
  return new Schema(Object.fromEntries(copied))
}

/** The properties of an object; one may lead back to the object. */
function shapeOf (shape: object, copy: (part: unknown) => unknown): object {
  const descriptors = Object.keys(shape).map((key) => {
    const get = () => copy((shape as Record<string, unknown>)[key])
    return [key, { get, configurable: true, enumerable: true }]
  })
  return Object.defineProperties({}, Object.fromEntries(descriptors))
}

/** The keywords of JSON Schema that tell the alternatives of a schema apart. */
export function keywordsOf ({ _zod: { def } }: ZodSchema): Readonly<Record<string, unknown>> {
  switch (def.type) {
    case 'literal': return { enum: def.values }
    case 'enum': return { enum: Object.values(def.entries as object) }
    case 'array': case 'tuple': return { type: 'array' }
    case 'object': case 'record': return { type: 'object', properties: def.shape, required: requiredIn(def.shape) }
    case 'boolean': case 'null': case 'number': case 'string': return { type: def.type }
    default: return {}
  }
}

function requiredIn (shape: unknown): string[] {
  return Object.entries({ ...shape as object }).flatMap(([key, part]) => (
    (part as ZodSchema)._zod.def.type === 'optional' ? [] : [key]
  ))
}
