/** Says what one app costs, in its own process: `boot` in ms of CPU time, `heap` in MB. */
import { appOf } from './app.js'

const [count, versions, mode] = process.argv.slice(2)

// The first app of a process pays for what is compiled and loaded once.
await appOf(2, 3, mode)
const heapBefore = heapUsed()
const begin = process.cpuUsage()
globalThis.app = await appOf(Number(count), Number(versions), mode)
const { user, system } = process.cpuUsage(begin)
process.send({ boot: (user + system) / 1e3, heap: heapUsed() - heapBefore })
process.disconnect()

function heapUsed () {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
