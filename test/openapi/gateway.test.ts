import cors from '@fastify/cors'
import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { browserFor, noBrowser } from '../fixtures/browser.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

interface Gateway {
  readonly what: string
  /** What the gateway removes from paths. */
  readonly prefix: string
  /** Whether `baseUrl` has the address of the gateway. */
  readonly isKnown?: boolean
  readonly options?: OpenapiOptions
  /** What follows the path of the page. */
  readonly ends: readonly string[]
}

const ROOT = '/'
const TEAM = '/bookings'

const GATEWAYS: Gateway[] = [
  { what: 'no gateway', prefix: '', ends: ['', '/'] },
  {
    what: 'a gateway whose path is in baseUrl',
    prefix: '/api',
    isKnown: true,
    ends: ['', '/', '?x=1', '/?x=1']
  },
  {
    what: 'a gateway with a path of two segments, and a page that has one as well',
    prefix: '/public/api',
    isKnown: true,
    options: { routePrefix: '/docs/ui' },
    ends: ['', '/']
  }
]

/** An app that has documents at the root or in a child context. */
async function appAt (place: string, { prefix, isKnown, options }: Gateway, host: string): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(cors)
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    baseUrl: isKnown === true ? `http://${host}${prefix}` : null
  })
  const routes = async (api: FastifyInstance) => {
    await api.register(openapi, options ?? {})
    api.get('/rooms', { schema: { operationId: 'rooms' } }, async ({ url, version }) => ({ url, version }))
  }
  if (place === ROOT) await routes(app)
  else app.register(routes, { prefix: place })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

/** A gateway that removes a prefix from the paths of requests. */
async function gatewayTo (app: FastifyInstance, { prefix }: Gateway): Promise<FastifyInstance> {
  const gateway = Fastify()
  await gateway.register(httpProxy, {
    upstream: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    prefix,
    rewritePrefix: '/'
  })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  return gateway
}

/** Each app at its own host. */
const pages = [ROOT, TEAM].flatMap((place) => GATEWAYS.map((gateway) => ({ place, gateway })))
  .map((page, i) => ({ ...page, host: `gw${i}.example.test` }))

t.test('Swagger UI works behind a gateway', { skip: noBrowser }, async (t) => {
  const rules: string[] = []
  for (const { place, gateway, host } of pages) {
    const app = await appAt(place, gateway, host)
    const proxy = await gatewayTo(app, gateway)
    rules.push(`MAP ${host} 127.0.0.1:${(proxy.server.address() as AddressInfo).port}`)
    t.teardown(async () => {
      await proxy.close()
      await app.close()
    })
  }
  const browser = await browserFor(t, `--host-resolver-rules=${rules.join()}`)
  const page = await browser.newPage()

  for (const { place, gateway: { what, prefix, options, ends }, host } of pages) {
    const directory = place === ROOT ? '' : place
    const url = `http://${host}${prefix}${directory}${options?.routePrefix ?? '/documentation'}`
    for (const end of ends) {
      await t.test(`the page at ${place} behind ${what}, with ${end || 'nothing'} at its end, works`, async (t) => {
        await page.goto(url + end)
        t.equal(await titleOf(page, 'v2'), 'API v2')
        await select(page, 'v1')
        t.equal(await titleOf(page, 'v1'), 'API v1')
        t.same(await tryOut(page), { url: `${directory}/rooms`, version: 'v1' })
        // The address has the version by now.
        await page.reload()
        t.equal(await titleOf(page, 'v1'), 'API v1')
      })
    }

    await t.test(`the command to copy has the version at ${place} behind ${what}`, async (t) => {
      await page.goto(url)
      t.equal(await titleOf(page, 'v2'), 'API v2')
      t.same(await tryOut(page), { url: `${directory}/rooms`, version: 'v2' })
      t.match(await page.$eval('.curl-command', ({ textContent }) => textContent), /-H 'API-Version: v2'/)
    })
  }
})

async function select (page: Page, version: string): Promise<void> {
  const urls = await page.$$eval('.topbar option', (all) => all.map((one) => one.getAttribute('value') ?? ''))
  await page.select('.topbar select', urls.find((url) => url.includes(version)) ?? '')
}

/** The title of the document that is shown, once it is the one of a version. */
async function titleOf (page: Page, version: string): Promise<string | null | undefined> {
  await page.waitForFunction(`document.querySelector('.info .title')?.textContent.includes('${version}')`)
  return page.$eval('.info .title', ({ firstChild }) => firstChild?.textContent)
}

/** Opens the operation, presses "Try it out" and "Execute", and reads the answer. */
async function tryOut (page: Page): Promise<unknown> {
  const operation = '#operations-default-rooms'
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    await page.locator(`${operation} ${button}`).click()
  }
  const response = `${operation} .live-responses-table .response pre.microlight`
  await page.waitForSelector(response)
  return JSON.parse(await page.$eval(response, ({ textContent }) => textContent) ?? '')
}
