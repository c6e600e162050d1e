import Fastify from 'fastify'
import t from 'tap'

import versioning, { BaseVersioning } from '../../src/index.ts'

import type { FastifyError, FastifyInstance } from 'fastify'

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
