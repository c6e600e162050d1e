import { readFile, readdir } from 'node:fs/promises'
import t from 'tap'

import { start } from './start.ts'

const ROOT = new URL('../../', import.meta.url)
const entries = await readdir(new URL('examples/', ROOT), { withFileTypes: true })
const examples = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)

const json = async (url: string, init?: RequestInit) => (await fetch(url, init)).json()

t.test('the page of the examples lists every folder', async (t) => {
  const page = await readFile(new URL('examples/README.md', ROOT), 'utf8')
  t.same([...page.matchAll(/^\| \[(\w+)\]\(\1\/server\.ts\) /gm)].map(([, name]) => name).sort(), examples.sort())
})

t.test('the example of schemes sends a request to each, has a page to send more, and documents', async (t) => {
  const { origin, output } = await start(t, 'schemes')
  t.same(output.match(/→ .*/g), [
    '→ 200 version v2, link /path/v2/bookings/7',
    '→ 200 version v2, link /namespace/v2/bookings/7',
    '→ 200 version v2, link /header/bookings/7',
    '→ 200 version v2, link /query/bookings/7?version=v2',
    '→ 200 version v2, link /accept/bookings/7',
    '→ 200 version v2, link /content-type/bookings/9',
    '→ 200 version v2, link /host/bookings/7',
    '→ 200 version v2, link /several/bookings/7?version=v2',
    output.match(/→ 400 The request specifies different versions .*/)?.[0],
    '→ 200 version v1, link /pinned/bookings/7',
    '→ 200 version v2, link /changes/bookings/7',
    output.match(/→ 404 .*/)?.[0]
  ])
  t.match(await (await fetch(origin)).text(), 'page.js')
  t.match(await (await fetch(`${origin}/page.js`)).text(), 'readVersionNotice')
  t.match(await json(`${origin}/lines`), Array(11).fill({ title: String }))
  t.match(await json(`${origin}/changes/bookings/7`, { headers: { 'api-version': 'v1' } }), { guest: 'Ada' })
  const document = await json(`${origin}/documentation/v2.json`) as { info: object, paths: object }
  t.match(document.info, { title: 'Bookings v2' })
  t.ok(Object.hasOwn(document.paths, '/path/v2/bookings/{id}'))
})

t.test('one handler serves all versions in the example of changes', async (t) => {
  const { origin } = await start(t, 'changes')
  const booking = (version: string) => ({ 'booking-version': version, 'content-type': 'application/json' })
  t.same(await json(`${origin}/bookings`), [{ id: 7, guest: 'Ada', room: '12' }])
  t.same(await json(`${origin}/bookings`, { headers: booking('2026-01-15') }), [
    { id: 7, guests: ['Ada', 'Grace'], room: { number: 12 } }
  ])
  const body = JSON.stringify({ guests: ['Edsger'], room: '9' })
  const response = await fetch(`${origin}/bookings`, { method: 'POST', headers: booking('2025-06-01'), body })
  t.same(await response.json(), { id: 8, guests: ['Edsger'], room: '9' })
  t.equal((await fetch(`${origin}/bookings`, { method: 'POST', headers: booking('2026-01-15'), body })).status, 400)
  t.match(await json(`${origin}/changelog`), [/^2026-01-15: The room .*GET \/bookings/, /^2025-06-01: /])
})

t.test('v0 is gone, v1 says when it ends, and metrics show who uses it in the example of retiring', async (t) => {
  const { origin } = await start(t, 'retiring')
  t.equal((await fetch(`${origin}/v0/bookings/7`)).status, 410)
  const { headers } = await fetch(`${origin}/v1/bookings/7`)
  for (const name of ['deprecation', 'sunset']) t.ok(headers.has(name), name)
  t.match(headers.get('link'), '</v2/bookings/7>; rel="successor-version"')
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  t.match(metrics, 'api_version_requests_total{version="v1",route="/:version/bookings/:id",outcome="ok"} 1\n')
})
