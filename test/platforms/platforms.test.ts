// The snippets of docs/platforms.md in the frameworks that they are about, which npm installs into a folder of its own.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

import { ROOT, readPage } from '../docs/pages.ts'

const PACKAGES = [
  '@fastify/aws-lambda@6', '@nestjs/common@12', '@nestjs/core@12', '@nestjs/platform-fastify@12',
  '@platformatic/service@3', 'fastify@5', 'fastify-plugin@6', 'reflect-metadata@0.2', 'rxjs@7'
]
/** Platformatic looks for `outDir`. */
const CONFIG = {
  compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true, target: 'es2022', outDir: 'dist' }
}
const FILES = ['nest.ts', 'filter.ts', 'lambda.mjs', 'api.mjs']
/** What the snippets do, as JSON in the last line. */
const RUNS = {
  nest: `import { app } from './nest.ts'
    import { VersionFilter } from './filter.ts'
    import { HttpAdapterHost } from '@nestjs/core'
    const { httpAdapter } = app.get(HttpAdapterHost)
    app.useGlobalFilters(new VersionFilter(httpAdapter))
    // As @RouteConfig() writes it.
    httpAdapter.getInstance().get('/old', { config: { deprecated: { sunset: '2099-01-01' } } }, async () => 'old')
    await app.init()
    const answers = []
    for (const version of ['v1', 'v2', 'v9']) {
      const request = { url: '/bookings', headers: { 'api-version': version } }
      const { statusCode, body } = await httpAdapter.getInstance().inject(request)
      answers.push([statusCode, JSON.parse(body)])
    }
    const { headers } = await httpAdapter.getInstance().inject({ url: '/old', headers: { 'api-version': 'v1' } })
    answers.push([headers.sunset])
    await app.close()
    console.log(JSON.stringify(answers))`,
  lambda: `import { handler } from './lambda.mjs'
    const requestContext = { http: { method: 'GET', path: '/bookings' } }
    const event = { version: '2.0', rawPath: '/bookings', rawQueryString: '', requestContext }
    const events = [
      { ...event, headers: { 'api-version': 'v2' } },
      { version: '1.0', httpMethod: 'GET', path: '/bookings', headers: { 'API-Version': 'v2' }, requestContext: {} },
      { ...event, headers: { 'api-version': 'v1,v2' } }
    ]
    const answers = []
    for (const event of events) answers.push((({ statusCode, body }) => [statusCode, body])(await handler(event, {})))
    console.log(JSON.stringify(answers))`,
  platformatic: `import { buildServer } from '@platformatic/service'
    const server = { hostname: '127.0.0.1', port: 0, logger: { level: 'silent' } }
    const app = await buildServer({ server, plugins: { paths: [{ path: './api.mjs' }] }, service: { openapi: true } })
    const answers = []
    for (const version of ['v1', 'v2', 'v9']) {
      const { statusCode, body } = await app.inject({ url: '/bookings', headers: { 'api-version': version } })
      answers.push([statusCode, body])
    }
    answers.push([(await app.inject('/documentation/json')).statusCode])
    await app.close()
    console.log(JSON.stringify(answers))`
}

const directory = await mkdtemp(join(tmpdir(), 'fastify-versioning-'))
t.teardown(() => rm(directory, { recursive: true, force: true }))

t.before(async () => {
  const { blocks } = await readPage('docs/platforms.md')
  const snippets = blocks.filter(({ info }) => info === 'test/platforms/platforms.test.ts')
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }')
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(CONFIG))
  await promisify(execFile)('npm', ['install', '--silent', '--no-audit', '--no-fund', ...PACKAGES], { cwd: directory })
  // The package as its source is.
  const installed = join(directory, 'node_modules', 'fastify-versioning')
  await mkdir(installed)
  await writeFile(join(installed, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  const source = JSON.stringify(new URL('src/index.ts', ROOT).href)
  await writeFile(join(installed, 'index.js'), `export * from ${source}\nexport { default } from ${source}\n`)
  for (const [i, file] of FILES.entries()) await writeFile(join(directory, file), snippets[i].text)
})

async function run (name: keyof typeof RUNS): Promise<unknown> {
  await writeFile(join(directory, `run-${name}.ts`), RUNS[name])
  const tsx = createRequire(import.meta.url).resolve('tsx/cli')
  const { stdout } = await promisify(execFile)(process.execPath, [tsx, `run-${name}.ts`], { cwd: directory })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

t.test('in NestJS, versions choose handlers, a route has its own dates, and a filter sees the refusal', async (t) => {
  t.match(await run('nest'), [
    [200, { guest: 'Ada' }],
    [200, { guests: ['Ada'] }],
    [400, { statusCode: 400, code: 'FST_ERR_VERSION_NOT_SUPPORTED', message: /^Invalid version/ }],
    ['Thu, 01 Jan 2099 00:00:00 GMT']
  ])
})

t.test('a Lambda function reads the version of both formats of events', async (t) => {
  t.match(await run('lambda'), [[200, 'v2'], [200, 'v2'], [400, /FST_ERR_VERSION_AMBIGUOUS/]])
})

t.test('a Platformatic service chooses handlers by version, and its own routes need none', async (t) => {
  t.match(await run('platformatic'), [
    [200, 'the first list'], [200, 'the list of v2 and later'], [400, /FST_ERR_VERSION_NOT_SUPPORTED/], [200]
  ])
})
