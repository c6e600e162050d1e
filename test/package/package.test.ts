import childProcess, { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'

import type { ExecFileOptions } from 'node:child_process'

const execFile = promisify(childProcess.execFile)
const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The same app in a module of either kind; it prints what a client gets. */
const APP = `
  const app = Fastify()
  await app.register(plugin, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings/:id', { name: 'booking' }, async (request, reply) => ({
    version: request.version,
    self: reply.reverse('booking', request.params)
  }))
  const found = await app.inject('/bookings/7?version=v2')
  const refused = await app.inject('/bookings/7?version=v9')
  console.log(JSON.stringify([found.json(), refused.json().message]))
`

/** An app with a change; `seen` is what a client of v1 gets, and what checkChanges finds. */
const CHANGED = `
  const app = Fastify()
  const text = { type: 'string' }
  const change = {
    version: 'v2',
    description: 'A guest has a name.',
    schemas: {
      Guest: {
        older: { type: 'object', properties: { login: text }, required: ['login'], additionalProperties: false },
        upgrade: ({ login }) => ({ name: login }),
        downgrade: ({ name }) => ({ login: name })
      }
    }
  }
  await app.register(plugin, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], changes: [change]
  })
  app.addSchema({ $id: 'Guest', type: 'object', properties: { name: { ...text, maxLength: 5 } }, required: ['name'] })
  const schema = { body: { $ref: 'Guest#' }, response: { 200: { $ref: 'Guest#' } } }
  app.post('/guests', { schema }, async (request) => request.body)
  const answer = await app.inject({ method: 'POST', url: '/guests?version=v1', payload: { login: 'Ada' } })
  const problems = checkChanges(app, { Guest: { v1: [{ login: 'Ada' }] } })
  const seen = [answer.json(), problems.map(({ message }) => message)]
`

const SEEN = [
  { login: 'Ada' },
  ["'v1' takes more at '/login' than 'v2' has room for: /name must NOT have more than 5 characters."]
]

const FILES = {
  'package.json': '{ "private": true }',

  'app.mjs': `
import Fastify from 'fastify'
import plugin, { QueryParameterVersioning } from 'fastify-versioning'
${APP}`,

  'app.cjs': `
const Fastify = require('fastify')
const plugin = require('fastify-versioning')
const { QueryParameterVersioning } = require('fastify-versioning')
main()
async function main () {${APP}}`,

  'bundled.mjs': `
import Fastify from 'fastify'
import plugin, { QueryParameterVersioning, checkChanges } from 'fastify-versioning'
${CHANGED}
console.log(JSON.stringify(seen))`,

  'babel.config.json': '{ "presets": [["@babel/preset-env", { "targets": { "node": "current" } }]] }',

  'import.test.js': `
import Fastify from 'fastify'
import plugin, { QueryParameterVersioning, checkChanges } from 'fastify-versioning'
test('an app', async () => {${CHANGED}
  expect(seen).toEqual(${JSON.stringify(SEEN)})
})`,

  'require.test.js': `
const Fastify = require('fastify')
const plugin = require('fastify-versioning')
const { QueryParameterVersioning, checkChanges } = plugin
test('an app', async () => {${CHANGED}
  expect(seen).toEqual(${JSON.stringify(SEEN)})
})`,

  'stack.mjs': `
import Fastify from 'fastify'
import plugin from 'fastify-versioning'
try {
  await Fastify().register(plugin, { scheme: 'none' })
} catch ({ stack }) {
  console.log(stack.replaceAll('\\\\', '/'))
}`,

  'typed.mts': `
import Fastify from 'fastify'
import versioning, { BaseVersioning, QueryParameterVersioning, VersionError } from 'fastify-versioning'
import type { FastifyRequest } from 'fastify'
import type { VersioningOptions } from 'fastify-versioning'

class HeaderVersioning extends BaseVersioning {
  override determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-api-version']?.toString())
  }
}

const options: VersioningOptions = { scheme: HeaderVersioning, allowedVersions: new Set(['v1']) }
const app = Fastify()
await app.register(versioning, options)
await app.register(versioning, { scheme: QueryParameterVersioning })
// @ts-expect-error: a version is a string
await app.register(versioning, { defaultVersion: 1 })

app.get<{ Params: { id: string } }>('/bookings/:id', { name: 'booking' }, async (request, reply) => {
  const version: string | null = request.version
  // @ts-expect-error: there may be no version
  const always: string = request.version
  // @ts-expect-error: not a value for a parameter
  reply.reverse('booking', { id: request })
  return { version, always, self: reply.reverse('booking', request.params) }
})
// @ts-expect-error: a name is a string
app.get('/', { name: 1 }, async () => 'ok')

const { statusCode }: { statusCode: number } = new VersionError('notFound', 'Invalid version.')
console.log(statusCode)
`,

  'check.mjs': `
import { assertCompatible } from 'fastify-versioning/check'
try {
  assertCompatible({ openapi: '3.0.3', paths: { '/a': { get: {} } } }, { openapi: '3.0.3', paths: {} })
} catch ({ message }) {
  console.log(message)
}`,

  'client.mjs': `
import { readVersionNotice, versionedFetch } from 'fastify-versioning/client'
const api = versionedFetch({ version: 'v2', place: { query: 'version' } }, async (url) => url)
console.log(JSON.stringify([await api('https://api.example.com/x'), readVersionNotice({ deprecation: '@1' }).message]))`,

  'client.cjs': `
const { readVersionNotice, versionedFetch } = require('fastify-versioning/client')
const api = versionedFetch({ version: 'v2', place: { query: 'version' } }, async (url) => url)
api('https://api.example.com/x').then((url) => {
  console.log(JSON.stringify([url, readVersionNotice({ deprecation: '@1' }).message]))
})`,

  'client.mts': `
import { readVersionNotice, versionedFetch } from 'fastify-versioning/client'
import type { VersionNotice, VersionPlace } from 'fastify-versioning/client'

const place: VersionPlace = { accept: 'application/json', contentType: true }
const api: typeof fetch = versionedFetch({
  version: 'v2', place, onNotice (notice) { console.warn(notice.message) }
}, fetch)
const response: Response = await api(new URL('https://api.example.com/x'), { method: 'POST', body: 'x' })
const notice: VersionNotice | null = readVersionNotice(response, response.url)
// @ts-expect-error: there may be no date
const sunset: Date = notice?.sunsetAt
// @ts-expect-error: no version
versionedFetch({ place })
// @ts-expect-error: no such place
versionedFetch({ version: 'v2', place: { cookie: 'version' } })
console.log(sunset)
`,

  'typed.cts': `
import Fastify = require('fastify')
import versioning = require('fastify-versioning')

const app = Fastify()
app.register(versioning.default, { scheme: versioning.QueryParameterVersioning })
// @ts-expect-error: no such option
app.register(versioning.default, { schema: versioning.QueryParameterVersioning })
app.get('/', async (request): Promise<string | null> => request.version)
// @ts-expect-error: there may be no version
app.get('/', async (request): Promise<string> => request.version)
`
}

/** What the files need besides the package. */
const INSTALLED = [
  'fastify', '@babel/core', '@babel/preset-env', '@fastify/autoload', '@fastify/swagger', '@fastify/swagger-ui',
  '@fastify/type-provider-typebox', '@opentelemetry/api', 'babel-jest', 'esbuild', 'jest', 'prom-client', 'typebox',
  'typescript', 'tsx', '@types/node'
]

const STORIES = ['autoload', 'documents', 'handlers', 'retiring', 'schemes']

t.setTimeout(600_000)

t.test('the package works when it is installed', async (t) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'fastify-versioning-')))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(directory, name), text)

  await npm(root, ['pack', '--silent'], { npm_config_pack_destination: directory })
  const [tarball] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'))
  await npm(directory, [
    'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`,
    ...INSTALLED.map((name) => `${name}@${installedVersion(name)}`)
  ])

  const installed = join(directory, 'node_modules', 'fastify-versioning')

  await t.test('the package has the code, the types and files for readers, and nothing else', async (t) => {
    const files = await filesIn(installed)
    const sources = (await filesIn(join(root, 'src'))).map((file) => `src/${file}`)
    t.same(files.filter((file) => file.startsWith('src/')), sources)
    t.ok(files.includes('dist/index.d.ts'))
    const others = files.filter((file) => !file.startsWith('src/') && !/^dist\/.*\.d\.ts$/.test(file))
    t.same(others.map((file) => file.replace(/^dist\/chunk-\w+\./, 'dist/chunk.')), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bench/README.md',
      'dist/bin.js',
      'dist/check.js',
      'dist/chunk.js',
      'dist/chunk.js.map',
      'dist/client.js',
      'dist/index.js',
      'dist/index.js.map',
      'dist/openapi.js',
      'dist/openapi.js.map',
      'docs/SPEC.md',
      'docs/changes.md',
      'docs/check.md',
      'docs/client.md',
      'docs/coming-from.md',
      'docs/custom-schemes.md',
      'docs/errors.md',
      'docs/example.webp',
      'docs/handlers.md',
      'docs/links.md',
      'docs/openapi.md',
      'docs/openapi.webp',
      'docs/options.md',
      'docs/plugins.md',
      'docs/recipes.md',
      'docs/retiring.md',
      'docs/schemes.md',
      'docs/which-version.md',
      'examples/README.md',
      'examples/autoload/package.json',
      'examples/autoload/routes/v1/bookings.ts',
      'examples/autoload/routes/v2/bookings.ts',
      'examples/autoload/server.ts',
      'examples/changes/changes.ts',
      'examples/changes/package.json',
      'examples/changes/server.ts',
      'examples/documents/package.json',
      'examples/documents/server.ts',
      'examples/handlers/package.json',
      'examples/handlers/server.ts',
      'examples/retiring/calendar.ts',
      'examples/retiring/metrics.ts',
      'examples/retiring/package.json',
      'examples/retiring/server.ts',
      'examples/retiring/tracing.ts',
      'examples/schemes/index.html',
      'examples/schemes/package.json',
      'examples/schemes/page.js',
      'examples/schemes/server.ts',
      'package.json',
      'types/check.d.ts',
      'types/client.d.ts',
      'types/index.d.ts',
      'types/openapi.d.ts'
    ])
  })

  await t.test('every link between pages of the package leads to one of its files', async (t) => {
    const files = await filesIn(installed)
    const pages = files.filter((file) => file.endsWith('.md'))
    const links = (await Promise.all(pages.map((page) => linksIn(installed, page)))).flat()
    t.ok(links.length > 0)
    for (const { page, target } of links) t.ok(files.includes(target), `${page} links to ${target}`)
  })

  await t.test('a stack trace has lines of the source, which the package has', async (t) => {
    const stack = await node(directory, ['--enable-source-maps', 'stack.mjs'])
    const frames = [...stack.matchAll(/\/fastify-versioning\/(\S+):(\d+):\d+\)?$/gm)]
    t.ok(frames.length > 1)
    for (const [frame, file, line] of frames) {
      t.match(file, /^src\/.*\.ts$/, frame)
      const lines = (await readFile(join(installed, file), 'utf8')).split('\n')
      t.match(lines[Number(line) - 1], /\w\(/, `${frame} is a call`)
    }
  })

  await cp(join(installed, 'examples'), join(directory, 'examples'), { recursive: true })
  for (const story of STORIES) {
    await t.test(`the example ${story} runs from a copy`, async (t) => {
      const server = spawn(process.execPath, [require.resolve('tsx/cli'), 'server.ts'], {
        cwd: join(directory, 'examples', story), env: { ...process.env, PORT: '0' }, stdio: 'pipe'
      })
      t.teardown(() => server.kill())
      let output = ''
      for await (const chunk of server.stdout) {
        output += String(chunk)
        if (output.includes('curl')) break
      }
      t.match(output, 'http://127.0.0.1:')
      if (story === 'schemes') t.match(output, '→ 200 version v2, link /query/bookings/7?version=v2\n')
      server.kill()
      await once(server, 'exit')
    })
  }

  await t.test('the examples of the package compile', async (t) => {
    const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
    const settings = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext']
    const files = STORIES.map((story) => `examples/${story}/server.ts`)
    t.equal(await node(directory, [tsc, ...settings, '--allowImportingTsExtensions', '--types', 'node', ...files]), '')
  })

  await t.test('the onRequest hook of the package keeps its name for traces', async (t) => {
    const files = (await readdir(join(installed, 'dist'))).filter((name) => name.endsWith('.js'))
    const code = (await Promise.all(files.map((name) => readFile(join(installed, 'dist', name), 'utf8')))).join()
    t.match(code, /addHook\("onRequest", determineVersion\)/)
  })

  for (const script of ['app.mjs', 'app.cjs']) {
    await t.test(`the script ${script} runs with the package`, async (t) => {
      t.same(JSON.parse(await node(directory, [script])), [
        { version: 'v2', self: '/bookings/7?version=v2' },
        'Invalid version in query parameter.'
      ])
    })
  }

  const page = await readFile(join(installed, 'README.md'), 'utf8')

  await t.test('Jest runs the package with the setting of the README', async (t) => {
    const [setting] = /\{ "transformIgnorePatterns": .*\}/.exec(page) ?? ['{}']
    const jest = join('node_modules', 'jest', 'bin', 'jest.js')
    const files = ['import.test.js', 'require.test.js']
    await t.rejects(node(directory, [jest, '--config={}', ...files]), { message: /Must use import to load ES Module/ })
    const output = await node(directory, [jest, `--config=${setting}`, '--json', ...files])
    t.match(JSON.parse(output), { success: true, numPassedTests: files.length })
  })

  await t.test('esbuild bundles the package and Fastify with the banner of the README', async (t) => {
    const [, js] = /--banner:js="(.*)"/.exec(page) ?? ['', '']
    await build({
      absWorkingDir: directory,
      entryPoints: ['bundled.mjs'],
      outfile: 'bundle.mjs',
      banner: { js },
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error'
    })
    t.same(JSON.parse(await node(directory, ['bundle.mjs'])), SEEN)
    t.notMatch(await readFile(join(installed, 'dist', 'index.js'), 'utf8'), /import\.meta/)
  })

  for (const script of ['client.mjs', 'client.cjs']) {
    await t.test(`the script ${script} runs with the package`, async (t) => {
      t.same(JSON.parse(await node(directory, [script])), [
        'https://api.example.com/x?version=v2', 'This version has been deprecated since 1 January 1970'
      ])
    })
  }

  await t.test('the commands of the package run without dependencies', async (t) => {
    const bin = join(installed, 'dist', 'bin.js')
    const help = await node(directory, [bin, '--help'])
    t.match(help, /^Usage:/)
    t.match(await npm(directory, ['exec', '--offline', '--', 'fastify-versioning', '--help']), help)
    t.match(await node(directory, ['check.mjs']), /^Clients may fail because of 1 difference:/)
    for (const file of ['bin.js', 'check.js']) {
      const code = await readFile(join(installed, 'dist', file), 'utf8')
      t.notMatch(code, /^import .* from "(?!node:)/m)
    }
  })

  await t.test('the client is small, and loads no other module', async (t) => {
    const code = await readFile(join(installed, 'dist', 'client.js'))
    t.notMatch(code.toString(), /\b(?:import|require|process|Buffer)\b/)
    t.ok(gzipSync(code, { level: 9 }).length <= 2_980, 'all of it, with gzip')
    const stdin = { contents: "export { versionedFetch, readVersionNotice } from 'fastify-versioning/client'" }
    const { outputFiles: [{ contents }] } = await build({
      stdin: { ...stdin, resolveDir: directory }, bundle: true, minify: true, format: 'esm', write: false
    })
    t.ok(brotliCompressSync(contents).length <= 2.7 * 1024, 'what a bundler takes of it for a fetch, with Brotli')
  })

  for (const libraries of [['--lib', 'es2020', '--types', 'node'], ['--lib', 'es2022,dom', '--types', 'node'],
    ['--lib', 'es2022,webworker']]) {
    await t.test(`the client compiles with ${libraries.join(' ')}`, async (t) => {
      const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
      const settings = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', ...libraries]
      await t.resolves(node(directory, [tsc, ...settings, '--module', 'nodenext', 'client.mts']))
    })
  }

  for (const [files, ...settings] of [
    ['typed.mts typed.cts', '--module', 'nodenext'],
    ['typed.mts', '--module', 'esnext', '--moduleResolution', 'bundler']
  ]) {
    await t.test(`${files} compiles with ${settings.join(' ')}`, async (t) => {
      const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
      const basics = ['--noEmit', '--target', 'es2022', '--types', 'node']
      t.equal(await node(directory, [tsc, ...basics, ...strict, ...settings, ...files.split(' ')]), '')
    })
  }
})

