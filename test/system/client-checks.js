// Runs alike in Node, Deno, Bun and browsers: with what they share.

/** Asks each server for v1 in each form that `fetch` takes, and reads dates. The result is the number of checks. */
export async function check ({ readVersionNotice, versionedFetch }, servers) {
  let count = 0

  function equal (name, given, expected) {
    count++
    if (given !== expected) throw new Error(`${name}: expected ${expected}, got ${given}`)
  }

  for (const { name, place, origin } of servers) {
    const messages = []
    const api = versionedFetch({ version: 'v1', place, onNotice: ({ message }) => { messages.push(message) } })
    const url = `${origin}/bookings/7`
    const init = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    const responses = [await api(url, init), await api(new URL(url), init), await api(new Request(url, init))]
    if (globalThis.document === undefined) {
      // Browsers stream bodies by HTTP/2 only.
      const body = new Blob(['{"a"', ':1}']).stream()
      responses.push(await api(new Request(url, { ...init, body, duplex: 'half' })))
    } else {
      responses.push(await api(new Request(url, { ...init, keepalive: true })))
    }
    for (const response of responses) {
      const { version, body } = await response.json()
      equal(name, `${version} ${JSON.stringify(body)}`, 'v1 {"a":1}')
    }
    equal(name, messages.length, 1)
    const expected = /^v1 of POST \S+ is deprecated as of 01 Jan 2020 and retired as of 31 Dec 2099; use \S*v2/
    equal(name, expected.test(messages[0]), true)
  }
  equal('Sunset', readVersionNotice({ sunset: 'Sun, 06 Nov 1994 08:49:37 GMT' }).sunsetAt.getTime(), 784111777000)
  for (const time of ['31 Feb 2026 00:00:00', '06 Nov 1994 24:49:37', '06 Foo 1994 08:49:37']) {
    const sunset = `Sun, ${time} GMT`
    equal(sunset, readVersionNotice({ sunset, deprecation: '@1' }).sunsetAt, null)
  }
  return count
}
