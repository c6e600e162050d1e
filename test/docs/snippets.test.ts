// Alone in its process: snippets subscribe to usage events, and never unsubscribe.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

import Fastify from 'fastify'
import t from 'tap'

import { TYPESCRIPT } from '../fixtures/typescript.ts'
import { exchangesAfter } from './exchanges.ts'
import { ROOT } from './pages.ts'
import { PRELUDE, SCRATCH, fileOf, pages, placeOf, runnable, snippets, writeSnippets } from './snippets.ts'

import type { FastifyInstance } from 'fastify'

const run = promisify(execFile)

t.before(() => writeSnippets(t))

for (const snippet of runnable) {
  const exchanges = exchangesAfter(snippet, pages.find(({ name }) => name === snippet.page)?.blocks ?? [])
  t.test(`the snippet in ${placeOf(snippet)} runs, and answers ${exchanges.length} requests as printed`, async (t) => {
    const { app } = await import(fileOf(snippet).href) as { app: FastifyInstance | null }
    if (app === null) return t.equal(exchanges.length, 0, 'a snippet without an app answers nothing')
    for (const { request, method, url, status, answer } of exchanges) {
      const { headers, body: payload } = request
      const response = await app.inject({ method: method as 'GET', url, headers, payload })
      if (status !== null) t.equal(response.statusCode, status)
      for (const [name, value] of Object.entries(answer.headers)) t.equal(response.headers[name], value, name)
      const parts = answer.body.split(/^…\n?/m)
      if (parts.length === 1) t.equal(response.body, answer.body)
      else for (const part of parts) t.ok(response.body.includes(part), part)
    }
    await app.close()
  })
}

t.test('the error handler of README leaves every 4xx to Fastify, and hides the message of a 500', async (t) => {
  const [snippet] = runnable.filter(({ page, text }) => page === 'README.md' && text.includes('setErrorHandler'))
  const { app: { errorHandler } } = await import(fileOf(snippet).href) as { app: FastifyInstance }
  const answersOf = async (app: FastifyInstance) => {
    app.post('/', { schema: { body: { type: 'object', required: ['a'] } } }, async () => { throw new Error('secret') })
    const ask = async (payload: string, type = 'application/json') => {
      const headers = { 'content-type': type }
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload, headers })
      return [statusCode, body] as const
    }
    return Promise.all([ask('{}'), ask('{'), ask(''), ask(' '.repeat(99)), ask('<a/>', 'text/html'), ask('{"a":1}')])
  }
  const expected = await answersOf(Fastify({ bodyLimit: 50 }))
  t.same(expected.map(([status]) => status), [400, 400, 400, 413, 415, 500])
  const found = await answersOf(Fastify({ bodyLimit: 50 }).setErrorHandler(errorHandler))
  t.same(found.slice(0, -1), expected.slice(0, -1))
  t.same(found.at(-1), [500, '{"error":"Internal Server Error"}'])
})

t.test('every other snippet is run by the test that it names', async (t) => {
  for (const { info, page } of snippets.filter(({ info }) => info.startsWith('test/'))) {
    t.match(await readFile(new URL(info, ROOT), 'utf8'), page)
  }
})

t.test('every exchange follows a snippet that is run', async (t) => {
  for (const { blocks } of pages) {
    const answered = blocks.filter((block) => runnable.includes(block)).flatMap((one) => exchangesAfter(one, blocks))
    const commands = blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => text.match(/^\$ /gm))
    const shown = blocks.filter(({ language }) => language === 'http').length + commands.length
    t.equal(answered.length, shown, blocks[0]?.page)
  }
})

t.test('the one-liner of the documentation writes the types to a file', async (t) => {
  const page = pages.find(({ name }) => name === 'docs/links.md')?.text ?? ''
  const [, script = ''] = /^node --import=tsx --input-type=module --eval "\n([^"]*)"$/m.exec(page) ?? []
  const here = script.replace("'fastify-versioning'", "'../../src/index.ts'")
  await writeFile(new URL('app.ts', SCRATCH), `${PRELUDE}
    export async function build () {
      await app.register(versioning)
      return app.get('/bookings/:id', { name: 'booking' }, async () => 1)
    }`)
  const file = new URL('routes.d.ts', SCRATCH)
  const { stderr } = await run(process.execPath, [TYPESCRIPT, '--input-type=module', '--eval', here], { cwd: SCRATCH })
  t.equal(stderr, '')
  t.match(await readFile(file, 'utf8'), '\n    booking: { id: string | number }\n')
})
