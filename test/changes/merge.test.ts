import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'
import { appBetween } from './bookings.ts'
import { integer, object, text } from './kernel.ts'

import type { Test } from 'tap'
import type { Json } from './kernel.ts'
import type { SchemaChange } from '../../types/index.d.ts'

const optional = (properties: Record<string, unknown>) => object(properties, { required: [] })
const listOf = (items: object) => ({ type: 'array', items })

/** Returns `app.merge` of an app where `Booking` has changed. */
async function mergeOf (t: Test, schema: object, change: SchemaChange) {
  const schemas = { Booking: { ...change, outside: true } }
  const app = await appBetween(t, { version: 'v2', description: 'Bookings differ.', schemas }, [
    { ...schema, $id: 'Booking' }
  ])
  await app.ready()
  return {
    merge: (current: unknown, value: unknown, version = 'v1') => app.merge('Booking', current, value, version) as Json,
    seen: (current: unknown) => app.downgrade('Booking', current, 'v1') as Json
  }
}

/** Leaves out what v1 does not know: `owner` and `secret`, at any depth. */
function hide (value: Json): Json {
  if (Array.isArray(value)) return value.map(hide)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const visible = Object.entries(value).filter(([key]) => key !== 'owner' && key !== 'secret')
  return Object.fromEntries(visible.map(([key, member]) => [key, hide(member)]))
}
const open = { type: 'object', additionalProperties: true }
const hiding = { older: open, upgrade: (value: Json) => value, downgrade: hide }

const guest = optional({ id: integer, name: text, role: text })
const rooms = {
  schema: optional({ note: text, owner: text, room: optional({ no: integer, view: text }), guests: listOf(guest) }),
  change: {
    older: optional({ note: text, room: integer, guests: listOf(optional({ id: integer, name: text })) }),
    upgrade: ({ room, ...rest }: Json) => ({ ...rest, room: room && { no: room }, owner: 'nobody' }),
    downgrade: ({ room, owner, guests, ...rest }: Json) => ({
      ...rest, room: room?.no, guests: guests?.map(({ role, ...one }: Json) => one)
    })
  }
}

t.test('app.merge() keeps what only a serializer leaves out, and what no schema has', async (t) => {
  const kept = { labels: optional({ a: text }), more: open, list: { type: 'array' } }
  const { merge } = await mergeOf(t, optional({ ...rooms.schema.properties as Json, ...kept }), {
    older: optional({ text, guests: listOf(optional({ name: text })), ...kept }),
    upgrade: ({ text, ...rest }: Json) => ({ ...rest, note: text }),
    downgrade: ({ note, ...rest }: Json) => ({ ...rest, text: note })
  })
  const all = { labels: { a: 'x' }, more: { any: 1 }, list: [{ b: 1 }] }
  const [ada, grace] = [{ name: 'Ada', role: 'a', hash: 1 }, { name: 'Grace', role: 'g', hash: 2 }]
  const current = { note: 'a', owner: 'me', hash: 3, guests: [ada, grace], ...all }
  const sent = { note: 'b', guests: [{ name: 'Ada' }, { name: 'Grace II' }], ...all }
  const guests = [ada, { ...grace, name: 'Grace II' }]
  t.strictSame(merge(current, sent), { ...current, note: 'b', guests })
  t.strictSame(merge(current, { note: 'a', more: {} }), { owner: 'me', hash: 3, note: 'a', more: {} })
  t.strictSame(merge(current, { ...sent, guests: [] }, 'v2'), { ...sent, hash: 3, guests: [] })
})

