/** Says what one app costs, in its own process: `boot` in ms, `heap` in MB, `request` in µs, `link` in ns. */
import { sizes } from '../sizes.js'
import { appOfNames, appOfVersions } from './app.js'
import { timeLinks, timeRequests } from './lookups.js'

const [count, versions, mode] = process.argv.slice(2)
const isOurs = mode === 'ours'

// The first app of a process pays for what is compiled and loaded once.
await (await make(1)).app.ready()
const heapBefore = heapUsed()
const begin = process.hrtime.bigint()
const { app, requestFor } = await make(Number(count))
await app.ready()
const boot = Number(process.hrtime.bigint() - begin) / 1e6
const heap = heapUsed() - heapBefore
const request = await timeRequests(app, requestFor, Number(count), sizes.growth.requests)
const link = isOurs && versions === '0' ? timeLinks(app, Number(count), sizes.growth.links) : null
process.send({ boot, heap, request, link })
process.disconnect()

function make (count) {
  return versions === '0' ? appOfNames(count, isOurs) : appOfVersions(count, Number(versions), isOurs)
}

function heapUsed () {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
