import { combine, isWider, schemasOf } from './combined-schema.ts'
import { ALTERNATIVES, NAME, SHARED, Sameness, elementsOf, isItem, isTrue, itemOf, keyOf, nameOf } from './json.ts'
import { TYPES, includesType, shortTypes, typeOf } from './types.ts'

/** A copy of a part of a document, which this file writes in a normal form. */
export type Fields = Record<string | symbol, unknown>

/**
 * Returns the normal form of a keyword, or undefined if the keyword means the same as its absence.
 *
 * @param isIdle tells whether a schema says nothing. With `unevaluated…`, each schema says what it evaluates
 */
type Rule = (value: unknown, fields: Fields, isIdle: (schema: unknown) => boolean) => unknown

const asItIs: Rule = (value) => value
const unless = (byDefault: unknown): Rule => (value) => value === byDefault ? undefined : value
const unlessEmpty: Rule = (value) => isNothing(value) ? undefined : value
const limiting: Rule = (schema, _fields, isIdle) => isIdle(schema) ? undefined : schema
const besides = (name: string, rule: Rule): Rule => (value, fields, isIdle) => (
  fields[name] === undefined ? undefined : rule(value, fields, isIdle)
)
const afterTuple: Rule = (schema, { items }, isIdle) => Array.isArray(items) && !isIdle(schema) ? schema : undefined
// A schema with `additionalProperties: true` expects further properties. A schema without the keyword does not.
const ofOthers: Rule = (schema, _fields, isIdle) => isIdle(schema) || schema
const limitingEach: Rule = (schemas) => objectOf(Object.entries(itemOf(schemas)).filter(([, each]) => !isTrue(each)))
// Where other properties are limited, a pattern with an empty schema says which properties are open.
const byPattern: Rule = (schemas, { additionalProperties = true }, isIdle) => (
  (isIdle(additionalProperties) ? limitingEach : unlessEmpty)(schemas, {}, isIdle)
)
const ofNames: Rule = (schema, _fields, isIdle) => (
  isIdle(schema) || isOnly(schema, 'type', 'string') ? undefined : schema
)
const names: Rule = (list) => isNothing(list) ? undefined : Array.isArray(list) ? [...new Set(list)].sort() : list
const namesOfEach: Rule = (lists, fields, isIdle) => {
  if (!elementsOf(lists).every(Array.isArray)) return lists
  const entries = Object.entries(itemOf(lists)).map(([name, list]) => [name, names(list, fields, isIdle)] as const)
  return objectOf(entries.filter(([, list]) => list !== undefined))
}
const forbidding: Rule = (schema) => isOnly(schema, 'enum', []) ? undefined : schema
const withConsequences: Rule = (schema, { then: some = true, else: others = true }, isIdle) => (
  isIdle(some) && isIdle(others) ? undefined : schema
)

/** The rule of each keyword, and the type of the values that it limits. Values of other types always meet it. */
const RULES_BY_KEYWORD = new Map(([
  ['string', asItIs, 'maxLength contentEncoding contentMediaType'],
  ['string', unless(0), 'minLength'],
  ['string', unless(''), 'pattern'],
  ['string', limiting, 'contentSchema'],
  ['integer', asItIs, 'minimum maximum multipleOf'],
  ['integer', unless(false), 'exclusiveMinimum exclusiveMaximum'],
  ['array', asItIs, 'maxItems contains'],
  ['array', unless(0), 'minItems'],
  ['array', unless(false), 'uniqueItems'],
  ['array', limiting, 'items unevaluatedItems'],
  ['array', unlessEmpty, 'prefixItems'],
  ['array', afterTuple, 'additionalItems'],
  ['array', besides('contains', unless(1)), 'minContains'],
  ['array', besides('contains', asItIs), 'maxContains'],
  ['object', asItIs, 'maxProperties'],
  ['object', unless(0), 'minProperties'],
  ['object', unlessEmpty, 'properties dependencies'],
  ['object', ofOthers, 'additionalProperties'],
  ['object', byPattern, 'patternProperties'],
  ['object', limiting, 'unevaluatedProperties'],
  ['object', ofNames, 'propertyNames'],
  ['object', names, 'required'],
  ['object', namesOfEach, 'dependentRequired'],
  ['object', limitingEach, 'dependentSchemas'],
  ['any', unless(false), 'nullable readOnly writeOnly'],
  ['any', forbidding, 'not'],
  ['any', withConsequences, 'if'],
  ['any', besides('if', limiting), 'then else'],
  ['any', unlessEmpty, 'allOf']
] as const).flatMap(([type, rule, keywords]) => keywords.split(' ').map((name) => [name, { type, rule }] as const)))

