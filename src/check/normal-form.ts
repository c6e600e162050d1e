import { isWider } from './combined-schema.ts'
import {
  NAME, SHARED, Sameness, areSame, elementsOf, ignoreOrder, isItem, isTrue, itemOf, keyOf, nameOf
} from './json.ts'
import { TYPES, typeOf } from './types.ts'

import type { Item } from './json.ts'

/** A copy of a part of a document, which is written in one of several ways. */
type Fields = Record<string | symbol, unknown>

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/** What keywords say of values of a type. Any other value meets them. */
const RULES: ReadonlyMap<string, readonly string[]> = new Map(([
  [['string'], 'minLength maxLength pattern contentEncoding contentMediaType contentSchema'],
  [['integer', 'number'], BOUNDS.join(' ')],
  [['array'], 'items additionalItems prefixItems minItems maxItems uniqueItems contains minContains maxContains ' +
    'unevaluatedItems'],
  [['object'], 'properties additionalProperties patternProperties propertyNames required minProperties maxProperties ' +
    'dependentRequired dependentSchemas dependencies unevaluatedProperties']
] as const).flatMap(([types, names]) => names.split(' ').map((name) => [name, types])))
/** What is said of a value whatever its type is, so that an alternative for null changes nothing of it. */
const NOTES = ['format', 'default', 'readOnly', 'writeOnly', 'x-sunset']

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
  'items', 'additionalItems', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties', 'propertyNames',
  'then', 'else', 'contentSchema'
]

/** What may be said of values, each of which allows less than its absence and describes nothing that is in them. */
const NARROWING = [
  'type', 'format', 'minLength', 'maxLength', 'pattern', 'required', 'minItems', 'maxItems', 'minProperties',
  'maxProperties', ...BOUNDS
]

/** What holds schemas by names. */
const NAMED = ['patternProperties', 'dependentSchemas']
const INNER = [...OPEN, 'not', ...NAMED]
const DEFAULTED = new Set([...DEFAULTS.keys(), ...OPEN])
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf']
/** What only schemas with parts have, or with keywords that depend on one another. */
const COMPOUND = new Set([
  ...INNER, ...ALTERNATIVES, '$ref', 'if', 'contains', 'minContains', 'maxContains', 'required', 'dependentRequired'
])

/** How deep alternatives may be inside one another. Deeper ones stay as they are written. */
const DEEPEST = 50
/** How many alternatives are taken out of others. */
const MOST = 1_000
/** How many alternatives are compared with one another. */
const MOST_COMPARED = 50

/** Removes from a parameter, a header or a body what OpenAPI takes where it is left out. */
export function dropDefaults (part: Fields): void {
  const byDefault = part.in === 'query' || part.in === 'cookie' ? 'form' : 'simple'
  const { style = byDefault } = part
  const { type, enum: values } = itemOf(part.schema)
  const types = Array.isArray(values) ? values.map(typeOf) : [type].flat()
  const isSingle = types.every((name) => name !== undefined && name !== 'array' && name !== 'object')
  // It has no effect on a single value, and in this style properties are always apart.
  if (isSingle || style === 'deepObject') delete part.explode
  const defaults = {
    style: byDefault,
    explode: style === 'form' || style === 'cookie',
    allowReserved: false,
    allowEmptyValue: false,
    required: false
  }
  for (const [name, value] of Object.entries(defaults)) if (part[name] === value) delete part[name]
}

/** What says how the parts of a message are written. */
export const ENCODINGS = ['encoding', 'prefixEncoding', 'itemEncoding']

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
    const { style = 'form', explode = style === 'form', allowReserved = false } = others
    const isStyled = ['style', 'explode', 'allowReserved'].some((field) => others[field] !== undefined)
    if (isStyled) Object.assign(others, { style, explode, allowReserved })
    if (contentType !== undefined && contentType !== contentTypeOf(schema)) continue
    if (Object.keys(others).length === 0) delete encodings[name]
    else encodings[name] = others
  }
  media.encoding = encodings
  for (const name of ENCODINGS) if (isShort(media[name])) delete media[name]
}

/** Encoding Object, `contentType`. */
function contentTypeOf (schema: unknown): string {
  const { type, format, enum: values, items, contentEncoding } = itemOf(schema)
  const types = type === undefined ? elementsOf(values).map(typeOf) : [type].flat()
  const valueType = types.find((name) => name !== 'null')
  if (valueType === 'array') return items === undefined ? 'application/octet-stream' : contentTypeOf(items)
  if (valueType === 'object') return 'application/json'
  const isText = valueType !== undefined && format !== 'binary' && contentEncoding === undefined
  return isText ? 'text/plain' : 'application/octet-stream'
}

