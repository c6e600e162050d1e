// Makes docs/openapi.webp, the picture of the example's Swagger UI in the README: npm run picture
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { launch, noBrowser } from '../test/fixtures/browser.ts'

import type { Page } from 'puppeteer-core'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}docs/openapi.webp` as const
const TAG = '#operations-tag-Accept_header'
const OPERATION = '#operations-Accept_header-get_accept_bookings__id_'
/** A picture has no room for all. */
const HIDDEN = [
  `.opblock-tag-section:not(:has(${TAG}))`, '.models', '.info .link', '.scheme-container', '.dark-mode-toggle',
  '.request-url', '.copy-to-clipboard', '.download-contents', '.model-example', `${OPERATION} h5`,
  '.live-responses-table .response-col_description > div:nth-child(2)'
]

if (noBrowser) throw new Error(`Cannot start a browser: ${noBrowser}.`)
const example = spawn(process.execPath, ['--import=tsx', 'examples/schemes/server.ts'], {
  cwd: root, env: { ...process.env, PORT: '3000' }
})
const browser = await launch('--font-render-hinting=none')
try {
  const page = await browser.newPage()
  await page.setViewport({ width: 960, height: 600 })
  await page.goto(await documentation())
  await tryOut(page)
  await page.addStyleTag({ content: `${HIDDEN.join()} { display: none !important }` })
  await page.screenshot({ path: file, type: 'webp', quality: 60, fullPage: true })
} finally {
  await browser.close()
  example.kill()
}
console.log(file)

/** Where the example says that its documents are, in the last lines that it prints. */
async function documentation (): Promise<string> {
  let output = ''
  for await (const chunk of example.stdout) {
    output += String(chunk)
    const [, url] = /Documents: +(http:.*)\n.*\n/.exec(output) ?? []
    if (url !== undefined) return url
  }
  throw new Error('The example has ended.')
}

async function tryOut (page: Page): Promise<void> {
  for (const button of ['.opblock-summary-control', '.try-out__btn', '.execute']) {
    if (button === '.execute') await page.locator(`${OPERATION} input`).fill('7')
    await page.locator(`${OPERATION} ${button}`).click()
  }
  await page.waitForSelector(`${OPERATION} .live-responses-table pre.microlight`)
}
