import { fc } from '../fixtures/property.ts'

/** A schema of JSON Schema, as an object. */
export type Schema = Record<string, unknown>

/** What is changed in a schema: which of its schemas, how, and with what. */
export interface Edit { readonly at: number, readonly how: number, readonly other: Schema }

/** Two documents in one: a schema before and after, and the schemas that it refers to. */
export interface SchemaPair {
  readonly before: Schema
  readonly after: Schema
  readonly sharedBefore: Record<string, Schema>
  readonly sharedAfter: Record<string, Schema>
  /** Values are drawn from it. */
  readonly seed: number
}

const NAMES = ['a', 'b', '__proto__']
const TEXTS = ['', 'a', 'b', 'ab', 'abc', '2026-01-31', 'a b']
const NUMBERS = [-1, 0, 1, 1.5, 2, 3, 6]
const names = fc.constantFrom(...NAMES)
const bound = fc.nat(3)
const scalars = fc.constantFrom<unknown>(...TEXTS, ...NUMBERS, null, true, false)

const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const inner = tie('schema') as fc.Arbitrary<Schema>
  const optional = { requiredKeys: [] as [] }
  const inList = fc.record({ minItems: bound, maxItems: bound, uniqueItems: fc.boolean(), items: inner }, optional)
  const others = fc.oneof({ weight: 3, arbitrary: fc.boolean() }, { weight: 1, arbitrary: inner })
  const inObject = fc.record({
    properties: fc.dictionary(names, inner, { maxKeys: 2 }),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    additionalProperties: others,
    minProperties: bound
  }, { requiredKeys: ['properties'] })
  const inText = fc.record({
    minLength: bound,
    maxLength: bound,
    pattern: fc.constantFrom('^a', 'b$', '.*'),
    format: fc.constantFrom('date', 'uuid', 'unknown')
  }, optional)
  const inNumber = fc.record({
    minimum: fc.integer({ min: -1, max: 3 }),
    exclusiveMaximum: bound,
    multipleOf: fc.constantFrom(1, 2, 3, 6, 0.5)
  }, optional)
  const of = (type: unknown, rules: fc.Arbitrary<object>) => rules.map((rule) => ({ type, ...rule }))
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  const tagged = fc.tuple(inner, inner).map((parts) => parts.map((part, i) => ({
    type: 'object', properties: { kind: { const: `${i}` }, a: part }, required: ['kind']
  })))
  return {
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true },
      of('string', inText),
      of('integer', inNumber),
      of('number', inNumber),
      fc.constantFrom<Schema>({}, { type: 'boolean' }, { type: 'null' }),
      fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
      scalars.map((value) => ({ const: value })),
      of('string', inText).map((text) => ({ ...text, nullable: true })),
      fc.tuple(inText, inNumber).map(([text, number]) => ({ type: ['string', 'integer', 'null'], ...text, ...number })),
      fc.constantFrom<Schema>({ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }),
      of('array', inList),
      of('object', inObject),
      of('object', inObject),
      inObject,
      several.map((allOf) => ({ allOf })),
      several.map((anyOf) => ({ anyOf })),
      several.map((oneOf) => ({ oneOf })),
      tagged.map((oneOf) => ({ oneOf })),
      inner.map((one) => ({ not: one })),
      fc.tuple(inner, inner).map(([first, items]) => ({ type: 'array', prefixItems: [first], items })),
      fc.tuple(inObject, inObject).map(([one, other]) => ({ allOf: [one, other], unevaluatedProperties: false })),
      fc.tuple(inObject, inner).map(([one, other]) => ({ ...one, patternProperties: { '^a': other } }))
    )
  }
}) as unknown as { schema: fc.Arbitrary<Schema> }

const edits = fc.array(fc.record({ at: fc.nat(30), how: fc.nat(30), other: schema }), { maxLength: 3 })
const shared = fc.record({ A: schema, B: schema })

/** A schema, and the same after some changes, or another one. */
export const pairs: fc.Arbitrary<SchemaPair> = fc.record({
  before: schema, other: schema, isOther: fc.nat(9), shared, edits, sharedEdits: edits, seed: fc.nat()
}).map(({ before, other, isOther, shared, edits, sharedEdits, seed }) => ({
  before,
  after: isOther === 0 ? other : changed(before, edits),
  sharedBefore: shared,
  sharedAfter: { ...shared, A: changed(shared.A, sharedEdits.slice(0, 1)) },
  seed
}))

function changed (schema: Schema, edits: readonly Edit[]): Schema {
  const root = { schema: copied(schema) }
  for (const { at, how, other } of edits) {
    const nodes = nodesIn(root)
    const node = nodes[at % nodes.length] as Schema
    edit(node, how, copied(other))
  }
  return root.schema
}

function copied (schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema
}