t.test('app.merge() keeps what an older client cannot see, or has left', async (t) => {
  const { merge } = await mergeOf(t, rooms.schema, rooms.change)
  const [ada, grace] = [{ id: 1, name: 'Ada', role: 'a' }, { id: 2, name: 'Grace', role: 'g' }]
  const current = { note: 'a', room: { no: 7, view: 'sea' }, guests: [ada, grace] }
  const guests = [{ id: 1, name: 'Ada' }, { id: 2, name: 'Grace' }]
  const seen = { note: 'a', room: { no: 7 }, guests, owner: 'nobody' }
  t.equal(merge(current, seen), current, 'nothing has changed')
  for (const [sent, result] of [
    [{ ...seen, note: 'b' }, { ...current, note: 'b' }],
    [{ ...seen, room: { no: 8 } }, { ...current, room: { no: 8, view: 'sea' } }],
    [{ ...seen, guests: guests.toReversed() }, { ...current, guests: [grace, ada] }],
    [{ ...seen, guests: [{ id: 2, name: 'G' }] }, { ...current, guests: [{ ...grace, name: 'G' }] }],
    [{ ...seen, guests: [{ id: 3, name: 'Ada' }] }, { ...current, guests: [{ id: 3, name: 'Ada' }] }],
    [{ guests: [{ name: 'A' }, guests[1]] }, { guests: [{ name: 'A' }, grace] }],
    [{ note: 'b', owner: 'me' }, { note: 'b', owner: 'me' }],
    [{ note: 'b', room: undefined }, { note: 'b' }],
    [{ guests: 'none' }, { guests: 'none' }],
    [null, null]
  ]) t.same(merge(current, sent), result)
  t.same(merge({ guests: [ada] }, { guests: { a: 1 } }, 'v2'), { guests: { a: 1 } })
})

t.test('app.merge() names the change that lacks a function, not others of its version', async (t) => {
  const ofSchema = (id: string, change: SchemaChange) => (
    { version: 'v2', description: `A ${id}.`, schemas: { [id]: { ...change, outside: true } } }
  )
  const changes = [ofSchema('Room', hiding), ofSchema('Guest', { older: open, upgrade: hide })]
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  for (const $id of ['Room', 'Guest']) app.addSchema({ ...open, $id })
  await app.ready()
  t.throws(() => app.merge('Guest', {}, {}, 'v1'), { message: /^Change 'v2' \(A Guest\.\), the schema 'Guest', / })
})

t.test('app.merge() takes what is sent where nothing is stored', async (t) => {
  const { merge } = await mergeOf(t, rooms.schema, rooms.change)
  for (const nothing of [undefined, null]) t.same(merge(nothing, { note: 'a' }), { note: 'a' })
  t.equal(merge(undefined, undefined), undefined)
})

t.test('app.merge() reads instances of classes and dates as JSON has them', async (t) => {
  class Row {
    readonly note = 'a'
    readonly secret = 's'
    readonly at = new Date(0)
    get owner () { return 'me' }
  }
  const { merge } = await mergeOf(t, open, hiding)
  const row = new Row()
  const seen = { note: 'a', at: '1970-01-01T00:00:00.000Z' }
  t.equal(merge(row, seen), row)
  t.strictSame(merge(row, { ...seen, note: 'b' }), { owner: 'me', secret: 's', note: 'b', at: row.at })
  t.same(merge({ bytes: new Uint8Array([1]) }, { bytes: 'a', secret: () => {} }), { bytes: 'a' })
})

// Which item of a list is which

const ada = { name: 'Ada', secret: 'a' }
const otherAda = { name: 'Ada', secret: 'o' }
const grace = { name: 'Grace', secret: 'g' }
const linus = { name: 'Linus' }
const [ada1, grace2] = [{ id: 1, ...ada }, { id: 2, ...grace }]

