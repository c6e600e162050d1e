import cors from '@fastify/cors'
import httpProxy from '@fastify/http-proxy'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { pairs } from '../client/server.ts'
import { start } from '../examples/start.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { checksOf } from '../system/client.ts'
import { browserFor, skip } from './browser.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

t.test('the built client runs in a page of another origin', { skip }, async (t) => {
  const { code, checks } = await checksOf(t, pairs)
  const app = bareApp(t, { forceCloseConnections: true })
  app.get('/', async (_request, reply) => reply.type('text/html').send(`<script type="module">${code}</script>`))
  const page = await (await browserFor(t)).newPage()
  const said = new Promise((resolve) => {
    page.on('console', (message) => resolve(message.text()))
    page.on('pageerror', (error) => resolve(String(error)))
  })
  await page.goto(`http://127.0.0.1:${await listen(app)}`)
  t.equal(await said, `${checks} checks`)
})

t.test('the page of the example of schemes sends each request, and fits a phone', { skip }, async (t) => {
  const { origin } = await start(t, 'schemes')
  const page = await (await browserFor(t)).newPage()
  const failures: string[] = []
  page.on('pageerror', (error) => { failures.push(String(error)) })
  page.on('requestfailed', (request) => { failures.push(request.url()) })
  await page.setViewport({ width: 390, height: 844 })
  await page.goto(`${origin}/`)
  await page.waitForSelector('#schemes tr:first-child td:last-child pre:not(:empty)')

  for (const [version, statuses] of [
    ['v1', [200, 200, 200, 200, 200, 200, 200, 400, 200, 200]],
    ['v9', [404, 404, 400, 404, 406, 415, 404, 400, 200, 400]]
  ] as const) {
    await page.select('#version', version)
    await page.locator('#all').click()
    await page.waitForFunction("document.querySelectorAll('#schemes td:last-child pre:not(:empty)').length === 10")
    const answers = await page.$$eval('#schemes td:last-child pre:not(:empty)', (all) => (
      all.map(({ textContent }) => textContent)
    ))
    t.same(answers.map((answer) => Number(answer.slice(0, 3))), statuses, version)
    if (version === 'v1') t.match(answers[0], /The client reports: v1 of GET /)
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  }
  t.same(failures, [])
})

// Documents

const mediaTypes = ['application/vnd.acme.{version}+json']
const VERSIONS = ['v1', 'v2', 'v3']

/** Where a request can specify a version, by the tag of the operation that asks there. */
const PLACES: [name: string, method: 'GET' | 'POST', options: VersioningOptions][] = [
  ['accept', 'GET', { scheme: AcceptHeaderVersioning }],
  ['acceptVendor', 'GET', { scheme: AcceptHeaderVersioning, mediaTypes }],
  ['contentType', 'POST', { scheme: ContentTypeVersioning }],
  ['contentTypeVendor', 'POST', { scheme: ContentTypeVersioning, mediaTypes }],
  ['header', 'GET', { scheme: HeaderVersioning }],
  ['path', 'GET', { scheme: URLPathVersioning }],
  ['namespace', 'GET', { scheme: NamespaceVersioning }],
  ['host', 'GET', { scheme: HostNameVersioning, baseUrl: 'http://api.example.test' }],
  ['query', 'GET', { scheme: QueryParameterVersioning }]
]

/** What only one of the versions has. */
const rates = { v1: '#operations-default-ratesOfV1', v3: '#operations-default-ratesOfV3' }

/** An app with each place, under the hosts that a browser is told. */
async function appWithPlaces (t: Test): Promise<number> {
  const app = bareApp(t)
  await app.register(cors)
  const lifecycle = { v1: { deprecated: '2026-01-01' } }
  await app.register(versioning, {
    scheme: QueryParameterVersioning, allowedVersions: VERSIONS, defaultVersion: 'v2', lifecycle
  })
  await app.register(openapi, { openapi: { info: { title: 'Bookings', version: '3.4.0' } } })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(/^application\/vnd\.acme\./, { parseAs: 'string' }, parseJson)
  for (const [name, method, options] of PLACES) {
    const body = { type: 'object', properties: { guest: { type: 'string', examples: ['Ada'] } } }
    const schema = { tags: [name], operationId: name, ...method === 'POST' ? { body } : {} }
    const routes = async (api: FastifyInstance) => {
      api.route({
        method, url: '/bookings', schema, handler: async ({ version, body }) => ({ name, version, body: body ?? null })
      })
    }
    app.register(async function place (api) {
      await api.register(versioning, options)
      if (name === 'path') api.register(routes, { prefix: '/:version' })
      else if (name !== 'namespace') api.register(routes)
      else for (const version of VERSIONS) api.register(routes, { prefix: version, namespace: version })
    }, { prefix: `/${name}` })
  }
  app.get('/rates', { version: 'v1', schema: { operationId: 'ratesOfV1' } }, async () => 'per night')
  app.get('/rates', { version: 'v3', schema: { operationId: 'ratesOfV3' } }, async () => 'per hour')
  return listen(app)
}

