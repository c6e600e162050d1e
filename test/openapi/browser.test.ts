import cors from '@fastify/cors'
import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { browserFor, noBrowser } from '../fixtures/browser.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import type { VersioningOptions } from '../../types/index.d.ts'

interface Place {
  readonly method: 'GET' | 'POST'
  readonly options: VersioningOptions
}

const mediaTypes = ['application/vnd.acme.{version}+json']
const baseUrl = 'http://api.example.test'

/** Where a request can specify a version, by the tag of the operation that asks there. */
const places: Record<string, Place> = {
  accept: { method: 'GET', options: { scheme: AcceptHeaderVersioning } },
  acceptVendor: { method: 'GET', options: { scheme: AcceptHeaderVersioning, mediaTypes } },
  contentType: { method: 'POST', options: { scheme: ContentTypeVersioning } },
  contentTypeVendor: { method: 'POST', options: { scheme: ContentTypeVersioning, mediaTypes } },
  header: { method: 'GET', options: { scheme: HeaderVersioning } },
  path: { method: 'GET', options: { scheme: URLPathVersioning } },
  namespace: { method: 'GET', options: { scheme: NamespaceVersioning } },
  host: { method: 'GET', options: { scheme: HostNameVersioning, baseUrl } },
  query: { method: 'GET', options: { scheme: QueryParameterVersioning } }
}

/** What only one of the versions has. */
const rates = { v1: '#operations-default-ratesOfV1', v3: '#operations-default-ratesOfV3' }

async function appWithPlaces (): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(cors)
  await app.register(versioning, {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    defaultVersion: 'v2',
    lifecycle: { v1: { deprecated: '2026-01-01' } }
  })
  await app.register(openapi, { openapi: { info: { title: 'Bookings', version: '3.4.0' } } })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(/^application\/vnd\.acme\./, { parseAs: 'string' }, parseJson)
  for (const [name, { method, options }] of Object.entries(places)) {
    app.register(async function place (api) {
      await api.register(versioning, options)
      const routes = routesOf(name, method)
      if (name === 'path') api.register(routes, { prefix: '/:version' })
      else if (name !== 'namespace') api.register(routes)
      else for (const version of ['v1', 'v2', 'v3']) api.register(routes, { prefix: version, namespace: version })
    }, { prefix: `/${name}` })
  }
  app.get('/rates', { version: 'v1', schema: { operationId: 'ratesOfV1' } }, async () => 'per night')
  app.get('/rates', { version: 'v3', schema: { operationId: 'ratesOfV3' } }, async () => 'per hour')
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

function routesOf (name: string, method: 'GET' | 'POST') {
  return async function routes (api: FastifyInstance) {
    const body = { type: 'object', properties: { guest: { type: 'string', examples: ['Ada'] } } }
    const schema = { tags: [name], operationId: name, ...method === 'POST' ? { body } : {} }
    api.route({
      method,
      url: '/bookings',
      schema,
      handler: async ({ version, body }) => ({ name, version, body })
    })
  }
}

t.test('Swagger UI shows and requests each version in a browser', { skip: noBrowser }, async (t) => {
  const app = await appWithPlaces()
  const { port } = app.server.address() as AddressInfo
  t.teardown(() => app.close())
  const browser = await browserFor(t, `--host-resolver-rules=MAP * 127.0.0.1:${port}`)
  const page = await browser.newPage()

  await t.test('the latest version is shown first', async (t) => {
    await page.goto('http://docs.example.test/documentation')
    await page.waitForSelector(rates.v3)
    t.equal(await page.$eval('.info .title', ({ firstChild }) => firstChild?.textContent), 'Bookings v3')
    t.equal(await page.$(rates.v1), null)
  })

  for (const [version, other] of [['v1', 'v3'], ['v3', 'v1']] as const) {
    await t.test(`the operations of ${version} are shown when it is selected`, async (t) => {
      await page.goto('http://docs.example.test/documentation')
      await page.waitForSelector(rates.v3)
      await page.select('.topbar select', `/documentation/${other}.json`)
      await page.waitForSelector(rates[other])
      await page.select('.topbar select', `/documentation/${version}.json`)
      await page.waitForSelector(rates[version])
      t.equal(await page.$(rates[other]), null)
      t.equal(await page.$eval('.info .title', ({ firstChild }) => firstChild?.textContent), `Bookings ${version}`)
      const shown = await page.$$eval('.opblock', (operations) => operations.map(({ id }) => id))
      t.same(shown.toSorted(), [
        rates[version].slice(1), ...Object.keys(places).map((name) => `operations-${name}-${name}`)
      ].toSorted())
    })

    for (const [name, { method }] of Object.entries(places)) {
      await t.test(`a request that Swagger UI makes by ${name} gets ${version}`, async (t) => {
        const body = method === 'POST' ? { body: { guest: 'Ada' } } : {}
        t.same(await tryOut(page, name), { status: '200', answer: { name, version, ...body } })
      })
    }
  }
})

for (const [what, width, height] of [['a desktop', 1280, 800], ['a phone', 390, 844]] as const) {
  t.test(`the page fits ${what}, and its menu says which version is deprecated`, { skip: noBrowser }, async (t) => {
    const app = await appWithPlaces()
    const { port } = app.server.address() as AddressInfo
    t.teardown(() => app.close())
    const browser = await browserFor(t, `--host-resolver-rules=MAP * 127.0.0.1:${port}`)
    const page = await browser.newPage()
    await page.setViewport({ width, height })
    await page.goto('http://docs.example.test/documentation')
    await page.waitForSelector(rates.v3)
    const menu = await page.$$eval('.topbar option', (options) => options.map(({ textContent }) => textContent))
    t.same(menu, ['v1 (deprecated)', 'v2', 'v3'])
    const { left, right } = await page.$eval('.topbar select', (select) => select.getBoundingClientRect().toJSON())
    t.ok(left >= 0 && right <= width, `the menu is from ${left} to ${right}`)
    t.ok(await page.evaluate('document.documentElement.scrollWidth') as number <= width, 'nothing is beyond the edge')
    await page.select('.topbar select', '/documentation/v1.json')
    await page.waitForSelector(rates.v1)
    const head = await page.$eval('.info .description', ({ textContent }) => textContent)
    t.match(head, 'Deprecated since 1 January 2026.')
    t.same(await tryOut(page, 'header'), { status: '200', answer: { name: 'header', version: 'v1' } })
  })
}

/** Opens an operation, presses "Try it out" and "Execute", reads the answer that is shown, and closes it. */
async function tryOut (page: Page, name: string): Promise<{ status: string, answer: unknown }> {
  const operation = `#operations-${name}-${name}`
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await page.locator(`${operation} ${button}`).click()
  }
  const response = `${operation} .live-responses-table .response`
  await page.waitForSelector(`${response} pre.microlight`)
  const status = await page.$eval(`${response} .response-col_status`, ({ textContent }) => textContent)
  const answer = await page.$eval(`${response} pre.microlight`, ({ textContent }) => textContent)
  await page.locator(`${operation} .opblock-summary-control`).click()
  return { status, answer: JSON.parse(answer) }
}
