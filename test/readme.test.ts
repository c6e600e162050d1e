import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

import * as errors from '../src/errors.ts'
import {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../src/index.ts'
import { appWith } from './fixtures/app-with.ts'

import type { FastifyError, FastifyInstance } from 'fastify'

type ErrorClass = new (message: string) => FastifyError

interface Block { language: string, text: string, page: string, line: number }
interface Exchange { method: string, url: string, headers: Record<string, string>, status: number, answer: Answer }
interface Answer { headers: Record<string, string>, body: string }

/** The pages whose snippets are run. */
const PAGES = ['README.md', 'docs/links.md']
const texts = await Promise.all(PAGES.map((page) => readFile(new URL(`../${page}`, import.meta.url), 'utf8')))
const [README] = texts
const SCRATCH = new URL('../.tap/readme/', import.meta.url)

/** What precedes a snippet without imports. */
const PRELUDE = `
import Fastify from 'fastify'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from 'fastify-versioning'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RawRequest } from 'fastify-versioning'
const app = Fastify()
const handler = async (request: FastifyRequest) => ({ version: request.version })
`

const blocks = texts.flatMap((text, i) => blocksOf(text, PAGES[i]))
const snippets = blocks.filter(({ language }) => language === 'ts')

t.before(async () => {
  await mkdir(SCRATCH, { recursive: true })
  for (const snippet of snippets) await writeFile(fileOf(snippet), moduleOf(snippet))
})
t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))

t.test('every snippet type-checks', async (t) => {
  const program = ts.createProgram(snippets.map((snippet) => fileURLToPath(fileOf(snippet))), {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noImplicitOverride: true,
    strict: true,
    skipLibCheck: true,
    noEmit: true
  })
  const host = { getCanonicalFileName: String, getCurrentDirectory: () => '', getNewLine: () => '\n' }
  t.equal(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host), '')
})

for (const snippet of snippets) {
  const exchanges = exchangesAfter(snippet)
  const place = `line ${snippet.line} of ${snippet.page}`
  t.test(`the snippet in ${place} runs, and answers ${exchanges.length} requests as printed`, async (t) => {
    const { app } = await import(fileOf(snippet).href) as { app: FastifyInstance }
    for (const { method, url, headers, status, answer } of exchanges) {
      const response = await app.inject({ method: method as 'GET', url, headers })
      t.equal(response.statusCode, status)
      t.match(response.headers, answer.headers)
      t.equal(response.body, answer.body)
    }
    await app.close()
  })
}