/** The relative links of a page, each with the path that it leads to from the root of the package. */
async function linksIn (directory: string, page: string): Promise<{ page: string, target: string }[]> {
  const text = await readFile(join(directory, page), 'utf8')
  return [...text.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, href]) => (
    { page, target: posix.join(posix.dirname(page), href) }
  ))
}

/** All files under a directory, sorted, without the packages installed there. */
async function filesIn (directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1).replaceAll(sep, '/'))
    .filter((name) => !name.startsWith('node_modules/'))
    .sort()
}

function installedVersion (name: string): string {
  const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

function npm (cwd: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { npm_execpath: cli = '' } = process.env
  if (/npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args], { cwd, env })
  // On Windows npm is a script for the shell.
  return run('npm', args, { cwd, env, shell: process.platform === 'win32' })
}

function node (cwd: string, args: string[]): Promise<string> {
  return run(process.execPath, args, { cwd })
}

/** What a program prints; an error with that text if it fails. */
async function run (file: string, args: string[], { env, ...options }: ExecFileOptions): Promise<string> {
  // Otherwise npm works in the directory of the npm that runs this test.
  const own = { npm_config_local_prefix: undefined }
  try {
    const { stdout } = await execFile(file, args, {
      ...options, env: { ...process.env, ...own, ...env }, encoding: 'utf8', maxBuffer: 2 ** 26
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string, stderr?: string }
    throw new Error(`${[file, ...args].join(' ')} failed\n${stdout}\n${stderr}`, { cause: error })
  }
}
