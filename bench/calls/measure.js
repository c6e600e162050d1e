/** Says what links cost, and, for one without a name, what the versions do; in a process of its own. */
import { sizes } from '../sizes.js'
import { timeLink } from './links.js'
import { timeVersions } from './versions.js'

const [names] = process.argv.slice(2)

const times = []
for (const name of names.split(',')) {
  times.push(name === '' ? await timeVersions(sizes.calls) : await timeLink(name, sizes.calls))
}
process.send(times)
process.disconnect()
