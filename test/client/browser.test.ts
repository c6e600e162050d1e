import cors from '@fastify/cors'
import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'
import t from 'tap'

import { browserFor, noBrowser } from '../fixtures/browser.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { pairs, serve } from './server.ts'

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Pair } from './server.ts'

const EXPOSED = ['API-Version', 'Deprecation', 'Sunset', 'Link', 'API-Supported-Versions', 'API-Deprecated-Versions']

/** Asks as a string with an init, as a Request, and from a page; the page shows what it hears. */
const script = (api: string, place: object) => `
  import { versionedFetch } from '/client.js'
  const api = versionedFetch({
    version: 'v1',
    place: ${JSON.stringify(place)},
    onNotice (notice) { document.querySelector('output').textContent += notice.message + '\\n' }
  })
  const init = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
  const responses = [
    await api('${api}', init),
    await api(new Request('${api}', init)),
    await api(new Request('${api}', { ...init, keepalive: true })),
    await api(new Request('${api}', init), { keepalive: true })
  ]
  window.answers = await Promise.all(responses.map((response) => response.json()))
`

t.test('a page of another origin shows a notice', { skip: noBrowser }, async (t) => {
  const browser = await browserFor(t)
  for (const pair of pairs) {
    await t.test(`a page shows a notice under ${pair.name}`, async (t) => {
      const { origin, api } = await pageAndApi(t, pair)
      const page = await browser.newPage()
      const errors: unknown[] = []
      page.on('pageerror', (error) => { errors.push(error) })
      await page.goto(`${origin}/page.html`)
      await page.waitForFunction('window.answers !== undefined || document.title === "failed"', { timeout: 180_000 })
      t.match(await page.evaluate('window.answers'), Array(4).fill({ version: 'v1', body: { a: 1 } }))
      const shown = await page.evaluate('document.querySelector("output").textContent') as string
      t.equal(shown.split('\n').length - 1, 1)
      t.match(shown, /^v1 of POST http:\S+\/7 is deprecated as of 01 Jan 2020 and retired as of 31 /)
      t.match(shown, /; use (?:v2|http:\S+\/v2\/)/)
      t.ok(api)
      t.same(errors, [])
      await page.close()
    })
  }
})

t.test('a page requests versions from its origin by relative URLs', { skip: noBrowser }, async (t) => {
  const browser = await browserFor(t)
  const app = bareApp(t, { forceCloseConnections: true })
  const client = await clientCode()
  app.get('/client.js', async (_request, reply) => reply.type('text/javascript').send(client))
  app.get('/app/page.html', async (_request, reply) => reply.type('text/html').send('<base href="/base/">'))
  app.get('/*', async ({ url }) => url)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const page = await browser.newPage()
  await page.goto(`${origin}/app/page.html`)
  const ask = (place: object, url: string) => page.evaluate(`(async () => {
    const { versionedFetch } = await import('/client.js')
    const options = { version: 'v2', place: ${JSON.stringify(place)}, origins: [location.origin] }
    return (await versionedFetch(options)('${url}')).text()
  })()`)
  t.equal(await ask({ query: 'v' }, 'x?a=1'), '/base/x?a=1&v=v2')
  t.equal(await ask({ query: 'v' }, '/x'), '/x?v=v2')
  t.equal(await ask({ path: '/{version}' }, 'x'), '/v2/base/x')
  t.equal(await ask({ path: '/base/{version}' }, 'v1/x'), '/base/v2/x')
  t.equal(await ask({ path: '/{version}' }, '/v1/x?a'), '/v2/x?a')
})

/** A server of the API, and one of another origin with a page that asks it. */
async function pageAndApi (t: Test, pair: Pair): Promise<{ origin: string, api: string }> {
  const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2099-12-31' } }
  const options = { lifecycle, reportVersions: true, servedVersion: 'API-Version' }
  const api = `${await serve(t, pair, ['v1', 'v2'], options, (app) => (
    app.register(cors, { origin: true, exposedHeaders: EXPOSED })
  ))}/bookings/7`
  const app = bareApp(t, { forceCloseConnections: true })
  const client = await clientCode()
  app.get('/client.js', async (_request, reply) => reply.type('text/javascript').send(client))
  app.get('/page.html', async (_request, reply) => reply.type('text/html').send(`<output></output>
    <script>addEventListener('error', () => { document.title = 'failed' })
    addEventListener('unhandledrejection', () => { document.title = 'failed' })</script>
    <script type="module">${script(api, pair.place)}</script>`))
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, api }
}

/** The client as the package is built. */
async function clientCode (): Promise<string> {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/client/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020'
  })
  return text
}
