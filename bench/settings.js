import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    against: { type: 'string' },
    starts: { type: 'string', default: '3' },
    only: { type: 'string', default: '' }
  },
  allowPositionals: true
})

export const isSmoke = values.smoke
export const parts = positionals
/** The other checkout, or null. */
export const against = values.against === undefined ? null : resolve(values.against)

/**
 * Who is measured, by name: the directory of a checkout; '' is the same app without the plugin. The same checkout twice
 * tells how much of a ratio is chance. Requests are also measured with what an app writes by hand.
 */
export const sides = {
  without: '',
  ours: ROOT,
  ...isSmoke ? {} : { again: ROOT },
  ...against === null ? {} : { before: against }
}

export const sidesOfRequests = { byHand: '', ...sides }

/** Whether a row of requests is measured: all are, or those that contain the text. */
export const isChosen = (label) => label.includes(values.only)

/** Whether a side has what a row needs. An older checkout has no usage, for example. */
export const hasEntry = (side, entry) => side === '' || existsSync(join(side, 'dist', `${entry}.js`))

/** How often what is done: enough to tell hundredths apart on a quiet machine. */
export const sizes = isSmoke
  ? { starts: 1, rounds: 1, warmUp: 40, requests: 40, calls: 100, turns: 1 }
  : { starts: Number(values.starts), rounds: 10, warmUp: 6_000, requests: 1_000, calls: 10_000, turns: 5 }

/** The plugin of a side as it was built, or null. */
export function pluginOf (side, entry = 'index') {
  return side === '' ? null : import(pathToFileURL(join(side, 'dist', `${entry}.js`)).href)
}
