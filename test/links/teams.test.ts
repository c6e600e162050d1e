import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** What the first team gets that links to the second one: a URL, or the message of the error. */
async function linkBetween (t: Test, from: VersioningOptions, to: VersioningOptions, path = '/list'): Promise<string> {
  const app = bareApp(t)
  await app.register(versioning)
  app.setErrorHandler(async (error: Error & { code: string }) => `${error.code} ${error.message}`)
  app.register(async (first) => {
    await first.register(versioning, { scheme: QueryParameterVersioning, ...from })
    first.get('/from', async (_request, reply) => reply.reverse('list'))
  })
  app.register(async (second) => {
    await second.register(versioning, { scheme: HeaderVersioning, ...to })
    second.get(path, { name: 'list' }, async () => '')
  })
  return (await app.inject('/from?version=v1')).body
}

const v1 = { allowedVersions: ['v1'] }

t.test('a link to a team that knows none of the versions, and requires one, throws', async (t) => {
  for (const scheme of [HeaderVersioning, QueryParameterVersioning, [HeaderVersioning, QueryParameterVersioning]]) {
    const message = await linkBetween(t, v1, { scheme, allowedVersions: ['a', 'b'] })
    t.match(message, /^FST_ERR_NO_REVERSE_MATCH Route 'list' has/)
  }
  t.equal(await linkBetween(t, v1, { allowedVersions: ['a'] }), "FST_ERR_NO_REVERSE_MATCH Route 'list' has no URL " +
    'that would be answered: HeaderVersioning requires a version there, and permits none that ' +
    'QueryParameterVersioning permits here.')
})

t.test('a link of a list to a team that knows none of its versions, and requires one, throws', async (t) => {
  const from = { ...v1, scheme: [QueryParameterVersioning, HeaderVersioning] }
  t.match(await linkBetween(t, from, { allowedVersions: ['a'] }), 'permits none that QueryParameterVersioning, ' +
    'HeaderVersioning permits here.')
})

for (const [what, from, to] of [
  ['another version is known to both', { allowedVersions: ['v1', 'v2'] }, { allowedVersions: ['v2'] }],
  ['the other has a default version', v1, { allowedVersions: ['a'], defaultVersion: 'a' }],
  [
    'the other has one for each client', v1,
    { allowedVersions: ['a'], defaultVersion: { vary: null, version: () => 'a' } }
  ],
  ['the other permits null', v1, { allowedVersions: [null, 'a'] }],
  ['the other permits every version', v1, {}],
  ['this one permits every version', {}, { allowedVersions: ['a'] }],
  ['both know the version', v1, { allowedVersions: ['v1'] }]
] satisfies [string, VersioningOptions, VersioningOptions][]) {
  t.test(`a link is made if ${what}`, async (t) => {
    t.match(await linkBetween(t, from, to), /^\/list/)
  })
}

t.test('a version in the path is the version of the link', async (t) => {
  const to = { scheme: URLPathVersioning, allowedVersions: ['a'] }
  t.match(await linkBetween(t, v1, to, '/:version/list'), /^FST_ERR_NO_/)
  t.match(await linkBetween(t, v1, to, '/list'), /^\/list/)
})
