import t from 'tap'

import { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appOf, ask, expectAnswers, get } from './app.ts'

import type { RawRequest } from '../../types/index.d.ts'

/** Reads whatever a client writes as JSON. */
class Reading extends BaseVersioning {
  override readVersion ({ headers }: RawRequest) {
    return headers['x-read'] === undefined ? undefined : JSON.parse(decodeURIComponent(headers['x-read'] as string))
  }
}

const reading = (read: unknown) => ({
  headers: read === undefined ? {} : { 'x-read': encodeURIComponent(JSON.stringify(read)) }
})

const served: [read: unknown, version: string][] = [
  ['v1', 'v1'], [['v1'], 'v1'], [['v1', 'v1', 'v1'], 'v1'], [['', ''], ''], [[], 'v3'], [null, 'v3'], [undefined, 'v3']
]

for (const [read, version] of served) {
  t.test(`the version is ${JSON.stringify(version)} if the scheme reads ${JSON.stringify(read)}`, async (t) => {
    const app = await appOf(t, { scheme: Reading, defaultVersion: 'v3' }, [
      get('/', 'open'), get('/a', 'listed', ['v1', '']), get('/a', 'default', 'v3')
    ])
    t.equal(await ask(app, '/', reading(read)), `open ${version}`)
    t.equal(await ask(app, '/a', reading(read)), version === 'v3' ? 'default v3' : `listed ${version}`)
  })
}

const noVersions: [says: string, read: unknown, own?: object][] = [
  ...[['v1', 2], [2], [['v1']], [null], 2, true, {}].map((read): [string, unknown] => (
    [`the scheme reads ${JSON.stringify(read)}`, read]
  )),
  ['isAllowedVersion() returns a promise', 'v1', { isAllowedVersion: async () => true }],
  ['isAllowedVersion() returns a promise that is rejected', 'v1', {
    isAllowedVersion: async () => { throw new Error('late') }
  }],
  ['isAllowedVersion() returns null', 'v1', { isAllowedVersion: () => null }],
  ['isAllowedVersion() returns an object', 'v1', { isAllowedVersion: () => ({}) }]
]

for (const [says, read, own] of noVersions) {
  t.test(`a request is answered 500 if ${says}`, async (t) => {
    const app = await appOf(t, { scheme: Object.assign(new Reading(), own) }, [get('/', 'open')])
    const response = await app.inject({ url: '/', ...reading(read) })
    t.match(response.json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
  })
}

for (const [read, placeText, place] of [
  [['v1', 'v2'], undefined, 'Reading'], [['a'.repeat(41), '\u202e😀'], 'cookie', 'the cookie']
] as const) {
  t.test(`the message about different versions has ${place} and nothing of ${JSON.stringify(read)}`, async (t) => {
    const scheme = new Reading({ allowedVersions: ['v1'] })
    if (placeText !== undefined) Object.assign(scheme, { placeText })
    const app = await appOf(t, { scheme }, [get('/', 'open')])
    t.match((await app.inject({ url: '/', ...reading(read) })).json(), {
      statusCode: 400,
      code: 'FST_ERR_VERSION_AMBIGUOUS',
      message: `The request specifies different versions in ${place}. Versions: v1.`
    })
  })
}

t.test('a scheme of a list that reads [] specifies no version', async (t) => {
  const app = await appOf(t, { scheme: [Reading, QueryParameterVersioning], defaultVersion: 'v3' }, [
    get('/a', 'listed', 'v1'), get('/a', 'default', 'v3')
  ])
  await expectAnswers(t, app, [['/a', 'default v3'], ['/a?version=v1', 'listed v1']], reading([]))
})

t.test('equal names that stand for no version are refused where versions choose handlers', async (t) => {
  const app = await appOf(t, { scheme: Reading, resolveVersion: (named) => named === 'latest' ? 'v1' : null }, [
    get('/a', 'one', 'v1')
  ])
  t.equal(await ask(app, '/a', reading(['latest', 'latest'])), 'one v1')
  const refused = await app.inject({ url: '/a', ...reading(['v1', 'v1']) })
  t.match(refused.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})
