import childProcess from 'node:child_process'
import { cp, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'
import ts from 'typescript'

const execFile = promisify(childProcess.execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Pages that only the repository has: for who maintains the package, and for who still has another one. */
const ELSEWHERE = ['SPEC.md', 'coming-from.md', 'document-clients.md', 'platforms.md']

/** What the files need besides the package. */
const INSTALLED = [
  '@babel/preset-env@7', '@fastify/swagger@9', '@types/node@20', 'fastify@5', 'jest@30', 'typescript@7'
]
const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--noEmit', '--target', 'es2022']

const TESTS = `
test('an app', async () => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/bookings/:id', { name: 'booking' }, async (request, reply) => reply.reverse())
  expect((await app.inject('/bookings/7?version=v2')).body).toBe('/bookings/7?version=v2')
})`

const FILES = {
  'package.json': '{ "private": true }',
  'babel.config.json': '{ "presets": [["@babel/preset-env", { "targets": { "node": "current" } }]] }',
  'import.test.js': `
import Fastify from 'fastify'
import versioning, { QueryParameterVersioning } from 'fastify-versioning'
${TESTS}`,
  'require.test.js': `
const Fastify = require('fastify')
const versioning = require('fastify-versioning')
const { QueryParameterVersioning } = versioning
${TESTS}`,
  'stack.mjs': `
import Fastify from 'fastify'
import versioning from 'fastify-versioning'
const app = Fastify()
await app.register(versioning)
app.get('/bookings', { name: 'booking' }, async () => 'ok')
await app.ready()
try {
  app.reverse('bookings')
} catch ({ stack }) {
  console.log(stack)
}`,
  'client.mts': `
import { readVersionNotice, versionedFetch } from 'fastify-versioning/client'
import type { VersionNotice, VersionPlace } from 'fastify-versioning/client'

const place: VersionPlace = { accept: 'application/json', contentType: true }
const api: typeof fetch = versionedFetch({ version: 'v2', place }, fetch)
const response: Response = await api(new URL('https://api.example.com/x'), { method: 'POST', body: 'x' })
const notice: VersionNotice | null = readVersionNotice(response, response.url)
// @ts-expect-error: there may be no date
const sunset: Date = notice?.sunsetAt
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
// @ts-expect-error: there may be no version
app.get('/', async (request): Promise<string> => request.version)
`
}

t.setTimeout(600_000)

t.test('the package works when it is installed', async (t) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'fastify-versioning-')))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(directory, name), text)
  await cp(join(root, 'test/matrix'), directory, { recursive: true })
  await npm(root, 'pack', '--ignore-scripts', '--silent', '--pack-destination', directory)
  const tarball = (await readdir(directory)).find((name) => name.endsWith('.tgz')) ?? ''
  await npm(directory, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`, ...INSTALLED)
  const installed = join(directory, 'node_modules', 'fastify-versioning')
  const files = await filesIn(installed)
  const textOf = (file: string) => readFile(join(installed, file), 'utf8')
  const platforms = await readFile(join(root, 'docs/platforms.md'), 'utf8')

  await t.test('the package has the code, its declarations and the pages, and is small', async (t) => {
    const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && !ELSEWHERE.includes(name))
    const pages = docs.map((name) => `docs/${name}`)
    const entries = ['changelog', 'check', 'client', 'index', 'openapi', 'testing', 'usage']
    const types = entries.map((name) => `types/${name}.d.ts`)
    const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']
    t.same(files.filter((file) => !file.startsWith('dist/')), [...pages, ...types, ...others].sort())
    t.same(files.filter((file) => /^dist\/(?!chunk).*\.js$/.test(file)), [
      'dist/bin.js', 'dist/changelog.js', 'dist/check.js', 'dist/client.js', 'dist/index.js', 'dist/openapi.js',
      'dist/testing.js', 'dist/usage.js'
    ])
    t.notOk(files.some((file) => file.startsWith('dist/') && !/\.(?:js|d\.ts)$/.test(file)))
    t.ok((await stat(join(directory, tarball))).size <= 215_000)
  })

  await t.test('TypeScript can parse the code, as ts-jest does', async (t) => {
    for (const file of files.filter((name) => name.endsWith('.js'))) {
      const { diagnostics } = ts.transpileModule(await textOf(file), { fileName: file, reportDiagnostics: true })
      t.same(diagnostics?.map(({ messageText }) => messageText), [], file)
    }
  })

  await t.test('what exports and bin name is in the package', async (t) => {
    const { exports, bin } = JSON.parse(await textOf('package.json'))
    const targets = [...Object.values(exports), ...Object.values(bin)].flatMap((target) => (
      typeof target === 'string' ? [target] : Object.values(target as Record<string, string>)
    ))
    for (const target of targets) t.ok(files.includes(posix.normalize(target)), target)
  })

  await t.test('TypeScript finds the declarations of each entry, also without exports', async (t) => {
    const { exports } = JSON.parse(await textOf('package.json'))
    for (const kind of ['Bundler', 'Node10'] as const) {
      const options = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind[kind] }
      for (const [path, { types }] of Object.entries<{ types?: string }>(exports)) {
        if (types === undefined) continue
        const name = posix.join('fastify-versioning', path)
        const { resolvedModule } = ts.resolveModuleName(name, join(directory, 'client.mts'), options, ts.sys)
        t.equal(resolvedModule?.resolvedFileName, join(installed, types), `${name}, ${kind}`)
      }
    }
  })

  await t.test('every link between pages of the package leads to one of its files', async (t) => {
    for (const page of files.filter((file) => file.endsWith('.md'))) {
      for (const [, href] of (await textOf(page)).matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)) {
        t.ok(files.includes(posix.join(posix.dirname(page), href)), `${page} links to ${href}`)
      }
    }
  })

  await t.test('a stack trace names functions of the package, and so do traces of hooks', async (t) => {
    const stack = await node(directory, 'stack.mjs')
    t.match(stack, /^\s+at \w.* \(file:.*\/fastify-versioning\/dist\//m)
    const code = await Promise.all(files.filter((file) => file.endsWith('.js')).map(textOf))
    t.match(code.join(), /return function determineVersion\(/)
  })

  await t.test('schemes have their own names, which messages show', async (t) => {
    const print = "import('fastify-versioning').then((all) => console.log(all.BaseVersioning.name))"
    t.match(await node(directory, '--eval', print), /^BaseVersioning\s*$/)
  })

  for (const form of ['entry.mjs', 'entry.cjs']) {
    await t.test(`the cases of the matrix pass in ${form}`, async (t) => {
      t.match(await node(directory, form), /^\d+ cases$/m)
    })
  }

  await t.test('esbuild bundles the package and Fastify with the banner of its page', async (t) => {
    const [, js] = /--banner:js="(.*)"/.exec(platforms) ?? ['', '']
    const paths = { absWorkingDir: directory, entryPoints: ['entry.mjs'], outfile: 'bundle.mjs' }
    await build({ ...paths, banner: { js }, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' })
    t.match(await node(directory, 'bundle.mjs'), /^\d+ cases$/m)
  })

  await t.test('Jest runs the package with the setting of its page', async (t) => {
    const [setting] = /\{ "transformIgnorePatterns": .*\}/.exec(platforms) ?? ['{}']
    const jest = join('node_modules', 'jest', 'bin', 'jest.js')
    t.match(JSON.parse(await node(directory, jest, `--config=${setting}`, '--json')), {
      success: true, numPassedTests: 2
    })
  })

  await t.test('the command and the check run without dependencies', async (t) => {
    const bin = join(installed, 'dist', 'bin.js')
    t.match(await node(directory, bin, '--help'), /^Usage:/)
    const reached = await reachedFrom(['dist/bin.js', 'dist/check.js'], textOf)
    t.same(reached.filter((specifier) => !/^(?:node:|dist\/)/.test(specifier)), [])
  })

  await t.test('a server does not load what only tests of it need', async (t) => {
    const reached = await reachedFrom(['dist/index.js'], textOf)
    t.same(reached.filter((specifier) => /testing|ajv-compiler/.test(specifier)), [])
  })

  await t.test('the client is small, and loads no other module', async (t) => {
    const code = await textOf('dist/client.js')
    t.notMatch(code, /\b(?:import|require|process|Buffer)\b/)
    t.ok(gzipSync(code, { level: 9 }).length <= 2_500, 'all of it, with gzip')
    const contents = "export { versionedFetch, readVersionNotice } from 'fastify-versioning/client'"
    const { outputFiles: [bundle] } = await build({
      stdin: { contents, resolveDir: directory }, bundle: true, minify: true, format: 'esm', write: false
    })
    t.ok(brotliCompressSync(bundle.contents).length <= 2_253, 'what a bundler takes of it, with Brotli')
  })

  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  for (const settings of [
    ['typed.mts', 'typed.cts', '--module', 'nodenext', '--types', 'node'],
    ['typed.mts', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node'],
    ['client.mts', '--module', 'nodenext', '--lib', 'es2020', '--types', 'node'],
    ['client.mts', '--module', 'nodenext', '--lib', 'es2022,dom', '--types', 'node'],
    ['client.mts', '--module', 'nodenext', '--lib', 'es2022,webworker']
  ]) {
    await t.test(`tsc takes ${settings.join(' ')}`, async (t) => {
      t.equal(await node(directory, tsc, ...STRICT, ...settings), '')
    })
  }
})

/** What modules import, directly or not: files by their paths in the package, others by their names. */
async function reachedFrom (files: string[], textOf: (file: string) => Promise<string>): Promise<string[]> {
  const reached = new Set(files)
  for (const file of reached) {
    if (!file.startsWith('dist/')) continue
    for (const [, specifier] of (await textOf(file)).matchAll(/^(?:import|\} from|export .*from) ?.*"([^"]+)";$/gm)) {
      reached.add(specifier.startsWith('.') ? posix.join('dist', specifier) : specifier)
    }
  }
  return [...reached]
}

/** All files under a directory, sorted. */
async function filesIn (directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1).replaceAll(sep, '/'))
    .sort()
}

function npm (cwd: string, ...args: string[]): Promise<string> {
  // On Windows npm is a script for the shell.
  return run('npm', args, cwd, process.platform === 'win32')
}

function node (cwd: string, ...args: string[]): Promise<string> {
  return run(process.execPath, args, cwd, false)
}

/** What a program prints; an error with that text if it fails. */
async function run (file: string, args: string[], cwd: string, shell: boolean): Promise<string> {
  // Otherwise npm works in the directory of the npm that runs this test.
  const env = { ...process.env, npm_config_local_prefix: undefined }
  try {
    return (await execFile(file, args, { cwd, shell, env, encoding: 'utf8', maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string, stderr?: string }
    throw new Error(`${[file, ...args].join(' ')} failed\n${stdout}\n${stderr}`, { cause: error })
  }
}
