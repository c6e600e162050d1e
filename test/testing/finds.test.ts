import Fastify from 'fastify'
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'
import * as mini from 'zod/mini'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { object, text } from '../changes/kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from '../changes/kernel.ts'
import type { SchemaChange } from '../../types/index.d.ts'

const integer = { type: 'integer' }
const optional = (properties: Record<string, unknown>, rest: object = {}) => (
  object(properties, { required: [], ...rest })
)
const open = (properties: Record<string, unknown>) => optional(properties, { additionalProperties: true })
const list = { type: 'array', items: text }
const same = (value: Json) => value
const none = () => ({})

/** An app whose only route takes and returns a schema, which has changed in v2. */
async function appWith (schema: Json, change: Partial<SchemaChange>, app: FastifyInstance = Fastify()) {
  const schemas = { B: { older: {}, ...change } as SchemaChange }
  const changes = [{ version: 'v2', description: 'It changed.', schemas }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  const both = schema._zod === undefined && schema['~kind'] === undefined ? { $ref: 'B#' } : schema
  if (both !== schema) app.addSchema({ $id: 'B', ...schema })
  const body = change.upgrade === undefined ? {} : { body: both }
  const anything = schema._zod === undefined ? {} : z.any()
  const response = { response: { 200: change.downgrade === undefined ? anything : both } }
  app.post('/', { schema: { ...body, ...response } }, async ({ body }) => body)
  await app.ready()
  return app
}

type Case = [schema: Json, change: Partial<SchemaChange>, examples: Json]
type Row = [finds: string, ...Case, message: RegExp, app?: FastifyInstance]

/** A downgrade of members that all others pass. */
const responses = (newer: Json, older: Json, downgrade: (value: Json) => unknown, n: Json): Case => [
  optional({ n: newer }), { older: optional({ o: older }), downgrade: ({ n }: Json) => ({ o: downgrade(n) }) }, [{ n }]
]
const requests = (older: Json, newer: Json, upgrade: (value: Json) => unknown, o: Json): Case => [
  optional({ n: newer }), { older: optional({ o: older }), upgrade: ({ o }: Json) => ({ n: upgrade(o) }) },
  { v1: [{ o }] }
]
const union = {
  anyOf: [
    object({ kind: { const: 'a' }, a: text }), optional({ kind: { const: 'b' }, b: integer }, { required: ['kind'] })
  ]
}

const circular: Json = {}
circular.n = circular

/** A map with other values. */
const mapped = (all: Json, change: (value: Json) => unknown) => (
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value)]))
)

/** Leaves nothing to the plugin. */
const renamed = ({ o, list, ...rest }: Json): Json => ({ ...rest, n: o, list: list?.map(renamed) })

/** Returns all that it has ever been given. */
const push = (all: unknown[]) => (items: readonly unknown[] = []) => {
  all.push(...items)
  return all
}