for (const [title, current, sent, result] of [
  ['an item that is edited in its place keeps its members',
    [ada, grace], [{ name: 'A' }, { name: 'Grace' }], [{ ...ada, name: 'A' }, grace]],
  ['items that are added take none', [ada], [linus, { name: 'Ada' }], [linus, ada]],
  ['items that are removed take none with them', [ada, grace], [{ name: 'Grace' }], [grace]],
  ['an empty list stays empty', [ada], [], []],
  ['two items that are edited without an id are as they are sent',
    [ada, grace], [{ name: 'A' }, { name: 'G' }], [{ name: 'A' }, { name: 'G' }]],
  ['an edited item that has also moved is as it is sent',
    [ada, grace, linus], [{ name: 'Grace' }, linus, { name: 'A' }], [grace, linus, { name: 'A' }]],
  ['equal items keep their order', [ada, grace, otherAda], [{ name: 'Ada' }, { name: 'Ada' }], [ada, otherAda]],
  ['an equal item that is added comes last', [ada], [{ name: 'Ada' }, { name: 'Ada' }], [ada, { name: 'Ada' }]],
  ['if one of two equal items is removed, nothing says which',
    [ada, otherAda, grace], [{ name: 'Ada' }, { name: 'Grace' }], [{ name: 'Ada' }, grace]],
  ['if one of two equal items is edited, the list says which',
    [ada, otherAda, grace], [{ name: 'Ada' }, { name: 'O' }, { name: 'Grace' }],
    [ada, { ...otherAda, name: 'O' }, grace]],
  ['if one of two equal items is replaced elsewhere, nothing says which',
    [ada, otherAda, grace], [{ name: 'Grace' }, { name: 'Ada' }, linus], [grace, { ...otherAda }, linus]],
  ['it does not matter which of two items is removed that are equal as they are stored',
    [ada, { ...ada }], [{ name: 'Ada' }], [ada]],
  ['an item is found by its id',
    [ada1, grace2], [{ id: 2, name: 'G' }, { id: 3 }], [{ ...grace2, name: 'G' }, { id: 3 }]],
  ['an id that two stored items have finds none',
    [ada1, { ...grace2, id: 1 }], [{ id: 1, name: 'A' }], [{ id: 1, name: 'A' }]],
  ['an id that two sent items have finds none',
    [ada1, grace2], [{ id: 1, name: 'A' }, { id: 1, name: 'B' }], [{ id: 1, name: 'A' }, { id: 1, name: 'B' }]],
  ['an id that is null finds none',
    [{ ...ada, id: null }, { ...grace, id: null }], [{ id: null, name: 'A' }], [{ id: null, name: 'A' }]],
  ['an item with another id is another one', [ada1, grace2], [{ id: 1, name: 'Ada' }, { id: 3 }], [ada1, { id: 3 }]],
  ['a text is no number', [ada1], [{ id: '1', name: 'Ada' }], [{ id: '1', name: 'Ada' }]],
  ['lists in lists are merged',
    [[ada], [grace]], [[{ name: 'A' }], [{ name: 'Grace' }]], [[{ ...ada, name: 'A' }], [grace]]],
  ['an item may become something else', [ada, 7, null], [7, null, 'Ada'], [7, null, 'Ada']]
] as const) {
  t.test(`app.merge() in lists: ${title}`, async (t) => {
    const { merge, seen } = await mergeOf(t, open, hiding)
    t.strictSame(merge({ list: current }, { list: sent }), { list: result })
    const stored = { list: current }
    t.equal(merge(stored, structuredClone(seen(stored))), stored)
  })
}

t.test('app.merge() takes a list as it is sent where the older version shows another number of items', async (t) => {
  const { merge } = await mergeOf(t, optional({ note: text, guests: listOf(text) }), {
    older: optional({ note: text, guest: text }),
    upgrade: ({ guest, ...rest }) => guest === undefined ? rest : { ...rest, guests: [guest] },
    downgrade: ({ guests, ...rest }) => guests === undefined ? rest : { ...rest, guest: guests[0] }
  })
  const current = { note: 'a', guests: ['Ada', 'Grace'] }
  t.same(merge(current, { note: 'late', guests: ['Ada'] }), { ...current, note: 'late' })
  t.same(merge(current, { note: 'a', guests: ['Linus'] }), { note: 'a', guests: ['Linus'] })
  t.same({ ...current, ...merge(current, { note: 'late' }) }, { ...current, note: 'late' })
  t.same({ ...current, ...merge(current, { guests: ['Ada'] }) }, current)
})

t.test('app.merge() finds items by their ids where the older version has another order', async (t) => {
  const sorted = (list: Json) => list.toSorted((a: Json, b: Json) => a.name < b.name ? -1 : 1)
  const { merge } = await mergeOf(t, open, { ...hiding, downgrade: ({ list }) => ({ list: sorted(hide(list)) }) })
  const list = [grace2, ada1]
  t.same(merge({ list }, { list: [{ id: 1, name: 'A' }, { id: 2, name: 'G' }] }), {
    list: [{ ...ada1, name: 'A' }, { ...grace2, name: 'G' }]
  })
  const mixed = { list: [grace2, linus, ada] }
  t.same(merge(mixed, { list: [{ name: 'Ada' }] }), { list: [{ name: 'Ada' }] }, 'some have none')
})

t.test('an item without an id gets no members of another, where the older version sorts the list', async (t) => {
  const sorted = (list: Json) => list.toSorted((a: Json, b: Json) => a.name < b.name ? -1 : 1)
  const { merge } = await mergeOf(t, open, { ...hiding, downgrade: ({ list }) => ({ list: sorted(hide(list)) }) })
  const list = [{ name: 'Grace' }, { name: 'Ada' }, { name: 'Grace', room: 7, secret: 'g' }, { name: 'Ada' }]
  // The third one has the name of the third one in the stored list, but it is the first one of that.
  const sent = [{ name: 'Ada' }, { name: 'Linus' }, { name: 'Grace' }, { name: 'Grace', room: 7 }]
  t.same(merge({ list }, { list: sent }), { list: sent })
})

