import type { Browser } from 'puppeteer-core'
import type { Test } from 'tap'

/** Why there is no browser here; false: there is one. */
export const skip: string | false = process.platform === 'linux' && process.arch === 'x64'
  ? false
  : 'the binary of @sparticuz/chromium is for Linux on x64'

/**
 * Starts a real browser, which is closed after the test. The package's own arguments are left out: they switch CORS
 * off, and put all into one process, which sometimes stands still for seconds.
 */
export async function browserFor (t: Test, ...args: string[]): Promise<Browser> {
  const [{ default: puppeteer }, { default: chromium }] = await Promise.all([
    import('puppeteer-core'), import('@sparticuz/chromium')
  ])
  const browser = await puppeteer.launch({
    args: ['--no-sandbox', ...args], executablePath: await chromium.executablePath(), headless: 'shell'
  })
  t.teardown(() => browser.close())
  return browser
}
