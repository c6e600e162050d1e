import t from 'tap'

import { adviceOf, atEachPlace } from '../../src/between-versions/advice.ts'

const at = '#/paths/~1bookings/post/requestBody/content/application~1json/schema/properties/guest'
const answered = '#/paths/~1bookings/get/responses/200/content/application~1json/schema/items/properties/guest'

t.test('a difference of a shared schema is advice at each of its places', async (t) => {
  const given = { kind: 'breaking', at, places: [at, answered], message: 'Booking: "guest" was removed' } as const
  t.match(atEachPlace(given).map(adviceOf), [
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
