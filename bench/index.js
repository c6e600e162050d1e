/**
 * What the plugin costs, as tables in Markdown: beside the same app without it, and beside another checkout.
 *
 *   npm run bench                              all parts
 *   npm run bench -- wire calls                some of them
 *   npm run bench -- --against ../other        beside another checkout of this repository, which has been built
 *   npm run bench -- parser --only chosen --starts 15   requests of some rows, each side started so often
 *   npm run bench:smoke                        everything once; the numbers mean nothing
 */
import { availableParallelism, cpus } from 'node:os'

import { measureBoot } from './boot/boot.js'
import { measureCalls } from './calls/calls.js'
import { isSmoke, parts } from './settings.js'
import { measureUsage } from './usage/usage.js'
import { measureParser, measureWire } from './wire/wire.js'

const measures = {
  wire: measureWire, parser: measureParser, calls: measureCalls, boot: measureBoot, usage: measureUsage
}
const chosen = parts.length === 0 ? Object.keys(measures) : parts
const unknown = chosen.filter((part) => !Object.hasOwn(measures, part))
if (unknown.length > 0) {
  console.error(`Expected ${Object.keys(measures).join(', ')}, got ${unknown.join(', ')}.`)
  process.exit(2)
}

const begin = performance.now()
const cores = `${availableParallelism()} cores (${cpus()[0].model.trim()})`
console.log(`${new Date().toISOString().slice(0, 10)}: ${cores}, Node ${process.version}, ${process.platform}.`)
console.log('"again" is this checkout a second time, which shows the noise; "before" is the other checkout.')
for (const part of chosen) await measures[part]()
const seconds = Math.round((performance.now() - begin) / 1000)
console.log(`\n${isSmoke ? 'Everything answers as it should' : 'Measured'}: ${seconds} s.`)
