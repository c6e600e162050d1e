import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

import { messageOf, start } from '../child.js'
import { isSmoke, sides, sizes } from '../settings.js'
import { printSides } from '../table.js'
import { apps } from './apps.js'
import { Load } from './load.js'
import { listen } from './server.js'

const run = promisify(execFile)

/** CPU time of the server's process for a request, user and system. */
export async function measureWire () {
  if (isSmoke) return await smoke()
  const rows = []
  for (const name of Object.keys(apps)) {
    const times = Object.fromEntries(Object.keys(sides).map((side) => [side, []]))
    // Two processes of the same code are not equally fast: each is started a few times.
    for (let i = 0; i < sizes.starts; i++) {
      for (const [side, values] of Object.entries(await fight(name))) times[side].push(values)
    }
    rows.push({ label: name, times })
  }
  printSides('On the wire', 'µs of CPU time', rows)
}

/**
 * Starts all sides of an app, and sends requests to each in turn. More requests to one, or other processes, would leave
 * other data in the caches of the CPU.
 *
 * @returns the microseconds of a request by side, one value for each round
 */
async function fight (name) {
  const servers = []
  try {
    for (const [side, directory] of Object.entries(sides)) servers.push(await open(name, side, directory))
    await pin(process.pid, 0)
    for (const { load } of servers) await load.run(sizes.warmUp)
    for (let round = 0; round < sizes.rounds; round++) {
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const before = await usageOf(server)
        await server.load.run(sizes.requests)
        server.times.push((await usageOf(server) - before) / sizes.requests)
      }
    }
    return Object.fromEntries(servers.map(({ side, times }) => [side, times]))
  } finally {
    await taskset(process.pid, `0-${availableParallelism() - 1}`)
    await Promise.all(servers.map(close))
  }
}

async function open (name, side, directory) {
  const { child, message } = await start('./wire/process.js', name, directory)
  await pin(child.pid, 1)
  const load = await Load.open(`${name}, ${side}`, apps[name], message.port)
  return { side, child, load, times: [] }
}

async function close ({ child, load }) {
  load.close()
  child.disconnect()
  await once(child, 'exit')
}

async function usageOf ({ child, side }) {
  child.send('usage')
  return (await messageOf(child, side)).time
}

/**
 * Keeps a process, with all its threads, on one core, so that the load and the server do not end up on the same one by
 * chance.
 */
async function pin (pid, core) {
  await taskset(pid, String(core))
}

/** Where there is no taskset, or only one core, a process goes where it likes. */
async function taskset (pid, cores) {
  if (availableParallelism() > 1) await run('taskset', ['-a', '-c', '-p', cores, String(pid)]).catch(() => {})
}

/** A few requests to each app, in this process, to see whether the answers are right. */
async function smoke () {
  for (const name of Object.keys(apps)) {
    for (const [side, directory] of Object.entries(sides)) {
      const app = await listen(name, directory)
      const load = await Load.open(`${name}, ${side}`, apps[name], app.server.address().port)
      await load.run(sizes.requests)
      load.close()
      await app.close()
    }
  }
}
