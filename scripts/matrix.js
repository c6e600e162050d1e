// The packed package in other runtimes, under other versions of Fastify and of TypeScript: npm run test:matrix
// The weekly workflow runs it. What it needs comes from npm, into a directory that is removed.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'

import { buildSync } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const CASES = join(ROOT, 'test', 'matrix')
/** The oldest that the peer range allows, the newest, and the newest of the next major, which needs Node 22. */
const FASTIFY = ['5.0.0', '5', ...'withResolvers' in Promise ? ['6'] : []]
const TYPESCRIPT = ['5.4', '5.9', '6', '7']
const FORMS = ['entry.mjs', 'entry.cjs', 'bundle.mjs', 'bundle.cjs']
const RESOLUTIONS = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' }
}
const STRICT = {
  noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, target: 'es2022', types: ['node']
}
const isWindows = process.platform === 'win32'

// Not in the repository, whose packages would be found.
const directory = mkdtempSync(join(realpathSync(tmpdir()), 'fastify-versioning-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))

npm(['pack', '--silent', '--pack-destination', directory], ROOT)
const tarball = join(directory, readdirSync(directory).find((name) => name.endsWith('.tgz')))
const runtimes = [
  ['Node', process.execPath],
  ['Bun', binaryOf('bun', 'install.js', join('bin', 'bun.exe'))],
  ['Deno', binaryOf('deno', 'install.cjs', isWindows ? 'deno.exe' : 'deno'), 'run', '--allow-all']
]
const compilers = TYPESCRIPT.map((version) => (
  [version, join(installed(`typescript@${version}`, 'typescript'), 'bin', 'tsc')]
))
let failures = 0

for (const range of FASTIFY) {
  const version = newest(range)
  const project = projectWith(version)
  for (const [name, binary, ...args] of runtimes) {
    for (const form of FORMS) {
      const cwd = form.startsWith('bundle') ? join(project, 'alone') : project
      report(`${name}, Fastify ${version}, ${form}`, spawnSync(binary, [...args, form], { cwd, encoding: 'utf8' }))
    }
  }
  // What this project bets on, in this version of Fastify.
  const env = { ...process.env, FASTIFY: join(project, 'node_modules', 'fastify') }
  const contract = [join(ROOT, 'scripts', 'test.js'), 'fastify']
  report(`Bets on Fastify ${version}`, spawnSync(process.execPath, contract, { cwd: ROOT, encoding: 'utf8', env }))
  for (const [compiler, tsc] of compilers) {
    for (const resolution of Object.keys(RESOLUTIONS)) {
      const args = [tsc, '-p', `${resolution}.json`]
      const result = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
      report(`TypeScript ${compiler}, Fastify ${version}, ${resolution}`, result)
    }
  }
}
if (failures > 0) {
  console.error(`${failures} failed.`)
  process.exitCode = 1
}

function report (what, { status, stdout, stderr }) {
  console.log(`${status === 0 ? 'ok    ' : 'not ok'} ${what} ${status === 0 ? stdout.trim() : `\n${stdout}${stderr}`}`)
  if (status !== 0) failures++
}

/** The newest version in a major, pre-releases included; a whole version is itself. */
function newest (range) {
  if (range.includes('.')) return range
  const all = JSON.parse(npm(['view', 'fastify', 'versions', '--json'], directory))
  const ofMajor = all.filter((version) => version.startsWith(`${range}.`))
  return ofMajor.findLast((version) => !version.includes('-')) ?? ofMajor.at(-1)
}

/** A directory where the package, one Fastify and the cases are. */
function projectWith (version) {
  const path = join(directory, `fastify-${version}`)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{ "private": true }')
  for (const name of readdirSync(CASES)) copyFileSync(join(CASES, name), join(path, name))
  for (const [resolution, settings] of Object.entries(RESOLUTIONS)) {
    const config = { compilerOptions: { ...STRICT, ...settings }, files: ['typed.mts'] }
    writeFileSync(join(path, `${resolution}.json`), JSON.stringify(config))
  }
  const packages = [tarball, `fastify@${version}`, '@fastify/swagger@9', '@types/node@20']
  npm(['install', '--silent', '--strict-peer-deps', ...packages], path)
  const banner = { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' }
  bundle(path, 'bundle.mjs', { format: 'esm', banner })
  bundle(path, 'bundle.cjs', { format: 'cjs' })
  return path
}

/** Into a file that stands alone, and is run where no package is found. */
function bundle (path, name, options) {
  buildSync({
    entryPoints: [join(path, 'entry.mjs')],
    outfile: join(path, 'alone', name),
    bundle: true,
    external: ['@fastify/swagger-ui'],
    minify: true,
    platform: 'node',
    target: 'node20',
    ...options
  })
}

/** The binary of a package whose script puts it in its place. npm may not run that script, so it is run here. */
function binaryOf (name, script, file) {
  const path = installed(name, name)
  spawnSync(process.execPath, [join(path, script)], { cwd: path, stdio: 'inherit' })
  return join(path, file)
}

function installed (spec, name) {
  const prefix = join(directory, spec.replaceAll(/\W/g, '-'))
  mkdirSync(prefix)
  npm(['install', '--silent', '--ignore-scripts', '--prefix', prefix, spec], prefix)
  return join(prefix, 'node_modules', name)
}

/** On Windows npm is a script for the shell. */
function npm (args, cwd) {
  const stdio = ['ignore', 'pipe', 'inherit']
  const { status, stdout } = spawnSync('npm', args, { cwd, encoding: 'utf8', stdio, shell: isWindows })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}.`)
  return stdout
}
