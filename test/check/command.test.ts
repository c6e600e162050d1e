import childProcess from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { runCheck as run } from '../../src/check/command.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'

import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

const execFile = promisify(childProcess.execFile)
const bin = fileURLToPath(new URL('../../src/command/bin.ts', import.meta.url))

const operation = { responses: { 200: { description: '' } } }
const one = { openapi: '3.0.3', paths: { '/a': { get: operation, put: operation } } }
const more = { ...one, paths: { ...one.paths, '/b': { get: operation } } }
const less = { ...one, paths: { '/a': { get: operation } } }
const PUT = '#/paths/~1a/put'
const REMOVED = `breaking  PUT /a  was removed\n          ${PUT}\n`
const ACCEPTED = REMOVED.replace('breaking', 'accepted')
const EQUAL = 'No differences.\n'

const directory = await mkdtemp(join(tmpdir(), 'check-'))
t.teardown(() => rm(directory, { recursive: true }))

async function file (name: string, content: object | string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** The origin of a server. */
async function listening (t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.close().closeAllConnections() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const files = {
  one: await file('one.json', one), more: await file('more.json', more), less: await file('less.json', less)
}

const other = await file('other.json', { ...one, paths: { ...less.paths, '/c': { get: operation } } })
const marked = await file('marked.json', `\uFEFF${JSON.stringify(one)}`)

const deprecated = { ...operation, deprecated: true, 'x-sunset': '2027-01-31' }
const ending = await file('ending.json', { ...one, paths: { '/a': { get: operation, put: deprecated } } })

const compared: [does: string, args: string[], code: 0 | 1, output: string, errors?: string][] = [
  ['prints the additions of a version, and exits with 0', [files.one, files.more], 0,
    'added     GET /b  is new\n          #/paths/~1b/get\n'],
  ['says that an unchanged version has no differences, and exits with 0', [files.one, files.one], 0, EQUAL],
  ['reads a document that begins with a byte order mark', [files.one, marked], 0, EQUAL],
  ['prints a breaking change, and exits with 1', [files.one, files.less], 1, REMOVED,
    'Clients may fail because of 1 difference.\n'],
  ['exits with 0 for what has ended as announced', [ending, files.less, '--now', '2027-01-31'], 0,
    `added     PUT /a  ended on 2027-01-31, as announced\n          ${PUT}\n`],
  ['exits with 1 for what has ended before', [ending, files.less, '--now', '2027-01-30'], 1, REMOVED,
    'Clients may fail because of 1 difference.\n'],
  ['exits with 0 for a difference at an accepted location', [files.one, files.less, '--accept', PUT], 0, ACCEPTED],
  ['says which accepted locations have nothing that breaks',
    [files.one, files.less, '--accept', PUT, '--accept', '#/paths/~1nothing'], 0, ACCEPTED,
    'Remove or correct --accept #/paths/~1nothing: nothing is breaking there.\n'],
  ['exits with 0 for two of them', [files.more, files.less, `--accept=${PUT}`, '--accept', '#/paths/~1b/get'], 0,
    `${ACCEPTED}accepted  GET /b  was removed\n          #/paths/~1b/get\n`],
  ['prints what is accepted, and what is added, below what breaks', [files.more, other, '--accept', '#/paths/~1b'], 1,
    `${REMOVED}accepted  GET /b  was removed\n          #/paths/~1b/get\n` +
    'added     GET /c  is new\n          #/paths/~1c/get\n',
    'Clients may fail because of 1 difference.\n']
]

for (const [does, args, code, output, errors = ''] of compared) {
  t.test(`the check command ${does}`, async (t) => {
    t.same(await run(['check', ...args]), { code, output, errors })
  })
}

t.test('the check command reads a document from a URL', async (t) => {
  const origin = await listening(t, (request, response) => {
    if (request.url === '/missing') response.writeHead(404)
    if (request.url === '/empty') return response.writeHead(204).end()
    response.end(request.url?.endsWith('.yaml') ? 'openapi: 3.0.3\n' : JSON.stringify(less))
  })
  t.match(await run(['check', files.one, `${origin}/v1.json`]), { code: 1, output: REMOVED })
  t.match(await run(['check', files.one, `${origin}/missing`]), { code: 2, errors: /\/missing": the answer is 404\n$/ })
  t.match(await run(['check', files.one, `${origin}/empty`]), { code: 2, errors: /^Expected .* to be JSON\n$/ })
  t.match(await run(['check', files.one, `${origin}/v1.yaml`]), { code: 2, errors: /YAML is not read/ })
  t.match(await run(['check', files.one, 'http://127.0.0.1:1/']), { code: 2, errors: /^Cannot read "http:\/\/127.0.0.1:1/ })
})

t.test('the check command names a document that it cannot read, without a stack', async (t) => {
  const yaml = await file('a.yaml', 'openapi: 3.0.3')
  const text = await file('a.txt', 'text')
  const page = await file('a.html', '<!DOCTYPE html>')
  const malformed = await file('malformed.json', { openapi: '3.0.3', paths: [] })
  const itself = { components: { schemas: { A: { $ref: '#/components/schemas/A' } } } }
  const endless = await file('endless.json', { ...one, ...itself })
  const swagger = await file('swagger.json', { swagger: '2.0' })
  const wrong = [
    [['check', `${directory}/nothing.json`, files.one], /^Cannot read ".*nothing.json": ENOENT/],
    [['check', directory, files.one], /^Cannot read ".*": EISDIR/],
    [['check', yaml, files.one], /^Expected ".*a.yaml" to be JSON: YAML is not read/],
    [['check', text, files.one], /^Expected ".*a.txt" to be JSON\n$/],
    [['check', page, files.one], /^Expected ".*a.html" to be JSON: a page is not read, .* URL that ends with .json/],
    [['check', swagger, files.one], /^Expected the first document to be .*, got no openapi\n$/],
    [['check', malformed, files.one], /^Expected #\/paths in the first document to be an object, got \[\]\n$/],
    [['check', files.one, endless], /^The reference "#\/components\/schemas\/A" leads only to itself\n$/],
    [['check', files.one, files.less, '--accept', 'a'], /^Expected "accept" to list locations .*, got \["a"\]\n$/],
    ...['soon', '1', '1798675200000', '31 Jan 2027', ''].map((now) => (
      [['check', files.one, files.less, '--now', now], `Expected "now" to be a date, like 2027-01-31, got "${now}"\n`]
    ) as const)
  ] as const
  for (const [args, errors] of wrong) t.match(await run([...args]), { code: 2, output: '', errors })
})

t.test('the usage is printed for wrong arguments of the command', async (t) => {
  const expected = /^Expected "check" and two documents\n\nUsage:/
  const wrong = [
    [[], expected], [['chekc', 'a', 'b'], expected], [['documents', 'app.js'], expected],
    [['check', files.one], expected], [['check', 'a', 'b', 'c'], expected],
    [['check', '--acept', 'a'], /^Unknown option '--acept'.*\n\nUsage:/]
  ] as const
  for (const [args, errors] of wrong) t.match(await run([...args]), { code: 2, output: '', errors })
  t.match(await run(['check', '--help']), { code: 0, output: /^Usage: [^]*fastify-versioning changelog --help\n/ })
})

t.test('the check command gives up on a URL that does not answer, or not to the end, within 30 seconds', async (t) => {
  const url = await listening(t, (request, response) => { if (request.url === '/endless') response.write('{') })
  const { timeout } = AbortSignal
  t.teardown(() => { AbortSignal.timeout = timeout })
  const limits: number[] = []
  AbortSignal.timeout = (limit) => {
    limits.push(limit)
    return timeout.call(AbortSignal, 100)
  }
  for (const path of ['/silent', '/endless']) {
    t.same(await run(['check', files.one, url + path]), {
      code: 2, output: '', errors: `Cannot read "${url}${path}": no answer within 30 seconds\n`
    })
  }
  t.same(limits, [30_000, 30_000])
})

t.test('the check command gives up on a URL that answers with more than 50 MB', async (t) => {
  const part = Buffer.alloc(1_000_000, '[')
  const url = await listening(t, async (_request, response) => {
    for (let i = 0; i < 60; i++) if (!response.write(part)) await once(response, 'drain')
  })
  t.same(await run(['check', files.one, url]), {
    code: 2, output: '', errors: `Cannot read "${url}": the answer has more than 50 MB\n`
  })
})

t.test('the check command exits with 1 for a breaking change, and with 2 for wrong arguments', async (t) => {
  const failed = execFile(process.execPath, [TYPESCRIPT, bin, 'check', files.one, files.less])
  await t.rejects(failed, { code: 1, stdout: REMOVED })
  const wrong = execFile(process.execPath, [TYPESCRIPT, bin, 'check', files.one])
  await t.rejects(wrong, { code: 2, stdout: '', stderr: /^Expected "check" and two documents/ })
  const changelog = execFile(process.execPath, [TYPESCRIPT, bin, 'changelog'])
  await t.rejects(changelog, { code: 2, stdout: '', stderr: /^Expected documents/ })
  const unknown = execFile(process.execPath, [TYPESCRIPT, bin, 'chnagelog'])
  await t.rejects(unknown, { code: 2, stderr: 'Expected the command "check" or "changelog", got "chnagelog".\n' })
})
