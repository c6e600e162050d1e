// A server under load for a long time: npm run soak -- --minutes 60
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { build, counts } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo, Socket } from 'node:net'
import type { Ports, Report } from './clients.ts'

interface Measure { heap: number, rss: number, handles: number, listeners: number, delay: number }

const LIMIT = 5 * 2 ** 20
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const total = Number(values.minutes) * 60_000
if (!(total > 0)) throw new Error(`Expected a number of minutes, got ${values.minutes}.`)
if (globalThis.gc === undefined) throw new Error('Expected node --expose-gc.')
const gc = globalThis.gc

/** Caches, compiled code and pools have their size after this time. */
const warmUp = Math.min(total / 2, 120_000)
const deploy = Math.min(total / 12, 30_000)

const clients = fork(new URL('./clients.ts', import.meta.url), { execArgv: ['--import=tsx'] })
const delay = monitorEventLoopDelay({ resolution: 10 })
let apps: FastifyInstance[] = []
/** The HTTP/2 server's. */
const sockets = new Set<Socket>()
let ports: Ports = { http1: 0, http2: 0 }
let deploys = 0
let sum: Report = { asked: 0, answered: 0, wrong: [] }

await start()
await load(warmUp)
const before = await measure()
await load(total - warmUp)
const after = await measure()
clients.disconnect()
await stop()

const rows: [string, number, number, number][] = [
  ['heap after gc, MB', before.heap / 2 ** 20, after.heap / 2 ** 20, 2],
  ['resident set, MB', before.rss / 2 ** 20, after.rss / 2 ** 20, 0],
  ['handles', before.handles, after.handles, 0],
  ['listeners', before.listeners, after.listeners, 0],
  ['event-loop delay, p99, ms', before.delay, after.delay, 1]
]
console.log(`${values.minutes} min, Node ${process.version}, ${counts.answered} requests, ${deploys} deploys`)
console.log('\n| | after warming up | at the end |\n|---|---|---|')
for (const [name, start, end, digits] of rows) {
  console.log(`| ${name} | ${start.toFixed(digits)} | ${end.toFixed(digits)} |`)
}

const faults = [
  ...sum.wrong,
  ...counts.failed > 0 ? [`${counts.failed} requests were answered with a 5xx.`] : [],
  ...sum.answered === 0 ? ['No request was answered.'] : [],
  ...after.heap - before.heap > LIMIT ? ['The heap has grown by more than 5 MB.'] : [],
  ...after.handles > before.handles ? ['There are more handles.'] : [],
  ...after.listeners > before.listeners ? ['There are more listeners.'] : []
]
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

/** Starts both servers, on the ports they had. */
async function start (): Promise<void> {
  apps = await Promise.all([build(false), build(true)])
  const [http1, http2] = apps as [FastifyInstance, FastifyInstance]
  http2.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await http1.listen({ port: ports.http1, host: '127.0.0.1' })
  await http2.listen({ port: ports.http2, host: '127.0.0.1' })
  ports = { http1: portOf(http1), http2: portOf(http2) }
}

async function stop (): Promise<void> {
  // Fastify waits for the sessions of HTTP/2, one that begins meanwhile included. A deploy does not wait for long.
  const cut = setInterval(() => { for (const socket of sockets) socket.destroy() }, 500)
  await Promise.all(apps.map((app) => app.close()))
  clearInterval(cut)
  apps = []
}

function portOf ({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port
}

/** Lets the clients ask for some time, while the servers are closed and started again and again. */
async function load (time: number): Promise<void> {
  const end = Date.now() + time
  clients.send(ports)
  delay.enable()
  while (Date.now() < end) {
    delay.reset()
    await wait(Math.min(deploy, end - Date.now()))
    if (Date.now() >= end) break
    await stop()
    await start()
    deploys++
  }
  delay.disable()
  const done = once(clients, 'message') as Promise<[Report]>
  clients.send('stop')
  const [{ asked, answered, wrong }] = await done
  sum = { asked: sum.asked + asked, answered: sum.answered + answered, wrong: [...sum.wrong, ...wrong] }
}

/** What the idle servers hold after a deploy. */
async function measure (): Promise<Measure> {
  await stop()
  await start()
  deploys++
  await wait(3000)
  for (let index = 0; index < 3; index++) {
    gc()
    await wait(100)
  }
  const { heapUsed, rss } = process.memoryUsage()
  return {
    heap: heapUsed,
    rss,
    handles: process.getActiveResourcesInfo().length,
    listeners: [process, ...apps.map(({ server }) => server)].reduce((sum, emitter) => sum + listenersOf(emitter), 0),
    delay: delay.percentile(99) / 1e6
  }
}

function listenersOf (emitter: NodeJS.EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
}