/** The schemas in a schema, with everything that may be one. */
function nodesIn (value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value) || 'schema' in value) return Object.values(value).flatMap(nodesIn)
  const { properties, patternProperties, ...others } = value as Schema
  const inner = [others, properties ?? {}, patternProperties ?? {}].flatMap((holder) => Object.values(holder as object))
  return [value as Schema, ...inner.flatMap(nodesIn)]
}

function edit (node: Schema, how: number, other: Schema): void {
  const keys = Object.keys(node)
  const key = keys[how % Math.max(1, keys.length)] ?? ''
  const value = node[key]
  const step = how % 2 === 0 ? 1 : -1
  const own = { ...node }
  const kinds: (() => void)[] = [
    () => { delete node[key] },
    () => { if (typeof value === 'number') node[key] = value + step },
    () => { if (typeof value === 'boolean') node[key] = !value },
    () => { if (Array.isArray(value)) node[key] = step > 0 ? value.slice(1) : [...value, ...listOf(other[key])] },
    () => { Object.assign(node, other) },
    () => { if (node.properties) node.properties = { ...node.properties, c: other } },
    () => { if (node.properties) node.required = step > 0 ? ['a'] : ['a', 'c'] },
    () => { wrap(node, { anyOf: [own, other] }) },
    () => { wrap(node, { oneOf: [own, other] }) },
    () => { wrap(node, { allOf: [own, other] }) },
    () => { wrap(node, { oneOf: [own, { type: 'null' }] }) },
    () => { if (node.type === 'integer') node.type = 'number' },
    () => { if (typeof node.type === 'string') node.type = [node.type, 'null'] },
    () => { if (Array.isArray(node.enum)) node.enum = [...node.enum, 'new'] }
  ]
  kinds[how % kinds.length]?.()
}

function listOf (value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function wrap (node: Schema, around: Schema): void {
  for (const key of Object.keys(node)) delete node[key]
  Object.assign(node, around)
}

/** Draws values that a schema may allow: most of them do as it says, some do not. */
export class Values {
  readonly #shared: Record<string, Schema>
  #state: number

  constructor (seed: number, shared: Record<string, Schema>) {
    this.#state = seed
    this.#shared = shared
  }

  /** @param depth how many levels of values may still be made */
  draw (schema: unknown, depth = 4): unknown {
    if (typeof schema !== 'object' || schema === null || this.#below(8) === 0 || depth === 0) return this.#any(depth)
    const { $ref, allOf, anyOf, oneOf, enum: values, ...own } = schema as Schema & Record<string, never>
    if ('const' in own) return own.const
    if (values) return this.#pick(values)
    if ($ref) return this.draw(this.#shared[String($ref).slice(-1)], depth - 1)
    const parts = anyOf ?? oneOf
    if (parts) return this.draw(this.#pick(parts), depth)
    if (allOf) return this.#merged((allOf as unknown[]).map((part) => this.draw(part, depth)))
    const type = [own.type ?? (own.properties ? 'object' : undefined)].flat()
    switch (this.#pick(type)) {
      case 'object': return this.#object(own, depth)
      case 'array': return Array.from({ length: this.#below(4) }, (_, i) => (
        this.draw(own.prefixItems?.[i] ?? own.items, depth - 1)
      ))
      case 'string': return this.#pick(TEXTS)
      case 'integer': case 'number': return this.#pick(NUMBERS)
      case 'boolean': return this.#pick([true, false])
      case 'null': return null
      default: return this.#any(depth)
    }
  }

  #object (schema: Schema, depth: number): object {
    const {
      properties, required, additionalProperties, patternProperties
    } = schema as Record<string, object | undefined>
    const value: [string, unknown][] = []
    for (const [name, property] of Object.entries(properties ?? {})) {
      const isRequired = listOf(required).includes(name)
      if (isRequired || this.#below(2) === 0) value.push([name, this.draw(property, depth - 1)])
    }
    const other = additionalProperties ?? Object.values(patternProperties ?? {})[0]
    if (other && this.#below(2) === 0) {
      value.unshift([String(this.#pick([...NAMES, 'c', 'kind', 'd'])), this.draw(other, depth - 1)])
    }
    return Object.fromEntries(value)
  }

  #any (depth: number): unknown {
    const kind = this.#below(depth > 0 ? 10 : 8)
    if (kind === 9) return { [this.#pick(['a', 'b', 'c']) as string]: this.#any(depth - 1) }
    return kind === 8 ? [this.#any(depth - 1)] : this.#pick([...TEXTS, ...NUMBERS, null, true, false, 'new'])
  }

  #merged (values: readonly unknown[]): unknown {
    const isObjects = values.every((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
    return isObjects ? Object.fromEntries(values.flatMap((value) => Object.entries(value as object))) : values[0]
  }

  #pick (values: readonly unknown[]): unknown {
    return values[this.#below(values.length)]
  }

  /** The generator of Park and Miller. */
  #below (limit: number): number {
    this.#state = (this.#state + 1) * 48_271 % 2_147_483_647
    return this.#state % limit
  }
}
