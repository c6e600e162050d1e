import t from 'tap'

import { QueryParameterVersioning, VersionError } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const KINDS = 'notFound, notAcceptable, notSupported, unsupportedMediaType, ambiguous, gone'

for (const kind of ['brownout', 'Gone', '', '__proto__', 'toString', null, undefined, 410]) {
  t.test(`a VersionError of the kind ${JSON.stringify(kind) ?? kind} is a TypeError with the list`, async (t) => {
    t.throws(() => new VersionError(kind as never, 'No.', null), {
      name: 'TypeError', message: `Invalid kind of VersionError: expected ${KINDS}, got `
    })
  })
}

t.test('a VersionError is an Error without a stack, and its message is taken as it is', async (t) => {
  const error = new VersionError('gone', '100%s of it')
  t.ok(error instanceof Error)
  t.equal(error.message, '100%s of it')
  t.equal(error.stack, undefined)
  t.equal(String(error), 'FastifyError [FST_ERR_VERSION_GONE]: 100%s of it')
})

t.test('the reason of a VersionError follows from two kinds, and is open for the others', async (t) => {
  t.same(KINDS.split(', ').map((kind) => new VersionError(kind as 'gone', 'No.').reason), [
    null, null, null, null, 'ambiguous', 'gone'
  ])
})

t.test('the kind of a VersionError decides its code and its status', async (t) => {
  const errors = KINDS.split(', ').map((kind) => new VersionError(kind as 'gone', 'No.', ['v1']))
  t.same(errors.map(({ code, statusCode }) => [code.replace('FST_ERR_VERSION_', ''), statusCode]), [
    ['NOT_FOUND', 404], ['NOT_ACCEPTABLE', 406], ['NOT_SUPPORTED', 400], ['UNSUPPORTED_MEDIA_TYPE', 415],
    ['AMBIGUOUS', 400], ['GONE', 410]
  ])
  t.same(errors.map(({ kind }) => kind).join(', '), KINDS)
  t.same(errors[0].allowedVersions, ['v1'])
  t.equal(new VersionError('gone').allowedVersions, null)
})

t.test('an app may throw a VersionError in a handler', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
  app.get('/', async () => { throw new VersionError('notAcceptable', 'Not today.', ['v1']) })
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 406)
  t.same(response.json(), {
    statusCode: 406, code: 'FST_ERR_VERSION_NOT_ACCEPTABLE', error: 'Not Acceptable', message: 'Not today.'
  })
})

t.test('a VersionError without a message says what its kind means', async (t) => {
  t.equal(new VersionError('notFound').message, 'Invalid version.')
  t.equal(new VersionError('gone').message, 'This version was retired.')
})