// What clients may send

t.test('app.merge() takes linear time for long lists, and many members', async (t) => {
  const { merge } = await mergeOf(t, open, hiding)
  const list = Array.from({ length: 1e5 }, (_, i) => ({ name: `n${i}`, secret: i }))
  const sent = list.map(({ name }) => ({ name })).reverse()
  t.strictSame(merge({ list }, { list: sent }), { list: list.toReversed() })
  t.same(merge({ list }, { list: sent.map(() => 0) }).list.length, 1e5)
  const members = Object.fromEntries(list.map((item) => [item.name, item]))
  t.strictSame(merge(members, { ...hide(members), n7: 7 }), { ...members, n7: 7 })
})

t.test('app.merge() takes a value thousands of levels deep, and one that contains itself', async (t) => {
  const { merge } = await mergeOf(t, open, { ...hiding, downgrade: ({ secret, ...rest }) => rest })
  const deep = (name: string): Json => JSON.parse('{"in":'.repeat(5000) + `"${name}"` + '}'.repeat(5000))
  const current = { secret: 's', deep: deep('a') }
  for (const name of ['a', 'b']) t.equal(merge(current, { deep: deep(name) }).secret, 's')
  const circle: Json = { note: 'a' }
  circle.circle = circle
  t.equal(merge({ secret: 's', note: 'b' }, circle).circle, circle)
})

const keys = fc.constantFrom('__proto__', 'constructor', 'toString', 'id', '', 'a/b', 'x')
const labels = fc.dictionary(keys, fc.jsonValue(), { maxKeys: 4 })
const name = fc.constantFrom('Ada', 'Grace', 'Linus')
const id = fc.option(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(null)), { nil: undefined })
const item = fc.record({ id, name, labels }, { requiredKeys: ['name'] })
const room = fc.record({ no: fc.nat(3), labels })
const rows = fc.record({ note: name, labels, room, list: fc.array(item, { maxLength: 5 }) })
const edits = fc.array(fc.oneof(
  fc.record({ kind: fc.constantFrom('remove', 'repeat', 'move', 'keep'), at: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('edit', 'add', 'replace'), at: fc.nat(5), item })
), { maxLength: 4 })

/** An item that was sent, and the place of the stored one that it was; -1 if it is new. */
interface Tracked { readonly from: number, readonly item: Json }
interface Edit { readonly kind: string, readonly at: number, readonly item?: Json }

function edit (list: readonly Tracked[], { kind, at: place, item }: Edit): Tracked[] {
  const at = place % Math.max(list.length, 1)
  const before = list[at]
  if (kind === 'add') return list.toSpliced(place, 0, { from: -1, item })
  if (before === undefined || kind === 'keep') return [...list]
  if (kind === 'repeat') return list.toSpliced(at + 1, 0, { from: -1, item: before.item })
  if (kind === 'edit') return list.with(at, { from: before.from, item: { ...item, id: before.item.id } })
  if (kind === 'replace') return list.with(at, { from: -1, item })
  const rest = list.toSpliced(at, 1)
  return kind === 'move' ? [before, ...rest] : rest
}
const json = (value: unknown): Json => JSON.parse(JSON.stringify(value))

