import cors from '@fastify/cors'
import httpProxy from '@fastify/http-proxy'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { browserFor, noBrowser } from './browser.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

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
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: VERSIONS,
    defaultVersion: 'v2',
    lifecycle: { v1: { deprecated: '2026-01-01' } }
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
  t.test(`Swagger UI fits ${what}, shows each version, and requests it`, { skip: noBrowser }, async (t) => {
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

const GATEWAYS = [
  { directory: '', prefix: '/public/api', routePrefix: '/docs/ui' },
  { directory: '/team', prefix: '/api', routePrefix: '/documentation' }
]

for (const { directory, prefix, routePrefix } of GATEWAYS) {
  const path = `${prefix}${directory}${routePrefix}`
  t.test(`Swagger UI at ${path} works behind a gateway that removes ${prefix}`, { skip: noBrowser }, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      defaultVersion: 'v2',
      baseUrl: `http://gw.example.test${prefix}`
    })
    app.register(async (api) => {
      await api.register(openapi, { routePrefix })
      api.get('/rooms', { schema: { operationId: 'rooms' } }, async ({ url, version }) => ({ url, version }))
    }, { prefix: directory })
    const gateway = bareApp(t)
    const upstream = `http://127.0.0.1:${await listen(app)}`
    await gateway.register(httpProxy, { upstream, prefix, rewritePrefix: '/' })
    const port = await listen(gateway)
    const page = await (await browserFor(t, `--host-resolver-rules=MAP * 127.0.0.1:${port}`)).newPage()

    for (const end of ['', '/', '?x=1', '/?x=1']) {
      await page.goto(`http://gw.example.test${path}${end}`)
      t.equal(await titleOf(page, 'v2'), 'API v2')
      await page.select('.topbar select', `${path}/v1.json`)
      t.equal(await titleOf(page, 'v1'), 'API v1')
      t.same(await tryOut(page, 'default', 'rooms'), { url: `${directory}/rooms`, version: 'v1' }, end)
      t.match(await page.$eval('.curl-command', ({ textContent }) => textContent), /-H 'API-Version: v1'/)
      // The address has the version by now.
      await page.reload()
      t.equal(await titleOf(page, 'v1'), 'API v1')
    }
  })
}

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
