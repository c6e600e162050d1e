/** Says what links, `determineVersion` and the option `servedVersion` cost; in its own process. */
import { sizes } from '../sizes.js'
import { timeLink } from './links.js'
import { timeServed } from './served.js'
import { timeVersions } from './versions.js'

const [names] = process.argv.slice(2)

const timers = { determineVersion: timeVersions, servedVersion: timeServed }

const times = []
for (const name of names.split(',')) {
  const time = timers[name] ?? ((sizes) => timeLink(name, sizes))
  times.push(await time(sizes.calls))
}
process.send(times)
process.disconnect()
