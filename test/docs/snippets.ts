import { mkdir, rm, writeFile } from 'node:fs/promises'

import { ROOT, readPages } from './pages.ts'

import type { Test } from 'tap'
import type { Block } from './pages.ts'

/*
 * What follows `ts` or `js` at the fence of a snippet says what happens to it:
 *
 * nothing            it is run, and answers the requests after it as printed; `ts` is type-checked as well
 * `compiled`         it is not run: `ts` is type-checked, and `js` must be free of syntax errors
 * `file x.js`        it is that file, next to the snippets of its page
 * `test/x.test.ts`   that test runs it
 */

export const SCRATCH = new URL(`.tap/docs-${process.pid}/`, ROOT)

/** What precedes a snippet without imports. */
export const PRELUDE = `
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
`

export const pages = await readPages()
export const snippets = pages.flatMap(({ blocks }) => blocks).filter(({ language }) => ['ts', 'js'].includes(language))
export const runnable = snippets.filter(({ info }) => info === '')
export const compiled = snippets.filter(({ info }) => info === 'compiled')
const files = snippets.filter(({ info }) => info.startsWith('file '))

/** Writes all snippets as modules, until the test ends. */
export async function writeSnippets (t: Test): Promise<void> {
  t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))
  await mkdir(SCRATCH, { recursive: true })
  for (const snippet of [...runnable, ...compiled]) await writeFile(fileOf(snippet), moduleOf(snippet))
  for (const { info, text } of files) {
    const file = new URL(info.slice('file '.length), SCRATCH)
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, text)
  }
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

export function fileOf ({ page, line }: Block): URL {
  return new URL(`${page.replace('/', '-')}-${line}.ts`, SCRATCH)
}

export function placeOf ({ page, line }: Block): string {
  return `line ${line} of ${page}`
}
