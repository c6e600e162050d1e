/* global Deno */
// Runs in Deno, Bun and Node alike: with what they share, and the built client.
import { readVersionNotice, versionedFetch } from '../../dist/client.js'

const [servers] = (globalThis.Deno === undefined ? globalThis.process.argv.slice(2) : Deno.args).map(JSON.parse)
let count = 0

for (const { name, place, origin } of servers) {
  const messages = []
  const api = versionedFetch({ version: 'v1', place, onNotice: ({ message }) => { messages.push(message) } })
  const url = `${origin}/bookings/7`
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', body: '{"a":1}', headers }
  await answers(name, await api(url, init))
  await answers(name, await api(new URL(url), init))
  await answers(name, await api(new Request(url, init)))
  const body = new Blob(['{"a"', ':1}']).stream()
  await answers(name, await api(new Request(url, { method: 'POST', body, duplex: 'half', headers })))
  equal(name, messages.length, 1)
  const expected = /^v1 of POST \S+ is deprecated as of 01 Jan 2020 and retired as of 31 Dec 2099; use (v2|http\S+v2)/
  equal(name, expected.test(messages[0]), true)
}
equal('Sunset', readVersionNotice({ sunset: 'Sun, 06 Nov 1994 08:49:37 GMT' }).sunsetAt.getTime(), 784111777000)
for (const time of ['31 Feb 2026 00:00:00', '06 Nov 1994 24:49:37', '06 Foo 1994 08:49:37']) {
  const sunset = `Sun, ${time} GMT`
  equal(sunset, readVersionNotice({ sunset, deprecation: '@1' }).sunsetAt, null)
}
console.log(`${count} checks`)

async function answers (name, response) {
  const { version, body } = await response.json()
  equal(name, `${version} ${JSON.stringify(body)}`, 'v1 {"a":1}')
}

function equal (name, given, expected) {
  count++
  if (given !== expected) throw new Error(`${name}: expected ${expected}, got ${given}`)
}