/** Keywords that say the same of a value whatever its type is, so that an alternative for null does not change them. */
const OF_ALL_TYPES = ['format', 'default', 'readOnly', 'writeOnly', 'x-sunset']
/** Keywords that allow less than their absence, and do not describe what is in a value. */
const NARROWING = /^(?:type|format|pattern|required|multipleOf|exclusiveM.*|(?:min|max)(?!Contains).*)$/

/** The number of alternatives up to which nested alternatives become one list. */
const MOST_ALTERNATIVES = 1_000
/** The number of alternatives up to which all pairs of them are compared. */
const MOST_COMPARED = 50

/** Fields that say nothing if they are empty. */
const COLLECTIONS = [
  'parameters', 'servers', 'callbacks', 'headers', 'content', 'encoding', 'prefixEncoding', 'itemEncoding'
]

/** Writes a part that is no schema without the defaults of OpenAPI. All that is in the part must be written before. */
export function writePart (part: Fields, kind: string): void {
  if (part.encoding !== undefined) writeEncodings(part)
  if (['parameter', 'header', 'body'].includes(kind)) dropDefaults(part)
  for (const name of COLLECTIONS) if (isNothing(part[name])) delete part[name]
}

function dropDefaults (part: Fields): void {
  const isForm = part.in === 'query' || part.in === 'cookie'
  const { style = isForm ? 'form' : 'simple' } = part
  const { types } = combine([part.schema])
  const isSingle = !types.includes('array') && !types.includes('object')
  // `explode` has no effect on a single value, and with `deepObject` properties are always apart.
  if (isSingle || style === 'deepObject') delete part.explode
  const defaults = {
    style: isForm ? 'form' : 'simple',
    explode: style === 'form' || style === 'cookie',
    allowReserved: false,
    allowEmptyValue: false,
    required: false
  }
  for (const [name, value] of Object.entries(defaults)) if (part[name] === value) delete part[name]
}

/**
 * Writes encodings without their defaults. A style stays even if it is the default, because OpenAPI ignores
 * `contentType` beside a style.
 */
function writeEncodings (media: Fields): void {
  const encodings = Object.entries(itemOf(media.encoding)).flatMap(([name, encoding]) => {
    const { contentType: types, ...others } = encoding as Fields
    const contentType = typeof types === 'string' ? types.split(',').map((type) => type.trim()).sort().join() : types
    const { style = 'form', explode = style === 'form', allowReserved = false } = others
    const isStyled = ['style', 'explode', 'allowReserved'].some((field) => others[field] !== undefined)
    if (isStyled) Object.assign(others, { style, explode, allowReserved })
    const byDefault = contentTypeOf(schemasOf(combine([media.schema]), name)[0])
    if (contentType !== undefined && contentType !== byDefault) others.contentType = contentType
    return isNothing(others) ? [] : [[name, others] as const]
  })
  media.encoding = objectOf(encodings) ?? {}
}

/** Returns the default of `contentType` in an Encoding Object. A list has the default of its members. */
function contentTypeOf (schema: unknown): string {
  const schemas = new Set([schema])
  for (const part of schemas) {
    const { items, rules, types } = combine([part])
    const type = types.length === TYPES.length ? undefined : types.find((name) => name !== 'null')
    if (type === 'array') for (const member of items) schemas.add(member)
    else if (type === 'object') return 'application/json'
    else if (type && !rules.get('format')?.includes('binary') && !rules.has('contentEncoding')) return 'text/plain'
  }
  return 'application/octet-stream'
}

