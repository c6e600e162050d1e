import t from 'tap'

import { start } from '../examples/start.ts'
import { browserFor, noBrowser } from './browser.ts'

t.test('the page of the example of schemes sends each request, and fits a phone', { skip: noBrowser }, async (t) => {
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
