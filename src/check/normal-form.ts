import { NAME, SHARED, isItem, isTrue, itemOf, keyOf, listOf } from './json.ts'
import { TYPES, typeOf } from './types.ts'

/** A copy of a part of a document, which is written in one of several ways. */
type Fields = Record<string | symbol, unknown>

/** What keywords say of values of a type. Any other value meets them. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items', 'additionalItems', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains',
    'maxContains', 'unevaluatedItems'
  ],
  object: [
    'properties', 'additionalProperties', 'patternProperties', 'propertyNames', 'required', 'minProperties',
    'maxProperties', 'dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'
  ]
}
/** What is said of a value whatever its type is, so that an alternative for null changes nothing of it. */
const NOTES = ['format', 'default', 'readOnly', 'writeOnly', 'x-sunset']
const TYPED = Object.values(RULES).flat()

/** What JSON Schema and OpenAPI take where a keyword is left out: JSON of a value, or a schema that allows all. */
const DEFAULTS = new Map(Object.entries({
  0: ['minLength', 'minItems', 'minProperties'],
  false: ['uniqueItems', 'readOnly', 'writeOnly', 'nullable', 'exclusiveMinimum', 'exclusiveMaximum', 'not'],
  '[]': ['required', 'allOf', 'prefixItems'],
  '{}': ['properties', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  '""': ['pattern'],
  1: ['minContains']
}).flatMap(([value, names]) => names.map((name) => [name, value])))
const OPEN = [
  'items', 'additionalItems', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'
]

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf']

/** How deep alternatives may be inside one another. Deeper ones stay as they are written. */
const DEEPEST = 50
/** How many alternatives are taken out of others. */
const MOST = 1_000

/** Removes from a parameter, a header or a body what OpenAPI takes where it is left out. */
export function dropDefaults (part: Fields): void {
  const byDefault = part.in === 'query' || part.in === 'cookie' ? 'form' : 'simple'
  const { style = byDefault } = part
  const defaults = {
    style: byDefault,
    explode: style === 'form' || style === 'cookie',
    allowReserved: false,
    allowEmptyValue: false,
    required: false
  }
  for (const [name, value] of Object.entries(defaults)) if (part[name] === value) delete part[name]
}

/**
 * Removes from a media type the encodings that OpenAPI takes where they are left out. A style that is written out
 * stays: the content type of such a part is ignored.
 */
export function dropEncodings (media: Fields): void {
  const encodings = { ...itemOf(media.encoding) } as Record<string, Fields>
  for (const [name, encoding] of Object.entries(encodings)) {
    const schema = itemOf(itemOf(media.schema).properties)[name]
    const { contentType, ...others } = encoding
    if (Object.keys(itemOf(others.headers)).length === 0) delete others.headers
    if (contentType !== undefined && contentType !== contentTypeOf(schema)) continue
    if (Object.keys(others).length === 0) delete encodings[name]
    else encodings[name] = others
  }
  if (Object.keys(encodings).length > 0) media.encoding = encodings
  else delete media.encoding
}

/** Encoding Object, `contentType`. */
function contentTypeOf (schema: unknown): string {
  const { type, format, enum: values, items } = itemOf(schema)
  const own = type ?? listOf(values).map(typeOf)[0]
  if (own === 'array') return items === undefined ? 'application/octet-stream' : contentTypeOf(items)
  if (own === 'object') return 'application/json'
  return own === undefined || format === 'binary' ? 'application/octet-stream' : 'text/plain'
}

/** Writes schemas that mean the same in the same way, as far as their words say it. */
export class Normal {
  readonly #begun = new Set<unknown>()
  readonly #done = new Set<unknown>()
  /** Schemas that are alternatives of a schema that contains them. */
  readonly #inside: Fields[] = []
  /** Whether it matters elsewhere that a keyword looks at items or properties. */
  readonly #isEvaluating: boolean

  constructor (isEvaluating: boolean) {
    this.#isEvaluating = isEvaluating
  }

  write (schema: unknown, depth = 0): void {
    if (!isItem(schema) || this.#begun.has(schema) || depth > DEEPEST) return
    this.#begun.add(schema)
    const fields = schema as Fields
    writeTypes(fields)
    writeBounds(fields)
    // A schema that contains itself meets itself half-written: what is inside may then change only what is open.
    this.#dropDefaults(fields)
    for (const name of [...OPEN, 'not']) this.write(fields[name], depth + 1)
    this.#dropDefaults(fields)
    if (fields.$ref !== undefined) {
      fields.allOf = [fields.$ref, ...listOf(fields.allOf)]
      delete fields.$ref
    }
    for (const name of ALTERNATIVES) for (const member of listOf(fields[name])) this.write(member, depth + 1)
    const members = ALTERNATIVES.flatMap((name) => listOf(fields[name]))
    if (members.some((member) => this.#begun.has(member) && !this.#done.has(member))) this.#inside.push(fields)
    else {
      if (members.length > 0) writeAll(fields)
      this.#done.add(schema)
    }
  }

  /** Call it after all schemas were written. */
  end (): void {
    for (const schema of this.#inside) writeAll(schema)
  }

  #dropDefaults (fields: Fields): void {
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      const isOpen = OPEN.includes(name) && isTrue(value)
      // A schema that says so expects further properties, as one that says nothing does not.
      const isDefault = DEFAULTS.has(name) && isShort(value) && keyOf(value) === DEFAULTS.get(name)
      if (isOpen && name === 'additionalProperties') fields[name] = this.#isEvaluating ? {} : true
      else if ((isOpen && !this.#isEvaluating) || isDefault) delete fields[name]
    }
    if (fields.if === undefined) for (const name of ['then', 'else']) delete fields[name]
    else if (fields.then === undefined && fields.else === undefined && !this.#isEvaluating) delete fields.if
    if (fields.contains === undefined) for (const name of ['minContains', 'maxContains']) delete fields[name]
    if (Array.isArray(fields.required)) fields.required = [...new Set(fields.required)].sort()
  }
}

function writeAll (fields: Fields): void {
  for (const name of ALTERNATIVES) if (Array.isArray(fields[name])) writeAlternatives(fields, name)
  writeTypes(fields)
}

function isShort (value: unknown): boolean {
  return !isItem(value) || Object.keys(value).length === 0
}

/** Types become a list in order, or values where a schema lists them. What no value of the types can break, goes. */
export function writeTypes (fields: Fields): void {
  const { type, const: only, nullable } = fields
  const given = type === undefined ? TYPES : [type].flat()
  if (!given.every((one) => TYPES.includes(one as string))) return
  const named = new Set(given as string[])
  if (type !== undefined && nullable === true) {
    named.add('null')
    delete fields.nullable
  }
  if (named.has('number')) named.add('integer')
  if ('const' in fields) {
    fields.enum = Array.isArray(fields.enum) ? fields.enum.filter((one) => keyOf(one) === keyOf(only)) : [only]
    delete fields.const
  }
  let types = TYPES.filter((one) => named.has(one))
  if (Array.isArray(fields.enum)) {
    const values = new Map(fields.enum.map((value) => [keyOf(value), value]))
    const allowed = [...values].sort(([a], [b]) => a < b ? -1 : 1).map(([, value]) => value)
      .filter((value) => named.has(typeOf(value)))
    fields.enum = allowed
    types = TYPES.filter((one) => allowed.some((value) => typeOf(value) === one))
    delete fields.type
    const isWhole = allowed.length > 0 && allowed.every((value) => value === null || typeof value === 'boolean') &&
      allowed.filter((value) => value !== null).length !== 1
    if (isWhole) delete fields.enum
    else if (types.includes('number')) types = [...types, 'integer']
  }
  for (const [name, rules] of Object.entries(RULES)) {
    const isNamed = types.includes(name) || (name === 'number' && types.includes('integer'))
    for (const rule of isNamed ? [] : rules) delete fields[rule]
  }
  if (Array.isArray(fields.enum)) return
  const shown = types.filter((one) => one !== 'integer' || !types.includes('number'))
  if (types.length === TYPES.length) delete fields.type
  else fields.type = shown.length === 1 ? shown[0] : shown
}

/** An exclusive bound is a number, as in OpenAPI 3.1, and integers have inclusive ones. */
function writeBounds (fields: Fields): void {
  const isInteger = [fields.type].flat().includes('integer')
  for (const [bound, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1], ['maximum', 'exclusiveMaximum', -1]
  ] as const) {
    if (fields[exclusive] === true) {
      if (typeof fields[bound] === 'number') {
        fields[exclusive] = fields[bound]
        delete fields[bound]
      } else delete fields[exclusive]
    }
    const [own, other] = [fields[bound], fields[exclusive]]
    if (isInteger && typeof other === 'number') {
      const next = sign * (Math.floor(sign * other) + 1)
      fields[bound] = typeof own === 'number' ? sign * Math.max(sign * own, sign * next) : next
      delete fields[exclusive]
    } else if (typeof own === 'number' && typeof other === 'number') {
      delete fields[sign * other >= sign * own ? bound : exclusive]
    }
    if (isInteger && typeof fields[bound] === 'number') fields[bound] = sign * Math.ceil(sign * fields[bound])
  }
}

/** Alternatives that are told apart by types or values alone become one schema. */
function writeAlternatives (fields: Fields, name: string): void {
  const given = (fields[name] as unknown[]).filter((one) => name === 'allOf' ? !isTrue(one) : one !== false)
  const flat = name === 'anyOf' ? [...new Set(given.flatMap(anyOfIn))] : given
  // What is nested might double at each level.
  const members = flat.length <= MOST ? flat : given
  fields[name] = members
  const isOpen = name === 'anyOf' ? members.some(isTrue) : name === 'allOf' && members.length === 0
  const several = () => name === 'allOf' ? null : mergedOf(members, name === 'oneOf')
  const merged = isOpen ? {} : members.length === 1 ? members[0] : several()
  if (!isItem(merged)) return
  delete fields[name]
  if (Object.keys(fields).every((one) => NOTES.includes(one) && !(one in merged))) {
    const named = members.filter((member) => members.length === 1 || !isNull(member)) as Fields[]
    // A schema or null is called by the name of the schema, unless it has a name itself.
    const { [NAME]: name, [SHARED]: shared } = fields[NAME] !== undefined || named.length !== 1 ? fields : named[0]
    Object.assign(fields, merged, { [NAME]: name, [SHARED]: shared })
  } else fields.allOf = [...listOf(fields.allOf), merged]
}

/** The alternatives of a schema that is nothing else, or the schema. */
function anyOfIn (schema: unknown): readonly unknown[] {
  const { anyOf } = itemOf(schema)
  return Array.isArray(anyOf) && Object.keys(itemOf(schema)).length === 1 ? anyOf : [schema]
}

/** Schemas as one, or null if that cannot be said. */
function mergedOf (members: readonly unknown[], areExclusive: boolean): Fields | null {
  if (!members.every(isItem) || members.length === 0) return null
  const all = members as Fields[]
  const values = all.map(valuesIn)
  const listed = values.flatMap((one) => one ?? [])
  if (values.every((one) => one !== null)) {
    const merged = { enum: listed }
    const isApart = new Set(listed.map(keyOf)).size === listed.length
    writeTypes(merged)
    return isApart || !areExclusive ? merged : null
  }
  const [one, ...others] = all.filter((member) => !isNull(member))
  const isAlone = others.length === 0
  const known = (isAlone ? [...TYPED, ...NOTES] : TYPED)
  const types = all.map(({ type }) => [type].flat() as string[])
  const isKnown = all.every((member) => Object.keys(member).every((name) => (
    name === 'type' || known.includes(name) || (name === 'enum' && isAlone)
  )))
  const named = types.flat().map((type) => type === 'integer' ? 'number' : type)
  if (isKnown && isAlone && Array.isArray(one.enum) && !one.enum.includes(null)) {
    return { ...one, enum: [...one.enum, null] }
  }
  // Others are called by their names, and what differs in them is theirs.
  const isApart = all.every((member) => member.type !== undefined && member.enum === undefined) &&
    (isAlone || all.every((member) => member[NAME] === undefined)) && new Set(named).size === named.length
  if (!isKnown || !isApart) return null
  return { ...Object.assign({}, ...all), type: TYPES.filter((one) => types.flat().includes(one)) }
}

function isNull (schema: unknown): boolean {
  return isItem(schema) && schema.type === 'null' && Object.keys(schema).length === 1
}

/** The only values of a schema, if it says nothing else, or null. */
function valuesIn (schema: Fields): readonly unknown[] | null {
  const [name, ...others] = Object.keys(schema)
  if (others.length > 0) return null
  if (name === 'enum') return schema.enum as unknown[]
  if (name !== 'type') return null
  const types = [schema.type].flat()
  if (!types.every((type) => type === 'null' || type === 'boolean')) return null
  return types.flatMap((type) => type === 'null' ? [null] : [false, true])
}
