/** The parts of a schema of Zod 4 that the plugin reads. Zod is not a dependency. */
export interface ZodSchema {
  readonly _zod: {
    readonly def: Definition
    readonly constr: new (definition: Definition) => ZodSchema
    /** The schema that `describe()`, `meta()` or a refinement has copied. */
    readonly parent?: ZodSchema
    /** The schema that a lazy schema stands for. Zod keeps it, because the user's getter may make another each time. */
    readonly innerType?: ZodSchema
  }
  readonly meta?: () => Definition | undefined
  readonly safeParse: (value: unknown) => {
    readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[], readonly message: string }[] }
    readonly data?: unknown
  }
}

interface ZodCheck { readonly _zod: { readonly def: Definition } }

type Definition = Readonly<Record<string, unknown>>

/** Types whose schema describes the same value as the schema inside. */
const WRAPPERS = ['catch', 'default', 'nonoptional', 'nullable', 'optional', 'prefault', 'readonly']
/** Types that transform a value. `z.preprocess()`, `z.codec()` and `z.stringbool()` are pipes. */
const TRANSFORMATIONS = ['pipe', 'transform']

export function isZod (schema: unknown): schema is ZodSchema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

/** Returns the id of a schema in Zod's registry, or null if the schema has none. */
export function zodIdOf (schema: ZodSchema): string | null {
  const id = schema.meta?.()?.id
  return typeof id === 'string' && id !== '' ? id : null
}

/** Returns the id of the schema that a schema without an id was copied from, or null. */
export function lostIdOf (schema: ZodSchema): string | null {
  const { parent } = schema._zod
  return zodIdOf(schema) !== null || parent === undefined ? null : zodIdOf(parent) ?? lostIdOf(parent)
}

/** Tells whether the schema at a place itself transforms the value. */
export function isTransformation ({ schema }: { readonly schema: unknown }): boolean {
  return isZod(schema) && TRANSFORMATIONS.includes(schema._zod.def.type as string)
}

/** Tells whether the schemas of a value take dates, and no texts; null if they take both, or if this is not known. */
export function takesDates (places: readonly { readonly schema: unknown }[]): boolean | null {
  const types = places.map(({ schema }) => (schema as Partial<ZodSchema>)._zod?.def.type)
  const [date, text, pipe, custom] = ['date', 'string', 'pipe', 'custom'].map((type) => types.includes(type))
  return date === text || pipe || custom ? null : date
}

/** Returns the keywords of a similar JSON Schema. Inner schemas that fit no keyword are in `not`, and not converted. */
export function zodKeywordsOf (schema: ZodSchema): Definition {
  const { checks = [], ...def } = schema._zod.def
  const limits = [def, ...(checks as ZodCheck[]).map((check) => check._zod.def)].map(limitsOf)
  return Object.assign({}, schema.meta?.(), definitionIn(schema), ...limits)
}

/** Returns the limits of a schema or a check for sizes, numbers and texts. */
function limitsOf (
  { length, minimum = length, maximum = length, check, inclusive, value, format, pattern }: Definition
): Definition {
  const bound = check === 'greater_than' ? 'Minimum' : 'Maximum'
  const limit = inclusive === true ? bound.toLowerCase() : `exclusive${bound}`
  return {
    ...minimum !== undefined && { minLength: minimum, minItems: minimum },
    ...maximum !== undefined && { maxLength: maximum, maxItems: maximum },
    ...value !== undefined && { [check === 'multiple_of' ? 'multipleOf' : limit]: value },
    ...format !== undefined && { format },
    ...pattern instanceof RegExp && { pattern: pattern.source }
  }
}

