import t from 'tap'

import { assertCompatible, compare } from '../../src/check/index.ts'
import { toText, unusedLocations } from '../../src/check/report.ts'

import type { IncompatibleError } from '../../src/check/index.ts'

const text = { type: 'string' }
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })

/** A document with three operations that have bookings, and one that has rooms alone. */
const documentOf = (Booking: object, Room: object = { type: 'object', properties: { beds: text } }) => ({
  openapi: '3.1.0',
  paths: {
    '/bookings': {
      get: { responses: { 200: json({ type: 'array', items: refer('Booking') }) } },
      post: { requestBody: json(refer('Booking')), responses: { 201: json(refer('Booking')) } }
    },
    '/bookings/{id}': { put: { requestBody: json(refer('Booking')), responses: { 204: {} } } },
    '/rooms': { get: { responses: { 200: json(refer('Room')) } } }
  },
  components: { schemas: { Booking, Room } }
})
const object = (...names: string[]) => ({
  type: 'object', properties: { ...Object.fromEntries(names.map((name) => [name, text])), room: refer('Room') }
})

t.test('a difference of a shared schema is said once, with its operations', async (t) => {
  const [before, after] = [documentOf(object('guest')), documentOf(object())]
  const differences = compare(before, after)
  t.strictSame(differences, [{
    kind: 'breaking',
    at: '#/paths/~1bookings/get/responses/200/content/application~1json/schema/items/properties/guest',
    message: 'Booking: "guest" was removed',
    schema: { name: 'Booking', at: '#/components/schemas/Booking/properties/guest' },
    operations: ['GET /bookings', 'POST /bookings', 'PUT /bookings/{id}'],
    places: [
      '#/paths/~1bookings/get/responses/200/content/application~1json/schema/items/properties/guest',
      '#/paths/~1bookings/post/requestBody/content/application~1json/schema/properties/guest',
      '#/paths/~1bookings/post/responses/201/content/application~1json/schema/properties/guest',
      '#/paths/~1bookings~1{id}/put/requestBody/content/application~1json/schema/properties/guest'
    ]
  }])
  t.equal(toText(differences), `breaking  Booking: "guest" was removed
          #/components/schemas/Booking/properties/guest
          in GET /bookings, POST /bookings, PUT /bookings/{id}
`)
})

t.test('a difference that is breaking in requests alone is listed once for requests, once for responses', async (t) => {
  const required = (names: string[]) => ({ ...object('guest'), required: names })
  const differences = compare(documentOf(required([])), documentOf(required(['guest'])))
  t.strictSame(differences.map(({ kind, message, operations }) => [kind, message, operations]), [
    ['added', 'Booking: "guest" is required now', ['GET /bookings', 'POST /bookings']],
    ['breaking', 'Booking: "guest" is required now', ['POST /bookings', 'PUT /bookings/{id}']]
  ])
})

t.test('a difference knows the innermost shared schema', async (t) => {
  const beds = { type: 'object', properties: { beds: { type: 'integer' } } }
  const [first, ...others] = compare(documentOf(object()), documentOf(object(), beds))
  t.strictSame(others, [])
  t.match(first, {
    message: 'Room: "beds" is integer now, was string',
    schema: { name: 'Room', at: '#/components/schemas/Room/properties/beds' },
    operations: ['GET /bookings', 'POST /bookings', 'PUT /bookings/{id}', 'GET /rooms']
  })
})

t.test('a difference of a schema that one message has is said of its operation', async (t) => {
  const tall = { type: 'object', properties: { beds: text, floor: text } }
  const [before, after] = [documentOf({}, tall), documentOf({})].map(({ paths, ...rest }) => (
    { ...rest, paths: { '/rooms': paths['/rooms'] } }
  ))
  t.strictSame(compare(before, after).map(({ message, schema, operations }) => [message, schema?.name, operations]), [
    ['GET /rooms  response 200: "floor" was removed', 'Room', ['GET /rooms']]
  ])
})

t.test('a schema that has another name in the other document is not shared', async (t) => {
  const before = documentOf(object('guest'))
  const { Booking, ...others } = before.components.schemas
  const text = JSON.stringify({ ...before, components: { schemas: { Stay: object(), ...others } } })
  const [first] = compare(before, JSON.parse(text.replaceAll('/schemas/Booking', '/schemas/Stay')))
  t.equal(first.schema, undefined)
  t.equal(first.message, 'GET /bookings  response 200: "[].guest" was removed')
})

t.test('a difference of a shared schema is accepted there, or in each of its operations', async (t) => {
  const [before, after] = [documentOf(object('guest')), documentOf(object())]
  const accept = ['#/paths/~1bookings', '#/paths/~1bookings~1{id}/put']
  t.doesNotThrow(() => assertCompatible(before, after, { accept }))
  t.doesNotThrow(() => assertCompatible(before, after, { accept: ['#/components/schemas/Booking'] }))
  const { differences: [left] } = t.throws(() => assertCompatible(before, after, { accept: ['#/paths/~1bookings'] })) as
    IncompatibleError
  const message = 'Booking: "guest" was removed'
  t.match(left, { operations: ['PUT /bookings/{id}'], at: /put/, places: [/put/], message })
})

const kinds = (...kinds: string[]) => ({
  oneOf: kinds.map((kind) => (
    { type: 'object', required: ['type'], properties: { type: { const: kind }, [kind]: text } }
  ))
})

