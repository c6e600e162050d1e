import fc from 'fast-check'

import { compare } from '../../src/check/index.ts'
import { Mismatch } from '../fuzzer.ts'

import type { Fuzzer } from '../fuzzer.ts'

type Part = Readonly<Record<string, unknown>>
type Choose = (count: number) => number

const optional = { requiredKeys: [] as [] }
const text = { type: 'string' }
const schema = fc.constantFrom<Part>(
  text, { type: 'integer' }, { type: 'array', items: text }, {},
  { type: 'object', properties: { a: text, b: { type: 'array' } } },
  { enum: ['a', 'b'] }, { type: ['array', 'null'] }, { $ref: '#/components/schemas/Shared' }
)
const boolean = fc.boolean()
const styled = { schema, explode: boolean, required: boolean }
const style = (...styles: string[]) => ({ style: fc.constantFrom(...styles) })
const parameterIn = (place: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Part> => (
  fc.record({ in: fc.constant(place), ...styled, ...fields }, { requiredKeys: ['in', 'schema'] })
)
const parameter = fc.oneof(
  parameterIn('query', { ...style('form', 'deepObject'), allowReserved: boolean }),
  parameterIn('cookie', style('form', 'cookie')),
  parameterIn('header', {})
)
const header = fc.record(styled, { requiredKeys: ['schema'] })
const headers = fc.dictionary(fc.constantFrom('X-A', 'X-B'), header, { maxKeys: 2 })
const encoding = fc.record({
  contentType: fc.constantFrom('text/plain', 'image/png'), ...style('form', 'spaceDelimited'), explode: boolean, headers
}, optional)
const media = fc.record({
  schema, encoding: fc.dictionary(fc.constantFrom('a', 'b'), encoding, { maxKeys: 2 })
}, { requiredKeys: ['schema'] })
const types = fc.constantFrom('application/json', 'multipart/form-data')
const content = fc.dictionary(types, media, { minKeys: 1, maxKeys: 2 })
const plain = {
  parameters: fc.array(parameter, { maxLength: 3 }),
  requestBody: fc.record({ content, required: boolean }, { requiredKeys: ['content'] }),
  responses: fc.dictionary(fc.constantFrom('200', '404'), fc.record({ headers, content }, optional), { maxKeys: 2 })
}
const operation = fc.record({
  ...plain,
  callbacks: fc.dictionary(fc.constant('done'), fc.record(plain, optional).map((post) => ({ '{$url}': { post } })))
}, optional)

/** What OpenAPI takes where a field is left out, by the field that holds the part. */
const DEFAULTS: Readonly<Record<string, (part: Part) => Part>> = {
  parameters: ({ in: place, style = place === 'header' ? 'simple' : 'form' }) => ({
    style,
    explode: style === 'form' || style === 'cookie',
    required: false,
    deprecated: false,
    ...place === 'query' && { allowReserved: false, allowEmptyValue: false }
  }),
  headers: () => ({ style: 'simple', explode: false, required: false, deprecated: false }),
  requestBody: () => ({ required: false }),
  content: () => ({ encoding: {}, examples: {}, prefixEncoding: [] }),
  encoding: ({ style, explode }) => ({
    headers: {},
    ...(style !== undefined || explode !== undefined) && {
      style: 'form', explode: (style ?? 'form') === 'form', allowReserved: false
    }
  }),
  responses: () => ({ headers: {}, content: {}, links: {} }),
  post: () => ({ parameters: [], callbacks: {}, servers: [], tags: [], deprecated: false }),
  '/': () => ({ parameters: [], servers: [] }),
  document: () => ({ servers: [{ url: '/' }], security: [], tags: [], webhooks: {} })
}
/** The fields that hold several parts. */
const SEVERAL = ['headers', 'content', 'encoding', 'responses']

function written (value: unknown, kind: string, choose: Choose): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member) => written(member, kind, choose))
  const inner = Object.fromEntries(Object.entries(value as Part).map(([name, field]) => [
    name, SEVERAL.includes(name) ? eachWritten(field as Part, name, choose) : written(field, name, choose)
  ]))
  const defaults = Object.entries(DEFAULTS[kind]?.(value as Part) ?? {}).filter(() => choose(2) === 0)
  return { ...Object.fromEntries(defaults), ...inner }
}

function eachWritten (parts: Part, kind: string, choose: Choose): Part {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, written(part, kind, choose)]))
}

interface Defaults { operation: Part, openapi: string, choices: number[] }

/** Operations, with defaults of OpenAPI written out: there is no difference. */
export const defaults: Fuzzer<Defaults> = {
  name: 'defaults',
  batch: 300,
  cases: fc.record({
    operation, openapi: fc.constantFrom('3.0.3', '3.1.0', '3.2.0'), choices: fc.array(fc.nat(99), { minLength: 5 })
  }),
  async check ({ operation, openapi, choices }) {
    let at = 0
    const post = JSON.parse(JSON.stringify(operation), (name, value) => (
      name === 'parameters' ? value.map((one: Part, i: number) => ({ name: `p${i}`, ...one })) : value
    ))
    const schemas = { Shared: { type: 'array', items: {} } }
    const before = { openapi, paths: { '/': { post } }, components: { schemas } }
    const after = written(before, 'document', (count) => choices[at++ % choices.length]! % count) as object
    for (const [first, second] of [[before, after], [after, before]] as const) {
      const differences = compare(first, second)
      if (differences.length > 0) throw new Mismatch({ before: first, after: second }, [], differences)
    }
    return 2
  }
}
