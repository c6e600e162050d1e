/**
 * What it costs to choose a handler by version: ours under AcceptHeaderVersioning beside Fastify's own constraint on
 * Accept-Version, with the same handlers. CPU time of the server's process per request, over HTTP/1.1 with keep-alive;
 * the load comes from this process, and the servers take turns in short rounds.
 */
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.env.ROUNDS ?? 40)
const CALLS = Number(process.env.CALLS ?? 1_000)
const CONNECTIONS = 8

const headers = { accept: 'application/json;version=2.0.0', 'accept-version': '2.0.0' }
const contestants = ['ours', 'theirs', 'none']

if (process.argv[2] === undefined) await compare()
else await serve(process.argv[2])

async function compare () {
  const servers = await Promise.all(contestants.map(start))
  const times = servers.map(() => [])
  for (const server of servers) await load(server)
  for (let round = 0; round < ROUNDS; round++) {
    const order = servers.map((_, i) => (i + round) % servers.length)
    for (const i of order) times[i].push(await load(servers[i]))
  }
  for (const [i, name] of contestants.entries()) {
    const ratios = times[i].map((time, round) => time / times[1][round]).sort((a, b) => a - b)
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => ratios[Math.floor(ratios.length * part)].toFixed(3))
    const perRequest = times[i].toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] / CALLS
    const shown = `${middle} × theirs (quartiles ${low} to ${high})`
    console.log(`${name.padEnd(8)} ${perRequest.toFixed(1)} µs a request, ${shown}`)
  }
  for (const { child } of servers) child.disconnect()
}

async function start (name) {
  const child = fork(fileURLToPath(import.meta.url), [name])
  const [{ port }] = await once(child, 'message')
  return { child, port, agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }) }
}

/** Microseconds of CPU time, user and system, that the server needs for a row of requests. */
async function load (server) {
  const before = await usage(server)
  let left = CALLS
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (left-- > 0) await ask(server)
  }))
  return await usage(server) - before
}

async function usage ({ child }) {
  child.send('usage')
  const [{ time }] = await once(child, 'message')
  return time
}

async function ask ({ port, agent }) {
  const [response] = await once(get({ port, host: '127.0.0.1', path: '/rooms/7', headers, agent }), 'response')
  assert.equal(await text(response), '{"version":"2.0.0"}')
}

async function serve (name) {
  const app = Fastify()
  const answer = (version) => async () => ({ version })
  if (name === 'ours') {
    const { default: versioning, AcceptHeaderVersioning } = await import('../dist/index.js')
    await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['1.0.0', '2.0.0'] })
  }
  const options = (version) => {
    if (name === 'none') return {}
    return name === 'ours' ? { version } : { constraints: { version } }
  }
  for (const version of name === 'none' ? ['2.0.0'] : ['1.0.0', '2.0.0']) {
    app.get('/rooms/:room', options(version), answer(version))
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ time: user + system })
  })
  process.on('disconnect', () => app.close())
  process.send({ port: app.server.address().port })
}