/**
 * Writes a schema in a normal form, which many schemas with the same meaning share. All that is in the schema must be
 * written before, unless the schema contains itself.
 *
 * @returns false if the alternatives of the schema have to be written in the end, because not all of them are written
 */
export function writeSchema (fields: Fields, isEvaluating: boolean, written: ReadonlySet<unknown>): boolean {
  // Zod writes `not: {}` in a schema that allows nothing.
  if (isTrue(fields.not)) {
    delete fields.not
    fields.enum = []
  }
  const [pattern = '', ...others] = Object.keys(itemOf(fields.patternProperties))
  // For an object whose properties all have one schema, TypeBox writes a pattern that matches all names.
  if (/^\^?\(?\.\*\)?\$?$/.test(pattern) && others.length === 0 && isNothing(fields.properties ?? {})) {
    fields.additionalProperties = itemOf(fields.patternProperties)[pattern]
    delete fields.patternProperties
  }
  writeTypes(fields)
  if (fields.minContains === 0 && fields.maxContains === undefined && !isEvaluating) delete fields.contains
  const isIdle = isEvaluating ? () => false : isTrue
  for (const name in fields) {
    const keyword = RULES_BY_KEYWORD.get(name)
    if (keyword === undefined) continue
    const value = fields[name]
    const normal = keyword.rule(value, fields, isIdle)
    if (normal === undefined) delete fields[name]
    else if (normal !== value) fields[name] = normal
  }
  writeBounds(fields)
  if (fields.$ref !== undefined) {
    fields.allOf = [fields.$ref, ...elementsOf(fields.allOf)]
    delete fields.$ref
  }
  const isFounded = ALTERNATIVES.every((name) => elementsOf(fields[name]).every((member) => written.has(member)))
  if (isFounded) writeAlternativesIn(fields)
  return isFounded
}

function isNothing (value: unknown): boolean {
  return isItem(value) && Object.keys(value).length === 0
}

function isOnlyValues (schema: Fields): schema is Fields & { readonly enum: readonly unknown[] } {
  return Array.isArray(schema.enum) && Object.keys(schema).length === 1
}

function isOnly (schema: unknown, name: string, value: unknown): boolean {
  return isItem(schema) && Object.keys(schema).length === 1 && keyOf(schema[name]) === keyOf(value)
}

function objectOf (entries: readonly (readonly [string, unknown])[]): object | undefined {
  return entries.length > 0 ? { __proto__: null, ...Object.fromEntries(entries) } : undefined
}

/** Tells whether a keyword limits values of at least one of some types. No value of another type can break it. */
function isAbout (name: string, types: readonly unknown[]): boolean {
  const type = RULES_BY_KEYWORD.get(name)?.type ?? 'any'
  return type === 'any' || includesType(types, type)
}

/** Writes types as a list in order, or as values, and removes the keywords that no value of these types can break. */
function writeTypes (fields: Fields): void {
  const { type, const: only, nullable } = fields
  const types = type === undefined ? TYPES : [type].flat() as string[]
  if (!types.every((name) => TYPES.includes(name))) return
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
  dropOtherTypes(fields, allowedTypes)
  if (fields.enum !== undefined) return
  const shown = shortTypes(allowedTypes)
  if (allowedTypes.length === TYPES.length) delete fields.type
  else fields.type = shown.length === 1 ? shown[0] : shown
}

function dropOtherTypes (fields: Fields, types: readonly string[]): void {
  for (const name in fields) if (!isAbout(name, types)) delete fields[name]
}

