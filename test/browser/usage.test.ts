import t from 'tap'

import { makeApp } from '../../examples/usage/app.ts'
import { play } from '../../examples/usage/traffic.ts'
import { browserFor, skip } from './browser.ts'

import type { AddressInfo } from 'node:net'

for (const theme of ['light', 'dark'] as const) {
  for (const width of [390, 1280]) {
    t.test(`the page of usage is readable in ${theme} colours at ${width} pixels`, { skip }, async (t) => {
      const app = await makeApp(() => Date.parse('2026-11-28T12:00Z'))
      t.teardown(() => app.close())
      await play(app, 10)
      await app.inject({ url: '/rooms', headers: { 'x-account': '<img src=x onerror=alert(1)>', 'api-version': 'v1' } })
      await app.listen({ host: '127.0.0.1', port: 0 })
      const page = await (await browserFor(t)).newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(String(error)))
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      await page.setViewport({ width, height: 900 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
      const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/versions-in-use?team=1`
      await page.goto(url)
      t.same(said, [])
      t.same(requests.filter((one) => !one.startsWith('data:')), [url])
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
      t.ok(await page.evaluate('document.querySelectorAll("rect").length') as number > 2)
      t.match(await page.evaluate('document.body.innerText'), '<img src=x onerror=alert(1)>')
      const panel = await page.evaluate('getComputedStyle(document.querySelector("article")).backgroundColor')
      t.equal(panel, theme === 'light' ? 'rgb(245, 247, 250)' : 'rgb(27, 32, 39)')
    })
  }
}
