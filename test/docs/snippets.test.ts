// Alone in its process: snippets subscribe to usage events, and never unsubscribe.
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { syntaxErrorsOf, typeErrorsOf } from '../fixtures/type-errors.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'
import { exchangesAfter } from './exchanges.ts'
import { ROOT, readPages } from './pages.ts'

import type { FastifyInstance } from 'fastify'
import type { Block } from './pages.ts'

/*
 * What follows `ts` or `js` at the fence of a snippet says what happens to it:
 *
 * nothing            it is run, and answers the requests after it as printed; `ts` is type-checked as well
 * `compiled`         it is not run: `ts` is type-checked, and `js` must be free of syntax errors
 * `file x.js`        it is that file, next to the snippets of its page
 * `test/x.test.ts`   that test runs it
 */

const SCRATCH = new URL('.tap/docs/', ROOT)

/** What precedes a snippet without imports. */
const PRELUDE = `
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, VersionError
} from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { RawRequest } from 'fastify-versioning'
const app = Fastify()
const handler = async (request: FastifyRequest) => ({ version: request.version })
`

const run = promisify(execFile)
const pages = await readPages()
const snippets = pages.flatMap(({ blocks }) => blocks).filter(({ language }) => ['ts', 'js'].includes(language))
const runnable = snippets.filter(({ info }) => info === '')
const compiled = snippets.filter(({ info }) => info === 'compiled')
const files = snippets.filter(({ info }) => info.startsWith('file '))
const isTyped = ({ language }: Block) => language === 'ts'
/** It adds to types that other snippets see, so that it is checked alone. Each program of TypeScript takes a second. */
const isAugmenting = ({ text }: Block) => text.includes('declare module')

/** Users see the declarations, not the sources. */
const TSC = [
  createRequire(import.meta.url).resolve('typescript/bin/tsc'), '--project', 'tsconfig.build.json',
  '--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'
]

t.before(async () => {
  await run(process.execPath, TSC, { cwd: fileURLToPath(ROOT) })
  await mkdir(SCRATCH, { recursive: true })
  for (const snippet of [...runnable, ...compiled]) await writeFile(fileOf(snippet), moduleOf(snippet))
  for (const { info, text } of files) {
    const file = new URL(info.slice('file '.length), SCRATCH)
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, text)
  }
})
t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))

const typed = [...runnable, ...compiled].filter(isTyped)

t.test('the snippets in TypeScript type-check', async (t) => {
  t.equal(typeErrorsIn(typed.filter((snippet) => !isAugmenting(snippet))), '')
})

for (const snippet of typed.filter(isAugmenting)) {
  t.test(`the snippet in ${placeOf(snippet)} type-checks`, async (t) => {
    t.equal(typeErrorsIn([snippet]), '')
  })
}

for (const snippet of compiled.filter((snippet) => !isTyped(snippet))) {
  t.test(`the snippet in ${placeOf(snippet)} compiles`, async (t) => {
    t.equal(syntaxErrorsOf(snippet.text), '')
  })
}

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
      return app.get('/bookings/:id', { name: 'booking' }, handler)
    }`)
  const file = new URL('routes.d.ts', SCRATCH)
  const { stderr } = await run(process.execPath, [TYPESCRIPT, '--input-type=module', '--eval', here], { cwd: SCRATCH })
  t.equal(stderr, '')
  t.match(await readFile(file, 'utf8'), '\n    booking: { id: string | number }\n')
})

function typeErrorsIn (blocks: Block[]): string {
  const files = blocks.map((snippet) => fileURLToPath(fileOf(snippet)))
  return typeErrorsOf(files, { lib: ['lib.es2024.d.ts'], types: ['node'] })
}

/** A snippet as a module: what its comments say is asserted, and its app is exported. */
function moduleOf ({ text }: Block): string {
  const promised = text
    .replace(/^((?:app|Object)\.\w+\(.*\S) +\/\/ (['[{\d].*)$/gm, 'promised.deepEqual($1, $2)')
    .replace(/\bport: 3000\b/, 'port: 0')
  const isWhole = text.startsWith('import')
  return [
    "import promised from 'node:assert/strict'",
    isWhole ? '' : PRELUDE,
    promised,
    'void promised',
    !isWhole || /^const app = /m.test(text) ? 'export { app }' : 'export const app = null',
    ''
  ].join('\n')
}

function fileOf ({ page, line }: Block): URL {
  return new URL(`${page.replace('/', '-')}-${line}.ts`, SCRATCH)
}

function placeOf ({ page, line }: Block): string {
  return `line ${line} of ${page}`
}
