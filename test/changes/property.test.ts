import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'

import { Changes } from '../../src/changes/changes.ts'
import { formsOf } from '../../src/changes/forms.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { Change } from '../../types/index.d.ts'

/*
 * Random schemas that refer to each other, changes of some of them, values, and a model that downgrades by naive
 * recursion. The function of a value goes first, then the functions of what the older schema has in it.
 */
interface Node { [keyword: string]: unknown }
type Documents = ReadonlyMap<string, Node>
type Random = (below: number) => number

const VERSIONS = ['v1', 'v2', 'v3', 'v4']
const IDS = ['A', 'B', 'C', 'D', 'E', '__proto__x']
const NAMES = ['one', 'two', 'constructor', 'a/b~c']

function randomOf (seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function own (entries: [string, unknown][]): Node {
  return Object.fromEntries(entries)
}

function closed (properties: Node): Node {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** What stands somewhere in a schema. References are optional there, so that values end. */
function nodeOf (random: Random, depth: number): Node {
  const inner = () => nodeOf(random, depth - 1)
  switch (depth <= 0 ? random(4) : random(12)) {
    case 0: return { type: 'integer' }
    case 1: return { type: 'string' }
    case 2: case 3: case 4: return { $ref: `${IDS[random(IDS.length)]}#` }
    case 5: return { type: 'array', items: inner() }
    case 6: return { type: 'array', items: inner(), minItems: 1 }
    case 7: return { type: 'object', additionalProperties: inner() }
    case 8: return { type: 'object', patternProperties: { '^p': inner() }, additionalProperties: inner() }
    case 9: return { anyOf: [{ $ref: `${IDS[random(IDS.length)]}#` }, { type: 'null' }] }
    case 10: return {
      oneOf: ['left', 'right'].map((kind) => closed(own([['kind', { const: kind }], ['in', inner()]])))
    }
    default: {
      const names = NAMES.slice(0, 1 + random(NAMES.length))
      const node = closed(own(names.map((name) => [name, inner()])))
      return random(3) === 0 ? { ...node, required: [] } : random(2) === 0 ? { allOf: [node] } : node
    }
  }
}

/** A shared schema: an object with a number, whose name shows the version, and other values inside. */
function documentOf (random: Random): Node {
  return { type: 'object', properties: own([['n4', { type: 'integer' }], ['in', nodeOf(random, 2)]]), required: ['n4'] }
}

/** The number is called otherwise in each version, and what is inside is one level deeper. */
function changeOf (id: string, version: number, newer: Node): { older: Node, change: Change } {
  const { properties } = newer as { properties: Node }
  const [name, inside] = Object.keys(properties)
  const from = name
  const to = `n${version}`
  const hasInside = inside !== undefined
  const older = {
    type: 'object',
    properties: own([
      [to, properties[name]],
      ...(hasInside
        ? [
            ['box', {
              type: 'object', properties: own([[inside, properties[inside]]]), additionalProperties: true
            }] as [string, Node]
          ]
        : [])
    ]),
    required: [to],
    additionalProperties: false
  }
  const downgrade = ({ [from]: number, ...rest }: Node) => (
    Object.keys(rest).length === 0 ? { [to]: number } : { [to]: number, box: rest }
  )
  const upgrade = ({ [to]: number, box }: Node) => ({ [from]: number, ...box as object })
  const schemas = own([[id, { older, upgrade, downgrade }]]) as Change['schemas']
  return { older, change: { version: VERSIONS[version], description: `${id} ${version}`, schemas } }
}

function valueOf (node: Node, documents: Documents, random: Random, depth: number): unknown {
  const lengthOf = ({ minItems = 0 }: Node) => Math.max(minItems as number, depth > 0 ? random(3) : 0)
  const inner = (one: unknown) => valueOf(one as Node, documents, random, depth - 1)
  if (typeof node.$ref === 'string') return inner(documents.get(node.$ref.slice(0, -1)))
  if (Array.isArray(node.anyOf)) return depth > 0 && random(3) > 0 ? inner(node.anyOf[0]) : null
  if (Array.isArray(node.oneOf)) return inner(node.oneOf[random(2)])
  if (Array.isArray(node.allOf)) return inner(node.allOf[0])
  if (node.const !== undefined) return node.const
  if (node.type === 'integer') return random(9)
  if (node.type === 'string') return 'text'
  if (node.type === 'array') return Array.from({ length: lengthOf(node) }, () => inner(node.items))
  const members: [string, unknown][] = []
  const required = node.required as string[] | undefined ?? []
  for (const [name, one] of Object.entries(node.properties ?? {})) {
    if (required.includes(name) || (depth > 0 && random(3) > 0)) members.push([name, inner(one)])
  }
  const { patternProperties, additionalProperties } = node
  if (typeof additionalProperties === 'object' && depth > 0) {
    for (
      const name of [...NAMES, '__proto__'].slice(random(NAMES.length))
    ) members.push([name, inner(additionalProperties)])
    if (patternProperties !== undefined) members.push(['p1', inner((patternProperties as Node)['^p'])])
  }
  return own(members)
}

/** The model: what a value is before the changes of one version. */
function downgraded (node: Node, value: unknown, older: Documents, changes: ReadonlyMap<string, Change>): unknown {
  const inner = (one: unknown, part: unknown) => downgraded(one as Node, part, older, changes)
  if (value === null) return null
  if (typeof node.$ref === 'string') {
    const id = node.$ref.slice(0, -1)
    const { downgrade } = changes.get(id)?.schemas?.[id] ?? {}
    return inner(older.get(id), downgrade === undefined ? value : downgrade(structuredClone(value)))
  }
  if (Array.isArray(node.anyOf)) return inner(node.anyOf[0], value)
  if (Array.isArray(node.oneOf)) return inner(node.oneOf[(value as Node).kind === 'left' ? 0 : 1], value)
  if (Array.isArray(node.allOf)) return inner(node.allOf[0], value)
  if (Array.isArray(value)) return value.map((item) => inner(node.items, item))
  if (typeof value !== 'object') return value
  return own(Object.entries(value).map(([name, member]) => {
    const { properties = {}, patternProperties, additionalProperties } = node as Record<string, Node>
    if (Object.hasOwn(properties, name)) return [name, inner(properties[name], member)]
    return [name, inner(
      patternProperties !== undefined && name.startsWith('p') ? patternProperties['^p'] : additionalProperties, member
    )]
  }))
}

function frozen<Value> (value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

const CASES = tries(40)

t.test('values are converted as a model converts them, to what the older schemas accept, and back', async (t) => {
  let converted = 0
  fc.assert(fc.property(fc.integer(), (seed) => {
    const random = randomOf(seed)
    const newest = new Map(IDS.map((id) => [id, { ...documentOf(random), additionalProperties: false }]))
    let documents: Documents = newest
    const steps: { older: Documents, changes: Map<string, Change> }[] = []
    for (let version = 3; version > 0; version--) {
      const older = new Map(documents)
      const changes = new Map<string, Change>()
      for (const id of IDS) {
        if (random(3) > 0) continue
        const made = changeOf(id, version, documents.get(id) as Node)
        older.set(id, made.older)
        changes.set(id, made.change)
      }
      steps.push({ older, changes })
      documents = older
    }
    const part = closed(own([['in', nodeOf(random, 3)]]))
    const shared = own([...newest].map(([id, schema]) => [id, { ...schema, $id: id }]))
    const changes = new Changes(steps.flatMap(({ changes }) => [...changes.values()]), VERSIONS)
    const schema = { body: part, response: { 200: part } }
    const served = [...VERSIONS.keys()]
    const forms = formsOf({
      name: null, label: 'POST /', schema, bodyless: null, served, spoken: served.length - 1, compile: () => () => true
    }, changes.lineageOf(shared).stages)
    const value = frozen(valueOf(part, newest, random, 5))
    const ajv = new Ajv2020({ strict: false, ownProperties: true, schemas: Object.values(shared) as Node[] })
    if (!ajv.validate(part, value)) throw new Error(ajv.errorsText())

    let modelled: unknown = value
    for (const [i, { older: schemas, changes }] of steps.entries()) {
      modelled = downgraded(part, modelled, schemas, changes)
      const version = VERSIONS[2 - i]
      const form = forms.find(({ versions }) => versions.includes(VERSIONS.indexOf(version)))
      if (form === undefined) {
        equal(modelled, value)
        continue
      }
      const as = (name: string, given: unknown): unknown => {
        const conversion = form.parts.get(name)?.slices.get(null)?.conversion ?? null
        return conversion === null ? given : conversion.convert(given)
      }
      const result = as('response 200', value)
      equal(result, modelled)
      const bundle = form.edition.bundle(part) as Node
      const own = new Ajv2020({ strict: false, ownProperties: true })
      if (!own.validate(bundle, result)) throw new Error(own.errorsText())
      equal(as('body', frozen(result)), value)
      if (JSON.stringify(result) !== JSON.stringify(value)) converted++
    }
  }), { numRuns: CASES })
  t.ok(converted > 0.3 * CASES, `${converted} values were converted`)
})

/** Compared as JSON with sorted keys: `__proto__` is a key as any other. */
function equal (found: unknown, wanted: unknown): void {
  const [a, b] = [found, wanted].map(sorted)
  if (a !== b) throw new Error(`Found ${a}, wanted ${b}`)
}

function sorted (value: unknown): string {
  return JSON.stringify(value, (_key, one) => (
    typeof one !== 'object' || one === null || Array.isArray(one)
      ? one
      : Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1)
  ))
}
