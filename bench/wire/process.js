/** An app in its own process: says its port, and on every message the CPU time that it has taken so far. */
const [name, side, directory] = process.argv.splice(2)
const { listen } = await import('./server.js')

const { server } = await listen(name, side, directory)
process.on('message', tellUsage)
process.on('disconnect', () => process.exit())
process.send({ port: server.address().port })

/** User and system time in microseconds, of all threads. */
function tellUsage () {
  const { user, system } = process.cpuUsage()
  process.send({ time: user + system })
}
