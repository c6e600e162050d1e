import createError from '@fastify/error'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, QueryParameterVersioning, VersionError
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'

type Fail = () => Promise<string>

/** The two ways in which a function can fail with any value. */
const ways = {
  // Not async, so that it throws at once.
  throws: (failure: unknown): Fail => () => { throw failure },
  rejects: (failure: unknown): Fail => () => Promise.reject(failure)
}

/** An app whose scheme fails like that at `/`, and whose hook does at `/hook`. */
async function appThat (
  t: Test, fail: Fail, onError?: RouteShorthandOptions['errorHandler']
): Promise<FastifyInstance> {
  class Failing extends BaseVersioning {
    override determineVersion (): Promise<string> {
      return fail()
    }
  }
  const app = bareApp(t)
  if (onError !== undefined) app.setErrorHandler(onError)
  await app.register(versioning, { scheme: Failing })
  app.get('/', async () => 'answered')
  app.get('/hook', { versioning: false, onRequest: fail }, async () => 'answered')
  return app
}

const GoneError = createError('FST_ERR_GONE', 'gone', 410)

interface Failure { says: string, failure: unknown, statusCode: number }

const failures: Failure[] = [
  { says: 'an ordinary error', failure: new Error('broken'), statusCode: 500 },
  { says: 'an ordinary error of a type', failure: new TypeError('broken'), statusCode: 500 },
  { says: 'an error with a status', failure: Object.assign(new Error('later'), { statusCode: 503 }), statusCode: 503 },
  {
    says: 'an error with a field named then',
    failure: Object.assign(new Error('later'), { then: 'later', statusCode: 503 }),
    statusCode: 503
  },
  { says: 'an error of @fastify/error', failure: new GoneError(), statusCode: 410 },
  { says: 'VersionNotFoundError', failure: new VersionError('notFound', 'no', ['v1']), statusCode: 404 },
  { says: 'VersionNotAcceptableError', failure: new VersionError('notAcceptable', 'no', ['v1']), statusCode: 406 }
]

for (const [way, failWith] of Object.entries(ways)) {
  for (const { says, failure, statusCode } of failures) {
    t.test(`a request whose scheme ${way} ${says} is answered ${statusCode}, like one whose hook does`, async (t) => {
      const app = await appThat(t, failWith(failure))
      const response = await app.inject('/')
      t.equal(response.statusCode, statusCode)
      t.same(response.json(), (await app.inject('/hook')).json())
    })

    t.test(`an error handler is given the error or one inheriting from it where a scheme ${way} ${says}`, async (t) => {
      const isThat = (error: unknown) => error === failure || Object.getPrototypeOf(error) === failure
      const app = await appThat(t, failWith(failure), async (error) => ({ isSame: isThat(error) }))
      t.same((await app.inject('/')).json(), { isSame: true })
    })
  }

  for (const failure of [null, undefined, 0, '', false]) {
    const shown = failure === '' ? "''" : String(failure)

    t.test(`a scheme that ${way} ${shown} has failed`, async (t) => {
      const app = await appThat(t, failWith(failure))
      const { statusCode, body } = await app.inject('/')
      t.equal(statusCode, 500)
      t.not(body, 'answered')
    })
  }
}

t.test('a scheme of a list whose isAllowedVersion() fails does not affect the others', async (t) => {
  class Failing extends QueryParameterVersioning {
    override isAllowedVersion (): boolean {
      throw new Error('not today')
    }
  }
  const app = await appWith(t, { scheme: [HeaderVersioning, Failing], allowedVersions: ['v1'] })
  app.get('/', { version: 'v1' }, async () => 'answered')
  t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).body, 'answered')
  t.match((await app.inject('/?version=v1')).json(), { statusCode: 500, message: 'not today' })
})
