import childProcess from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { documentsOf } from '../../src/check/app.ts'
import { run } from '../../src/check/command.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'

import type { AddressInfo } from 'node:net'

const execFile = promisify(childProcess.execFile)
const bin = fileURLToPath(new URL('../../src/check/bin.ts', import.meta.url))
const apps = fileURLToPath(new URL('apps/', import.meta.url))

const operation = { responses: { 200: { description: '' } } }
const one = { openapi: '3.0.3', paths: { '/a': { get: operation, put: operation } } }
const more = { ...one, paths: { ...one.paths, '/b': { get: operation } } }
const less = { ...one, paths: { '/a': { get: operation } } }
const REMOVED = 'breaking  #/paths/~1a/put  The operation was removed\n'

const directory = await mkdtemp(join(tmpdir(), 'check-'))
t.teardown(() => rm(directory, { recursive: true }))

async function file (name: string, content: object | string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const files = {
  one: await file('one.json', one), more: await file('more.json', more), less: await file('less.json', less)
}

t.test('the check command prints the additions of a version, and exits with 0', async (t) => {
  const outcome = await run(['check', files.one, files.more])
  t.same(outcome, { code: 0, output: 'added     #/paths/~1b/get  The operation is new\n', errors: '' })
})

t.test('the check command prints nothing for an unchanged version, and exits with 0', async (t) => {
  t.same(await run(['check', files.one, files.one]), { code: 0, output: '', errors: '' })
})

t.test('the check command prints a breaking change, and exits with 1', async (t) => {
  t.same(await run(['check', files.one, files.less]), {
    code: 1, output: REMOVED, errors: 'Clients may fail because of 1 change.\n'
  })
  t.match(await run(['check', files.more, files.less]), { code: 1, errors: 'Clients may fail because of 2 changes.\n' })
})

t.test('the check command exits with 0 for a change at an accepted location', async (t) => {
  for (const location of ['#/paths/~1a/put', '#/paths/~1a', '#/paths']) {
    t.same(await run(['check', files.one, files.less, '--accept', location]), { code: 0, output: REMOVED, errors: '' })
  }
  t.match(await run(['check', files.one, files.less, '--accept', '#/paths/~1a/pu']), { code: 1 })
  const both = ['--accept=#/paths/~1a/put', '--accept', '#/paths/~1b/get']
  t.match(await run(['check', files.more, files.less, ...both]), { code: 0 })
})

t.test('the check command prints Markdown with all changes, and exits with 0', async (t) => {
  const { code, output } = await run(['check', '--markdown', files.one, files.less])
  t.equal(code, 0)
  t.equal(output, '### Breaking changes\n\n- `PUT /a`: The operation was removed\n')
})

t.test('the check command reads a document from a URL', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404)
    if (request.url === '/large') {
      for (let i = 0; i < 60; i++) response.write(Buffer.alloc(1_000_000, ' '))
    }
    response.end(request.url?.endsWith('.yaml') ? 'openapi: 3.0.3\n' : JSON.stringify(less))
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.close() })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.match(await run(['check', files.one, `${origin}/v1.json`]), { code: 1, output: REMOVED })
  t.match(await run(['check', files.one, `${origin}/missing`]), { code: 2, errors: /\/missing": the answer is 404\n$/ })
  t.match(await run(['check', files.one, `${origin}/large`]), { code: 2, errors: /is larger than 50000000 bytes\n$/ })
  t.match(await run(['check', files.one, `${origin}/v1.yaml`]), { code: 2, errors: /YAML is not read/ })
  t.match(await run(['check', files.one, 'http://127.0.0.1:1/']), { code: 2, errors: /^Cannot read "http:\/\/127.0.0.1:1/ })
})

t.test('the check command skips a byte order mark', async (t) => {
  const marked = await file('marked.json', `\uFEFF${JSON.stringify(one)}`)
  t.match(await run(['check', marked, files.one]), { code: 0 })
})

t.test('the check command names a document that it cannot read, without a stack', async (t) => {
  const yaml = await file('a.yaml', 'openapi: 3.0.3')
  const text = await file('a.txt', 'text')
  const swagger = await file('swagger.json', { swagger: '2.0' })
  const wrong = [
    [['check', `${directory}/nothing.json`, files.one], /^Cannot read ".*nothing.json": ENOENT/],
    [['check', directory, files.one], /^Cannot read ".*": EISDIR/],
    [['check', yaml, files.one], /^Expected ".*a.yaml" to be JSON: YAML is not read/],
    [['check', text, files.one], /^Expected ".*a.txt" to be JSON\n$/],
    [['check', swagger, files.one], /^Expected the first document to be .*, got no openapi\n$/],
    [['check', files.one, files.less, '--accept', 'a'], /^Expected "accept" to list locations .*, got "a"\n$/]
  ] as const
  for (const [args, errors] of wrong) t.match(await run(args), { code: 2, output: '', errors })
})

t.test('the usage is printed for wrong arguments of the command', async (t) => {
  const wrong = [
    [[], /^Expected a command\n\nUsage:/],
    [['chekc'], /^There is no command "chekc"\n\nUsage:/],
    [['check', files.one], /^Expected two documents, got 1\n\nUsage:/],
    [['check', 'a', 'b', 'c'], /^Expected two documents, got 3\n\nUsage:/],
    [['check', '--acept', 'a'], /^Unknown option '--acept'.*\n\nUsage:/],
    [['documents'], /^Expected one app, got 0\n\nUsage:/],
    [['documents', 'a', 'b'], /^Expected one app, got 2\n\nUsage:/]
  ] as const
  for (const [args, errors] of wrong) t.match(await run(args), { code: 2, output: '', errors })
  t.match(await run(['check', '--help']), { code: 0, output: /^Usage:/ })
})

for (const name of ['instance.ts', 'build.ts', 'plugin.ts', 'callback.cjs', 'compiled.cjs', 'never-closed.ts']) {
  t.test(`the documents command writes the documents of ${name} to files`, async (t) => {
    const out = join(directory, name)
    const { code, output } = await run(['documents', `${apps}${name}`, '--out', out])
    t.equal(code, 0)
    t.equal(output, `${join(out, 'v1.json')}\n${join(out, 'v2.json')}\n`)
    const document = JSON.parse(await readFile(join(out, 'v1.json'), 'utf8'))
    t.match(document, { info: { 'x-api-version': 'v1' }, paths: { '/bookings': { get: {} } } })
  })
}

t.test('the documents command writes each version to its own file, with a safe name', async (t) => {
  const out = join(directory, 'named')
  t.match(await run(['documents', `${apps}named.ts`, '--out', out]), { code: 0 })
  t.same((await readdir(out)).sort(), ['v-1-2.json', 'v-1.json'])
})

const WRONG = [
  ['missing.ts', /Cannot find module/],
  ['broken.ts', /^This app\\u001b cannot be\nloaded\n$/],
  ['thrown.ts', /^text\n$/],
  ['nothing.ts', /^Expected ".*nothing.ts" to export an app, or a function that makes one, by default\n$/],
  ['wrong.ts', /^Expected the function of ".*wrong.ts" to return an app, got 1\n$/],
  ['without-documents.ts', /has no documents: register fastify-versioning\/openapi at its root\n$/],
  ['without-versions.ts', /has no route with a version\n$/],
  ['broken-document.ts', /^This document cannot be made\n$/]
] as const

for (const [name, errors] of WRONG) {
  t.test(`the documents command refuses ${name}, which is not an app with documents`, async (t) => {
    t.match(await run(['documents', `${apps}${name}`, '--out', directory]), { code: 2, output: '', errors })
  })
}

t.test('the documents command gives up on an app that does not become ready', async (t) => {
  await t.rejects(documentsOf(`${apps}slow.ts`, 100), { message: /slow.ts" is not ready after 0.1 seconds$/ })
})

t.test('the documents command exits even if the app leaves something open', async (t) => {
  const { stdout } = await execFile(process.execPath, [
    TYPESCRIPT, bin, 'documents', `${apps}open.ts`, '--out', join(directory, 'bin')
  ])
  t.match(stdout, /v1\.json\n.*v2\.json\n$/)
})

t.test('the check command exits with 1 for a breaking change, and with 2 for wrong arguments', async (t) => {
  const failed = execFile(process.execPath, [TYPESCRIPT, bin, 'check', files.one, files.less])
  await t.rejects(failed, { code: 1, stdout: REMOVED })
  const wrong = execFile(process.execPath, [TYPESCRIPT, bin, 'check', files.one])
  await t.rejects(wrong, { code: 2, stdout: '', stderr: /^Expected two documents/ })
})