t.test('an alternative that was renamed is named by the value that tells it apart', async (t) => {
  const messages = compare(documentOf({}, kinds('room', 'suite')), documentOf({}, kinds('room', 'studio')))
  t.strictSame(messages.map(({ message }) => message.replace(/^.*200/, 'Room:')), [
    'Room: cannot be object with "type" "suite" any more', 'Room: can be object with "type" "studio" now'
  ])
})

t.test('an alternative that has a name is called by it, and others by their type', async (t) => {
  const named = { ...kinds('room').oneOf[0] }
  const before = documentOf(named, { anyOf: [refer('Booking'), { type: 'integer' }] })
  const after = documentOf(named, { anyOf: [{ type: 'string' }] })
  t.strictSame(compare(before, after).map(({ message }) => message.replace(/^.*200/, 'Room:')), [
    'Room: cannot be Booking any more', 'Room: cannot be integer any more', 'Room: can be string now'
  ])
})

t.test('alternatives that a discriminator tells apart are new, or removed, by their names', async (t) => {
  const pet = (name: string, ...required: string[]) => ({
    type: 'object', properties: { kind: text, [name]: text }, required: ['kind', ...required]
  })
  const pets = { Cat: pet('lives'), Dog: pet('barks'), Bird: pet('wings') }
  const told = { discriminator: { propertyName: 'kind' } }
  const make = (names: string[], schemas: object = {}, others: object = told) => {
    const schema = { oneOf: names.map(refer), ...others }
    return {
      openapi: '3.1.0',
      paths: { '/pets': { post: { requestBody: json(schema), responses: { 200: json(schema) } } } },
      components: { schemas: { ...pets, ...schemas } }
    }
  }
  const messagesOf = (before: object, after: object) => (
    compare(before, after).map(({ kind, message }) => `${kind}: ${message.replace('POST /pets  ', '')}`)
  )
  const [two, three] = [make(['Cat', 'Dog']), make(['Cat', 'Dog', 'Bird'])]
  t.strictSame(messagesOf(two, three), ['added: body can be Bird now', 'breaking: response 200 can be Bird now'])
  t.strictSame(messagesOf(three, two), [
    'breaking: body cannot be Bird any more', 'added: response 200 cannot be Bird any more'
  ])
  t.strictSame(messagesOf(two, make(['Cat', 'Dog'], { Cat: pet('lives', 'lives') })), [
    'breaking: body: "lives" is required now', 'added: response 200: "lives" is required now'
  ])
  t.strictSame(messagesOf(make(['Cat', 'Dog'], {}, {}), two), [])
  t.strictSame(messagesOf(make(['Cat', 'Dog'], {}, {}), three), messagesOf(two, three))
})

t.test('an alternative is compared with the one of its name, although another one was the same', async (t) => {
  const make = (extra: object) => {
    const { components, ...others } = documentOf({}, { anyOf: [refer('A'), refer('B')] })
    const A = { type: 'object', properties: { a: text } }
    return { ...others, components: { schemas: { ...components.schemas, A: { ...A, ...extra }, B: { ...A } } } }
  }
  t.strictSame(compare(make({}), make({ maxProperties: 3 })).map(({ kind, message }) => [kind, message]), [
    ['added', 'GET /rooms  response 200 has maxProperties 3 now']
  ])
})

t.test('many alternatives are compared by the value that tells them apart', async (t) => {
  const many = (extra: object) => documentOf({}, {
    oneOf: Array.from({ length: 1000 }, (_one, i) => ({
      type: 'object', required: ['n'], properties: { n: { enum: [i, `${i}`] }, ...extra }
    }))
  })
  const [first, ...others] = compare(many({}), many({ q: text }))
  t.strictSame([first.kind, others], ['added', []])
})

t.test('an alternative keeps its name, however its schema is written', async (t) => {
  const make = (Room: object) => documentOf({ oneOf: [refer('Room'), { type: 'number' }] }, Room)
  const forms = [{ type: 'array' }, { allOf: [{ type: 'array' }] }, { anyOf: [{ type: ['array'] }] }]
  for (const before of forms) for (const after of forms) t.strictSame(compare(make(before), make(after)), [])
  const [difference] = compare(make(forms[0]!), make({ allOf: [{ type: 'array', maxItems: 3 }] }))
  t.equal(difference?.message, 'Room: has maxItems 3 now')
})

t.test('alternatives are compared with a schema that says nothing of its properties', async (t) => {
  const make = (guest?: object) => documentOf({ type: 'object', properties: { room: refer('Room'), ...guest } })
  const guests = { anyOf: [refer('Room'), { type: 'array' }] }
  const closed = { allOf: [{ type: 'object', additionalProperties: guests }, { type: 'object' }] }
  const open = { type: 'object', additionalProperties: true }
  t.strictSame(compare(make(), make({ guests })).map(({ kind }) => kind), ['added'])
  t.ok(compare(documentOf(open), documentOf(closed)).length > 0)
  t.ok(compare(documentOf({ type: 'object' }), documentOf({ ...open, additionalProperties: guests })).length > 0)
})

t.test('an accepted location is unused where neither a shared schema nor a place of it breaks', async (t) => {
  const differences = compare(documentOf(object('guest')), documentOf(object()))
  const [Booking, Room] = ['Booking', 'Room'].map((name) => `#/components/schemas/${name}`)
  const [get, rooms] = ['#/paths/~1bookings/get', '#/paths/~1rooms']
  t.same(unusedLocations(differences, [Booking, Room, get, rooms, `${get}/`]), [Room, rooms, `${get}/`])
})
