// Runs the built client under Deno and Bun, whose binaries come from npm: npm run test:client-runtimes
import { fork, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'

const root = resolve(import.meta.dirname, '..')
const checks = join(root, 'test', 'client', 'runtime-checks.js')
const extension = process.platform === 'win32' ? '.exe' : ''

/** The packages that hold a binary, by platform and architecture. */
const RUNTIMES = {
  deno: {
    version: '2.9',
    packages: {
      'linux-x64': '@deno/linux-x64-glibc',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'darwin-x64': '@deno/darwin-x64',
      'darwin-arm64': '@deno/darwin-arm64',
      'win32-x64': '@deno/win32-x64'
    },
    binary: `deno${extension}`,
    args: ['run', '--no-config', '--no-lock', '--allow-net', checks]
  },
  bun: {
    version: '1.4',
    packages: {
      'linux-x64': '@oven/bun-linux-x64',
      'linux-arm64': '@oven/bun-linux-aarch64',
      'darwin-x64': '@oven/bun-darwin-x64',
      'darwin-arm64': '@oven/bun-darwin-aarch64',
      'win32-x64': '@oven/bun-windows-x64'
    },
    binary: join('bin', `bun${extension}`),
    args: ['run', checks]
  }
}

run('npm', ['run', '--silent', 'build:client'], { cwd: root, shell: process.platform === 'win32' })

const server = fork(join(root, 'test', 'client', 'runtime-server.ts'), { execArgv: ['--import=tsx'], silent: true })
// tsx has messages of its own.
const servers = await new Promise((resolve, reject) => {
  server.on('message', ({ servers }) => servers && resolve(servers))
  server.on('exit', (code) => reject(new Error(`The servers ended with ${code}.`)))
})
run(process.execPath, [checks, JSON.stringify(servers)])
for (const [name, { version, packages, binary, args }] of Object.entries(RUNTIMES)) {
  const path = join(install(`${name}-${version}`, packages, version), binary)
  console.log(name, spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0])
  run(path, [...args, JSON.stringify(servers)])
}
server.removeAllListeners('exit')
server.disconnect()

/** Installs a package, unless an earlier run has, and returns its directory. */
function install (directory, packages, version) {
  const target = `${process.platform}-${process.arch}`
  const name = packages[target]
  if (name === undefined) fail(`npm has no binary of ${directory} for ${target}.`)
  const prefix = join(root, '.cache', directory)
  const path = join(prefix, 'node_modules', ...name.split('/'))
  if (!existsSync(path)) {
    run('npm', [
      'install', '--prefix', prefix, '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${version}`
    ], { shell: process.platform === 'win32' })
  }
  return path
}

function run (file, args, options) {
  const { status, error } = spawnSync(file, args, { stdio: 'inherit', ...options })
  if (status !== 0) fail(`${file} failed: ${error?.message ?? status}`)
}

function fail (message) {
  console.error(message)
  process.exit(1)
}
