import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { mark } from './app.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'

type Declare = (rooms: FastifyInstance, app: FastifyInstance) => unknown

/** An app whose routes are declared under the prefix `/rooms`. */
async function appOf (t: Test, declare: Declare, exposeHeadRoutes = true): Promise<FastifyInstance> {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2']
  }, { exposeHeadRoutes })
  app.register(async (rooms) => { declare(rooms, app) }, { prefix: '/rooms' })
  return app
}

const at = (path: string, version?: string | string[], options: RouteShorthandOptions = {}): Declare => (rooms) => {
  rooms.get(path, { ...options, ...version !== undefined && { version } }, mark(`${path} ${version}`))
}
const slash = { prefixTrailingSlash: 'slash' as const }
const noSlash = { prefixTrailingSlash: 'no-slash' as const }

const separate: [says: string, declare: Declare[], answers: Record<string, string>][] = [
  ["'/' of no-slash and of slash", [at('/', 'v1', noSlash), at('/', 'v2', slash)], {
    '/rooms?version=v1': '/ v1', '/rooms/?version=v2': '/ v2', '/rooms?version=v2': 'This URL answers GET in v1.'
  }],
  ["a version of '' and an open route of slash", [at('', 'v1'), at('/', undefined, slash)], {
    '/rooms?version=v1': ' v1', '/rooms/?version=v2': '/ undefined', '/rooms?version=v2': 'This URL answers GET in v1.'
  }],
  ['a version and an open route of slash, and an open one of the other URL', [
    at('/', 'v1', slash), at('/', undefined, slash), at('')
  ], { '/rooms/?version=v1': '/ v1', '/rooms/?version=v2': '/ undefined', '/rooms?version=v1': ' undefined' }],
  ['both URLs of a version, named so', [at('/', 'v1', { prefixTrailingSlash: 'both' })], {
    '/rooms?version=v1': '/ v1', '/rooms/?version=v1': '/ v1'
  }],
  ['an open route of both URLs, next to versions elsewhere', [
    at('/'), at('/chosen', 'v1'), (_rooms, app) => app.get('/rooms-2', { version: 'v1' }, mark('elsewhere'))
  ], { '/rooms?version=v2': '/ undefined', '/rooms/?version=v2': '/ undefined' }],
  ['versions without a slash and a route with one', [
    at('/other', 'v1'), (_rooms, app) => app.get('/rooms/other/', mark('with')),
    at('', 'v1', slash), (_rooms, app) => app.get('/rooms/', mark('root'))
  ], { '/rooms/other?version=v1': '/other v1', '/rooms/other/?version=v2': 'with', '/rooms/?version=v2': 'root' }]
]

for (const [says, declare, answers] of separate) {
  t.test(`in a prefix ${says} answer as declared, in either order`, async (t) => {
    for (const declared of [declare, declare.toReversed()]) {
      const app = await appOf(t, (rooms, app) => { for (const one of declared) one(rooms, app) })
      for (const [url, wanted] of Object.entries(answers)) {
        const response = await app.inject(url)
        t.equal(response.headers['x-mark'] ?? response.json().message, wanted, url)
      }
    }
  })
}

const conflicting: [says: string, declare: Declare[]][] = [
  ["'/' with '/' of slash", [at('/', 'v1'), at('/', ['v1', 'v2'], slash)]],
  ["'/' with ''", [at('/', 'v1'), at('', ['v1', 'v2'])]],
  ['an open route with a version of slash', [at('/', 'v1', slash), at('/')]],
  ['a route of HEAD with a HEAD route of both URLs', [
    (rooms) => rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: mark('') }),
    (rooms) => rooms.head('/', { version: ['v1', 'v2'] }, mark(''))
  ]],
  ['an open route with a version that a later onRoute hook adds', [(rooms, app) => {
    rooms.addHook('onRoute', ({ url, method }) => {
      if (url === '/rooms' && method === 'GET') app.get('/rooms/', { version: 'v1' }, mark(''))
    })
    rooms.get('/', mark(''))
  }]]
]

for (const [says, declare] of conflicting) {
  t.test(`in a prefix ${says} is refused, in either order`, async (t) => {
    for (const exposeHeadRoutes of [true, false]) {
      for (const declared of [declare, declare.toReversed()]) {
        const app = await appOf(t, (rooms, app) => { for (const one of declared) one(rooms, app) }, exposeHeadRoutes)
        await t.rejects(async () => app.ready(), {
          code: 'FST_ERR_VERSIONING_OPTION',
          message: /both claim version 'v1'|share only one of two paths, .* declare a route for each path\./
        })
      }
    }
  })
}

t.test('a route with only HEAD in its methods serves both URLs of a prefix', async (t) => {
  const app = await appOf(t, (rooms) => {
    rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: mark('') })
  })
  for (const url of ['/rooms', '/rooms/']) {
    t.equal((await app.inject({ method: 'HEAD', url: `${url}?version=v1` })).statusCode, 200)
  }
})
