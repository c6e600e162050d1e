import { mkdir, rm, writeFile } from 'node:fs/promises'
import t from 'tap'

import { ROOT, readPage, sectionOf } from './pages.ts'

import type { FastifyInstance } from 'fastify'

const SCRATCH = new URL('.tap/recipes/', ROOT)
const { text: page } = await readPage('docs/recipes.md')

/** The code of a recipe. */
function codeOf (title: string): string {
  return /^```ts\n([^]*?)\n```$/m.exec(sectionOf(page, title))?.[1] ?? ''
}

/** The lines that a reader copies: a hook or an error handler of the app. */
function callIn (code: string, method: string): string {
  return new RegExp(`^app\\.${method}\\([^]*?^}\\)$`, 'm').exec(code)?.[0] ?? ''
}

t.before(() => mkdir(SCRATCH, { recursive: true }))
t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))

for (const [title, method] of [
  ['Problem details', 'setErrorHandler'],
  ['Other status codes', 'setErrorHandler'],
  ['Brownouts', 'addHook'],
  ['Exceptions to a sunset', 'addHook']
] as const) {
  t.test(`the recipe "${title}" has at most ten lines`, async (t) => {
    const lines = callIn(codeOf(title), method).split('\n')
    t.ok(lines.length > 1 && lines.length <= 10, `${lines.length} lines`)
  })
}

t.test('the recipes of brownouts and of problem details work together', async (t) => {
  const problems = codeOf('Problem details')
  const handler = callIn(problems, 'setErrorHandler')
  const brownouts = codeOf('Brownouts')
  const imports = problems.slice(0, problems.indexOf('\nconst app = '))
    .replace('HeaderVersioning', 'QueryParameterVersioning')
  t.ok(handler.length > 0 && brownouts.length > 0)
  const file = new URL('brownouts-as-problems.ts', SCRATCH)
  await writeFile(file, [
    imports, 'const app = Fastify()', handler, brownouts, 'export { app }'
  ].join('\n'))
  const { app } = await import(file.href) as { app: FastifyInstance }
  t.teardown(() => app.close())
  const response = await app.inject('/bookings?version=v1')
  t.equal(response.statusCode, 410)
  t.match(response.headers, {
    'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '1800', 'cache-control': 'no-store'
  })
  t.match(response.json(), {
    status: 410,
    code: 'FST_ERR_VERSION_GONE',
    detail: "Version 'v1' is not available until Tue, 01 Dec 2026 12:00:00 GMT."
  })
  t.equal((await app.inject('/bookings?version=v2')).body, 'v2')
})
