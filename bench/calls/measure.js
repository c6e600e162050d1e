/** Says what a link costs, or, without a name of one, what the versions do; in a process of its own. */
import { sizes } from '../sizes.js'
import { timeLink } from './links.js'
import { timeVersions } from './versions.js'

const [name] = process.argv.slice(2)

process.send(name === '' ? await timeVersions(sizes.calls) : await timeLink(name, sizes.calls))
process.disconnect()
