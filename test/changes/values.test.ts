import t from 'tap'

import { Booking, Guest, both, convert, converting, derive, integer, names, object, several } from './kernel.ts'

import type { Test } from 'tap'
import type { Json } from './kernel.ts'

const shared = [Booking, Guest]
const guest = { name: 'Ada Lovelace' }
const guestV1 = { first: 'Ada', last: 'Lovelace' }

/** A change of a schema `Thing` of anything. */
function thing (functions: {
  upgrade?: (value: Json) => unknown, downgrade?: (value: Json) => unknown
}, schema: unknown = { $ref: 'Thing#' }) {
  const { upgrade = (value: Json) => value, downgrade = (value: Json) => value } = functions
  const changes = [
    { version: 'v2', description: 'Things differ.', schemas: { Thing: { older: {}, upgrade, downgrade } } }
  ]
  return { changes, schema: both(schema), shared: [{ $id: 'Thing' }] }
}

/** The error of a conversion, which says where and why in its cause. */
function failing (t: Test, run: () => unknown, reason: RegExp): void {
  t.throws(run, { code: 'FST_ERR_VERSION_CHANGE', statusCode: 500, cause: { message: reason } })
}

t.test('upgrades and downgrades do not modify their input', async (t) => {
  const { up, down } = convert({ changes: [several, names], schema: both({ $ref: 'Booking#' }), shared }, 'v1')
  const value = { id: 1, guests: [{ ...guest }], more: { deep: [1] } }
  const older = { id: 1, guest: { ...guestV1 }, more: { deep: [1] } }
  const [before, olderBefore] = [structuredClone(value), structuredClone(older)]
  down(value)
  up(older)
  t.strictSame([value, older], [before, olderBefore])
})

t.test('a function may modify its value', async (t) => {
  const clear = (value: Json) => {
    if (Array.isArray(value)) value.length = 0
    else if (typeof value === 'object') for (const key of Object.keys(value)) delete value[key]
    return value
  }
  const { up, down } = convert(thing({ upgrade: clear, downgrade: clear }), 'v1')
  const object = Object.freeze({ a: 1 })
  const array = Object.freeze([1])
  t.same([up(object), down(object), up(array), down(array)], [{}, {}, [], []])
  t.same([up('text'), down(7)], ['text', 7])
})

const one = { properties: { n: { $ref: 'N#' } } }
const tree = { $id: 'Tree', ...one, allOf: [{ properties: { next: { $ref: 'Tree#' } } }] }

for (const [says, schema, newer, older] of [
  ['two schemas of allOf', { allOf: [{ $ref: 'One#' }, { $ref: 'One#' }] }, { n: 0 }, { n: -1 }],
  ['two references to one schema', {
    properties: { n: { $ref: 'N#' } }, allOf: [{ properties: { n: { $ref: 'N#' } } }]
  }, { n: 0 }, { n: -1 }],
  ['properties next to a reference', { $ref: 'One#', ...one }, { n: 0 }, { n: -1 }],
  ['schemas that contain themselves', { $ref: 'Tree#', properties: { next: { $ref: 'Tree#' } } },
    { n: 0, next: { n: 0, next: { n: 0 } } }, { n: -1, next: { n: -1, next: { n: -1 } } }]
] as const) {
  t.test(`a value that ${says} describe is converted once`, async (t) => {
    const schemas = {
      N: { older: {}, upgrade: (value: Json) => value + 1, downgrade: (value: Json) => value - 1 }
    }
    const shared = [{ $id: 'N' }, { $id: 'One', ...one }, { $id: 'Two', ...one }, tree]
    const changes = [{ version: 'v2', description: 'Numbers differ.', schemas }]
    const { up, down } = convert({ changes, schema: both(schema), shared }, 'v1')
    t.same(down(newer), older)
    t.same(up(older), newer)
  })
}

t.test('a BigInt among alternatives is converted as a number', async (t) => {
  const schemas = { N: { older: { type: 'integer' }, downgrade: (value: bigint) => value - 1n } }
  const changes = [{ version: 'v2', description: 'Numbers differ.', schemas }]
  const schema = { response: { 200: { anyOf: [{ $ref: 'N#' }, { type: 'null' }] } } }
  t.equal(convert({ changes, schema, shared: [{ $id: 'N', type: 'integer' }] }, 'v1').down(7n), 6n)
})

t.test('null stays null, and no function gets it', async (t) => {
  const fail = () => { throw new Error('It is called') }
  const { up, down } = convert(
    thing({ upgrade: fail, downgrade: fail }, { type: 'array', items: { $ref: 'Thing#' } }), 'v1'
  )
  t.same([up([null]), down([null, undefined]), up(null), up('text')], [[null], [null, undefined], null, 'text'])
})

t.test('a property of any name is converted, and changes no prototype', async (t) => {
  const properties = JSON.parse('{ "__proto__": { "$ref": "Guest#" }, "constructor": { "$ref": "Guest#" } }')
  const { up, down } = convert({ changes: [names], schema: both({ type: 'object', properties }), shared }, 'v1')
  const value = JSON.parse('{ "__proto__": { "name": "Ada Lovelace" }, "constructor": { "name": "Ada Lovelace" } }')
  const older = down(value)
  t.equal(JSON.stringify(older), JSON.stringify(
    JSON.parse('{"__proto__":{"first":"Ada","last":"Lovelace"},"constructor":{"first":"Ada","last":"Lovelace"}}')
  ))
  t.equal(Object.getPrototypeOf(older), Object.prototype)
  t.equal(JSON.stringify(up(older)), JSON.stringify(value))
  t.same(down({}), {}, 'inherited properties are none')
  t.equal(({} as Json).first, undefined)
})

