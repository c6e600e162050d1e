/** A contestant in its own process: says its port, and on every message the CPU time that it has taken so far. */
const [file, port, route] = process.argv.slice(2)

try {
  const { default: listen } = await import(`../contestants/${file}.js`)
  const server = await listen({ host: '127.0.0.1', port: Number(port) }, route)
  process.on('message', tellUsage)
  process.on('disconnect', () => process.exit())
  process.send({ port: server.address().port })
} catch (error) {
  process.send({ error: textOf(error) }, () => process.exit(1))
}

/** User and system time in microseconds, of all threads. */
function tellUsage () {
  const { user, system } = process.cpuUsage()
  process.send({ time: user + system })
}

function textOf (error) {
  if (error.code !== 'EADDRINUSE') return error.stack
  return `The port ${port} is taken. Set PORT to the first of two free ports, or leave it out.`
}
