import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, VersionGoneError, VersionNotAcceptableError, VersionNotFoundError
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

const handler = async () => 'ok'
const gone: VersioningOptions = { enforceSunset: true, now: clockAt(SUNSET).now }

t.test('one app may configure the status of each kind of refusal', async (t) => {
  const app = await appWith(t, { ...ending, ...gone, statusCodes: { notFound: 400, notAcceptable: 415, gone: 403 } })
  app.get('/', handler)
  app.get('/accept', { versioning: AcceptHeaderVersioning }, handler)
  const message = 'Invalid version in query parameter.'
  t.same((await app.inject('/?version=v9')).json(), {
    statusCode: 400, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Bad Request', message
  })
  t.match((await app.inject('/accept')).json(), {
    statusCode: 415, code: 'FST_ERR_VERSION_NOT_ACCEPTABLE', error: 'Unsupported Media Type'
  })
  t.match((await app.inject('/?version=v1')).json(), {
    statusCode: 403, code: 'FST_ERR_VERSION_GONE', error: 'Forbidden'
  })
})

t.test('a refusal that is not configured keeps its status', async (t) => {
  const app = await appWith(t, { ...ending, ...gone, statusCodes: { gone: undefined, notFound: 404 } })
  app.get('/', handler)
  t.equal((await app.inject('/?version=v9')).statusCode, 404)
  t.equal((await app.inject('/?version=v1')).statusCode, 410)
})

t.test('the refusal at a URL that does not serve the version has the configured status', async (t) => {
  const app = await appWith(t, { ...ending, statusCodes: { notFound: 400 } })
  app.get('/', { version: 'v1' }, handler)
  t.equal((await app.inject('/?version=v2')).statusCode, 400)
})

t.test('a problem has the configured status, even one without a standard phrase', async (t) => {
  const app = await appWith(t, { ...ending, statusCodes: { notFound: 499 }, problemDetails: true })
  app.get('/', handler)
  t.match((await app.inject('/')).json(), { status: 499, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('a problem has the configured status as a member', async (t) => {
  const app = await appWith(t, { ...ending, statusCodes: { notFound: 400 }, problemDetails: true })
  app.get('/', handler)
  t.match((await app.inject('/')).json(), { status: 400, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

const kinds = [
  [VersionGoneError, { gone: 400 }], [VersionNotAcceptableError, { notAcceptable: 400 }],
  [VersionNotFoundError, { notFound: 400 }]
] as const

for (const [Refusal, statusCodes] of kinds) {
  t.test(`one instance of ${Refusal.name} has the status of each context`, async (t) => {
    class Same extends BaseVersioning {
      override determineVersion (): string { throw error }
    }
    const error = Object.freeze(Object.assign(new Refusal('no', ['v1']), { detail: 'mine' }))
    const app = await appWith(t, { ...ending, scheme: Same, statusCodes })
    app.setErrorHandler(async (given, _request, reply) => {
      const { statusCode, code, message, stack, detail } = given as typeof error
      reply.code(statusCode)
      const isKind = given instanceof Refusal && given instanceof Error
      return { isKind, isSame: given === error, message, detail, isTraced: stack === error.stack, code }
    })
    app.get('/', handler)
    app.register(async (context) => {
      await context.register(versioning, { statusCodes: null })
      context.get('/plain', handler)
    })
    const shown = { isKind: true, message: 'no', detail: 'mine', isTraced: true, code: error.code }
    for (let i = 0; i < 2; i++) {
      const response = await app.inject('/')
      t.equal(response.statusCode, 400)
      t.same(response.json(), { ...shown, isSame: false })
      const plain = await app.inject('/plain')
      t.equal(plain.statusCode, new Refusal('').statusCode)
      t.match(plain.json(), shown)
    }
  })
}