t.test('whatever an older client edits, hidden members stay, and stay where they are', async (t) => {
  const { merge, seen } = await mergeOf(t, open, hiding)
  fc.assert(fc.property(rows, edits, name, fc.nat(3), (row, edits, note, no) => {
    const list = row.list.map((one, i) => ({ ...one, secret: i, labels: { ...one.labels, secret: i } }))
    const current = { ...json({ ...row, list }), owner: 'me', room: { ...json(row.room), secret: 's' } }
    const before = json(seen(current))
    assert.equal(merge(current, before), current)
    const tracked = edits.reduce(edit, before.list.map((item: Json, from: number) => ({ from, item })))
    const sent = json({ ...before, note, room: { ...before.room, no }, list: tracked.map(({ item }) => item) })
    const result = merge(current, json(sent))
    assert.deepEqual(json(seen(result)), sent, 'The client sees something else than it has sent.')
    assert.deepEqual([result.owner, result.room.secret], ['me', 's'])
    const count = (list: Json[], one: Json) => list.filter((item) => isDeepStrictEqual(item, one)).length
    const taken = new Set<number>()
    for (const [i, { from }] of tracked.entries()) {
      const { secret } = result.list[i]
      const item = sent.list[i]
      const isFewer = count(sent.list, item) < count(before.list, item)
      if (secret === undefined) {
        assert(isFewer || count(before.list, item) < count(sent.list, item), `Item ${i} has lost its members.`)
        continue
      }
      const isAlike = isDeepStrictEqual(before.list[secret], item) && !isFewer
      const isById = typeof item.id === 'number' && before.list[secret].id === item.id
      const isInPlace = secret === i && tracked.length === before.list.length
      assert(secret === from || isAlike || isById || isInPlace, `Item ${i} has the members of ${secret}.`)
      assert(!taken.has(secret), `Two items have the members of ${secret}.`)
      taken.add(secret)
    }
  }), { numRuns: tries(1000) })
})

const orders: Readonly<Record<string, (list: Json[]) => Json[]>> = {
  sorted: (list) => list.toSorted((a, b) => a.name < b.name ? -1 : 1),
  'in another order': (list) => list.toReversed(),
  'without the first one, and the last one twice': (list) => [...list.slice(1), ...list.slice(-1)],
  'as it is, with shorter names': (list) => list.map((one) => ({ ...one, name: one.name.slice(0, 3) }))
}

t.test('whatever a downgrade makes of the order of a list, hidden members are those of the same item', async (t) => {
  for (const [title, order] of Object.entries(orders)) {
    const { merge } = await mergeOf(t, open, { ...hiding, downgrade: ({ list }) => ({ list: hide(order(list)) }) })
    const item = fc.record({ name: fc.constantFrom('Ada', 'Grace', 'Linus', 'Barbara', 'Edsger') })
    fc.assert(fc.property(fc.array(item, { maxLength: 5 }), edits, (items, edits) => {
      const list = items.map((item, secret) => ({ ...item, secret }))
      const tracked = edits.reduce(edit, order(list).map((item) => ({ from: item.secret, item: hide(item) })))
      const result = merge({ list }, { list: tracked.map(({ item }) => item) })
      for (const [i, { from }] of tracked.entries()) {
        const { secret, name } = result.list[i]
        const nameOf = (secret: number) => list.find((one) => one.secret === secret)?.name.slice(0, 3)
        // What replaces an item in its place is the same item, edited.
        const isAlike = [name.slice(0, 3), nameOf(from), nameOf(order(list)[i]?.secret)].includes(nameOf(secret))
        assert(secret === undefined || isAlike, `Item ${i} of a list ${title} has the members of ${secret}.`)
      }
    }), { numRuns: tries(300) })
  }
})

t.test('app.merge() keeps hidden members of items that the older version only abbreviates', async (t) => {
  const short = (item: Json) => ({ name: item.name.split(' ')[0] })
  const { merge } = await mergeOf(t, open, {
    ...hiding, downgrade: ({ room: { list } }: Json) => ({ room: { list: list.map(short) } })
  })
  const list = [{ name: 'Ada Lovelace', secret: 'a' }, { name: 'Grace Hopper', secret: 'g' }]
  const sent = { room: { list: [{ name: 'Ada' }, { name: 'G' }] } }
  t.strictSame(merge({ room: { list } }, sent), { room: { list: [list[0], { name: 'G', secret: 'g' }] } })
})

const long = Array.from({ length: 150 }, (_, i) => ({ price: i % 40 + 0.25, secret: i }))
const rounded = (list: Json) => list.map(({ price }: Json) => ({ price: Math.round(price) }))

t.test('app.merge() keeps hidden members of a long list that the older version rounds', async (t) => {
  const { merge } = await mergeOf(t, open, {
    ...hiding, downgrade: ({ list, others }: Json) => ({ list: rounded(list), others: rounded(others) })
  })
  const sent = { list: rounded(long).with(0, { price: 77 }), others: rounded(long).with(149, { price: 88 }) }
  t.strictSame(merge({ list: long, others: long }, sent), {
    list: long.with(0, { price: 77, secret: 0 }), others: long.with(149, { price: 88, secret: 149 })
  })
})

