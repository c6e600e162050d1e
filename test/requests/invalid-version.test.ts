import Fastify from 'fastify'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import versioning, { BaseVersioning } from '../../src/index.ts'
import { TYPESCRIPT } from '../fixtures/typescript.ts'

import type { FastifyError, FastifyInstance } from 'fastify'

t.test('an object that a scheme returns as the version is not shown to the client', async (t) => {
  class Careless extends BaseVersioning {
    override determineVersion () { return { apiKey: 'secret' } as never }
  }
  const app = Fastify()
  await app.register(versioning, { scheme: Careless })
  app.get('/', async () => '')
  const { statusCode, body } = await app.inject('/')
  t.equal(statusCode, 500)
  t.notMatch(body, /secret|apiKey/)
  t.match(JSON.parse(body), { code: 'FST_ERR_VERSION_INVALID', message: MESSAGE })
})

const MESSAGE = /^\S.*\.determineVersion\(\) must return a string or null\.$/
const ERROR_LEVEL = 50

interface Way { says: string, determineVersion: () => unknown, logged: RegExp }

class Account {
  readonly apiKey = 'secret'
}

const ways: Way[] = [
  { says: 'an object', determineVersion: () => ({ apiKey: 'secret' }), logged: /apiKey.*secret/ },
  { says: 'a promise of an object', determineVersion: async () => ({ apiKey: 'secret' }), logged: /apiKey.*secret/ },
  { says: 'an instance', determineVersion: () => new Account(), logged: /apiKey.*secret/ },
  { says: 'a list', determineVersion: () => ['secret'], logged: /secret/ },
  { says: 'a number', determineVersion: () => 4711, logged: /4711/ },
  { says: 'undefined', determineVersion: () => undefined, logged: /undefined/ }
]

interface Handled { says: string, handle?: (app: FastifyInstance) => void }

const handleds: Handled[] = [
  { says: 'the error handler of Fastify' },
  {
    says: 'an error handler that sends the message and logs nothing',
    handle: (app) => app.setErrorHandler((error: FastifyError, _request, reply) => {
      reply.code(500).send({ code: error.code, message: error.message, shown: { ...error } })
    })
  }
]

for (const { says, determineVersion, logged } of ways) {
  for (const { says: by, handle } of handleds) {
    t.test(`${says} as the version is logged as an error, and hidden from clients by ${by}`, async (t) => {
      const lines: string[] = []
      const app = Fastify({ logger: { level: 'error', stream: { write: (line) => { lines.push(line) } } } })
      const scheme = Object.assign(new BaseVersioning(), { determineVersion }) as BaseVersioning
      await app.register(versioning, { scheme })
      handle?.(app)
      app.get('/', async () => '')
      const { statusCode, body } = await app.inject('/')
      t.equal(statusCode, 500)
      t.notMatch(body, /secret|apiKey|4711|undefined/)
      t.match(JSON.parse(body), { code: 'FST_ERR_VERSION_INVALID', message: MESSAGE })
      const errors = lines.filter((line) => JSON.parse(line).level === ERROR_LEVEL)
      t.ok(errors.some((line) => logged.test(line)), 'it is logged')
    })
  }
}

const SCRIPT = fileURLToPath(new URL('rejecting-scheme.ts', import.meta.url))

const BASES = {
  reading: 'a scheme whose determineVersion calls readVersion',
  bare: 'a scheme that has nothing else',
  query: 'a subclass of QueryParameterVersioning'
}

interface Rejecting { method: string, base: keyof typeof BASES }

const rejecting: Rejecting[] = [
  { method: 'readVersion', base: 'reading' },
  { method: 'readVersion', base: 'bare' },
  { method: 'readVersion', base: 'query' },
  ...['determineVersion', 'requestedVersion', 'isAllowedVersion', 'permit', 'refusal', 'linkVersion', 'reverse']
    .map((method) => ({ method, base: 'query' as const }))
]

const pairs = rejecting.map(({ method, base }) => `${method} ${base}`)
const { stdout } = await promisify(execFile)(process.execPath, [TYPESCRIPT, SCRIPT, ...pairs])
const answers: Record<string, [path: string, status: number][]> = JSON.parse(stdout)

for (const { method, base } of rejecting) {
  t.test(`an async ${method} that rejects does not end the process, in ${BASES[base]}`, async (t) => {
    const own = answers[`${method} ${base}`]
    const neutral = own.filter(([path]) => path === '/neutral')
    t.ok(neutral.every(([, status]) => status === 200), 'routes without versions are answered')
    if (method !== 'readVersion' || base === 'query') return
    const read = own.filter(([path]) => path !== '/neutral')
    t.ok(read.every(([, status]) => status >= 400), 'routes whose version was not read are not')
  })
}
