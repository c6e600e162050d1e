// The packed package in every runtime, with every Fastify, in every form, under every TypeScript that it supports.
//
//   npm run test:matrix             all of it
//   npm run test:matrix -- --cheap  the half that is cheap
//   npm run test:matrix -- 6        only one major of Fastify
import { spawnSync } from 'node:child_process'
import {
  copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

import { buildSync } from 'esbuild'

import { cache, install, nodeBinary, npm, root, run } from './node-binary.js'

const CASES = join(root, 'test', 'matrix')
const FORMS = ['entry.mjs', 'entry.cjs', 'bundle.mjs', 'bundle.cjs']
const RESOLUTIONS = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' }
}
const STRICT = {
  noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, target: 'es2022', types: ['node']
}
/** What Fastify 6 needs, as its page about long-term support says. */
const NODE_OF_6 = 24

const isCheap = process.argv.includes('--cheap')
const [only = ''] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const own = Number(process.versions.node.split('.')[0])
// Not in the repository, whose packages would be found.
const directory = mkdtempSync(join(realpathSync(tmpdir()), 'fastify-versioning-'))
const require = createRequire(import.meta.url)
const failures = []

process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
const tarball = pack()
const projects = fastifyVersions().filter((version) => version.startsWith(only)).map((version) => project(version))
const table = [
  ['', ...projects.map(({ version }) => `Fastify ${version}`)],
  ...runtimes().map((runtime) => [runtime.name, ...projects.map((project) => smoke(runtime, project))]),
  ...compilers().map((compiler) => [compiler.name, ...projects.map((project) => compile(compiler, project))])
]
for (const [first, ...cells] of table) console.log(first.padEnd(18), cells.map((cell) => cell.padEnd(24)).join(''))
for (const failure of failures) console.error(`\n${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0

function pack () {
  npm(['pack', '--silent', '--pack-destination', directory], { cwd: root, stdio: 'ignore' })
  return join(directory, readdirSync(directory).find((name) => name.endsWith('.tgz')))
}

/** Fastify 5.0.0, the newest 5, and the newest 6, which may be a pre-release. */
function fastifyVersions () {
  const { stdout } = npm(['view', 'fastify', 'versions', '--json'], { encoding: 'utf8', stdio: 'pipe' })
  const all = JSON.parse(stdout)
  const newest = all.findLast((version) => /^5\.[\d.]+$/.test(version))
  const next = all.findLast((version) => version.startsWith('6.'))
  if (next === undefined) console.log('There is no pre-release of Fastify 6: left out.')
  if (isCheap) return ['5.0.0', newest]
  return ['5.0.0', newest, ...next === undefined ? [] : [next]]
}

/** A directory where the package, one Fastify and the cases are installed. */
function project (version) {
  const path = join(directory, `fastify-${version}`)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{ "private": true }')
  for (const name of readdirSync(CASES)) copyFileSync(join(CASES, name), join(path, name))
  for (const [resolution, settings] of Object.entries(RESOLUTIONS)) {
    const config = { compilerOptions: { ...STRICT, ...settings }, files: ['typed.mts'] }
    writeFileSync(join(path, `${resolution}.json`), JSON.stringify(config))
  }
  const packages = [tarball, `fastify@${version}`, '@fastify/swagger@9', '@types/node@20']
  npm(['install', '--prefix', path, '--silent', '--strict-peer-deps', '--prefer-offline', ...packages])
  const banner = { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' }
  bundle(path, 'bundle.mjs', { format: 'esm', banner })
  bundle(path, 'bundle.cjs', { format: 'cjs' })
  return { version, path, major: Number(version.split('.')[0]) }
}

/** Into a file that stands alone, and is run where no package is found. */
function bundle (path, name, options) {
  buildSync({
    entryPoints: [join(path, 'entry.mjs')],
    outfile: join(path, 'alone', name),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    ...options
  })
}

function runtimes () {
  const nodes = (isCheap ? [...new Set([own, 24])] : [20, 22, 24, 26]).map((major) => (
    { name: `Node ${major}`, major, binary: major === own ? process.execPath : nodeBinary(String(major)), args: [] }
  ))
  if (isCheap) return nodes
  return [
    ...nodes,
    { name: 'Bun', binary: other('bun', 'install.js', join('bin', 'bun.exe')), args: [] },
    {
      name: 'Deno',
      binary: other('deno', 'install.cjs', process.platform === 'win32' ? 'deno.exe' : 'deno'),
      args: ['run', '--allow-all']
    }
  ]
}

/** The binary of a package whose script puts it in its place. npm may not run that script, so it is run here. */
function other (name, script, file) {
  const prefix = join(cache, name)
  const path = join(prefix, 'node_modules', name)
  if (!existsSync(path)) {
    install(prefix, [`${name}@latest`], ['--ignore-scripts'])
    run(process.execPath, [join(path, script)], { cwd: path, stdio: 'inherit' })
  }
  return join(path, file)
}

/** Runs the cases in each form, and says how many passed in how many. */
function smoke ({ name, major = Infinity, binary, args }, project) {
  if (project.major === 6 && major < NODE_OF_6) return `needs Node ${NODE_OF_6}`
  const counts = FORMS.map((form) => {
    const alone = form.startsWith('bundle.')
    const cwd = alone ? join(project.path, 'alone') : project.path
    return ask(`${name}, Fastify ${project.version}, ${form}`, binary, [...args, form], cwd)
  })
  const passed = counts.filter((text) => /^\d+ cases\s*$/.test(text ?? ''))
  return `${passed.length} of ${FORMS.length} × ${passed[0]?.trim() ?? 'nothing'}`
}

function compilers () {
  return (isCheap ? ['own'] : ['5.4', '5.9', '6']).map((version) => {
    if (version === 'own') return { name: 'TypeScript', tsc: require.resolve('typescript/bin/tsc') }
    const prefix = join(cache, `typescript-${version}`)
    const tsc = join(prefix, 'node_modules', 'typescript', 'bin', 'tsc')
    if (!existsSync(tsc)) install(prefix, [`typescript@${version}`])
    return { name: `TypeScript ${version}`, tsc }
  })
}

/** Checks the types in each resolution, and lists the resolutions without errors. */
function compile ({ name, tsc }, { version, path }) {
  const resolutions = isCheap ? ['nodenext'] : Object.keys(RESOLUTIONS)
  const passed = resolutions.filter((resolution) => {
    const args = [tsc, '-p', `${resolution}.json`]
    return ask(`${name}, Fastify ${version}, ${resolution}`, process.execPath, args, path) !== null
  })
  return passed.join(', ') || 'nothing'
}

/** What a program prints; `null` if it fails, which is kept for the end. */
function ask (what, binary, args, cwd) {
  const { error, status, stdout, stderr } = spawnSync(binary, args, { cwd, encoding: 'utf8', timeout: 120_000 })
  if (error === undefined && status === 0) return stdout
  failures.push(`${what} failed: ${error ?? ''}\n${stdout}${stderr}`)
  return null
}
