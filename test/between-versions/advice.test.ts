import t from 'tap'

import { adviceOf, atEachPlace } from '../../src/between-versions/advice.ts'
import { messageOf, messageOfSchema } from '../../src/check/message.ts'

const at = '#/paths/~1bookings/post/requestBody/content/application~1json/schema/properties/guest'
const answered = '#/paths/~1bookings/get/responses/200/content/application~1json/schema/items/properties/guest'

t.test('a difference of a shared schema is advice at each of its places', async (t) => {
  const schema = { name: 'Booking', at: '#/components/schemas/Booking/properties/guest' }
  const shared = {
    kind: 'breaking', at, schema, places: [at, answered], message: 'Booking: "guest" was removed'
  } as const
  t.match(atEachPlace(shared).map(adviceOf), [
    { at, part: 'body', text: 'do not send `guest` in the body any more', ofItem: null },
    {
      at: answered,
      part: 'response 200',
      text: '`[].guest` is no longer in the response',
      ofItem: '`guest` is no longer in the response'
    }
  ])
})

t.test('types have an article, and other words stay', async (t) => {
  const message = 'POST /bookings  body: "guest" is of any type now, was string'
  const { text } = adviceOf({ kind: 'breaking', at, message })
  t.equal(text, '`guest` in the body is now of any type, not a string')
})

const content = '#/paths/~1bookings/post/responses/201/content/application~1json/schema'
const long = 'guest'.repeat(20)
for (const [place, words, text] of [
  [`${content}/properties/${long}`, 'was removed', `\`${long}\` is no longer in the response`],
  [`${content}/properties/a"b\n\`c\``, 'is new', '`a"b\n`c`` is new in the response'],
  [`${content}/additionalProperties`, 'is not allowed any more',
    'there are no other properties in the response any more'],
  [`${content}/properties/rooms/items/additionalProperties`, 'is allowed now',
    'there may be other properties of `rooms[]` in the response'],
  [`${content}/additionalProperties`, 'is of any type now, was string',
    'any other property in the response is now of any type, not a string'],
  [`${content}/properties/rooms/additionalProperties`, 'is integer now, was string',
    'any other property of `rooms` in the response is now an integer, not a string'],
  [`${content}/properties/guest`, 'can be "NAME", "PLACE of OTHERS" now',
    '`guest` in the response can be "NAME", "PLACE of OTHERS" now'],
  ['#/paths/~1bookings/post/responses/201/content/*~1*', 'is new', '`*/*` is new in the response'],
  ['#/paths/~1bookings/post/responses/201', 'is new', 'the 201 response is new'],
  ['#/paths/~1bookings/post/responses/201/content/text~1csv', 'is new', '`text/csv` is new in the response'],
  ['#/paths/~1bookings/post/responses/404/headers/X-Total', 'is new', 'header `X-Total` is new in the 404 response'],
  ['#/paths/~1bookings/post/requestBody', 'is required now', 'the body is required now'],
  [`#/paths/~1bookings/post/parameters/query/${long}`, 'is new', `you may send \`${long}\` in the query`],
  ['#/paths/~1bookings/additionalOperations/COPY/parameters/header/x-a', 'is new',
    'you may send `x-a` in the headers'],
  ['#/paths/~1bookings/post/callbacks/made', 'has changed', 'callback `made` has changed'],
  [at.replace('/requestBody', '/callbacks/made/{$url}/post/requestBody'), 'is required now',
    '`guest` is always in callback `made`'],
  ['#/paths/~1bookings/post/security', 'needs more now', 'security needs more now'],
  ['#/paths/~1bookings/post', 'was removed', 'was removed'],
  [`#/webhooks/${long}`, 'is new', `webhook \`${long}\` is new`],
  ['#/servers', 'have another address now', 'servers have another address now']
] as const) {
  t.test(`advice says: ${text.slice(0, 60)}`, async (t) => {
    t.equal(adviceOf({ kind: 'added', at: place, message: messageOf(place, words) }).text, text)
  })
}

t.test('a long path in a shared schema is advice, too', async (t) => {
  const schema = { name: 'A/B', at: `#/components/schemas/A~1B/properties/${long}` }
  const message = messageOfSchema(schema.at, 'is new')
  const { text } = adviceOf({ kind: 'added', at: `${content}/properties/${long}`, schema, message })
  t.equal(text, `\`${long}\` is new in the response`)
})