for (const [what, width, height] of [['a desktop', 1280, 800], ['a phone', 390, 844]] as const) {
  t.test(`Swagger UI fits ${what}, shows each version, and requests it`, { skip }, async (t) => {
    const port = await appWithPlaces(t)
    const page = await (await browserFor(t, `--host-resolver-rules=MAP * 127.0.0.1:${port}`)).newPage()
    await page.setViewport({ width, height })
    for (const version of ['v1', 'v3'] as const) {
      await page.goto('http://docs.example.test/documentation')
      await page.waitForSelector(rates.v3)
      const menu = await page.$$eval('.topbar option', (options) => options.map(({ textContent }) => textContent))
      t.same(menu, ['v1 (deprecated)', 'v2', 'v3'])
      const { left, right } = await page.$eval('.topbar select', (select) => select.getBoundingClientRect().toJSON())
      t.ok(left >= 0 && right <= width, `the menu is from ${left} to ${right}`)
      await page.select('.topbar select', `/documentation/${version}.json`)
      await page.waitForSelector(rates[version])
      t.equal(await titleOf(page, version), `Bookings ${version}`)
      t.ok(await page.evaluate('document.documentElement.scrollWidth') as number <= width, 'nothing is beyond the edge')
      const shown = await page.$$eval('.opblock', (operations) => operations.map(({ id }) => id))
      t.same(shown.toSorted(), [
        rates[version].slice(1), ...PLACES.map(([name]) => `operations-${name}-${name}`)
      ].toSorted())
      const head = await page.$$eval('.info .description', (all) => all.map(({ textContent }) => textContent).join(''))
      t.equal(head.includes('Deprecated since 1 January 2026. Use v3.'), version === 'v1')
      for (const [name, method] of PLACES) {
        const body = method === 'POST' ? { guest: 'Ada' } : null
        t.same(await tryOut(page, name, name), { name, version, body }, `${name}, ${version}`)
      }
    }
  })
}

t.test('Swagger UI works behind a gateway that removes a prefix', { skip }, async (t) => {
  const app = bareApp(t)
  const versions = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }
  await app.register(versioning, { scheme: HeaderVersioning, ...versions, baseUrl: 'http://gw.example.test/api' })
  app.register(async (api) => {
    await api.register(openapi)
    api.get('/rooms', { schema: { operationId: 'rooms' } }, async ({ url, version }) => ({ url, version }))
  }, { prefix: '/team' })
  const gateway = bareApp(t)
  const upstream = `http://127.0.0.1:${await listen(app)}`
  await gateway.register(httpProxy, { upstream, prefix: '/api', rewritePrefix: '/' })
  const port = await listen(gateway)
  const page = await (await browserFor(t, `--host-resolver-rules=MAP * 127.0.0.1:${port}`)).newPage()

  for (const end of ['', '/', '?x=1', '/?x=1']) {
    await page.goto(`http://gw.example.test/api/team/documentation${end}`)
    t.equal(await titleOf(page, 'v2'), 'API v2')
    await page.select('.topbar select', '/api/team/documentation/v1.json')
    t.equal(await titleOf(page, 'v1'), 'API v1')
    t.same(await tryOut(page, 'default', 'rooms'), { url: '/team/rooms', version: 'v1' }, end)
    t.match(await page.$eval('.curl-command', ({ textContent }) => textContent), /-H 'API-Version: v1'/)
    // The address has the version by now.
    await page.reload()
    t.equal(await titleOf(page, 'v1'), 'API v1')
  }
})

async function listen (app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** The title of the document that is shown, once it is the one of a version. */
async function titleOf (page: Page, version: string): Promise<string | null | undefined> {
  await page.waitForFunction(`document.querySelector('.info .title')?.textContent.includes('${version}')`)
  return page.$eval('.info .title', ({ firstChild }) => firstChild?.textContent)
}

/** Opens an operation, presses "Try it out" and "Execute", and reads the answer that is shown. */
async function tryOut (page: Page, tag: string, name: string): Promise<unknown> {
  const operation = `#operations-${tag}-${name}`
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await page.locator(`${operation} ${button}`).click()
  }
  const answer = `${operation} .live-responses-table .response pre.microlight`
  await page.waitForSelector(answer)
  return JSON.parse(await page.$eval(answer, ({ textContent }) => textContent) ?? '')
}
