import { once } from 'node:events'

import { messageOf, start } from '../child.js'
import { Load } from './load.js'
import { pin, unpin } from './pin.js'
import { requestsTo } from './requests.js'

/**
 * Starts two contestants afresh and sends requests to each in turn, while no other runs. More requests to one, or other
 * processes, would leave other data in the caches of the CPU.
 *
 * @param pair two contestants
 * @param sizes `warmUp` and `calls` are numbers of requests, of the latter for each of the `rounds`
 * @returns the microseconds of CPU time for a request, a list for each of the two
 */
export async function fight (pair, { warmUp, rounds, calls }) {
  const opened = await Promise.allSettled(pair.map(open))
  const servers = opened.filter(({ status }) => status === 'fulfilled').map(({ value }) => value)
  try {
    for (const { reason } of opened) if (reason !== undefined) throw reason
    await pin(process.pid, 0)
    for (const { load } of servers) await load.run(warmUp)
    for (let round = 0; round < rounds; round++) {
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) await time(server, calls)
    }
    return servers.map(({ times }) => times)
  } finally {
    await unpin(process.pid)
    await Promise.all(servers.map(close))
  }
}

/** The port is PORT, or the one that follows, or else any that is free. */
async function open ({ label, file, route = '', ...request }, i) {
  const port = process.env.PORT === undefined ? 0 : Number(process.env.PORT) + i
  const { child, message } = await start('wire/server.js', { args: [file, String(port), route] })
  await pin(child.pid, 1)
  const load = await Load.open(label, message.port, requestsTo(request))
  return { file, child, load, times: [] }
}

async function close ({ child, load }) {
  load.close()
  child.disconnect()
  await once(child, 'exit')
}

async function time ({ file, child, load, times }, calls) {
  const before = await usageOf(child, file)
  await load.run(calls)
  times.push((await usageOf(child, file) - before) / calls)
}

async function usageOf (child, file) {
  child.send('usage')
  const { time } = await messageOf(child, file)
  return time
}
