import childProcess from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const execFile = promisify(childProcess.execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** An app whose routes have a summary; it is built by the script of the page. */
function appOf (summaries: { v1: string, v2: string }): string {
  return `
import Fastify from 'fastify'
import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

export async function build () {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { ui: false })
  for (const [version, summary] of Object.entries(${JSON.stringify(summaries)})) {
    app.get('/bookings', { version, schema: { summary } }, async () => '')
  }
  return app
}
`
}

t.test('the script of the page writes documents, and fails when that of an old version changes', async (t) => {
  const page = await readFile(new URL('../../docs/openapi.md', import.meta.url), 'utf8')
  const [, script] = /^```js[^\n]*\n([^`]*\.\/app\.js[^]*?)^```$/m.exec(page) ?? []
  await mkdir(`${root}.tap`, { recursive: true })
  const cwd = await mkdtemp(`${root}.tap/documents-`)
  t.teardown(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(`${cwd}/package.json`, '{ "type": "module" }')
  await writeFile(`${cwd}/documents.js`, script)
  await writeFile(`${cwd}/app.js`, appOf({ v1: 'All', v2: 'All' }))
  const run = (...args: string[]) => execFile(process.execPath, ['--import=tsx', 'documents.js', ...args], { cwd })

  await run()
  t.match(JSON.parse(await readFile(`${cwd}/openapi/v1.json`, 'utf8')), {
    info: { 'x-api-version': 'v1' }, paths: { '/bookings': { get: { summary: 'All' } } }
  })
  await t.resolves(run('--check'), 'nothing has changed')

  await writeFile(`${cwd}/app.js`, appOf({ v1: 'All', v2: 'All bookings' }))
  await t.resolves(run('--check'), 'the latest version may change')

  await writeFile(`${cwd}/app.js`, appOf({ v1: 'All bookings', v2: 'All' }))
  await t.rejects(run('--check'), { code: 1, stderr: /^v1 has changed/ })
})
