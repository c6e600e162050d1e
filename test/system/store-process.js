// One of several processes that share stores. It counts calls in each store, and prints what an app reads from it.
import Fastify from 'fastify'
import pg from 'pg'
import process from 'node:process'
import { createClient } from 'redis'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import usage from '../../src/usage/index.ts'

const [recipes, postgresPort, redisPort, number] = process.argv.slice(2)
const { postgresStore, redisStore } = await import(recipes)

const pool = new pg.Pool({ host: '127.0.0.1', port: Number(postgresPort), user: 'postgres', database: 'postgres' })
const redis = await createClient({ url: `redis://127.0.0.1:${redisPort}` }).connect()
const found = {}
for (const [name, store] of Object.entries({ postgres: postgresStore(pool), redis: redisStore(redis) })) {
  found[name] = await countIn(store)
}
console.log(JSON.stringify(found))
await redis.close()
await pool.end()

/** Each process calls for the same clients, half of them in the other order, and all rows are added twice. */
async function countIn (store) {
  const app = Fastify({ logger: { level: 'error', stream: process.stderr } })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(usage, { client: ({ headers }) => headers['x-account'], store })
  app.get('/rooms', async () => 1)
  await app.ready()
  const clients = Array.from({ length: 50 }, (_, i) => `client "${i}"`)
  if (number % 2 === 1) clients.reverse()
  for (let i = 0; i < 2; i++) {
    for (const client of number === '' ? [] : clients) {
      for (const version of ['v1', 'v2', 'v2']) {
        await app.inject({ url: '/rooms', headers: { 'x-account': client, 'api-version': version } })
      }
    }
    await app.versionUsage.of('nobody')
  }
  const { versions } = await app.versionUsage.summary()
  const { versions: ofClient } = await app.versionUsage.of('client "7"')
  await app.close()
  return [versions, ofClient].map((list) => list.map(({ version, calls, clients }) => ({ version, calls, clients })))
}