/** Writes an exclusive bound as a number, as in OpenAPI 3.1. Integers get inclusive bounds, and no `multipleOf: 1`. */
function writeBounds (fields: Fields): void {
  const { multipleOf, type } = fields
  if (typeof multipleOf === 'number' && multipleOf % 1 === 0 && type !== undefined) {
    const types = [type].flat().map((name) => name === 'number' ? 'integer' : name)
    fields.type = types.length === 1 ? types[0] : types
  }
  const isInteger = [fields.type].flat().includes('integer')
  if (isInteger && 1 % Number(multipleOf) === 0) delete fields.multipleOf
  for (const [bound, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1], ['maximum', 'exclusiveMaximum', -1]
  ] as const) {
    const { [bound]: inclusive, [exclusive]: limit } = fields
    const isMalformed = [inclusive, limit === true || limit === false ? 0 : limit].some((value) => (
      value !== undefined && typeof value !== 'number'
    ))
    if (isMalformed) continue
    const limits = [[limit, true], [inclusive, limit === true]] as const
    const [tightest] = limits.flatMap(([value, isExclusive]) => {
      if (typeof value !== 'number') return []
      const at = sign * value
      if (!isInteger) return { at, isExclusive }
      return { at: isExclusive ? Math.floor(at) + 1 : Math.ceil(at), isExclusive: false }
    }).sort((a, b) => b.at - a.at)
    const [kept, dropped] = tightest?.isExclusive ? [exclusive, bound] : [bound, exclusive]
    if (tightest !== undefined) fields[kept] = sign * tightest.at
    delete fields[dropped]
  }
}

/** Writes the lists of alternatives of a schema. Their members must be written before. */
export function writeAlternativesIn (fields: Fields): void {
  // `allOf` is the last of the names, because the other lists may add a schema to it.
  for (const name of ALTERNATIVES) if (Array.isArray(fields[name])) writeAlternatives(fields, name)
}

/** Writes a list of alternatives. If only types or values tell them apart, they become one schema. */
function writeAlternatives (fields: Fields, name: string): void {
  const members = normalMembers(fields[name] as readonly Fields[], name)
  const merged = mergedOf(members, name)
  if (merged === null) {
    fields[name] = members
    const types = [fields.type].flat()
    const isImplied = name !== 'allOf' && Object.keys(fields).length === 2 &&
      members.every(({ type = null }) => [type].flat().every((memberType) => types.includes(memberType)))
    if (isImplied) delete fields.type
    return
  }
  delete fields[name]
  if (Object.keys(fields).every((field) => OF_ALL_TYPES.includes(field) && !(field in merged))) {
    const named = members.filter((member) => members.length === 1 || !isOnly(member, 'type', 'null'))
    // An alternative beside null gives its name to the whole, unless the whole has a name itself.
    const source = fields[NAME] !== undefined || named.length !== 1 ? fields : named[0]
    Object.assign(fields, merged, { [NAME]: source[NAME], [SHARED]: source[SHARED] })
  } else fields.allOf = [...elementsOf(fields.allOf), merged]
}

/** Returns the schemas of an `allOf`, or alternatives of one type each, without members that add nothing. */
function normalMembers (list: readonly Fields[], name: string): readonly Fields[] {
  if (name === 'allOf') return distinct(list.filter((member) => !isTrue(member)), () => undefined)
  const written = list.filter((member) => !isOnly(member, 'enum', []))
  const flat = name === 'oneOf' ? written : written.flatMap(anyOfIn)
  const single = flat.flatMap((member): readonly Fields[] => (
    isBasic(member, OF_ALL_TYPES) ? splitByType(member) : [member]
  ))
  // Nested alternatives might double the list at each level.
  const members = single.length <= MOST_ALTERNATIVES ? single : written
  return name === 'oneOf' ? members : withoutNarrow(distinct(members, nameOf))
}

/** Returns the alternatives of a schema that has nothing but `anyOf`, or the schema itself. */
function anyOfIn (schema: Fields): readonly Fields[] {
  const { anyOf, ...others } = schema
  return Array.isArray(anyOf) && isNothing(others) ? anyOf : [schema]
}

/** Returns a schema of several types as one schema for each type. */
export function splitByType (schema: Fields): Fields[] {
  const { type } = schema
  if (!Array.isArray(type)) return [schema]
  const others = type.filter((name) => name !== 'null')
  return type.map((name) => {
    if (name === 'null' && isBasic(schema, OF_ALL_TYPES)) return { type: name }
    const single: Fields = { __proto__: null, ...schema, type: name }
    if (others.length > 1) single[NAME] = undefined
    dropOtherTypes(single, [name])
    return single
  })
}

