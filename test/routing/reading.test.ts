import t from 'tap'

import { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { tell } from './app.ts'

import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/** Reads whatever a client writes as JSON. */
class Reading extends BaseVersioning {
  override readVersion ({ headers }: RawRequest) {
    return headers['x-read'] === undefined ? undefined : JSON.parse(decodeURIComponent(headers['x-read'] as string))
  }
}

function asking (read: unknown): Record<string, string> {
  return read === undefined ? {} : { 'x-read': encodeURIComponent(JSON.stringify(read)) }
}

const served: [read: unknown, version: string][] = [
  ['v1', 'v1'], [['v1'], 'v1'], [['v1', 'v1', 'v1'], 'v1'], [['', ''], ''], [[], 'v3'], [null, 'v3'], [undefined, 'v3']
]

for (const [read, version] of served) {
  t.test(`the version is ${JSON.stringify(version)} if the scheme reads ${JSON.stringify(read)}`, async (t) => {
    const app = await appWith(t, { scheme: Reading, defaultVersion: 'v3' })
    app.get('/', tell('open'))
    app.get('/a', { version: ['v1', ''] }, tell('listed'))
    app.get('/a', { version: 'v3' }, tell('default'))
    const headers = asking(read)
    for (const [url, mark] of [['/', 'open'], ['/a', version === 'v3' ? 'default' : 'listed']]) {
      const answer = (await app.inject({ url, headers })).json()
      t.same([answer.mark, answer.version], [mark, version])
    }
  })
}

for (const read of [['v1', 2], [2], [['v1']], [null], 2, true, {}]) {
  t.test(`a request is answered 500 if its scheme reads ${JSON.stringify(read)}`, async (t) => {
    const app = await appWith(t, { scheme: Reading })
    app.get('/', tell('open'))
    const response = await app.inject({ url: '/', headers: asking(read) })
    t.match(response.json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
  })
}

for (const [read, placeText, place] of [
  [['v1', 'v2'], undefined, 'Reading'], [['a'.repeat(41), '\u202e😀'], 'cookie', 'the cookie']
] as const) {
  t.test(`the message about different versions has ${place} and nothing of ${JSON.stringify(read)}`, async (t) => {
    const scheme = new Reading({ allowedVersions: ['v1'] })
    if (placeText !== undefined) Object.assign(scheme, { placeText })
    const app = await appWith(t, { scheme })
    app.get('/', tell('open'))
    const response = await app.inject({ url: '/', headers: asking(read) })
    t.match(response.json(), {
      statusCode: 400,
      code: 'FST_ERR_VERSION_AMBIGUOUS',
      message: `The request specifies different versions in ${place}. Versions: v1.`
    })
  })
}

t.test('a scheme of a list that reads [] specifies no version', async (t) => {
  const app = await appWith(t, { scheme: [Reading, QueryParameterVersioning], defaultVersion: 'v3' })
  app.get('/a', { version: 'v1' }, tell('listed'))
  app.get('/a', { version: 'v3' }, tell('default'))
  for (const [url, mark] of [['/a', 'default'], ['/a?version=v1', 'listed']]) {
    t.equal((await app.inject({ url, headers: asking([]) })).json().mark, mark)
  }
})

t.test('equal names that stand for no version are refused where versions choose handlers', async (t) => {
  const app = await appWith(t, { scheme: Reading, resolveVersion: (named) => named === 'latest' ? 'v1' : null })
  app.get('/a', { version: 'v1' }, tell('one'))
  t.equal((await app.inject({ url: '/a', headers: asking(['latest', 'latest']) })).json().mark, 'one')
  const refused = await app.inject({ url: '/a', headers: asking(['v1', 'v1']) })
  t.match(refused.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

const noAnswers: [says: string, isAllowedVersion: () => unknown][] = [
  ['a promise', async () => true],
  ['a promise that is rejected', async () => { throw new Error('late') }],
  ['null', () => null],
  ['an object', () => ({})]
]

for (const [says, isAllowedVersion] of noAnswers) {
  t.test(`a version is not allowed if isAllowedVersion() returns ${says}`, async (t) => {
    const scheme = Object.assign(new Reading(), { isAllowedVersion }) as unknown as VersioningScheme
    const app = await appWith(t, { scheme })
    app.get('/', tell('open'))
    const response = await app.inject({ url: '/', headers: asking('v1') })
    t.match(response.json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
  })
}
