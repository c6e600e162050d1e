/** Says what calls in the process cost, in a process of its own. */
import { sizes } from '../sizes.js'
import { timeLinks } from './links.js'
import { timeVersions } from './versions.js'

process.send({ versions: await timeVersions(sizes.calls), links: await timeLinks(sizes.calls) })
process.disconnect()