/** Tells whether a schema has nothing but types, values, rules for them, and some other keywords. */
function isBasic (schema: Fields, others: readonly string[]): boolean {
  return Object.keys(schema).every((name) => (
    name === 'type' || name === 'enum' || others.includes(name) || (RULES_BY_KEYWORD.get(name)?.type ?? 'any') !== 'any'
  ))
}

/** Returns the schemas without each one that is the same as an earlier schema and has the same name by `toName`. */
function distinct (members: readonly Fields[], toName: (schema: Fields) => unknown): readonly Fields[] {
  const all = [...new Set(members)]
  if (all.length > MOST_COMPARED) return all
  const sameness = new Sameness(true)
  return all.filter((member, i) => !all.slice(0, i).some((earlier) => (
    toName(earlier) === toName(member) && sameness.of(earlier, member)
  )))
}

/**
 * Returns the alternatives without those that another alternative includes. Values may go if their type is an
 * alternative, and schemas of one type if they have no name.
 */
function withoutNarrow (all: readonly Fields[]): readonly Fields[] {
  const whole = [...new Set(all.filter((member) => Object.keys(member).join() === 'type').map(({ type }) => type))]
  const isIncluded = (value: unknown) => includesType(whole, typeOf(value))
  const members = all.filter((member) => !isOnlyValues(member) || !member.enum.every(isIncluded))
  if (members.length > MOST_COMPARED) return members
  const single = members.filter((member) => (
    nameOf(member) === undefined && typeof member.type === 'string' && isBasic(member, ['format'])
  ))
  return members.filter((narrow) => !single.includes(narrow) || !single.some((wide) => (
    wide !== narrow && Object.keys({ ...wide, ...narrow }).every((name) => (
      (NARROWING.test(name) && wide[name] === undefined) || isWider(name, wide[name], narrow[name])
    ))
  )))
}

/** Returns the members as one schema, or null if one schema cannot say the same. */
function mergedOf (members: readonly Fields[], name: string): Fields | null {
  if (members.length === 1) return members[0]
  if (members.length === 0) return name === 'allOf' ? {} : { enum: [] }
  if (name === 'allOf') return null
  if (name === 'anyOf' && members.some(isTrue)) return {}
  const others = members.filter((member) => !isOnly(member, 'type', 'null'))
  const isAlone = others.length === 1
  if (!members.every((member) => isBasic(member, isAlone ? OF_ALL_TYPES : []))) return null
  const values = members.map(soleValues)
  if (values.every((list) => list !== null) && (isAlone || others.every((some) => Object.keys(some).length === 1))) {
    const { type: _, ...first } = isAlone ? others[0] : {} as Fields
    const merged: Fields = { ...first, enum: values.flat() }
    const areApart = new Set(values.flat().map(keyOf)).size === values.flat().length
    writeTypes(merged)
    return areApart || name === 'anyOf' ? merged : null
  }
  const types = members.flatMap(({ type }) => type) as string[]
  const kinds = new Set(types.map((type) => type === 'integer' ? 'number' : type))
  // Alternatives with names stay apart, because a difference in one of them is reported under its name.
  const areApart = members.every(({ type, enum: list }) => type !== undefined && list === undefined) &&
    kinds.size === types.length && (isAlone || members.every((member) => nameOf(member) === undefined))
  if (!areApart) return null
  const merged = { ...Object.assign({}, ...members), type: types }
  writeTypes(merged)
  return merged
}

/** Returns the only values that a schema allows, or null if it allows others. */
function soleValues ({ type, enum: values }: Fields): readonly unknown[] | null {
  if (Array.isArray(values)) return values
  const types = [type].flat()
  if (!types.every((name) => name === 'null' || name === 'boolean')) return null
  return types.flatMap((name) => name === 'null' ? [null] : [false, true])
}
