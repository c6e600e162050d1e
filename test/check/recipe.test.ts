import childProcess from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { readPage } from '../docs/pages.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'

const execFile = promisify(childProcess.execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** An app, as the recipe of the page imports it. */
const APP = `
import Fastify from 'fastify'
import versioning, { HeaderVersioning } from '${new URL('../../src/index.ts', import.meta.url).href}'
import openapi from '${new URL('../../src/openapi/index.ts', import.meta.url).href}'

const app = Fastify()
await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
await app.register(openapi, { ui: false })
app.get('/rooms', async () => [])
export default app
`

t.test('the test in docs/check.md passes while v1 grows, and fails otherwise', async (t) => {
  const pages = await Promise.all(['docs/recipes.md', 'docs/check.md'].map(readPage))
  const blocks = pages.flatMap((page) => page.blocks)
  const [writing, recipe] = blocks.filter(({ info }) => info === 'test/check/recipe.test.ts')
  await mkdir(`${root}.tap`, { recursive: true })
  const cwd = await mkdtemp(`${root}.tap/check-`)
  t.teardown(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(`${cwd}/app.js`, APP)
  await writeFile(`${cwd}/package.json`, '{ "type": "module" }')
  await writeFile(`${cwd}/write.js`, String(writing?.text))
  await writeFile(`${cwd}/v1.test.js`, String(recipe?.text))
  const run = async (paths: object) => {
    await writeFile(`${cwd}/released/v1.json`, JSON.stringify({ openapi: '3.0.3', paths }))
    const { TAP: _tap, ...env } = process.env
    return execFile(process.execPath, [TYPESCRIPT, 'v1.test.js'], { cwd, env })
  }
  await execFile(process.execPath, [TYPESCRIPT, 'write.js'], { cwd })
  t.same((await readdir(`${cwd}/released`)).sort(), ['v1.json', 'v2.json'])
  await t.resolves(run({}))
  await t.rejects(run({ '/rates': { get: {} } }), { code: 1, stdout: /breaking {2}GET \/rates {2}was removed/ })
})
