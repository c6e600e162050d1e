import process from 'node:process'
import t from 'tap'
import { Agent, cacheStores, interceptors } from 'undici'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { requests } from './caches/asked.ts'
import { startOrigin } from './caches/origin.ts'
import { isInstalled, servers } from './caches/servers.ts'

import type { Dispatcher } from 'undici'
import type { Test } from 'tap'
import type { Asked } from './caches/asked.ts'
import type { Origin } from './caches/origin.ts'

/** `npm run test:caches` asks for more. */
const COUNT = Number(process.argv[2] ?? 400)
const CLIENTS = 8

/** What must be the same, with a cache and without. */
const HEADERS = [
  'content-type', 'served-version', 'deprecation', 'sunset', 'link', 'api-supported-versions',
  'api-deprecated-versions', 'access-control-allow-origin'
]

interface Answer { status: number, body: string, headers: Record<string, unknown> }

/** Sends a request through a cache. */
type Send = (asked: Asked) => Promise<Answer>

interface Cache {
  readonly name: string
  readonly skip?: string | false
  readonly start: (t: Test, origin: Origin) => Promise<Send>
}

const caches: Cache[] = [
  {
    name: 'the cache of undici',
    async start (t, { port }) {
      const store = new cacheStores.MemoryCacheStore({ maxCount: 100_000 })
      const cache = interceptors.cache({ store, type: 'shared' })
      // It knows hosts by their names, which all lead here.
      const lookup = (_host: string, _options: unknown, done: (error: null, addresses: object[]) => void) => (
        done(null, [{ address: '127.0.0.1', family: 4 }])
      )
      const agent = new Agent({ connect: { lookup } as object })
      t.teardown(() => agent.close())
      return sender(agent.compose(cache), ({ host }) => ({ origin: `http://${host}:${port}` }))
    }
  },
  ...servers.map((server): Cache => ({
    name: server.name,
    skip: !isInstalled(server) && `${server.binary} is not installed`,
    async start (t, origin) {
      const port = await server.start(t, origin.port)
      const agent = new Agent()
      t.teardown(() => agent.close())
      return sender(agent, ({ host }) => ({ origin: `http://127.0.0.1:${port}`, host }))
    }
  }))
]

for (const { name, skip = false, start } of caches) {
  for (const isCrowded of [false, true]) {
    const where = isCrowded ? 'with compress and cors' : 'without other plugins'
    t.test(`behind ${name} no client gets the answer of another version, ${where}`, { skip }, async (t) => {
      const origin = await startOrigin(t, { isCrowded })
      const send = await start(t, origin)
      const wrong: unknown[] = []
      const expected = new Map<string, Promise<Answer>>()
      const statuses = new Set<number>()
      const queue = requests(COUNT, 7)
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        for (const asked of queue) {
          const key = JSON.stringify(asked)
          if (!expected.has(key)) expected.set(key, directly(origin, asked))
          const [found, wanted] = await Promise.all([send(asked), expected.get(key)])
          statuses.add(found.status)
          if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push({ asked, found, wanted })
        }
      }))
      t.same(wrong.slice(0, 3), [], 'every answer is the one for this request')
      t.same([200, 400, 404, 406, 410, 415].filter((status) => !statuses.has(status)), [], 'refusals are among them')
      const hits = COUNT - origin.arrived()
      t.comment(`${COUNT} requests, ${hits} answered by the cache`)
      t.ok(hits > COUNT / 10, `${hits} of ${COUNT} are answered by the cache`)
    })
  }
}

/** The answer without a cache, and without a socket. */
async function directly ({ app }: Origin, { method, host, path, headers }: Asked): Promise<Answer> {
  const response = await app.inject({ method, url: path, headers: { ...headers, host } })
  return answerOf(response.statusCode, response.headers, response.rawPayload)
}

function sender (dispatcher: Dispatcher, to: (asked: Asked) => { origin: string, host?: string }): Send {
  return async (asked) => {
    const { origin, host } = to(asked)
    const headers = { ...asked.headers, ...host !== undefined && { host } }
    const response = await dispatcher.request({ origin, path: asked.path, method: asked.method, headers })
    return answerOf(response.statusCode, response.headers, Buffer.from(await response.body.arrayBuffer()))
  }
}

function answerOf (status: number, headers: Record<string, unknown>, raw: Buffer): Answer {
  // A link has the port that was asked.
  const own = Object.fromEntries(HEADERS.map((name) => [name, String(headers[name] ?? '').replace(/:\d+(?=\/)/g, '')]))
  return { status, body: decoded(raw, headers['content-encoding']).toString(), headers: own }
}

function decoded (raw: Buffer, encoding: unknown): Buffer {
  if (raw.length === 0) return raw
  if (encoding === 'gzip') return gunzipSync(raw)
  return encoding === 'br' ? brotliDecompressSync(raw) : raw
}