t.test('an item of a long list gets no members of another, where the older version has another order', async (t) => {
  for (const order of [
    (list: Json[]) => list.toSorted((a, b) => a.price - b.price), (list: Json[]) => list.toReversed(),
    (list: Json[]) => [...list.slice(1), list[0]], (list: Json[]) => [list[0], ...list.slice(0, -1)]
  ]) {
    const { merge } = await mergeOf(t, open, {
      ...hiding, downgrade: ({ list }: Json) => ({ list: rounded(order(list)) })
    })
    const sent = { list: rounded(order(long)).with(3, { price: 77 }) }
    t.strictSame(merge({ list: long }, sent), sent)
  }
})

t.test('app.merge() converts a bounded part of a value again, whatever an older client edits', async (t) => {
  let converted = 0
  const { merge } = await mergeOf(t, open, {
    ...hiding,
    downgrade: ({ list, orders }: Json) => {
      converted += list.length
      return { list: rounded(list), orders: orders.map(({ id, parts }: Json) => ({ id, parts: rounded(parts) })) }
    }
  })
  const list = Array.from({ length: 500 }, (_, price) => ({ price }))
  const orders = list.map(({ price: id }) => ({ id, parts: long.slice(0, 2) }))
  const edited = orders.map(({ id, parts }) => ({ id, parts: rounded(parts).with(0, { price: 7 }) }))
  const { orders: [first, ...others] } = merge({ list, orders }, { list, orders: edited })
  t.strictSame(first.parts, [{ price: 7, secret: 0 }, long[1]])
  t.strictSame(others.at(-1).parts, [{ price: 7 }, { price: 1 }])
  t.ok(converted < 250_000, `It has converted ${converted} items.`)
})

t.test('app.merge() takes an item as it is sent if it cannot be converted alone', async (t) => {
  const none = () => { throw new Error('Too few.') }
  for (const alone of [none, () => [], () => null]) {
    const { merge } = await mergeOf(t, open, {
      ...hiding,
      downgrade: ({ list }: Json) => ({
        list: list.length < 2 ? alone() : list.map(({ name }: Json) => ({ name: name[0] }))
      })
    })
    const list = [{ name: 'Ada', secret: 'a' }, { name: 'Grace', secret: 'g' }]
    t.same(merge({ list }, { list: [{ name: 'A' }, { name: 'H' }] }), { list: [{ name: 'A' }, { name: 'H' }] })
  }
})

t.test('app.merge() takes a list as it is sent if the older version shows an item twice', async (t) => {
  const { merge } = await mergeOf(t, open, {
    ...hiding, downgrade: ({ list }: Json) => ({ list: hide([list[1], list[1]]) })
  })
  const sent = { list: [{ id: 1, name: 'Ada' }, { name: 'A' }] }
  t.same(merge({ list: [ada, ada1] }, sent), sent)
})

t.test('an item with an id keeps its members in another order, and one without is as it is sent', async (t) => {
  const { merge } = await mergeOf(t, open, {
    ...hiding, downgrade: ({ list }: Json) => ({ list: hide(list.toReversed()) })
  })
  const sent = { list: [{ id: 1, name: 'Ada' }, { name: 'A' }] }
  t.same(merge({ list: [ada, ada1] }, sent), { list: [ada1, { name: 'A' }] })
})

t.test('app.merge() is there where an app has changes', async (t) => {
  const versions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
  const without = await appWith(t, versions)
  t.notOk(without.hasDecorator('merge'))
  const change = { version: 'v2', description: 'Bookings differ.', schemas: { Booking: { ...hiding, outside: true } } }
  await without.register(async (child) => {
    await child.register(versioning, { changes: [change] })
    child.addSchema({ ...open, $id: 'Booking' })
    await child.register(async (inner) => {
      await inner.register(versioning, { defaultVersion: 'v2' })
      t.same(inner.merge('Booking', { note: 'a', secret: 's' }, { note: 'b' }, 'v1'), { note: 'b', secret: 's' })
    })
    await child.register(async (inner) => {
      await inner.register(versioning, { changes: null })
      t.throws(() => inner.merge('Booking', {}, {}, 'v1'), { code: 'FST_ERR_VERSION_CHANGE_OPTION' })
    })
    await child.register(async (inner) => {
      await inner.register(versioning, { changes: [{ ...change, description: 'Bookings have no owner.' }] })
      t.ok(Object.hasOwn(inner, 'merge'))
    })
  })
  t.notOk(without.hasDecorator('merge'))
})
