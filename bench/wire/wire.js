import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

import { messageOf, start } from '../child.js'
import { hasEntry, isChosen, isSmoke, sidesOfRequests, sizes } from '../settings.js'
import { printSides } from '../table.js'
import { apps } from './apps.js'
import { Feed } from './feed.js'
import { Load } from './load.js'
import { appOf, listen } from './server.js'

const run = promisify(execFile)

/** CPU time of the server's process for a request, user and system: on the wire, and without a network. */
export async function measureWire () {
  if (isSmoke) return await smoke()
  await measure('On the wire', openServer)
}

/** The same for requests that are fed to Node's parser in the process: less noise, and no network around the plugin. */
export async function measureParser () {
  if (isSmoke) return await smokeParser()
  await measure('On Node\'s parser, without a network', openParser)
}

async function measure (title, open) {
  const rows = []
  for (const name of Object.keys(apps).filter(isChosen)) {
    const times = Object.fromEntries(Object.keys(sidesOf(name)).map((side) => [side, []]))
    // Two processes of the same code are not equally fast: each is started a few times.
    for (let i = 0; i < sizes.starts; i++) {
      for (const [side, values] of Object.entries(await fight(name, open))) times[side].push(values)
    }
    rows.push({ label: name, times })
  }
  printSides(title, 'µs of CPU time', rows)
}

function sidesOf (name) {
  const entry = name.startsWith('usage') ? 'usage' : 'index'
  return Object.fromEntries(Object.entries(sidesOfRequests).filter(([, directory]) => hasEntry(directory, entry)))
}

/**
 * Starts all sides of an app, and sends requests to each in turn. More requests to one, or other processes, would leave
 * other data in the caches of the CPU.
 *
 * @returns the microseconds of a request by side, one value for each round
 */
async function fight (name, open) {
  const servers = []
  try {
    for (const [side, directory] of Object.entries(sidesOf(name))) servers.push(await open(name, side, directory))
    await pin(process.pid, 0)
    for (const { ask } of servers) await ask(sizes.warmUp)
    for (let round = 0; round < sizes.rounds; round++) {
      for (const { ask, times } of round % 2 === 0 ? servers : servers.toReversed()) {
        times.push(await ask(sizes.requests))
      }
    }
    return Object.fromEntries(servers.map(({ side, times }) => [side, times]))
  } finally {
    await taskset(process.pid, `0-${availableParallelism() - 1}`)
    await Promise.all(servers.map(close))
  }
}

/** A server, with a load that asks it. */
async function openServer (name, side, directory) {
  const { child, message } = await start('./wire/process.js', name, side, directory)
  await pin(child.pid, 1)
  const load = await Load.open(`${name}, ${side}`, apps[name], message.port)
  const usageOf = async () => {
    child.send('usage')
    return (await messageOf(child, side)).time
  }
  const ask = async (count) => {
    const before = await usageOf()
    await load.run(count)
    return (await usageOf() - before) / count
  }
  return { side, child, ask, times: [], end: () => load.close() }
}

/** An app that asks itself. */
async function openParser (name, side, directory) {
  const { child } = await start('./wire/parser-process.js', name, side, directory)
  await pin(child.pid, 1)
  const ask = async (count) => {
    child.send({ count })
    return (await messageOf(child, side)).time
  }
  return { side, child, ask, times: [], end () {} }
}

async function close ({ child, end }) {
  end()
  child.disconnect()
  await once(child, 'exit')
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
    for (const [side, directory] of Object.entries(sidesOfRequests)) {
      const app = await listen(name, side, directory)
      const load = await Load.open(`${name}, ${side}`, apps[name], app.server.address().port)
      await load.run(sizes.requests)
      load.close()
      await app.close()
    }
  }
}

async function smokeParser () {
  for (const name of Object.keys(apps)) {
    for (const [side, directory] of Object.entries(sidesOfRequests)) {
      const app = await appOf(name, side, directory)
      await new Feed(app, name).run(sizes.requests)
      await app.close()
    }
  }
}
