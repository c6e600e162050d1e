import { setImmediate } from 'node:timers/promises'

const MOST_ROUTES = 100

/**
 * Microseconds of a request by inject, to routes from all over the app.
 *
 * @param requestFor the request for a route by its number
 * @param count how many routes there are
 * @param times how many requests
 */
export async function timeRequests (app, requestFor, count, times) {
  const requests = someOf(count).map(requestFor)
  for (const request of requests) await check(app, request)
  let begin = 0n
  for (const isWarm of [false, true]) {
    if (isWarm) begin = process.hrtime.bigint()
    for (let i = 0; i < times; i++) {
      await app.inject(requests[i % requests.length])
      // Without a turn of the event loop now and then nothing that a request leaves behind is collected.
      if (i % 50 === 0) await setImmediate()
    }
  }
  return Number(process.hrtime.bigint() - begin) / 1e3 / times
}

/** Nanoseconds of a link, to named routes from all over the app. */
export function timeLinks (app, count, times) {
  const names = someOf(count).map((i) => `thing-${i}`)
  let begin = 0n
  for (const isWarm of [false, true]) {
    if (isWarm) begin = process.hrtime.bigint()
    for (let i = 0; i < times; i++) app.reverse(names[i % names.length], { version: 'v1', id: '7' })
  }
  return Number(process.hrtime.bigint() - begin) / times
}

/** Numbers of at most a hundred routes, evenly apart. */
function someOf (count) {
  const length = Math.min(count, MOST_ROUTES)
  return Array.from({ length }, (_, i) => Math.floor(i * count / length))
}

async function check (app, request) {
  const { statusCode, body } = await app.inject(request)
  if (body !== 'ok') throw new Error(`${request.url} answers ${statusCode} ${body}.`)
}
