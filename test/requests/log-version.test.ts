import { Writable } from 'node:stream'
import t from 'tap'

import versioning, { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

interface Line { msg: string, level: number, version?: string | null, err?: object }

/** An app, and the lines that it logs. */
async function loggingApp (t: Test, options: VersioningOptions) {
  const lines: Line[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(JSON.parse(chunk))
      done()
    }
  })
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', null], ...options
  }, { logger: { stream } })
  app.get('/', async (request, reply) => {
    request.log.info('by request')
    reply.log.info('by reply')
    return ''
  })
  return { app, lines }
}

const READ = 'incoming request'
const ALL = [READ, 'by request', 'by reply', 'request completed']

function versionsIn (lines: Line[]) {
  return lines.map((line) => [line.msg, 'version' in line ? line.version : 'none'])
}

t.test('log lines of a request have its version once it is known', async (t) => {
  const { app, lines } = await loggingApp(t, { logVersion: true })
  await app.inject('/?version=v2')
  t.same(versionsIn(lines), ALL.map((msg) => [msg, msg === READ ? 'none' : 'v2']))
})

t.test('log lines of a request without a version have null', async (t) => {
  const { app, lines } = await loggingApp(t, { logVersion: true })
  await app.inject('/')
  t.same(versionsIn(lines), ALL.map((msg) => [msg, msg === READ ? 'none' : null]))
})

for (const logVersion of [undefined, false]) {
  t.test(`no log line has a version if logVersion is ${logVersion}`, async (t) => {
    const { app, lines } = await loggingApp(t, { logVersion })
    await app.inject('/?version=v2')
    t.same(versionsIn(lines), ALL.map((msg) => [msg, 'none']))
  })
}

t.test('a child context inherits the option logVersion, or overrides it', async (t) => {
  const { app, lines } = await loggingApp(t, { logVersion: true })
  app.register(async (context) => {
    await context.register(versioning, { defaultVersion: 'v1' })
    context.get('/inherited', async (request) => request.log.info('inherited'))
  })
  app.register(async (context) => {
    await context.register(versioning, { logVersion: false })
    context.get('/overridden', async (request) => request.log.info('overridden'))
  })
  await app.inject('/inherited')
  await app.inject('/overridden')
  const said = versionsIn(lines).filter(([msg]) => msg === 'inherited' || msg === 'overridden')
  t.same(said, [['inherited', 'v1'], ['overridden', 'none']])
})

t.test('a version that a client sends cannot forge a log line', async (t) => {
  const { app, lines } = await loggingApp(t, { logVersion: true, allowedVersions: null })
  await app.inject('/?version=v1%22%7D%0A%7B%22msg%22%3A%22forged')
  t.same(lines.map(({ msg }) => msg), ALL)
})

t.test('log lines have a version that is determined asynchronously, and refusals are no errors', async (t) => {
  class Slow extends BaseVersioning {
    override async determineVersion ({ query }: FastifyRequest) {
      return this.permit((query as { version?: string }).version)
    }
  }
  const { app, lines } = await loggingApp(t, { scheme: Slow, logVersion: true })
  await app.inject('/?version=v1')
  t.same(versionsIn(lines), ALL.map((msg) => [msg, msg === READ ? 'none' : 'v1']))
  lines.length = 0
  await app.inject('/?version=v9')
  t.same(lines.filter(({ level }) => level > 30), [])
  t.match(lines.find(({ err }) => err !== undefined)?.err, { code: 'FST_ERR_VERSION_NOT_FOUND', stack: '' })
})

for (const logVersion of [null, 1, 'true']) {
  t.test(`the option logVersion cannot be ${JSON.stringify(logVersion)}`, async (t) => {
    await t.rejects(async () => appWith(t, { logVersion: logVersion as never }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "logVersion": expected true or false, got /
    })
  })
}
