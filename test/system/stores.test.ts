/** The stores of docs/usage.md, in PostgreSQL and Redis: Debian's packages are `postgresql` and `redis-server`. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { readPage } from '../docs/pages.ts'
import { freePort, isListening } from '../fixtures/ports.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'

import type { Test } from 'tap'

const run = promisify(execFile)
const PROCESSES = 4
const PATIENCE_MS = 20_000
const PROCESS = fileURLToPath(new URL('store-process.js', import.meta.url))
const DEBIAN = '/usr/lib/postgresql'

const folderOfPostgres = existsSync(DEBIAN) ? join(DEBIAN, readdirSync(DEBIAN).at(-1) as string, 'bin') : null
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined
const skip = folderOfPostgres === null || !hasRedis ? 'PostgreSQL or Redis is not installed' : false

t.test('four processes share the stores of the page, and the sums are exact', { skip }, async (t) => {
  const { blocks } = await readPage('docs/usage.md')
  const recipes = blocks.filter(({ info }) => info === 'test/system/stores.test.ts').map(({ text }) => text)
  for (const recipe of recipes) t.ok(recipe.split('\n').length <= 16)
  const folder = mkdtempSync(join(tmpdir(), 'stores-'))
  const file = join(folder, 'recipes.mjs')
  writeFileSync(file, recipes.join('\n'))
  const table = blocks.find(({ language }) => language === 'sql')?.text
  const ports = await Promise.all([startPostgres(t, String(table)), startRedis(t, folder)])

  const count = async (number: string) => (
    await run(process.execPath, [TYPESCRIPT, PROCESS, pathToFileURL(file).href, ...ports.map(String), number])
  )
  for (const { stderr } of await Promise.all(Array.from({ length: PROCESSES }, (_, i) => count(String(i))))) {
    t.equal(stderr, '')
  }
  const { stdout } = await count('')
  const times = 2 * PROCESSES
  const expected = [
    [{ version: 'v1', calls: 50 * times, clients: 50 }, { version: 'v2', calls: 100 * times, clients: 50 }],
    [{ version: 'v1', calls: times }, { version: 'v2', calls: 2 * times }]
  ]
  t.same(JSON.parse(stdout), { postgres: expected, redis: expected })
})

/** PostgreSQL does not run as root. */
function userOfPostgres () {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(String(spawnSync('id', [flag, 'postgres']).stdout)))
  return { uid, gid }
}

async function startPostgres (t: Test, table: string): Promise<number> {
  const user = userOfPostgres()
  const cwd = mkdtempSync(join(tmpdir(), 'postgres-'))
  if (user.uid !== undefined) chownSync(cwd, user.uid, user.gid)
  const program = (name: string) => join(String(folderOfPostgres), name)
  const data = ['-D', join(cwd, 'data')]
  await run(program('initdb'), [
    ...data, '--auth', 'trust', '--username', 'postgres', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'
  ], { ...user, cwd })
  const port = await freePort()
  const args = [...data, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-F']
  await start(t, program('postgres'), args, { ...user, cwd }, port)
  await run(program('psql'), [
    '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-c', table
  ], { cwd })
  return port
}

async function startRedis (t: Test, cwd: string): Promise<number> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  await start(t, 'redis-server', args, { cwd }, port)
  return port
}

/** Starts a server. It ends with the test. */
async function start (t: Test, program: string, args: string[], options: { cwd: string }, port: number): Promise<void> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { output += text })
  t.teardown(async () => {
    if (child.exitCode === null) {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    rmSync(options.cwd, { recursive: true, force: true })
  })
  const deadline = Date.now() + PATIENCE_MS
  while (!await isListening(port)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${program} does not start: ${output}`)
    await setTimeout(50)
  }
}