function definitionIn ({ _zod: { def, innerType } }: ZodSchema): Definition {
  const type = def.type as string
  if (WRAPPERS.includes(type)) {
    const { defaultValue, catchValue = defaultValue } = def
    return { allOf: [def.innerType], nullable: type === 'nullable', default: catchValue }
  }
  switch (type) {
    case 'object':
      return {
        type,
        properties: def.shape,
        required: requiredKeys(def.shape),
        additionalProperties: restOf(def.catchall)
      }
    case 'record': return { type: 'object', additionalProperties: def.valueType }
    case 'array': return { type, items: def.element }
    case 'tuple': return { type: 'array', prefixItems: def.items, items: def.rest ?? false }
    case 'union': return { anyOf: def.options }
    case 'lazy': return { allOf: [innerType] }
    case 'intersection': return { allOf: [def.left, def.right] }
    case 'literal': return { enum: def.values }
    case 'enum': return { enum: Object.values(def.entries as object) }
    case 'any': case 'unknown': return {}
    case 'boolean': case 'null': case 'number': case 'string': return { type }
    default: return { not: Object.values(def).flat().filter(isZod) }
  }
}

/** Returns `additionalProperties`: true if unknown members pass, false if they do not, or else the schema for them. */
function restOf (catchall: unknown): unknown {
  const type = isZod(catchall) ? catchall._zod.def.type : 'never'
  return type === 'never' ? false : type === 'any' || type === 'unknown' ? true : catchall
}

function requiredKeys (shape: unknown): string[] {
  return Object.entries(shape as object).filter(([, part]) => part._zod.def.type !== 'optional').map(([key]) => key)
}

/** Returns the schemas directly inside a schema. */
export function zodPartsOf (schema: ZodSchema): ZodSchema[] {
  return Object.values(definitionIn(schema)).flatMap((value) => (
    typeof value !== 'object' || value === null || isZod(value) ? [value] : Object.values(value)
  )).filter(isZod)
}

function isCustom ({ _zod: { def } }: ZodCheck): boolean {
  return def.check === 'custom'
}

/** Tells whether a Zod schema has refinements outside of schemas with these ids. Null means the whole part changed. */
export function isRefinedAround (schema: unknown, changed: ReadonlySet<string | null>): boolean {
  const inside = new Set([schema].filter(isZod))
  for (const part of changed.has(null) ? [] : inside) {
    if (changed.has(zodIdOf(part))) continue
    if ((part._zod.def.checks as readonly ZodCheck[] | undefined)?.some(isCustom)) return true
    for (const inner of zodPartsOf(part)) inside.add(inner)
  }
  return false
}

/**
 * Returns a copy of a schema with other parts. Its id is not copied, because a registry has each id once.
 *
 * @param copy copies a part
 * @param isOpen whether a strict object becomes an object that drops unknown properties. Otherwise, the parts are those
 * of an older version, and the copy has no refinements, because only the newest version checks them
 */
export function zodCopy (schema: ZodSchema, copy: (part: unknown) => unknown, isOpen = false): ZodSchema {
  const { def, constr: Schema } = schema._zod
  const copied = Object.entries(def).map(([key, value]) => {
    if (isOpen && key === 'catchall' && (value as ZodSchema)?._zod.def.type === 'never') return [key, undefined]
    if (key === 'checks') return [key, isOpen ? value : (value as ZodCheck[]).filter((check) => !isCustom(check))]
    if (key === 'getter') return [key, () => copy(schema._zod.innerType)]
    // Zod keeps the result of the getter here.
    if (key === '_cachedInner') return [key, undefined]
    if (isZod(value)) return [key, copy(value)]
    if (Array.isArray(value) && value.some(isZod)) return [key, value.map(copy)]
    if (key !== 'shape') return [key, value]
    const members = Object.entries(value as object)
    // By getters, Zod takes a schema for recursive, and then forgets checks, so only recursive schemas get them.
    if (!leadsBack(schema)) return [key, Object.fromEntries(members.map(([name, part]) => [name, copy(part)]))]
    return [key, Object.defineProperties({}, Object.fromEntries(members.map(([name, part]) => (
      [name, { get: () => copy(part), configurable: true, enumerable: true }]
    ))))]
  })
  return new Schema(Object.fromEntries(copied))
}

/** Tells whether a schema contains itself. */
function leadsBack (schema: ZodSchema): boolean {
  const inside = new Set(zodPartsOf(schema))
  for (const part of inside) for (const inner of zodPartsOf(part)) inside.add(inner)
  return inside.has(schema)
}
