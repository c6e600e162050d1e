import { readFile, readdir } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import t from 'tap'

import { start } from './start.ts'

interface Manifest {
  version: string
  private: boolean
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const EXAMPLES = new URL('../../examples/', import.meta.url)
const entries = await readdir(EXAMPLES, { withFileTypes: true })
const stories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
const manifestIn = async (folder: URL) => (
  JSON.parse(await readFile(new URL('package.json', folder), 'utf8')) as Manifest
)

const json = async (url: string, init?: RequestInit) => (await fetch(url, init)).json()

t.test('the page of the examples lists every folder', async (t) => {
  const page = await readFile(new URL('README.md', EXAMPLES), 'utf8')
  t.same([...page.matchAll(/^\| \[(\w+)\]\(\1\/server\.ts\) /gm)].map(([, story]) => story).sort(), stories.sort())
})

for (const story of stories) {
  t.test(`the folder ${story} can be copied, with what it imports in the ranges of this package`, async (t) => {
    const root = await manifestIn(new URL('../../', import.meta.url))
    const folder = new URL(`${story}/`, EXAMPLES)
    const manifest = await manifestIn(folder)
    t.equal(manifest.private, true)
    t.equal(manifest.scripts.start, 'tsx server.ts')
    const known: Record<string, string> = { ...root.devDependencies, 'fastify-versioning': `^${root.version}` }
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      t.equal(range, known[name], name)
    }
    t.same(await importsIn(folder), Object.keys(manifest.dependencies).filter((name) => !isPeer(name)).sort())
  })
}

/** The packages that the files of a folder import. */
async function importsIn (folder: URL): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => (
    file.endsWith('.ts') && !file.includes('node_modules')
  ))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  const names = texts.flatMap((text) => [...text.matchAll(/ from '([^'.][^']*)'/g)].map(([, name]) => name))
  const packages = names.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
  return [...new Set(packages.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')))].sort()
}

/** What another package of the example needs: nothing imports it by name. */
function isPeer (name: string): boolean {
  return name.startsWith('@fastify/swagger') || name === 'typebox'
}

t.test('the version chooses the handler, with its own schema, in the example "handlers"', async (t) => {
  const { origin } = await start(t, 'handlers')
  const named = (version: string) => ({ accept: `application/json; version=${version}` })
  t.same(await json(`${origin}/bookings`), [{ id: 7, guest: 'Ada' }, { id: 8, guest: 'Grace' }])
  t.same(await json(`${origin}/bookings?limit=1`, { headers: named('v3') }), {
    version: 'v3', items: [{ id: 7, guest: { name: 'Ada', email: 'ada@example.com' } }]
  })
  const guest = { name: 'Edsger', email: 'edsger@example.com' }
  const post = (version: string, body: object) => fetch(`${origin}/bookings`, {
    method: 'POST', headers: { ...named(version), 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  t.same(await (await post('v2', { guest })).json(), { id: 9, guest })
  t.equal((await post('v2', { guest: 'Edsger' })).status, 400)
  t.equal((await post('v1', { guest })).status, 406)
})

t.test('one handler serves all versions in the example "changes"', async (t) => {
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
  t.same(await json(`${origin}/changelog`), [
    '2026-01-15: The room of a booking is an object. (GET /bookings, HEAD /bookings, POST /bookings)',
    '2025-06-01: A booking has several guests. (GET /bookings, HEAD /bookings, POST /bookings)'
  ])
})

t.test('v0 is gone, v1 says when it ends, and metrics show who uses it in the example "retiring"', async (t) => {
  const { origin } = await start(t, 'retiring')
  t.equal((await fetch(`${origin}/v0/bookings/7`)).status, 410)
  const { headers } = await fetch(`${origin}/v1/bookings/7`)
  for (const name of ['deprecation', 'sunset']) t.ok(headers.has(name), name)
  t.match(headers.get('link'), '</v2/bookings/7>; rel="successor-version"')
  t.same(await json(`${origin}/v2/bookings/7`), { version: 'v2', self: '/v2/bookings/7' })
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  t.match(metrics, 'api_version_requests_total{version="v1",route="/:version/bookings/:id",outcome="ok"} 1\n')
})

t.test('each version has a document, and Swagger UI shows it, in the example "documents"', async (t) => {
  const { origin, output } = await start(t, 'documents')
  const [, url] = /Swagger UI: +(\S+)/.exec(output) ?? []
  t.match(await (await fetch(url)).text(), '<title>Swagger UI</title>')
  const guests = await Promise.all(['v1', 'v2'].map(async (version) => {
    const document = await json(`${url}/${version}.json`) as { paths: Record<string, { get: { responses: object } }> }
    return JSON.stringify(document.paths['/bookings/{id}'].get.responses).includes('"email"')
  }))
  t.same(guests, [false, true])
  const response = await fetch(`${origin}/bookings/7`, { headers: { 'api-version': 'v2' } })
  t.same(await response.json(), { id: 7, guest: { name: 'Ada', email: 'ada@example.com' } })
})

t.test('each folder is a version in the example "autoload"', async (t) => {
  const { origin } = await start(t, 'autoload')
  t.same(await json(`${origin}/v1/bookings/7`), { version: 'v1', self: '/v1/bookings/7', guest: 'Ada' })
  t.match(await json(`${origin}/v2/bookings/7`), { version: 'v2', self: '/v2/bookings/7', guest: { name: 'Ada' } })
  t.equal((await fetch(`${origin}/v3/bookings/7`)).status, 404)
})
