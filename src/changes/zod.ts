/** The parts of a schema of Zod 4 that are read. Zod is not a dependency. */
export interface ZodSchema {
  readonly _zod: {
    readonly def: Definition
    readonly constr: new (definition: Definition) => ZodSchema
    /** What `describe()`, `meta()` or a refinement has copied. */
    readonly parent?: ZodSchema
    /** What a lazy schema stands for. Its getter may make another one each time. */
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
/** Types that give a value another form. `z.preprocess()`, `z.codec()` and `z.stringbool()` are pipes. */
const TRANSFORMATIONS = ['pipe', 'transform']

export function isZod (schema: unknown): schema is ZodSchema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

/** The id of a schema in Zod's registry, or null if it has none. */
export function zodIdOf (schema: ZodSchema): string | null {
  const id = schema.meta?.()?.id
  return typeof id === 'string' && id !== '' ? id : null
}

/** The id that a copy of a schema lacks, or null. */
export function lostIdOf (schema: ZodSchema): string | null {
  const { parent } = schema._zod
  return zodIdOf(schema) !== null || parent === undefined ? null : zodIdOf(parent) ?? lostIdOf(parent)
}

/** Whether the schema at a place itself gives the value another form. */
export function isTransformation ({ schema }: { readonly schema: unknown }): boolean {
  return isZod(schema) && TRANSFORMATIONS.includes(schema._zod.def.type as string)
}

/** A schema in the words of JSON Schema. What is in no keyword is in `not`: nothing can be converted there. */
export function zodKeywordsOf (schema: ZodSchema): Definition {
  const { checks = [], ...def } = schema._zod.def
  const limits = [def, ...(checks as ZodCheck[]).map((check) => check._zod.def)].map(limitsOf)
  return Object.assign({}, schema.meta?.(), definitionIn(schema), ...limits)
}

/** What a schema or a check says of sizes, numbers and texts. */
function limitsOf ({ minimum, maximum, check, inclusive, value, format, pattern }: Definition): Definition {
  const bound = check === 'greater_than' ? 'Minimum' : 'Maximum'
  return {
    ...minimum !== undefined && { minLength: minimum, minItems: minimum },
    ...maximum !== undefined && { maxLength: maximum, maxItems: maximum },
    ...value !== undefined && { [inclusive === true ? bound.toLowerCase() : `exclusive${bound}`]: value },
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

/** What becomes of the members that an object does not have: they are removed, refused, passed on, or have a schema. */
function restOf (catchall: unknown): unknown {
  const type = isZod(catchall) ? catchall._zod.def.type : 'never'
  return type === 'never' ? false : type === 'any' || type === 'unknown' ? true : catchall
}

function requiredKeys (shape: unknown): string[] {
  return Object.entries(shape as object).filter(([, part]) => part._zod.def.type !== 'optional').map(([key]) => key)
}

/** The schemas directly inside a schema. */
export function zodPartsOf (schema: ZodSchema): ZodSchema[] {
  return Object.values(definitionIn(schema)).flatMap((value) => (
    typeof value !== 'object' || value === null || isZod(value) ? [value] : Object.values(value)
  )).filter(isZod)
}

function isCustom ({ _zod: { def } }: ZodCheck): boolean {
  return def.check === 'custom'
}

/** Whether a schema of Zod has refinements, but for those in schemas that have changed. Null is a part of a route. */
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
 * A copy of a schema with other parts. Its id is not copied, because a registry has each id once.
 *
 * @param copy of a part
 * @param isOpen whether a strict object becomes one that drops further properties. Otherwise the parts are older, and
 * what the newest version has refined is left to it
 */
export function zodCopy (schema: ZodSchema, copy: (part: unknown) => unknown, isOpen = false): ZodSchema {
  const { def, constr: Schema } = schema._zod
  const copied = Object.entries(def).map(([key, value]) => {
    if (isOpen && key === 'catchall' && (value as ZodSchema)?._zod.def.type === 'never') return [key, undefined]
    if (key === 'checks') return [key, isOpen ? value : (value as ZodCheck[]).filter((check) => !isCustom(check))]
    if (key === 'getter') return [key, () => copy(schema._zod.innerType)]
    // What the getter has returned.
    if (key === '_cachedInner') return [key, undefined]
    if (isZod(value)) return [key, copy(value)]
    if (Array.isArray(value) && value.some(isZod)) return [key, value.map(copy)]
    if (key !== 'shape') return [key, value]
    const members = Object.entries(value as object)
    // Zod forgets checks in what may lead back to itself, which a getter says.
    if (!leadsBack(schema)) return [key, Object.fromEntries(members.map(([name, part]) => [name, copy(part)]))]
    return [key, Object.defineProperties({}, Object.fromEntries(members.map(([name, part]) => (
      [name, { get: () => copy(part), configurable: true, enumerable: true }]
    ))))]
  })
  return new Schema(Object.fromEntries(copied))
}

/** Whether a schema is inside itself. */
function leadsBack (schema: ZodSchema): boolean {
  const inside = new Set(zodPartsOf(schema))
  for (const part of inside) for (const inner of zodPartsOf(part)) inside.add(inner)
  return inside.has(schema)
}
