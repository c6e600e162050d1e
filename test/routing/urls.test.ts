import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { CODE, ask, expectAnswers, get, head, mark } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Declare } from './app.ts'

type DeclareIn = (rooms: FastifyInstance, app: FastifyInstance) => unknown

/** An app whose routes are declared under the prefix `/rooms`. */
async function appOf (t: Test, declare: readonly DeclareIn[], exposeHeadRoutes = true): Promise<FastifyInstance> {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2']
  }, { exposeHeadRoutes })
  app.register(async (rooms) => { for (const one of declare) one(rooms, app) }, { prefix: '/rooms' })
  return app
}

const outside = (declare: Declare): DeclareIn => (_rooms, app) => declare(app)
const onlyHead: Declare = (rooms) => (
  rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: mark('root') })
)
const slash = { prefixTrailingSlash: 'slash' as const }
const noSlash = { prefixTrailingSlash: 'no-slash' as const }

const separate: [says: string, declare: DeclareIn[], answers: [url: string, answer: string][]][] = [
  ["'/' of two versions", [get('/', 'one', 'v1'), get('/', 'two', 'v2')], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'two v2'],
    ['/rooms/?version=v3', '404 Invalid version in query parameter.']
  ]],
  ["'/' of no-slash and of slash", [
    get('/', 'one', 'v1', noSlash), get('/', 'two', 'v2', slash)
  ], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'two v2'],
    ['/rooms?version=v2', '404 This URL answers GET in v1.']
  ]],
  ["a version of '' and the same one of slash", [get('', 'without', 'v1'), get('/', 'with', 'v1', slash)], [
    ['/rooms?version=v1', 'without v1'], ['/rooms/?version=v1', 'with v1']
  ]],
  ["a version of '' and an open route of slash", [get('', 'one', 'v1'), get('/', 'open', undefined, slash)], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v2', 'open v2'],
    ['/rooms?version=v2', '404 This URL answers GET in v1.']
  ]],
  ['a version and an open route of slash, and an open one of the other URL', [
    get('/', 'one', 'v1', slash), get('/', 'open', undefined, slash), get('', 'other')
  ], [['/rooms/?version=v1', 'one v1'], ['/rooms/?version=v2', 'open v2'], ['/rooms?version=v1', 'other v1']]],
  ['both URLs of a version, named so', [get('/', 'one', 'v1', { prefixTrailingSlash: 'both' })], [
    ['/rooms?version=v1', 'one v1'], ['/rooms/?version=v1', 'one v1']
  ]],
  ['an open route of both URLs, next to versions elsewhere', [
    get('/', 'open'), get('/chosen', 'chosen', 'v1'), outside(get('/rooms-2', 'elsewhere', 'v1'))
  ], [['/rooms?version=v2', 'open v2'], ['/rooms/?version=v2', 'open v2']]],
  ['versions without a slash and a route with one', [
    get('/other', 'other', 'v1'), outside(get('/rooms/other/', 'with')),
    get('', 'root', 'v1', slash), outside(get('/rooms/', 'root with'))
  ], [
    ['/rooms/other?version=v1', 'other v1'], ['/rooms/other/?version=v2', 'with v2'],
    ['/rooms/?version=v2', 'root with v2']
  ]]
]

for (const [says, declare, answers] of separate) {
  t.test(`in a prefix ${says} answer as declared, in either order`, async (t) => {
    for (const declared of [declare, declare.toReversed()]) {
      const app = await appOf(t, declared)
      await expectAnswers(t, app, answers)
      for (const [url, wanted] of answers) {
        t.equal(await ask(app, `HEAD ${url}`), wanted.replace(/^404 .*/, '404'), url)
      }
    }
  })
}

const PATHS = / have one URL, .*: declare a route for each path, /
const conflicting: [says: string, declare: DeclareIn[], message?: RegExp][] = [
  ["'/' with '/' of slash", [get('/', '', 'v1'), get('/', '', ['v1', 'v2'], slash)]],
  ["'/' with ''", [get('/', '', 'v1'), get('', '', ['v1', 'v2'])]],
  ["'/' with an open route of the app", [get('/', '', 'v1'), outside(get('/rooms/', ''))]],
  ['an open route with a version of slash', [get('/', '', 'v1', slash), get('/', '')]],
  ['a route of HEAD with a HEAD route of both URLs', [
    onlyHead, head('/', '', ['v1', 'v2'])
  ], new RegExp(`both claim version 'v1'|${PATHS.source}`)],
  ['an open route with a version that a later onRoute hook adds', [(rooms, app) => {
    rooms.addHook('onRoute', ({ url, method }) => {
      if (url === '/rooms' && method === 'GET') get('/rooms/', '', 'v1')(app)
    })
    get('/', '')(rooms)
  }]]
]

for (const [says, declare, message = PATHS] of conflicting) {
  t.test(`in a prefix ${says} is refused, in either order`, async (t) => {
    for (const exposeHeadRoutes of [true, false]) {
      for (const declared of [declare, declare.toReversed()]) {
        const app = await appOf(t, declared, exposeHeadRoutes)
        await t.rejects(async () => app.ready(), { code: CODE, message })
      }
    }
  })
}

t.test('a route with only HEAD in its methods serves both URLs of a prefix', async (t) => {
  const app = await appOf(t, [onlyHead])
  await expectAnswers(t, app, [['HEAD /rooms?version=v1', 'root v1'], ['HEAD /rooms/?version=v1', 'root v1']])
})