const at = { type: 'object', properties: { 'a/b': { type: 'array', items: { $ref: 'Thing#' } } } }
for (const [does, run] of [
  ['threw', () => { throw new Error('No.') }],
  ['returned undefined', () => undefined],
  ['returned a promise', () => Promise.reject(new Error('No.'))]
] as const) {
  for (const [direction, part] of [['upgrade', 'body'], ['downgrade', 'response 200']] as const) {
    t.test(`an error says where it occurred if the function "${direction}" ${does}`, async (t) => {
      const { up, down } = convert(thing({ [direction]: run }, at), 'v1')
      const message = `Change 'v2' (Things differ.), POST /bookings, ${part}: its function "${direction}" ${does}.`
      try {
        (direction === 'upgrade' ? up : down)({ 'a/b': [null, { id: 1 }] })
        t.fail('It has not failed')
      } catch (error) {
        const sent = { code: 'FST_ERR_VERSION_CHANGE', statusCode: 500, message: 'A change between versions failed.' }
        t.same({ ...error as object }, { name: 'FastifyError', ...sent }, 'nothing more is sent')
        t.match(error, { cause: { message } })
      }
      await new Promise((resolve) => setImmediate(resolve))
    })
  }
}

t.test('an object whose toJSON() throws is an error', async (t) => {
  const value = { toJSON () { throw new Error('No.') } }
  failing(t, () => convert(thing({}), 'v1').down(value), /the value cannot be read as JSON\.$/)
})

t.test('a value that matches none of the alternatives is an error', async (t) => {
  const anyOf = [object({ kind: { const: 'a' }, at: { $ref: 'Guest#' } }), object({ kind: { const: 'b' } })]
  const { up, down } = convert({ changes: [names], schema: both({ anyOf }), shared }, 'v1')
  failing(t, () => down({ kind: 'c' }), /^Change 'v3' .*\{ kind: 'c' \} is none of the alternatives of its schema\.$/)
  t.same(up({ kind: 'c' }), { kind: 'c' }, 'the newest schema refuses what a client sends')
  t.equal(down('text'), 'text', 'another type is left to the serializer')
})

t.test('a value that is circular or thousands of levels deep is an error', async (t) => {
  const Tree = { $id: 'Tree', type: 'object', properties: { n: integer, in: { $ref: '#' } } }
  const older = { type: 'object', properties: { m: integer, in: { $ref: 'Tree#' } }, additionalProperties: true }
  const schemas = {
    Tree: {
      older,
      upgrade: ({ m, ...rest }: Json) => ({ n: m, ...rest }),
      downgrade: ({ n, ...rest }: Json) => ({ m: n, ...rest })
    }
  }
  const changes = [{ version: 'v2', description: 'n was m.', schemas }]
  const { up, down } = convert({ changes, schema: both({ $ref: 'Tree#' }), shared: [Tree] }, 'v1')
  const within = (value: Json) => ({ n: 0, in: value })
  const deep = (levels: number): Json => Array.from({ length: levels }).reduce(within, { n: 0 })
  t.same(up(down(deep(500))), deep(500))
  const circle: Json = { n: 0 }
  circle.in = circle
  for (const value of [deep(20_000), deep(200_000), circle]) {
    for (const run of [up, down]) failing(t, () => run(value), /the value is nested too deeply|threw/)
  }
})

t.test('a schema without one of its functions is converted in the other direction', async (t) => {
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, upgrade: undefined } } }
  const derived = derive({ changes: [change], schema: { response: { 200: { $ref: 'Guest#' } } }, shared })
  t.same(converting(derived, 'downgrade')('Guest', guest, 'v1'), guestV1)
  t.throws(() => converting(derived, 'upgrade')('Guest', guestV1, 'v1'), {
    code: 'FST_ERR_VERSION_CHANGE_OPTION', message: /schema 'Guest', value: the change 'v3' .* no function "upgrade"/
  })
})

t.test('an object without any of the properties that change stays the same', async (t) => {
  const byName = { type: 'object', properties: { id: integer }, additionalProperties: { $ref: 'Guest#' } }
  const { up, down } = convert({ changes: [names], schema: both(byName), shared }, 'v1')
  const value = Object.freeze({ id: 1 })
  t.equal(down(value), value)
  t.equal(up(value), value)
  t.same(down({ id: 1, ada: guest }), { id: 1, ada: guestV1 })
})

t.test('circles that lead everywhere are dropped by the older schema', async (t) => {
  const { down } = convert({ changes: [several], schema: both({ $ref: 'Booking#' }), shared }, 'v1')
  const many: Json[] = Array.from({ length: 20 }, (_one, id) => ({ id, guests: [{ name: 'Ada' }] }))
  for (const one of many) one.others = many
  const { id, guest } = down(many[3])
  t.same({ id, guest }, { id: 3, guest: { name: 'Ada' } })
})

t.test('of two schemas of a value the outer one is downgraded first, and upgraded last', async (t) => {
  const functions = (name: string) => (
    { older: {}, upgrade: (value: string) => `${value}+${name}`, downgrade: (value: string) => `${value}-${name}` }
  )
  const schemas = { Outer: functions('outer'), Inner: functions('inner') }
  const changes = [{ version: 'v2', description: 'Texts differ.', schemas }]
  const shared = [{ $id: 'Outer', allOf: [{ $ref: 'Inner#' }] }, { $id: 'Inner' }]
  const schema = both({ allOf: [{ $ref: 'Outer#' }, { $ref: 'Inner#' }] })
  const { up, down } = convert({ changes, schema, shared }, 'v1')
  t.same([down('a'), up('a')], ['a-outer-inner', 'a+inner+outer'])
})
