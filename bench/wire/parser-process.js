/** An app in its own process: on every message it answers as many requests, and says the CPU time of one. */
const [name, side, directory] = process.argv.splice(2)
const { Feed } = await import('./feed.js')
const { appOf } = await import('./server.js')

const feed = new Feed(await appOf(name, side, directory), name)
process.on('message', answer)
process.on('disconnect', () => process.exit())
process.send({ isReady: true })

async function answer ({ count }) {
  const before = process.cpuUsage()
  await feed.run(count)
  const { user, system } = process.cpuUsage(before)
  process.send({ time: (user + system) / count })
}
