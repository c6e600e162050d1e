/**
 * What it costs to choose a handler by version: ours under AcceptHeaderVersioning beside Fastify's own constraint on
 * Accept-Version, with the same handlers. CPU time of the process, by inject, in turns.
 */
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

import versioning, { AcceptHeaderVersioning } from '../dist/index.js'

const ROUNDS = Number(process.env.ROUNDS ?? 60)
const CALLS = Number(process.env.CALLS ?? 1_000)

const ours = Fastify()
await ours.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['1.0.0', '2.0.0'] })
ours.get('/rooms/:room', { version: '1.0.0' }, async () => ({ version: '1.0.0' }))
ours.get('/rooms/:room', { version: '2.0.0' }, async () => ({ version: '2.0.0' }))
ours.get('/other/:room', async (request) => ({ version: request.version }))

const theirs = Fastify()
theirs.get('/rooms/:room', { constraints: { version: '1.0.0' } }, async () => ({ version: '1.0.0' }))
theirs.get('/rooms/:room', { constraints: { version: '2.0.0' } }, async () => ({ version: '2.0.0' }))
theirs.get('/other/:room', async () => ({ version: '2.0.0' }))

const accept = { url: '/rooms/7', headers: { accept: 'application/json;version=2.0.0' } }
const acceptVersion = { url: '/rooms/7', headers: { 'accept-version': '2.0.0' } }

await compare('a route with version', accept, acceptVersion)
await compare('a route without', { ...accept, url: '/other/7' }, { url: '/other/7' })

async function compare (name, our, their) {
  assert.equal((await ours.inject(our)).body, '{"version":"2.0.0"}')
  assert.equal((await theirs.inject(their)).body, '{"version":"2.0.0"}')
  await time(ours, our)
  await time(theirs, their)
  const ratios = []
  for (let round = 0; round < ROUNDS; round++) {
    let a
    if (round % 2 === 0) a = await time(ours, our)
    const b = await time(theirs, their)
    a ??= await time(ours, our)
    ratios.push(a / b)
  }
  ratios.sort((a, b) => a - b)
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => ratios[Math.floor(ratios.length * part)].toFixed(3))
  console.log(`${name.padEnd(22)} ${middle} × Fastify's Accept-Version (quartiles ${low} to ${high})`)
}

/** Microseconds of CPU time, user and system, for a row of requests. */
async function time (app, request) {
  const start = process.cpuUsage()
  for (let i = 0; i < CALLS; i++) {
    await app.inject(request)
    if (i % 50 === 0) await setImmediate()
  }
  const { user, system } = process.cpuUsage(start)
  return user + system
}