/** Writes schemas that mean the same in the same way, as far as their words say it. */
export class Normal {
  readonly #begun = new Set<unknown>()
  readonly #done = new Set<unknown>()
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
    if (!isCompound(fields)) {
      this.#done.add(schema)
      return
    }
    if (INNER.some((name) => fields[name] !== undefined)) {
      for (const name of INNER) {
        const inner = fields[name]
        for (const schema of NAMED.includes(name) ? elementsOf(inner) : [inner]) this.write(schema, depth + 1)
      }
      this.#dropDefaults(fields)
    }
    // This is how Zod writes a schema that allows nothing.
    if (isTrue(fields.not)) {
      delete fields.not
      fields.enum = []
      writeTypes(fields)
    }
    if (fields.$ref !== undefined) {
      fields.allOf = [fields.$ref, ...elementsOf(fields.allOf)]
      delete fields.$ref
    }
    for (const name of ALTERNATIVES) for (const member of elementsOf(fields[name])) this.write(member, depth + 1)
    const members = ALTERNATIVES.flatMap((name) => elementsOf(fields[name]))
    // Alternatives of a schema that contains them are written in the end.
    if (members.some((member) => this.#begun.has(member) && !this.#done.has(member))) return
    writeAlternativesIn(fields)
    this.#done.add(schema)
  }

  #dropDefaults (fields: Fields): void {
    for (const name in fields) {
      if (!DEFAULTED.has(name)) continue
      const value = fields[name]
      const isOpen = OPEN.includes(name) && isTrue(value)
      // A schema that says so expects further properties, as one that says nothing does not.
      const isDefault = isShort(value) && keyOf(value) === DEFAULTS.get(name)
      if (isOpen && name === 'additionalProperties') fields[name] = this.#isEvaluating ? {} : true
      else if ((isOpen && !this.#isEvaluating) || isDefault) delete fields[name]
    }
    if (!isCompound(fields)) return
    if (fields.if === undefined) for (const name of ['then', 'else']) delete fields[name]
    else if (fields.then === undefined && fields.else === undefined && !this.#isEvaluating) delete fields.if
    const isOptional = fields.minContains === 0 && fields.maxContains === undefined
    if (isOptional && !this.#isEvaluating) delete fields.contains
    if (fields.contains === undefined) for (const name of ['minContains', 'maxContains']) delete fields[name]
    if (Array.isArray(fields.required)) fields.required = [...new Set(fields.required)].sort()
    if (!Array.isArray(fields.items)) delete fields.additionalItems
    // Where other properties are not open, a pattern says which ones are.
    const isAnyOpen = (fields.additionalProperties ?? true) === true && !this.#isEvaluating
    for (const name of isAnyOpen ? NAMED : ['dependentSchemas']) {
      const schemas = Object.entries(itemOf(fields[name]))
      if (schemas.some(([, schema]) => isTrue(schema))) {
        writeEntries(fields, name, schemas.filter(([, schema]) => !isTrue(schema)))
      }
    }
    dropNames(fields)
  }
}

function isCompound (fields: Fields): boolean {
  for (const name in fields) if (COMPOUND.has(name)) return true
  return false
}

/** What is said of the names of properties, and allows all of them. */
function dropNames (fields: Fields): void {
  const { not, propertyNames, dependentRequired } = fields
  if (isOnly(not, 'enum', [])) delete fields.not
  if (isOnly(propertyNames, 'type', 'string')) delete fields.propertyNames
  if (isItem(dependentRequired) && Object.values(dependentRequired).every(Array.isArray)) {
    const lists = Object.entries(dependentRequired as Record<string, unknown[]>).map(([name, names]) => (
      [name, [...new Set(names)].sort()] as const
    ))
    writeEntries(fields, 'dependentRequired', lists.filter(([, names]) => names.length > 0))
  }
}

function isOnly (schema: unknown, name: string, value: unknown): boolean {
  return isItem(schema) && Object.keys(schema).length === 1 && keyOf(schema[name]) === keyOf(value)
}

function writeEntries (fields: Fields, name: string, entries: readonly (readonly [string, unknown])[]): void {
  if (entries.length > 0) fields[name] = { __proto__: null, ...Object.fromEntries(entries) }
  else delete fields[name]
}

/** Call it once more after all schemas were written: alternatives that differed may be the same now. */
export function writeAlternativesIn (fields: Fields): void {
  // Most schemas have none.
  if (ALTERNATIVES.every((name) => fields[name] === undefined)) return
  for (const name of ALTERNATIVES) if (Array.isArray(fields[name])) writeAlternatives(fields, name)
  writeTypes(fields)
}

/** Says that the order of alternatives does not count, once all schemas are written. */
export function ignoreOrderIn (fields: Fields): void {
  for (const name of ALTERNATIVES) if (Array.isArray(fields[name])) ignoreOrder(fields[name])
}

function isShort (value: unknown): boolean {
  return !isItem(value) || Object.keys(value).length === 0
}

/** Types become a list in order, or values where a schema lists them. What no value of the types can break, goes. */
export function writeTypes (fields: Fields): void {
  const { type, const: only, nullable } = fields
  const types = type === undefined ? TYPES : [type].flat() as string[]
  if (!types.every((name) => TYPES.includes(name))) return
  const isSingle = typeof type === 'string' && fields.enum === undefined && only === undefined && nullable !== true
  if (isSingle) return dropRules(fields, types)
  const named = new Set(types)
  if (type !== undefined && nullable === true) {
    named.add('null')
    delete fields.nullable
  }
  if (named.has('number')) named.add('integer')
  if (only !== undefined) {
    fields.enum = Array.isArray(fields.enum) ? fields.enum.filter((value) => keyOf(value) === keyOf(only)) : [only]
    delete fields.const
  }
  let allowedTypes = TYPES.filter((name) => named.has(name))
  if (Array.isArray(fields.enum)) {
    const values = new Map(fields.enum.map((value) => [keyOf(value), value]))
    const allowed = [...values].sort(([a], [b]) => a < b ? -1 : 1).map(([, value]) => value)
      .filter((value) => named.has(typeOf(value)))
    fields.enum = allowed
    allowedTypes = TYPES.filter((name) => allowed.some((value) => typeOf(value) === name))
    delete fields.type
    const isWhole = allowed.length > 0 && allowed.every((value) => value === null || typeof value === 'boolean') &&
      allowed.filter((value) => value !== null).length !== 1
    if (isWhole) delete fields.enum
  }
  dropRules(fields, allowedTypes)
  if (fields.enum !== undefined) return
  const shown = allowedTypes.filter((name) => name !== 'integer' || !allowedTypes.includes('number'))
  if (allowedTypes.length === TYPES.length) delete fields.type
  else fields.type = shown.length === 1 ? shown[0] : shown
}

function dropRules (fields: Fields, types: readonly string[]): void {
  for (const name in fields) if (RULES.get(name)?.some((type) => types.includes(type)) === false) delete fields[name]
}

/** An exclusive bound is a number, as in OpenAPI 3.1. Integers have inclusive ones, and are multiples of 1. */
function writeBounds (fields: Fields): void {
  if (BOUNDS.every((name) => fields[name] === undefined)) return
  const { multipleOf } = fields
  if (typeof multipleOf === 'number' && multipleOf % 1 === 0 && fields.type !== undefined) {
    const types = [fields.type].flat().map((type) => type === 'number' ? 'integer' : type)
    fields.type = types.length === 1 ? types[0] : types
  }
  const isInteger = [fields.type].flat().includes('integer')
  if (isInteger && 1 % Number(multipleOf) === 0) delete fields.multipleOf
  for (const [bound, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1], ['maximum', 'exclusiveMaximum', -1]
  ] as const) {
    if (fields[exclusive] === true) {
      if (typeof fields[bound] === 'number') {
        fields[exclusive] = fields[bound]
        delete fields[bound]
      } else delete fields[exclusive]
    }
    const [inclusive, exclusiveBound] = [fields[bound], fields[exclusive]]
    if (isInteger && typeof exclusiveBound === 'number') {
      const next = sign * (Math.floor(sign * exclusiveBound) + 1)
      fields[bound] = typeof inclusive === 'number' ? sign * Math.max(sign * inclusive, sign * next) : next
      delete fields[exclusive]
    } else if (typeof inclusive === 'number' && typeof exclusiveBound === 'number') {
      delete fields[sign * exclusiveBound >= sign * inclusive ? bound : exclusive]
    }
    if (isInteger && typeof fields[bound] === 'number') fields[bound] = sign * Math.ceil(sign * fields[bound])
  }
}

/** Alternatives that are told apart by types or values alone become one schema. */
function writeAlternatives (fields: Fields, name: string): void {
  const written = (fields[name] as unknown[]).filter((member) => (
    name === 'allOf' ? !isTrue(member) : !isOnly(member, 'enum', [])
  ))
  const several = name === 'allOf' ? distinct(written) : written
  const all = name === 'anyOf' ? withoutNarrow(written.flatMap(anyOfIn)) : several
  const flat = name === 'allOf' ? all : withoutNulls(all, name)
  // What is nested might double at each level.
  const members = flat.length <= MOST ? flat : all
  fields[name] = members
  const isOpen = name === 'anyOf' ? members.some(isTrue) : name === 'allOf' && members.length === 0
  const mergedAll = () => name === 'allOf' ? null : mergedOf(members, name === 'oneOf')
  const merged = isOpen ? {} : members.length === 1 ? members[0] : mergedAll()
  if (!isItem(merged)) {
    const types = new Set(elementsOf([fields.type].flat()))
    const isImplied = members.every((member) => [itemOf(member).type].flat().every((type) => types.has(type)))
    if (name !== 'allOf' && isImplied && Object.keys(fields).length === 2) delete fields.type
    return
  }
  delete fields[name]
  if (Object.keys(fields).every((field) => NOTES.includes(field) && !(field in merged))) {
    const named = members.filter((member) => members.length === 1 || !isNull(member)) as Fields[]
    // A schema or null is called by the name of the schema, unless it has a name itself.
    const { [NAME]: name, [SHARED]: shared } = fields[NAME] !== undefined || named.length !== 1 ? fields : named[0]
    Object.assign(fields, merged, { [NAME]: name, [SHARED]: shared })
  } else fields.allOf = [...elementsOf(fields.allOf), merged]
}

/** Schemas without what is the same as an earlier one, and has no other name. */
function distinct (members: readonly unknown[]): readonly unknown[] {
  const all = [...new Set(members)]
  if (all.length > MOST_COMPARED) return all
  const sameness = new Sameness(true)
  return all.filter((member, i) => !all.slice(0, i).some((earlier) => (
    nameOf(earlier) === nameOf(member) && sameness.of(earlier, member)
  )))
}

/** Schemas of one type without those that another one includes, if none has a name. */
function withoutNarrow (alternatives: readonly unknown[]): readonly unknown[] {
  const members = distinct(alternatives)
  if (members.length > MOST_COMPARED) return members
  const single = members.filter((member): member is Item => (
    isItem(member) && nameOf(member) === undefined && typeof member.type === 'string' &&
    Object.keys(member).every((name) => name === 'type' || name === 'format' || RULES.has(name))
  ))
  return members.filter((member) => !single.some((wide) => (
    wide !== member && single.includes(member as Item) && isIncluding(wide, member as Item)
  )))
}

/** Whether a schema provably allows all that another one allows, and describes what is in it in the same way. */
function isIncluding (wide: Item, narrow: Item): boolean {
  return Object.keys({ ...wide, ...narrow }).every((name) => {
    if (name === 'type') return wide.type === narrow.type || (wide.type === 'number' && narrow.type === 'integer')
    if (!NARROWING.includes(name)) return areSame(wide[name], narrow[name])
    const required = elementsOf(narrow.required)
    if (name === 'required') return elementsOf(wide.required).every((member) => required.includes(member))
    return wide[name] === undefined || (narrow[name] !== undefined && isWider(name, wide[name], narrow[name]))
  })
}

/** Alternatives where null is one by itself, and the last, if it may be any of them. */
function withoutNulls (members: readonly unknown[], name: string): readonly unknown[] {
  const nullable = members.filter((member) => isNull(member) || (
    elementsOf(itemOf(member).type).includes('null') && Object.keys(itemOf(member)).every((name) => (
      name === 'type' || RULES.has(name) || NOTES.includes(name)
    ))
  ))
  if (nullable.length === 0 || (name === 'oneOf' && nullable.length > 1)) return members
  const others = members.filter((member) => !isNull(member)).map((member) => {
    if (!nullable.includes(member)) return member
    const types = elementsOf(itemOf(member).type).filter((type) => type !== 'null')
    return { ...itemOf(member), type: types.length === 1 ? types[0] : types }
  })
  return [...others, { type: 'null' }]
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
  const listed = values.flatMap((list) => list ?? [])
  if (values.every((list) => list !== null)) {
    const merged = { enum: listed }
    const isApart = new Set(listed.map(keyOf)).size === listed.length
    writeTypes(merged)
    return isApart || !areExclusive ? merged : null
  }
  const [first, ...others] = all.filter((member) => !isNull(member))
  const isAlone = others.length === 0
  const types = all.map(({ type }) => [type].flat() as string[])
  const isKnown = all.every((member) => Object.keys(member).every((name) => (
    name === 'type' || RULES.has(name) || (isAlone && (name === 'enum' || NOTES.includes(name)))
  )))
  const named = types.flat().map((type) => type === 'integer' ? 'number' : type)
  if (isKnown && isAlone && Array.isArray(first.enum) && !first.enum.includes(null)) {
    return { ...first, enum: [...first.enum, null] }
  }
  // Others are called by their names, and what differs in them is theirs.
  const isApart = all.every((member) => member.type !== undefined && member.enum === undefined) &&
    (isAlone || all.every((member) => member[NAME] === undefined)) && new Set(named).size === named.length
  if (!isKnown || !isApart) return null
  return { ...Object.assign({}, ...all), type: TYPES.filter((type) => types.flat().includes(type)) }
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
