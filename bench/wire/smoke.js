import { contestants } from './contestants.js'
import { Load } from './load.js'
import { requestsTo } from './requests.js'

const REQUESTS = 40

/** Sends a few requests to one contestant after the other, in this process, to see whether the answers are right. */
export async function smokeWire () {
  for (const { label, file, route, ...request } of contestants) {
    const { default: listen } = await import(`../contestants/${file}.js`)
    const server = await listen({ host: '127.0.0.1', port: 0 }, route)
    const load = await Load.open(label, server.address().port, requestsTo(request))
    await load.run(REQUESTS)
    load.close()
    server.close()
  }
  console.log(`\nOn the wire: ${contestants.length} contestants answer as they should.`)
}