const ROWS: Row[] = [
  ['NaN', ...responses(text, integer, Number, '7'), /gives \{ o: NaN \}: JSON has no such value as at '\/o'\.$/],
  ['a text in place of a list', ...responses(text, list, same, 'a'), /is not valid in 'v1'/],
  ['null in place of a text', ...responses({ type: ['string', 'null'] }, text, same, 'a'),
    /with null at '\/n' is valid, too\. The downgrade gives \{ o: null \}/],
  ['a number that is text', ...responses(integer, text, same, 7), /and 'v1' makes something else of '\/o'/],
  ['what becomes a list', ...requests(text, list, same, 'a'), /The upgrade gives .* and 'v2' makes something else of/],
  ['a format that the answer breaks', ...responses(text, { ...text, format: 'date' }, same, '2026-01-01'),
    /with "x" at '\/n' is valid, too\. .* not valid in 'v1': \/o must match format "date"/],
  ['a negative number', ...requests(integer, { ...integer, minimum: 0 }, same, 7),
    /with -1 at '\/o' is valid, too\. The upgrade gives/],
  ['a broken number', ...requests({ type: 'number' }, integer, (o = 0) => o * 100, 7), /with 0\.29 at '\/o'/],
  ['another number than the bounds of its own schema allow', ...responses(
    { ...integer, exclusiveMinimum: 3, exclusiveMaximum: 9 }, { enum: [4, 5, 6, 7] }, same, 5), /with 8 at '\/n'/],
  ['a text that a pattern allows', ...responses(
    { ...text, pattern: '^(?:[A-Z]{2}|no)-\\d+$' }, { enum: ['AB-1'] }, same, 'AB-1'), /with "AA-7" at '\/n'/],
  ['only the example of a pattern that is not simple', ...responses(
    { ...text, pattern: '^(?=a)(.)\\1' }, { enum: ['b'] }, same, 'aa'), /^The downgrade gives \{ o: 'aa' \}, which/],
  ['a list in another order that is modified', ...responses(list, list, (n) => n?.sort(), ['a', 'b']),
    /with \["b","a"\] at '\/n' is valid, too\. The downgrade modifies what it is given, at '\/n\/0'/],
  ['a text that is none', ...requests(integer, text, (o) => `${o} rooms`, 7),
    /without '\/o' is valid, too\. The upgrade makes a text with 'undefined'\.$/],
  ['a name with what is not there', ...requests(integer, text, (o) => `room_${o}`, 7),
    /without '\/o' is valid, too\. The upgrade makes a text with 'undefined'\.$/],
  ['a name with what is no number', ...responses(text, text, (n) => `room_${Number(n)}`, '7'),
    /The downgrade makes a text with 'NaN'\.$/],
  ['a text of null', ...responses({ type: ['string', 'null'] }, text, (n = '') => `${n}`, 'a'),
    /with null at '\/n' is valid, too\. The downgrade makes a text with 'null'\.$/],
  ['a text like JSON that is none', ...responses(text, text, (n) => `{${n}}`, 'a'),
    /without '\/n' is valid, too\. The downgrade makes a text with 'undefined'\.$/],
  ['a downgrade that returns something else each time', ...responses(text, { type: 'number' }, Math.random, 'a'),
    /^The downgrade returns something else each time\.$/],
  ['a member of an alternative', ...responses(union, text, (n) => n?.kind === 'b' ? `${n.b.toFixed()}` : '',
    { kind: 'a', a: '' }), /without '\/n\/b' is valid, too\. .*"downgrade" of 'B' threw ".*toFixed/],
  ['another object around the alternatives', { ...union, type: 'object' }, {
    older: optional({ o: text }), downgrade: ({ kind, a }) => ({ o: kind === 'b' ? '' : a.trim(), x: 1 })
  }, [{ kind: 'b' }], /returned 'x', which the older schema does not have\. Did you mean 'o'\?$/],
  ['a typo inside', ...responses(text, optional({ first: text }), (n) => ({ frist: n }), 'a'),
    /returned 'frist' at '\/o', which the older schema does not have\. Did you mean 'first'\?$/],
  ['a typo in a list', ...responses(list, { type: 'array', items: optional({ v: text }) },
    (n) => n?.map((v: Json) => ({ vv: v })), ['a']), /returned 'vv' at '\/o\/0', which the older schema does not/],
  ['a typo where the newest schema is open', { type: 'object', properties: { name: text } },
    { older: optional({ name: text }), upgrade: ({ name }) => ({ nmae: name }) }, { v1: [{ name: 'a' }] },
    /^The function "upgrade" returned 'nmae', which the newer schema does not have\. Did you mean 'name'\?$/],
  ['a typo in a map', { type: 'object', additionalProperties: { type: 'object', properties: { v: text } } },
    { older: { type: 'object', additionalProperties: text }, upgrade: (all) => mapped(all, (v) => ({ vv: v })) },
    { v1: [{ a: 'a' }] }, /^The function "upgrade" returned 'vv' at '\/a', .* Did you mean 'v'\?$/],
  ['a typo in a map that older versions have', { type: 'object', additionalProperties: text }, {
    older: { type: 'object', additionalProperties: { type: 'object', properties: { v: text } } },
    downgrade: (all) => mapped(all, (v) => ({ vv: v }))
  }, [{ a: 'a' }], /^The function "downgrade" returned 'vv' at '\/a', .* Did you mean 'v'\?$/],
  ['what removeAdditional removes', { type: 'object', properties: { in: { type: 'object', properties: { a: text } } } },
    { older: optional({ a: text }), upgrade: ({ a }) => ({ in: { b: a } }) }, { v1: [{ a: 'a' }] },
    /returned 'b' at '\/in'/],
  ['functions that are swapped', { type: 'object', properties: { n: text } }, {
    older: optional({ o: text }), upgrade: ({ n }) => ({ o: n }), downgrade: ({ o }) => ({ n: o })
  }, { v1: [{ o: 'a' }], v2: [{ n: 'a' }] },
  /^The downgrade reads '\/o', which the newer schema .* Are the functions swapped\?$/],
  ['a typo in what an upgrade reads', optional({ n: text }), {
    older: optional({ guest: text }), upgrade: ({ gest }) => ({ n: gest })
  }, { v1: [{ guest: 'a' }] }, /^The upgrade reads '\/gest', .* Did you mean 'guest'\?$/],
  ['a typo in what a downgrade reads', optional({ guest: text }), {
    older: optional({ o: text }), downgrade: ({ gest }) => ({ o: gest })
  }, [{ guest: 'a' }], /^The downgrade reads '\/gest', which the newer schema .* Did you mean 'guest'\?$/],
  ['a typo in what is read inside', optional({ in: { type: 'array', items: optional({ name: text }) } }), {
    older: optional({ in: list }), downgrade: ({ in: list }) => ({ in: list?.map(({ nmae = '' }) => nmae) })
  }, [{ in: [{ name: 'a' }] }], /^The downgrade reads '\/in\/0\/nmae'/],
  ['members that a function forgets', optional({ n: text, id: integer, note: text }), {
    older: optional({ o: text, id: integer, note: text }), upgrade: ({ o }) => ({ n: o })
  }, { v1: [{ o: 'a', id: 1, note: 'b' }] }, /^The upgrade does not read '\/id', '\/note', which both schemas have/],
  ['what is converted twice inside of itself', optional({ n: text, list: { type: 'array', items: { $ref: 'B#' } } }), {
    older: optional({ o: text, list: { type: 'array', items: { $ref: 'B#' } } }), upgrade: renamed
  }, { v1: [{ o: 'a', list: [{ o: 'b' }] }] },
  /^The upgrade does not read '\/list\/0\/o',.* although it reads the same outside: leave nested values as they are/],
  ['an upgrade that reads nothing', optional({ n: text }), { older: optional({ o: text }), upgrade: none },
    { v1: [{ o: 'a' }] }, /^The upgrade does not read '\/o', and returns nothing\.$/],
  ['an example in the newest schema', optional({ n: text }, { examples: [{ n: 'a' }, 1] }), {
    older: optional({ o: integer }), downgrade: ({ n }) => ({ o: n?.trim().length.toFixed() })
  }, [], /gives \{ o: '1' \}/],
  ['an example in the older schema', optional({ n: text }), {
    older: { ...optional({ o: text }), examples: [{ o: 'a' }] }, upgrade: ({ o }) => ({ n: o.trim() })
  }, [], /without '\/o' is valid, too/],
  ['two of three members that may be left out together', optional({ a: text, b: text, c: text }), {
    older: optional({ o: text, c: text }), downgrade: ({ a, b, c }) => ({ o: (a ?? b).trim(), c })
  }, [{ a: 'a', b: 'b', c: 'c' }], /^The example without '\/a', '\/b' is valid, too/],
  ['an older member that an upgrade passes on', optional({ n: text }), {
    older: optional({ o: text }), upgrade: (value) => ({ ...value, n: value.o })
  }, { v1: [{ o: 'a' }] }, /^The function "upgrade" returned 'o', which the newer schema does not have\./],
  ['what removeAdditional removes of an open schema', { ...optional({ n: text }), additionalProperties: true }, {
    older: optional({ o: text }), upgrade: ({ o }) => ({ n: o, more: 1 })
  }, { v1: [{ o: 'a' }] }, /^The function "upgrade" returned 'more', which the newer schema does not have\.$/,
  Fastify({ ajv: { customOptions: { removeAdditional: 'all' } } })],
  ['null where a schema is nullable', ...responses({ ...text, nullable: true }, text, same, 'a'),
    /with null at '\/n'/],
  ['members of a schema in parts, of any type, and without a type', {
    type: 'object',
    properties: {
      n: { allOf: [{ properties: { a: true } }, { properties: { b: { items: text } } }], type: 'object' }
    },
    additionalProperties: false
  }, { older: optional({ o: text }), downgrade: ({ n }) => ({ o: n && n.b.join() }) }, [{}],
  /with '\/n' is valid, too/],
  ['a name beside an open schema that is nearly one of its own', open({ names: text, note: text }), {
    older: optional({ o: text, note: text }), upgrade: ({ o, ...rest }) => ({ ...rest, nmaes: o })
  }, { v1: [{ o: 'a', note: 'b' }] },
  /^The function "upgrade" returned 'nmaes', which the newer schema does not have\. Did you mean 'names'\?$/],
  ['such a name inside an open object', open({ in: open({ names: text }) }), {
    older: optional({ in: open({ o: text }) }), upgrade: ({ in: inner }) => ({ in: inner && { nmaes: inner.o } })
  }, { v1: [{ in: { o: 'a' } }] }, /^The function "upgrade" returned 'nmaes' at '\/in'/],
  ['such a name that clients of an open schema get', optional({ n: text }), {
    older: open({ names: text }), downgrade: ({ n }) => ({ nmaes: n })
  }, [{ n: 'a' }], /^The function "downgrade" returned 'nmaes', which the older schema does not have/],
  ['a member of the older schema that an upgrade passes on', { type: 'object', properties: { n: text } }, {
    older: optional({ o: text }), upgrade: same
  }, { v1: [{ o: 'a' }] }, /^The function "upgrade" returned 'o', which the newer schema does not have\. /],
  ['a nested value that is written as it is, which may be frozen', ...responses(object({ a: text }),
    object({ a: text }), (n) => n && Object.assign(n, { a: n.a }), { a: 'a' }),
  /^The downgrade modifies what it is given, at '\/n\/a': copy objects inside of it\.$/],
  ['a member inside that is deleted, although none has it', ...requests(optional({ a: text }), optional({ a: text }),
    (o) => {
      delete o?.b
      return o
    }, { a: 'a' }), /modifies what it is given, at '\/o\/b'/],
  ['what the last item of a tuple may be', ...requests({
    type: 'array', items: [text, { type: ['integer', 'null'] }], minItems: 2, maxItems: 2
  }, text, (o) => o && o[0] + o[1].toFixed(), ['a', 1]), /with null at '\/o\/1' is valid, too\./],
  ['undefined in place of an object', optional({ n: text }), { older: optional({ o: text }), upgrade: () => undefined },
    { v1: [{ o: 'a' }] }, /returned undefined\.$/],
  ['what is in a map', ...responses({ type: 'object', additionalProperties: { type: ['string', 'null'] } }, text,
    (n = {}) => Object.values(n as Json).map((one: Json) => one.trim()).join(), { a: 'a' }), /with null at '\/n\/a'/],
  ['a list of anything', ...responses({ type: 'array' }, text, (n) => n ? n[0].trim() : '', ['a']),
    /with \[\] at '\/n' is valid/],
  ['a list of which the example has none', optional({ n: { type: 'array' } }),
    { older: optional({ o: text }), downgrade: ({ n }) => ({ o: n === undefined ? '' : n[0].trim() }) }, [{}],
    /with '\/n' is valid/],
  ['a Map, of which JSON has nothing', ...responses({ type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: text }, (n: Json) => n && new Map(Object.entries(n)), { a: 'b' }),
  /: its function "downgrade" returned a Map at '\/o'\.$/],
  ['promises of objects, which are rejected', ...responses({ type: 'array', items: optional({ a: text }) }, list,
    (n: Json) => n && n.map(async (item: Json) => structuredClone(item).a), [{ a: 'a' }]),
  /: its function "downgrade" returned a promise at '\/o\/0'\.$/],
  ['a list that grows with each answer', ...responses(list, list, push([]), ['a']),
    /^The downgrade returns something else each time\.$/],
  ['more members than a newer map has room for', ...requests({ type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: text, maxProperties: 1 }, (o = {}) => o, { a: 'a' }),
  /with {"a":"a","r":"x"} at '\/o' is valid, too\./],
  ['characters that a pattern does not allow', ...requests(text,
    { ...text, pattern: '^[a-z0-9-]*$' }, same, 'a'), /with "Ä \/,A_" at '\/o' is valid, too\./],
  ['characters that a long text may have', ...requests({ ...text, minLength: 8 },
    { ...text, pattern: '^(?=.*[A-Z]).{8,}$' }, same, 'PASSWORD'), /with "xxxxxxxx" at '\/o' is valid, too\./],
  ['a text of the right length that has another format', ...requests({ ...text, minLength: 10, maxLength: 10 },
    { ...text, format: 'date' }, same, '2026-01-01'), /with "xxxxxxxxxx" at '\/o' is valid, too\./],
  ['a character that the older pattern allows alone', ...requests({ ...text, pattern: '^[a-z ]*$' },
    { ...text, pattern: '^[a-z]*$' }, same, 'a'), /with " " at '\/o' is valid, too\./],
  ['a number next to the example', ...requests({ ...integer, minimum: 2 }, { ...integer, multipleOf: 2 }, same, 8),
    /with 9 at '\/o' is valid, too\./],
  ['what may be in a list of which the example has none', ...requests(list,
    { type: 'array', items: { ...text, minLength: 1 } }, same, []), /with "" at '\/o\/0' is valid, too\./],
  ['what may be in a map that is empty', ...requests({ type: 'object', additionalProperties: integer },
    { type: 'object', additionalProperties: { ...integer, maximum: 5 } }, same, {}), /with 1000 at '\/o\/q' is valid/],
  ['more items in a text than a list has room for', ...requests(text, { ...list, maxItems: 3 },
    (o) => o?.split(','), 'a,b'), /with "a,b,a,b" at '\/o' is valid, too\./],
  ['a text between separators that is empty', ...requests({ ...text, minLength: 1 },
    { type: 'array', items: { ...text, minLength: 1 } }, (o) => o?.split(';'), 'a;b'), /with ";" at '\/o' is valid/],
  ['a text of a number that is too great', ...requests({ ...text, pattern: '^\\d+$' }, { ...integer, maximum: 100 },
    (o) => o && Number(o), '7'), /with "101" at '\/o' is valid, too\./],
  ['a name in a map that newer names do not allow', ...requests({ type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: text, propertyNames: { pattern: '^\\w+$' } }, same, { a: 'a' }),
  /with {"a":"a","Ä \/,A_":"x"} at '\/o' is valid, too\./],
  ['an example that refers to itself', optional({ n: text }), { older: optional({ o: text }), downgrade: none },
    { v1: [circular] }, /^The example is not valid: Converting circular structure to JSON\.$/],
  ['a function in an example', optional({ n: text }), { older: optional({ o: text }), downgrade: none },
    { v1: [{ o: none }] }, /^The example is not valid: .* could not be cloned\.$/],
  ['an error whose cause says nothing', optional({ n: text }), {
    older: optional({ o: text }), upgrade: () => { throw new Error('Never') }
  }, { v1: [{ o: 'a' }] }, /threw "Never"\.$/]
]

for (const [finds, schema, change, examples, message, app] of ROWS) {
  t.test(`checkChanges() finds ${finds}`, async (t) => {
    const problems = checkChanges(await appWith(schema, change, app), { B: examples })
    t.match(problems, [{ schema: 'B', version: 'v1', message }])
    t.equal(problems.length, 1, problems.map(({ message }) => message).join())
  })
}

const date = { ...text, format: 'date-time' }
const FINE: [finds: string, schema: Json, change: Partial<SchemaChange>, examples: Json][] = [
  ['null in an alternative that Ajv coerces', ...responses({ anyOf: [text, { type: 'null' }] },
    { anyOf: [text, { type: 'null' }] }, (n) => n ?? null, 'a')],
  ['a date that a serializer writes', ...responses(date, date, (n) => n && new Date(n), '2026-01-01T00:00:00Z')],
  ['a number that a serializer writes', ...responses(integer, integer, (n) => n && BigInt(n), 7)],
  ['a date in an example', date && optional({ n: date }), {
    older: optional({ o: date }), downgrade: ({ n }) => ({ o: n })
  }, [{ n: new Date(0) }]],
  ['a BigInt in an example', optional({ n: integer, o: integer }), {
    older: optional({ o: integer }), downgrade: ({ n, ...rest }) => rest
  }, [{ n: 7n, o: 7n }]],
  ['the example of a pattern that refers back', ...responses({ ...text, pattern: '^(\\w)\\1$' }, text, same, 'aa')],
  ['tuples', { type: 'array', items: [text], minItems: 1, additionalItems: false, maxItems: 1 }, {
    older: { type: 'array', items: [text], minItems: 1, additionalItems: false, maxItems: 1 }, downgrade: same
  }, [['a']]],
  ['what a lossless downgrade leaves to the serializer', optional({ n: text, more: text }), {
    older: optional({ n: text }), upgrade: (value) => ({ ...value, more: '' }), downgrade: same, lossless: true
  }, { v1: [{ n: 'a' }] }],
  ['a schema in itself, whose nested values are left to the plugin', optional({ n: text, in: { $ref: 'B#' } }), {
    older: optional({ o: text, in: { $ref: 'B#' } }), upgrade: ({ o, ...rest }) => ({ ...rest, n: o })
  }, { v1: [{ o: 'a', in: { o: 'b', in: { o: 'c' } } }] }],
  ['a number that is -0', ...responses(integer, integer, (n = 0) => n * -1, 0)],
  ['functions that clone what they get', optional({ n: text, a: text }), {
    older: optional({ o: text, a: text }), downgrade: (value) => ({ o: structuredClone(value).n, a: value.a })
  }, [{ n: 'a', a: 'a' }]],
  ['functions that assign to what they get', optional({ n: text }), {
    older: optional({ o: text }),
    upgrade: (value) => {
      value.n = value.o
      delete value.o
      return value
    }
  }, { v1: [{ o: 'a' }] }],
  ['members that depend on others', {
    type: 'object',
    properties: { kind: { enum: ['a', 'b'] } },
    if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
    then: { properties: { more: text } }
  }, {
    older: optional({ kind: { enum: ['a', 'b'] } }),
    upgrade: ({ kind }) => kind === 'a' ? { kind, more: '' } : { kind }
  }, { v1: [{ kind: 'a' }] }],
  ['a text of JSON that has null', ...requests(optional({ a: { type: ['string', 'null'] } }), text,
    (o) => o && JSON.stringify(o), { a: 'a' })],
  ['a line of JSON that has null', ...requests(optional({ a: { type: ['string', 'null'] } }), text,
    (o) => o && `\n ${JSON.stringify(o)}`, { a: 'a' })],
  ['functions that copy lists', ...responses(list, list, (n = []) => [...n], ['a'])],
  ['functions of lists', list, { older: list, upgrade: same }, [['a']]],
  ['functions of texts', text, { older: text, upgrade: same }, ['a']],
  ['what a function leaves to the serializer', optional({ n: text, x: optional({ z: text }) }), {
    older: optional({ o: text, x: {} }), downgrade: ({ n, x, ...rest }) => ({ ...rest, o: n, x: { ...x } })
  }, [{ n: 'a', x: { z: 'a' } }]],
  ['what clients send beyond an open schema', optional({ n: text }), {
    older: { ...optional({ o: text }), additionalProperties: true }, upgrade: ({ o, ...rest }) => ({ ...rest, n: o })
  }, { v1: [{ o: 'a', junk: 1 }] }],
  ['members that an upgrade adds to an open schema', { ...optional({ n: text }), additionalProperties: true }, {
    older: optional({ o: text }), upgrade: ({ o }) => ({ n: o, more: 1 })
  }, { v1: [{ o: 'a' }] }],
  ['a map that a function passes on', ...responses({ ...optional({}), patternProperties: { '^a': text } },
    { type: 'object', additionalProperties: text }, same, { a: 'a' })],
  ['what an upgrade passes on to an open schema', open({ n: text }), {
    older: optional({ o: text, legacy: text }), upgrade: ({ o, ...rest }) => ({ ...rest, n: o })
  }, { v1: [{ o: 'a', legacy: 'b' }] }],
  ['a default of the newest schema', optional({ n: text, size: { ...integer, default: 5 } }), {
    older: optional({ o: text, size: { ...integer, default: 4 } }), upgrade: ({ o, ...rest }) => ({ ...rest, n: o })
  }, { v1: [{ o: 'a' }] }],
  ['members by a pattern', { ...optional({}), patternProperties: { '^x-': text } }, {
    older: { ...optional({}), patternProperties: { '^x-': text } }, upgrade: ({ ...rest }) => rest
  }, { v1: [{ 'x-a': 'a' }] }],
  ['an upgrade that refuses', optional({ n: integer }), {
    older: optional({ o: text }),
    upgrade: ({ o = '0' }) => {
      if (!/^\d+$/.test(o)) throw Object.assign(new Error('No number.'), { statusCode: 400 })
      return { n: Number(o) }
    }
  }, { v1: [{ o: '7' }] }]
]
for (const [title, schema, change, examples] of FINE) {
  t.test(`checkChanges() takes ${title}`, async (t) => {
    t.same(checkChanges(await appWith(schema, change), { B: examples }), [])
  })
}

/** An app with a PATCH, in whose body a member has another name in v2. */
async function patching (
  upgrade: (value: Json) => unknown, [newer, older]: readonly Json[], method = 'PATCH', ofRoute = false
) {
  const app = Fastify()
  const [schemas, routes] = [{ B: { older, upgrade } }, { b: { older: { body: older }, body: { upgrade } } }]
  const change = { version: 'v2', description: 'It changed.', ...ofRoute ? { routes } : { schemas } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  app.addSchema({ $id: 'B', ...newer })
  const schema = { body: { $ref: 'B#' }, response: { 200: {} } }
  app.route({ method, url: '/', name: 'b', schema, handler: async () => ({}) })
  await app.ready()
  return app
}

const [filling, partial] = [({ o = 'x' }: Json) => ({ n: o }), ({ o }: Json) => ({ n: o })]
const members = [optional({ n: text }), optional({ o: text })]
for (const ofRoute of [false, true]) {
  t.test(`checkChanges() finds what an upgrade ${ofRoute ? 'of a route ' : ''}adds to a PATCH`, async (t) => {
    const app = await patching(filling, members, 'PATCH', ofRoute)
    const problems = checkChanges(app, ofRoute ? {} : { B: [{ n: 'a' }] })
    t.same(problems.map(({ message }) => message), [
      "The upgrade makes { n: 'x' } of {}: a PATCH would lose stored values."
    ])
  })
}
for (const [title, upgrade, schemas, method] of [
  ['nothing', partial, members],
  ['to a POST', filling, members, 'POST'],
  ['to what v2 requires', filling, [object({ n: text }), members[1]]],
  ['to what v1 requires', filling, [members[0], object({ o: text })]],
  ['as a default of v1', filling, [members[0], optional({ o: { ...text, default: 'x' } })]],
  ['as a default of v2', filling, [optional({ n: { ...text, default: 'x' } }), members[1]]]
] as const) {
  t.test(`checkChanges() takes an upgrade that adds ${title}`, async (t) => {
    t.same(checkChanges(await patching(upgrade, schemas, method), { B: [{ n: 'a' }] }), [])
  })
}

const [zodText, zodOlder] = [z.string(), z.object({ o: z.string() })]
const ZOD: [title: string, n: z.ZodType, change: Partial<SchemaChange>, examples: Json, message?: RegExp][] = [
  ['a value of any type', z.unknown(), { older: zodOlder, downgrade: ({ n }) => ({ o: n?.trim() ?? '' }) },
    [{ n: 'a' }], /"downgrade" of 'B' threw "/],
  ['a default, without which nothing is serialized', zodText.default('x'), {
    older: z.object({ o: zodText.default('y') }), downgrade: ({ n }) => ({ o: n })
  }, [{ n: 'a' }]],
  ['a fallback', zodText, { older: z.object({ o: zodText.catch('y') }), upgrade: ({ o }) => ({ n: o }) },
    { v1: [{ o: 'a' }] }],
  ['a text that is written otherwise', zodText.toLowerCase(), { older: zodOlder, upgrade: ({ o }) => ({ n: o }) },
    { v1: [{ o: 'ABC' }] }],
  ['a date that a handler returns', z.date(), { older: z.object({ o: z.date() }), downgrade: ({ n }) => ({ o: n }) },
    [{ n: new Date(0) }]],
  ['a date that is absent', z.date().optional(), {
    older: z.object({ o: zodText }), downgrade: ({ n }) => ({ o: n.slice(0, 10) })
  }, [{ n: new Date(0) }], /^The example without '\/n' is valid, too/]
]
for (const [title, n, change, examples, message] of ZOD) {
  t.test(`checkChanges() ${message ? 'finds' : 'takes'} ${title} of Zod`, async (t) => {
    const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const problems = checkChanges(await appWith(z.object({ n }).meta({ id: 'B' }), change, app), { B: examples })
    t.match(problems, message ? [{ message }] : [])
    t.equal(problems.length, message ? 1 : 0)
  })
}

const zodRest = ({ n, ...rest }: Json) => ({ ...rest, o: n })
/** Members that an example may have as undefined. */
const UNDEFINED: [says: string, note: z.ZodType][] = [
  ['a BigInt', z.bigint()],
  ['a date', z.date()],
  ['a record of names', z.record(z.enum(['a']), zodText)],
  ['a text', zodText]
]
for (const [says, note] of UNDEFINED) {
  t.test(`checkChanges() takes undefined for ${says} of Zod that is optional`, async (t) => {
    const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const others = { note: note.optional() }
    const newest = z.object({ n: zodText, ...others }).meta({ id: 'B' })
    const older = z.object({ o: zodText, ...others })
    const examples = { B: [{ n: 'a', note: undefined }] }
    t.same(checkChanges(await appWith(newest, { older, downgrade: zodRest }, app), examples), [])
  })
}

t.test('checkChanges() tries a sample where an example has undefined', async (t) => {
  const downgrade = ({ n, m }: Json) => ({ o: m === undefined ? n : m.first.letter })
  const app = await appWith(optional({ n: text, m: text }), { older: optional({ o: text }), downgrade })
  t.match(checkChanges(app, { B: [{ n: 'a', m: undefined }] }), [{ message: /^The example with '\/m' .* threw / }])
})

/** Bounds that a value of an absent member must be within, and the same schema without them. */
const ZOD_BOUNDS: [says: string, newer: z.core.$ZodType, older: z.core.$ZodType][] = [
  ['a multiple', z.number().multipleOf(7), z.number()],
  ['a length', zodText.length(3), zodText],
  ['a length of lists', z.array(zodText).length(3), z.array(zodText)],
  ['a length of zod/mini', mini.string().check(mini.length(3)), zodText],
  ['a multiple of zod/mini', mini.number().check(mini.multipleOf(7)), z.number()]
]
for (const [says, newer, older] of ZOD_BOUNDS) {
  t.test(`checkChanges() makes a value of ${says} of Zod for an absent member`, async (t) => {
    const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    const downgrade = ({ n }: Json) => n === undefined ? {} : { o: { wrong: n } }
    const change = { older: z.object({ o: z.optional(older) }), downgrade }
    const newest = z.object({ n: z.optional(newer) }).meta({ id: 'B' })
    const problems = checkChanges(await appWith(newest, change, app), { B: [{}] })
    t.match(problems, [{ message: /^The example with '\/n' is valid, too/ }])
  })
}

t.test('checkChanges() takes dates of Zod that several changes pass on', async (t) => {
  const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const change = (version: string, older: string, newer: string) => ({
    version,
    description: 'A name changed.',
    schemas: {
      B: {
        older: z.object({ at: z.date(), [older]: zodText }),
        downgrade: ({ [newer]: name, ...rest }: Json) => ({ ...rest, [older]: name })
      }
    }
  })
  const changes = [change('v2', 'a', 'b'), change('v3', 'b', 'c')]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  const newest = z.object({ at: z.date(), c: zodText }).meta({ id: 'B' })
  app.get('/', { schema: { response: { 200: newest } } }, async () => ({ at: new Date(0), c: 'a' }))
  await app.ready()
  t.same(checkChanges(app, { B: [{ at: new Date(0), c: 'a' }] }), [])
})

t.test('checkChanges() reads bounds, formats and examples of Zod', async (t) => {
  const zod = () => Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const older = z.object({
    o: z.string().max(9),
    n: z.int().gt(1),
    l: z.array(z.string()).min(1),
    d: z.iso.date(),
    p: z.string().regex(/^[A-Z]\d$/)
  })
  const newest = z.object({
    o: z.string().max(5), n: z.int().min(3), l: z.array(z.string()).max(2), d: z.enum(['2026-01-01']), p: z.enum(['A1'])
  })
  const app = await appWith(newest.meta({ id: 'B' }), { older, upgrade: same }, zod())
  const example = { o: 'a', n: 5, l: ['a'], d: '2026-01-01', p: 'A1' }
  const problems = checkChanges(app, { B: { v1: [example] } })
  const places = problems.map(({ message }) => / at '\/(.)'/.exec(message)?.[1])
  t.same(places.sort(), ['d', 'l', 'n', 'o', 'p'])
  const strict = z.strictObject({ n: z.string() }).meta({ id: 'B', examples: [{ n: 'a' }] })
  const loose = z.looseObject({ o: z.string() })
  const other = await appWith(strict, { older: loose, downgrade: ({ n }) => ({ o: n, x: 1 }) }, zod())
  t.same(checkChanges(other), [])
})

t.test('checkChanges() takes a validator that refuses instead of removing', async (t) => {
  const newest = Type.Object({ first: Type.String(), id: Type.Integer() }, { $id: 'B' })
  const older = Type.Object({ name: Type.String() }, { additionalProperties: false })
  const app = await appWith(newest, {
    older,
    upgrade: ({ name }) => ({ first: name, id: 1 }),
    downgrade: ({ first, ...rest }) => ({ ...rest, name: first })
  }, Fastify().setValidatorCompiler(TypeBoxValidatorCompiler))
  t.same(checkChanges(app, { B: { v1: [{ name: 'a' }], v2: [{ first: 'a', id: 1 }] } }), [])
})

t.test('checkChanges() checks schemas that only webhooks have, without a serializer', async (t) => {
  for (const [name, value, count] of [['time', 1, 0], ['tmie', 1, 1], ['time', 'x', 1]] as const) {
    const app = Fastify()
    const change = { older: optional({ time: integer }), downgrade: () => ({ [name]: value }), outside: true }
    const changes = [{ version: 'v2', description: 'Events differ.', schemas: { Event: change as never } }]
    await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
    app.addSchema({ $id: 'Event', ...optional({ at: integer }) }).get('/', async () => '')
    await app.ready()
    t.equal(checkChanges(app, { Event: [{ at: 1 }] }).length, count)
  }
})

t.test('checkChanges() makes few values of a schema that contains itself many times', async (t) => {
  const names = Array.from({ length: 8 }, (_, i) => `child${i}`)
  const node = (name: string) => (
    optional({ [name]: text, ...Object.fromEntries(names.map((child) => [child, { $ref: 'B#' }])) })
  )
  const app = await appWith(node('n'), {
    older: node('o'),
    upgrade: ({ o, ...rest }) => ({ ...rest, n: o }),
    downgrade: ({ n, ...rest }) => ({ ...rest, o: n })
  })
  t.same(checkChanges(app, { B: { v1: [{ o: 'a' }], v2: [{ n: 'a' }] } }), [])
})

t.test('checkChanges() calls functions little more often for deep examples of a schema in itself', async (t) => {
  let calls = 0
  const node = (name: string) => (
    optional({ [name]: text, in: { $ref: 'B#' }, list: { type: 'array', items: { $ref: 'B#' } } })
  )
  const app = await appWith(node('n'), {
    older: node('o'),
    upgrade: ({ o, ...rest }) => ({ ...rest, n: o }),
    downgrade: ({ n, ...rest }) => {
      calls++
      return { ...rest, o: n }
    }
  })
  const tree = (depth: number): object => (
    depth > 0 ? { n: 'a', in: tree(depth - 1), list: [tree(depth - 1)] } : { n: 'a' }
  )
  const callsFor = (depth: number) => {
    calls = 0
    t.same(checkChanges(app, { B: [tree(depth)] }), [])
    return calls
  }
  t.ok(callsFor(3) < 3 * callsFor(0))
})

t.test('checkChanges() tries each member of a value that has many', async (t) => {
  const members = (last: Json) => {
    const names = Array.from({ length: 199 }, (_, i) => [`m${i}`, text])
    return optional({ ...Object.fromEntries(names), last })
  }
  const app = await appWith(members({ ...text, maxLength: 3 }), { older: members(text), upgrade: same })
  const example = mapped((members(text) as Json).properties, () => 'a')
  t.match(checkChanges(app, { B: { v1: [example] } }), [{ message: /with "aaaa" at '\/last' is valid, too/ }])
})

t.test('checkChanges() names the newest version of a value that several changes convert', async (t) => {
  const app = Fastify()
  const change = (version: string, older: string, newer: string) => ({
    version,
    description: 'A name changed.',
    schemas: {
      B: {
        older: optional({ [older]: text }),
        upgrade: ({ [older]: name, ...rest }: Json) => ({ ...rest, [newer]: name }),
        downgrade: ({ [newer]: name, ...rest }: Json) => ({ ...rest, [older]: name.trim() })
      }
    }
  })
  const changes = [change('v2', 'a', 'b'), change('v3', 'b', 'c')]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  app.addSchema({ $id: 'B', ...optional({ c: text }) })
  app.post('/', { schema: { body: { $ref: 'B#' }, response: { 200: { $ref: 'B#' } } } }, async ({ body }) => body)
  await app.ready()
  const problems = checkChanges(app, { B: { v1: [{ a: 'a' }], v3: [{ c: 'a' }] } })
  t.match(problems, [{ version: 'v2', message: /without '\/c'/ }])
})
