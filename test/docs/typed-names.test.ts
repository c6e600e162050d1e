import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import t from 'tap'

import { TYPESCRIPT } from '../fixtures/typescript.ts'

const run = promisify(execFile)

t.test('the one-liner of the documentation writes the types to a file', async (t) => {
  const page = await readFile(new URL('../../docs/links.md', import.meta.url), 'utf8')
  const [, script] = /^node --import=tsx --input-type=module --eval "\n([^"]*)"$/m.exec(page) ?? []
  const here = script.replace("'fastify-versioning'", "'../../src/index.ts'")
  const cwd = new URL('../fixtures/', import.meta.url)
  const file = new URL('routes.d.ts', cwd)
  t.teardown(() => rm(file, { force: true }))
  const { stderr } = await run(process.execPath, [TYPESCRIPT, '--input-type=module', '--eval', here], { cwd })
  t.equal(stderr, '')
  t.match(await readFile(file, 'utf8'), '\n    booking: { id: string | number }\n')
})