t.test('each of the five schemes is shown by an exchange', async (t) => {
  const chapters = README.split(/^### /m).filter((chapter) => chapter.includes('```http'))
  const names = chapters.map((chapter) => chapter.slice(0, chapter.indexOf('\n')))
  for (const scheme of Object.keys(schemes)) t.ok(names.includes(scheme), scheme)
})

t.test('the custom scheme is at most five lines', async (t) => {
  const custom = snippets.find(({ text }) => text.includes('x-api-version'))
  t.ok(custom)
  const lines = custom?.text.split('\n') ?? []
  t.ok(lines.indexOf('}') < 5)
})

t.test('the first commands are scripts of the package', async (t) => {
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const commands = blocks[0].text.split('\n').map((line) => line.split('#')[0].trim())
  t.same(commands, ['npm ci && npm run example', 'npm ci && npm test'])
  t.ok(scripts.example && scripts.test)
})

const schemes = {
  AcceptHeaderVersioning, URLPathVersioning, NamespaceVersioning, HostNameVersioning, QueryParameterVersioning
}

t.test('the options in the table are those that the plugin knows, with their defaults', async (t) => {
  const rows = tableOf('| Option |')
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  const { mediaTypes } = new AcceptHeaderVersioning()
  const defaults = {
    defaultVersion,
    allowedVersions,
    versionParam,
    mediaTypes,
    baseUrl: null,
    logVersion: false,
    lifecycle: null,
    reportVersions: false,
    enforceSunset: false,
    now: 'Date.now',
    problemDetails: false,
    statusCodes: null
  }
  t.same(rows.map(([option]) => unquoted(option)), ['scheme', ...Object.keys(defaults)])
  for (const [option, , value] of rows.slice(1)) {
    const byDefault = defaults[unquoted(option) as keyof typeof defaults]
    const shown = unquoted(value).replaceAll("'", '"')
    t.equal(shown, byDefault === 'Date.now' ? byDefault : JSON.stringify(byDefault), option)
  }
  const known = rows.map(([option]) => unquoted(option)).join(', ')
  await t.rejects(async () => appWith(t, { unknown: true } as object), {
    message: new RegExp(`one of the options ${known},`)
  })
})

t.test('the table of errors has every code, with its status', async (t) => {
  const classes = Object.entries(errors).filter(([name]) => name.endsWith('Error')) as [string, ErrorClass][]
  const defined = classes.map(([, Class]) => new Class('')).map(({ code, statusCode }) => `${code} ${statusCode}`)
  const documented = tableOf('| Code |').filter(([, , , message]) => message !== 'as above')
    .map(([code, status]) => `${unquoted(code)} ${status.slice(0, 3)}`)
  t.ok(defined.length > 0)
  t.same([...new Set(documented)].sort(), [...new Set(defined)].sort())
})

t.test('the table of errors has the message of every scheme', async (t) => {
  const messages = tableOf('| Code |').map(([, , , message]) => unquoted(message))
  for (const Scheme of [BaseVersioning, ...Object.values(schemes)]) {
    t.ok(messages.includes(new Scheme().invalidVersionMessage), Scheme.name)
  }
})

t.test('the README has less than 500 lines', async (t) => {
  t.ok(README.split('\n').length < 500)
})

/** The fenced blocks, each with the number of its first line. */
function blocksOf (markdown: string, page: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n([^]*?)\n```$/gm)].map(({ 1: language, 2: text, index }) => ({
    language, text, page, line: markdown.slice(0, index).split('\n').length + 1
  }))
}

/** A snippet as a module: what its comments say is asserted, and its app is exported. */
function moduleOf ({ text }: Block): string {
  const promised = text.replace(/^(app\.reverse\(.*\)) +\/\/ ('.*')$/gm, 'assert.equal($1, $2)')
  const whole = text.startsWith('import') ? promised : PRELUDE + promised
  return `import assert from 'node:assert/strict'\n${whole}\nvoid assert\nexport { app }\n`
}

function fileOf ({ page, line }: Block): URL {
  return new URL(`${page.replace('/', '-')}-${line}.ts`, SCRATCH)
}

/** The exchanges between a snippet and the next one. */
function exchangesAfter (snippet: Block): Exchange[] {
  const next = blocks.slice(blocks.indexOf(snippet) + 1)
  const end = next.findIndex(({ language }) => language !== 'http')
  return next.slice(0, end === -1 ? undefined : end).map(toExchange)
}

function toExchange ({ text }: Block): Exchange {
  const [request, answerHead, body] = text.split('\n\n')
  const [requestLine, ...requestHeaders] = request.split('\n')
  const [statusLine, ...answerHeaders] = answerHead.split('\n')
  const [method, url] = requestLine.split(' ')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)
  assert.ok(status)
  const answer = { headers: toHeaders(answerHeaders), body }
  return { method, url, headers: toHeaders(requestHeaders), status: Number(status[1]), answer }
}

function toHeaders (lines: string[]): Record<string, string> {
  const separator = ': '
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf(separator)
    return [line.slice(0, at).toLowerCase(), line.slice(at + separator.length)]
  }))
}

/** The cells of the table whose first line starts so. */
function tableOf (start: string): string[][] {
  const [head] = README.slice(README.indexOf(start)).split('\n\n')
  return head.split('\n').slice(2).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
}

function unquoted (cell: string): string {
  return cell.replace(/^`|`$/g, '')
}
