import Fastify from 'fastify'

import versioning, { NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyReply } from 'fastify'

/**
 * Prints by how many bytes the heap grows at most where texts of clients reach `reverse`. Run with --expose-gc; the
 * arguments are the place of the text, `name` or `version`, and the scheme, `namespace` or `query`.
 */
const REQUESTS = 10_000
const SAMPLED_EVERY = 707
const LENGTH = 15_000

const calls: Record<string, (reply: FastifyReply, text: string) => string> = {
  name: (reply, text) => reply.reverse(text),
  version: (reply, text) => reply.reverse('it', null, { version: text })
}

const [call, scheme] = process.argv.slice(2)
const app = Fastify()
await app.register(versioning, { scheme: scheme === 'query' ? QueryParameterVersioning : NamespaceVersioning })
app.register(async (v1) => {
  v1.get('/it', { name: 'it' }, async () => '')
  v1.get('/links', async ({ headers }, reply) => {
    try {
      calls[call](reply, headers['x-text'] as string)
    } catch {}
    return ''
  })
}, { prefix: '/v1', namespace: 'v1' })

async function ask (text: string): Promise<void> {
  await app.inject({ url: '/v1/links', headers: { 'x-text': text } })
}

/** A new text for each request: neither shared with another text nor in pieces. */
function textOf (i: number): string {
  return Buffer.from(String(i).padStart(LENGTH, 'x')).toString('latin1')
}

/** The least of three: what is about to be freed may still be there. */
async function heap (): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc?.()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

for (let i = 0; i < 200; i++) await ask('warm')
const before = await heap()
let most = 0
for (let i = 0; i < REQUESTS; i++) {
  await ask(textOf(i))
  // A store that is emptied when it is full would hide at the end what it has held.
  if (i % SAMPLED_EVERY === 0) most = Math.max(most, await heap() - before)
}
process.stdout.write(String(most))
