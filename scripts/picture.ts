// Makes the pictures of the example in the README, docs/example.webp and docs/openapi.webp: npm run picture
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { launch, noBrowser } from '../test/fixtures/browser.ts'

import type { Page, Viewport } from 'puppeteer-core'

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const TAG = '#operations-tag-Accept_header'
const OPERATION = '#operations-Accept_header-get_accept_bookings__id_'
/** A picture has no room for all. */
const HIDDEN_IN_DOCUMENTS = [
  `.opblock-tag-section:not(:has(${TAG}))`, '.models', '.info .link', '.scheme-container', '.dark-mode-toggle',
  '.request-url', '.copy-to-clipboard', '.download-contents', '.model-example', `${OPERATION} h5`, '.headers-wrapper',
  '.live-responses-table .response-col_description > div:nth-child(2)'
]
/** All but the controls, the seven places, and changes. */
const HIDDEN_IN_EXAMPLE = ['h1 + p', 'table ~ p', 'td p', ...[8, 9, 10].map((row) => `tbody tr:nth-child(${row})`)]
const SENT = ['URL path', 'Changes']

if (noBrowser) throw new Error(`Cannot start a browser: ${noBrowser}.`)
const example = spawn(process.execPath, ['--import=tsx', 'examples/schemes/server.ts'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)), env: { ...process.env, PORT: '3000' }
})
const browser = await launch('--font-render-hinting=none')
try {
  const { origin, documentation } = await addresses()
  await picture('example', origin, { width: 1200, height: 300, deviceScaleFactor: 1.5 }, HIDDEN_IN_EXAMPLE, send)
  await picture('openapi', documentation, { width: 960, height: 600 }, HIDDEN_IN_DOCUMENTS, tryOut)
} finally {
  await browser.close()
  example.kill()
}

/** A page without the elements that `hidden` selects, after `prepare`. */
async function picture (
  name: string, url: string, viewport: Viewport, hidden: string[], prepare: (page: Page) => Promise<void>
): Promise<void> {
  const page = await browser.newPage()
  await page.setViewport(viewport)
  await page.goto(url)
  await page.addStyleTag({ content: `${hidden.join()} { display: none !important }` })
  await prepare(page)
  await page.screenshot({ path: `${docs}/${name}.webp`, type: 'webp', quality: 50, fullPage: true })
  console.log(`${docs}/${name}.webp`)
}

/** Where the example says that its page and its documents are, in the last lines that it prints. */
async function addresses (): Promise<{ origin: string, documentation: string }> {
  let output = ''
  for await (const chunk of example.stdout) {
    output += String(chunk)
    const [, origin, documentation] = /Look at: +(http:.*)\nDocuments: +(http:.*)\n.*\n/.exec(output) ?? []
    if (documentation !== undefined) return { origin, documentation }
  }
  throw new Error('The example has ended.')
}

/** Sends requests in v1, and moves back to the top. */
async function send (page: Page): Promise<void> {
  await page.waitForSelector('#schemes tr:nth-child(11)')
  await page.locator('#version').fill('v1')
  for (const scheme of SENT) await page.locator(`[aria-label="Send the request: ${scheme}"]`).click()
  await page.waitForFunction(`document.querySelectorAll('td:last-child pre:not(:empty)').length === ${SENT.length}`)
  await page.mouse.move(0, 0)
  await page.evaluate('scrollTo(0, 0)')
}

async function tryOut (page: Page): Promise<void> {
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    if (button === '.execute') await page.locator(`${OPERATION} input`).fill('7')
    await page.locator(`${OPERATION} ${button}`).click()
  }
  await page.waitForSelector(`${OPERATION} .live-responses-table pre.microlight`)
}
