import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

import * as errors from '../src/errors.ts'
import {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../src/index.ts'
import { appWith } from './fixtures/app-with.ts'

import type { FastifyError, FastifyInstance } from 'fastify'

type ErrorClass = new (message: string) => FastifyError

interface Block { language: string, text: string, page: string, line: number }
interface Exchange { request: Message, method: string, url: string, status: number, answer: Message }
interface Message { headers: Record<string, string>, body: string }

/** The pages whose snippets are run. */
const PAGES = [
  'README.md', 'docs/choosing.md', 'docs/errors.md', 'docs/links.md', 'docs/neighbours.md', 'docs/openapi.md',
  'docs/places.md', 'docs/retiring.md'
]
const texts = await Promise.all(PAGES.map((page) => readFile(new URL(`../${page}`, import.meta.url), 'utf8')))
const README = texts[PAGES.indexOf('README.md')]
const ERRORS = texts[PAGES.indexOf('docs/errors.md')]
const SCRATCH = new URL('../.tap/readme/', import.meta.url)

/** What precedes a snippet without imports. */
const PRELUDE = `
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from 'fastify-versioning'
import openapi from 'fastify-versioning/openapi'
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
    for (const { request, method, url, status, answer } of exchanges) {
      const { headers, body: payload } = request
      const response = await app.inject({ method: method as 'GET', url, headers, payload })
      t.equal(response.statusCode, status)
      for (const [name, value] of Object.entries(answer.headers)) t.equal(response.headers[name], value, name)
      const parts = answer.body.split(/^…\n?/m)
      if (parts.length === 1) t.equal(response.body, answer.body)
      else for (const part of parts) t.ok(response.body.includes(part), part)
    }
    await app.close()
  })
}

t.test('each of the schemes has a chapter, a row in their table, and an exchange', async (t) => {
  const chapters = README.split(/^### /m).map((chapter) => chapter.slice(0, chapter.indexOf('\n')))
  const shown = snippets.filter((snippet) => snippet.page === 'README.md' && exchangesAfter(snippet).length > 0)
  t.same(tableOf(README, '| Scheme | A request').map(([scheme]) => scheme).sort(), Object.keys(schemes).sort())
  for (const scheme of Object.keys(schemes)) {
    t.ok(chapters.includes(scheme), `${scheme} has a chapter`)
    t.ok(shown.some(({ text }) => text.includes(`scheme: ${scheme}`)), `${scheme} has an exchange`)
  }
})

t.test('the status of refusals in the table of schemes is that of the scheme', async (t) => {
  for (const [name, , , status] of tableOf(README, '| Scheme | A request')) {
    const refusal = new schemes[name as keyof typeof schemes]().refusal()
    t.equal((refusal as FastifyError).statusCode, Number(status), name)
  }
})

t.test('the custom scheme is at most five lines', async (t) => {
  const custom = snippets.find(({ text }) => text.includes('user-agent'))
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
  AcceptHeaderVersioning,
  ContentTypeVersioning,
  HeaderVersioning,
  URLPathVersioning,
  NamespaceVersioning,
  HostNameVersioning,
  QueryParameterVersioning
}

t.test('the options in the table are those that the plugin knows, with their defaults', async (t) => {
  const rows = tableOf(README, '| Option |')
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  const { mediaTypes } = new AcceptHeaderVersioning()
  const { versionHeader } = new HeaderVersioning()
  const defaults = {
    defaultVersion,
    allowedVersions,
    versionParam,
    versionHeader,
    mediaTypes,
    baseUrl: null,
    logVersion: false,
    lifecycle: null,
    reportVersions: false,
    enforceSunset: false,
    now: 'Date.now',
    problemDetails: false,
    servedVersion: null,
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

const errorClasses = Object.entries(errors).filter(([name]) => name.endsWith('Error')) as [string, ErrorClass][]

t.test('the table of errors has every code, with its status', async (t) => {
  const defined = errorClasses.map(([, Class]) => new Class('')).map(({ code, statusCode }) => `${code} ${statusCode}`)
  const ofCurrentRoute = 'FST_ERR_NO_REVERSE_MATCH 400'
  const documented = tableOf(ERRORS, '| Code | Status |').filter(([code]) => code !== 'the code of the scheme')
    .map(([code, status]) => `${unquoted(code)} ${status.slice(0, 3)}`)
  t.ok(defined.length > 0)
  t.same([...new Set(documented)].sort(), [...new Set([...defined, ofCurrentRoute])].sort())
})

t.test('the table of errors has the message of every scheme, beside its code', async (t) => {
  const rows = tableOf(ERRORS, '| Code | Status |')
    .map(([code, , , message]) => `${unquoted(code)} ${unquoted(message)}`)
  for (const Scheme of [BaseVersioning, ...Object.values(schemes)]) {
    const { code, message } = new Scheme().refusal() as FastifyError
    t.ok(rows.includes(`${code} ${message}`), Scheme.name)
  }
})

t.test('the table of errors has the message of every other error', async (t) => {
  const messages = tableOf(ERRORS, '| Code | Status |').map(([, , , message]) => unquoted(message))
  for (const error of [
    new errors.ReverseHostError('<what>', '<host>'),
    new errors.ReverseOptionError('<option>', '<what>', '<value>'),
    new errors.UnknownLinkOptionError("'<name>'", " Did you mean '<name>'?"),
    new errors.VersionClockError('<value>'),
    new errors.VersionInvalidError('<ClassName>', undefined),
    new errors.VersionNotImplementedError('<ClassName>'),
    new errors.VersioningOptionError('<option>', '<what>', '<value>')
  ]) t.ok(messages.includes(error.message.replace(/ See https:\S+$/, '')), error.message)
})

t.test('the table of refusals has the class and the key of each, and a heading says what clients can do', async (t) => {
  const expected = Object.entries(errors.REFUSALS).map(([kind, Class]) => [new Class('').code, Class.name, kind])
  const documented = tableOf(ERRORS, '| Code | Class |').map((cells) => cells.map(unquoted))
  t.same(documented.toSorted(byText), expected.toSorted(byText))
  for (const [code] of expected) t.match(ERRORS, `\n### ${code}\n\n`, code)
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
  const promised = text.replace(/^((?:app|Object)\.\w+\(.*\S) +\/\/ (['[{\d].*)$/gm, 'assert.deepEqual($1, $2)')
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
  const at = text.search(/^HTTP\/1\.1 \d{3} /m)
  assert.ok(at > 0)
  const [method, url] = text.split(' ', 2)
  const status = Number(text.slice(at).split(' ', 2)[1])
  return { request: toMessage(text.slice(0, at)), method, url, status, answer: toMessage(text.slice(at)) }
}

/** What follows the first line of a request or an answer. */
function toMessage (text: string): Message {
  const [head, body = ''] = text.trimEnd().split('\n\n')
  return { headers: toHeaders(head.split('\n').slice(1)), body }
}

function toHeaders (lines: string[]): Record<string, string> {
  const separator = ': '
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf(separator)
    return [line.slice(0, at).toLowerCase(), line.slice(at + separator.length)]
  }))
}

/** The cells of the table of a page whose first line starts so. */
function tableOf (page: string, start: string): string[][] {
  const [head] = page.slice(page.indexOf(start)).split('\n\n')
  return head.split('\n').slice(2).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
}

function byText (a: readonly string[], b: readonly string[]): number {
  return a.join().localeCompare(b.join())
}

function unquoted (cell: string): string {
  return cell.replace(/^`|`$/g, '')
}
