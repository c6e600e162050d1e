import t from 'tap'

import { browserFor, noBrowser } from '../fixtures/browser.ts'
import { start } from './start.ts'

t.test('the example of schemes prints a request for each scheme, a refusal, and where to look', async (t) => {
  const { origin, output } = await start(t, 'schemes')
  for (const link of [
    '/accept/bookings/7',
    '/content-type/bookings/9',
    '/header/bookings/7',
    '/path/v2/bookings/7',
    '/namespace/v2/bookings/7',
    '/host/bookings/7',
    '/query/bookings/7?version=v2',
    '/several/bookings/7?version=v2',
    '/changes/bookings/7'
  ]) t.ok(output.includes(`→ 200 version v2, link ${link}\n`), link)
  t.ok(output.includes('→ 404 Invalid version in query parameter.\n'))
  t.ok(output.includes('→ 200 version v1, link /pinned/bookings/7\n'))
  t.match(output, /→ 400 The request specifies different versions in .*\n/)
  t.ok(output.includes(`Look at:    ${origin}/\n`))

  const [, accept, url] = /curl -H 'Accept: (.*)' (http:.*)$/m.exec(output) ?? []
  const response = await fetch(url, { headers: { accept } })
  t.match(await response.json(), { version: 'v2', bookings: [{ self: '/accept/bookings/7' }, { id: '8' }] })

  const [, documentation] = /Documents: +(http:.*)$/m.exec(output) ?? []
  t.match(await (await fetch(documentation)).text(), '<title>Swagger UI</title>')
  const document = await (await fetch(`${documentation}/v2.json`)).json() as { info: { title: string }, paths: object }
  t.equal(document.info.title, 'Bookings v2')
  t.same(Object.keys(document.paths).filter((path) => !path.endsWith('/{id}')), [
    '/accept/bookings',
    '/content-type/bookings',
    '/header/bookings',
    '/path/v2/bookings',
    '/namespace/v2/bookings',
    '/host/bookings',
    '/query/bookings',
    '/several/bookings',
    '/pinned/bookings'
  ])
})

t.test('the page of the schemes example has a request for each and its document', { skip: noBrowser }, async (t) => {
  const { origin } = await start(t, 'schemes')
  const page = await (await browserFor(t)).newPage()
  const failures: string[] = []
  page.on('pageerror', (error) => { failures.push(String(error)) })
  page.on('requestfailed', (request) => { failures.push(request.url()) })
  await page.goto(`${origin}/`)
  const cellsOf = () => page.$$eval('#schemes tr', (lines) => (
    lines.map(({ children }) => Array.from(children, ({ textContent }) => textContent ?? ''))
  ))
  const send = async (version: string) => {
    await page.locator('#version').fill(version)
    await page.locator('#all').click()
    await page.waitForFunction("document.querySelectorAll('#schemes td:last-child pre:not(:empty)').length === 10")
    return cellsOf()
  }
  await page.waitForSelector('#schemes tr:nth-child(11)')

  for (const [scheme, request, button, answer] of await send('v2')) {
    if (scheme.startsWith('Pinned')) {
      t.match(answer, /^200 OK\nAPI-Version: v1\nVary: API-Version, X-API-Key\n[^]*\n\n\{"version":"v1"/)
      continue
    }
    t.match(request, 'v2', `${scheme} specifies it`)
    if (scheme.startsWith('Changes')) t.match(answer, '"guests":["Ada","Grace"]')
    if (scheme.startsWith('Host name')) t.same([button, answer], ['', ''])
    else if (scheme.startsWith('Conflict')) t.match(answer, /^400 Bad Request\n[^]*"FST_ERR_VERSION_AMBIGUOUS"/)
    else t.match(answer, /^200 OK\nAPI-Version: v2\n[^]*\n\n\{"version":"v2"/, scheme)
  }
  const statuses = (await send('v9')).map(([, request, , answer]) => `${request.split('\n')[0]} ${answer.slice(0, 3)}`)
  t.same(statuses.filter((line) => !line.startsWith('curl')), [
    'GET /accept/bookings/7 406', 'POST /content-type/bookings 415', 'GET /header/bookings/7 400',
    'GET /path/v9/bookings/7 404', 'GET /namespace/v9/bookings/7 404', 'GET /query/bookings/7?version=v9 404',
    'GET /several/bookings/7?version=v9 404', 'GET /several/bookings/7?version=v1 400', 'GET /pinned/bookings/7 200',
    'GET /changes/bookings/7 400'
  ])

  await page.locator('#version').fill('v1')
  await page.locator('#schemes tr:first-child button').click()
  await page.waitForSelector('#schemes td:last-child pre:not(:empty)')
  const [[, , , first], ...others] = await cellsOf()
  t.match(first, '{"version":"v1"')
  for (const header of ['API-Version: v1', 'Vary: Accept', 'Deprecation: @1767225600', 'Sunset: Thu, 31 Dec 2099']) {
    t.match(first, `\n${header}`)
  }
  t.match(first, /v1 of GET http:\S+\/7 has been deprecated since 1 January 2026 and will be retired on 31 Dec.* 2099/)
  t.same(others.map(([, , , answer]) => answer), Array(10).fill(''), 'one alone')
  await page.locator('#schemes tr:last-child button').click()
  await page.waitForSelector('#schemes tr:last-child td:last-child pre:not(:empty)')
  const changed = (await cellsOf()).at(-1)?.at(-1)
  t.match(changed, '"guest":"Ada"')
  t.notMatch(changed, '"guests"')
  t.same(failures, [])

  const links = await page.$$eval('a', (anchors) => anchors.map(({ href }) => href))
  t.equal(links.length, 3)
  for (const link of links) t.equal((await fetch(link)).status, 200, link)
})

t.test('the page of the example of schemes fits a phone with every response', { skip: noBrowser }, async (t) => {
  const { origin } = await start(t, 'schemes')
  const page = await (await browserFor(t)).newPage()
  await page.setViewport({ width: 390, height: 844 })
  await page.goto(`${origin}/`)
  await page.waitForSelector('#schemes tr:nth-child(11)')
  await page.locator('#version').fill('v1')
  await page.locator('#all').click()
  await page.waitForFunction("document.querySelectorAll('#schemes td:last-child pre:not(:empty)').length === 10")
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
})
