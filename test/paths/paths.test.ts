import t from 'tap'

import { parsePath } from '../../src/paths/pattern.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

type Params = Record<string, string>

interface Alone { path: string, params: ReverseKwargs, url: string | null, options?: FastifyServerOptions }
interface Fitting { path: string, params: ReverseKwargs | ReverseArgs | null, url: string, decoded: Params }
interface Unfitting { path: string, params: ReverseKwargs | ReverseArgs, says: string }

/** An app with one named route that answers with its parameters. */
async function appOf (t: Test, path: string, options: FastifyServerOptions = {}) {
  const app = await appWith(t, {}, options)
  app.get(path, { name: 'route' }, async (request) => request.params)
  return app
}

const fitting: Fitting[] = [
  { path: '/', params: null, url: '/', decoded: {} },
  { path: '/bookings', params: {}, url: '/bookings', decoded: {} },
  { path: '/bookings/', params: [], url: '/bookings/', decoded: {} },
  { path: '/:id', params: { id: 7 }, url: '/7', decoded: { id: '7' } },
  { path: '/:id', params: [7n], url: '/7', decoded: { id: '7' } },
  { path: '/:id', params: { id: false }, url: '/false', decoded: { id: 'false' } },
  { path: '/:id', params: { id: 0 }, url: '/0', decoded: { id: '0' } },
  { path: '/:id', params: { id: 'a/b' }, url: '/a%2Fb', decoded: { id: 'a/b' } },
  { path: '/:id', params: { id: '/evil.example' }, url: '/%2Fevil.example', decoded: { id: '/evil.example' } },
  { path: '/:id', params: { id: 'a%2Fb' }, url: '/a%252Fb', decoded: { id: 'a%2Fb' } },
  { path: '/:id', params: { id: 'a?b#c' }, url: '/a%3Fb%23c', decoded: { id: 'a?b#c' } },
  { path: '/:id', params: { id: 'ü 日本 🎉' }, url: encodeURI('/ü 日本 🎉'), decoded: { id: 'ü 日本 🎉' } },
  { path: '/:id', params: { id: 'a\r\nb\0' }, url: '/a%0D%0Ab%00', decoded: { id: 'a\r\nb\0' } },
  { path: '/:id', params: { id: '...' }, url: '/...', decoded: { id: '...' } },
  { path: '/:a/x/:b', params: { b: 2, a: 1 }, url: '/1/x/2', decoded: { a: '1', b: '2' } },
  { path: '/:a/:a', params: { a: 1 }, url: '/1/1', decoded: { a: '1' } },
  { path: '/:a/x/:b', params: [1, 2], url: '/1/x/2', decoded: { a: '1', b: '2' } },
  {
    path: '/:__proto__/:constructor',
    params: ['a', 'b'],
    url: '/a/b',
    decoded: JSON.parse('{ "__proto__": "a", "constructor": "b" }')
  },
  { path: '/:id(^\\d+)', params: { id: 7 }, url: '/7', decoded: { id: '7' } },
  { path: '/:id(^\\d+$)/x', params: { id: 7 }, url: '/7/x', decoded: { id: '7' } },
  { path: '/:id((?:a|b\\)))', params: { id: 'b)' }, url: '/b)', decoded: { id: 'b)' } },
  { path: '/:from-:to', params: { from: 'muc', to: 'fra' }, url: '/muc-fra', decoded: { from: 'muc', to: 'fra' } },
  { path: '/:from-:to', params: { from: 'a-b', to: 'c' }, url: '/a-b-c', decoded: { from: 'a-b', to: 'c' } },
  { path: '/:from-:to/x', params: ['muc', 'fra'], url: '/muc-fra/x', decoded: { from: 'muc', to: 'fra' } },
  { path: '/:id/:from-:to', params: [7, 'a', 'b'], url: '/7/a-b', decoded: { id: '7', from: 'a', to: 'b' } },
  { path: '/:a-:b', params: ['.', '..'], url: '/.-..', decoded: { a: '.', b: '..' } },
  { path: '/:name.:ext', params: ['logo', 'svg'], url: '/logo.svg', decoded: { name: 'logo', ext: 'svg' } },
  { path: '/:a-:b.:c', params: [1, 2, 3], url: '/1-2.3', decoded: { a: '1', b: '2', c: '3' } },
  {
    path: '/at/:hour(^\\d+)h:minute(^\\d+)m',
    params: { hour: 8, minute: 15 },
    url: '/at/8h15m',
    decoded: { hour: '8', minute: '15' }
  },
  { path: '/:a(\\d+):b', params: [1, 'x'], url: '/1x', decoded: { a: '1', b: 'x' } },
  { path: '/room-:id', params: { id: 7 }, url: '/room-7', decoded: { id: '7' } },
  { path: '/room-:id', params: { id: '.' }, url: '/room-.', decoded: { id: '.' } },
  { path: '/room-:id(\\.)', params: { id: '.' }, url: '/room-.', decoded: { id: '.' } },
  { path: '/.:id', params: { id: 'well-known' }, url: '/.well-known', decoded: { id: 'well-known' } },
  { path: '/bookings/:id?', params: { id: 7 }, url: '/bookings/7', decoded: { id: '7' } },
  { path: '/bookings/:id?', params: {}, url: '/bookings', decoded: {} },
  { path: '/bookings/:id?', params: { id: undefined }, url: '/bookings', decoded: {} },
  { path: '/bookings/:id?/', params: {}, url: '/bookings/', decoded: {} },
  { path: '/:id?', params: {}, url: '/', decoded: {} },
  { path: '/:lang/:page?', params: ['de'], url: '/de', decoded: { lang: 'de' } },
  { path: '/:lang/:page?', params: ['de', undefined], url: '/de', decoded: { lang: 'de' } },
  { path: '/:lang/:page?', params: ['de', null, ''], url: '/de', decoded: { lang: 'de' } },
  { path: '/files/*', params: { '*': 'a/b c.txt' }, url: '/files/a/b%20c.txt', decoded: { '*': 'a/b c.txt' } },
  { path: '/files/*', params: ['/a//b/'], url: '/files//a//b/', decoded: { '*': '/a//b/' } },
  { path: '/:a/*', params: [1, 'x'], url: '/1/x', decoded: { a: '1', '*': 'x' } },
  { path: '*', params: { '*': '/a/b' }, url: '/a/b', decoded: { '*': '/a/b' } },
  { path: '/name::verb', params: {}, url: '/name:verb', decoded: {} },
  { path: '/name:::id', params: { id: 7 }, url: '/name:7', decoded: { id: '7' } },
  { path: '/:id(\\d+)::cancel', params: { id: 7 }, url: '/7:cancel', decoded: { id: '7' } },
  { path: '/100%', params: {}, url: '/100%25', decoded: {} },
  { path: '/grüße/@me;v=1,2', params: {}, url: '/gr%C3%BC%C3%9Fe/@me;v=1,2', decoded: {} }
]

for (const { path, params, url, decoded } of fitting) {
  t.test(`the path ${path} with ${shown(params)} becomes ${url}, which the router reads back`, async (t) => {
    const app = await appOf(t, path)
    t.equal(app.reverse('route', params), url)
    const response = await app.inject(url)
    t.equal(response.statusCode, 200)
    t.same(response.json(), decoded)
  })
}

const unfitting: Unfitting[] = [
  { path: '/:id', params: {}, says: '/:id ("id" missing' },
  { path: '/:id', params: { id: '' }, says: '/:id ("id" missing' },
  { path: '/:id', params: { id: null }, says: '/:id ("id" missing' },
  { path: '/:id', params: [''], says: '/:id ("id" missing' },
  { path: '/:id', params: [undefined], says: '/:id ("id" missing' },
  { path: '/:a/:b', params: {}, says: '/:a/:b ("a" missing, "b" missing' },
  { path: '/:a/:b', params: { a: 1, x: 2 }, says: '/:a/:b ("b" missing, "x" unknown' },
  { path: '/x', params: { id: 7 }, says: '/x ("id" unknown' },
  { path: '/:id', params: ['x', null, 'y'], says: '/:id ("args[2]" unknown' },
  { path: '/%:id', params: { id: '2e' }, says: '"id" cannot be \'2e\'' },
  { path: '/:id', params: [1, 2, 3], says: '/:id ("args[1]" unknown, "args[2]" unknown' },
  { path: '/:id', params: { id: NaN }, says: '"id" cannot be NaN' },
  { path: '/:id', params: { id: {} } as never, says: '"id" cannot be {}' },
  { path: '/:id', params: { id: '.' }, says: '"id" cannot be \'.\'' },
  { path: '/:id', params: { id: '..' }, says: '"id" cannot be \'..\'' },
  { path: '/:id', params: { id: '%2e.' }, says: '"id" cannot be \'%2e.\'' },
  { path: '/:id', params: { id: 'a/../b' }, says: '"id" cannot be \'a/../b\'' },
  { path: '/:id', params: { id: 'a\\..' }, says: '"id" cannot be' },
  { path: '/.:id', params: { id: '.' }, says: '"id" cannot be \'.\'' },
  { path: '/:id.', params: { id: '.' }, says: '"id" cannot be \'.\'' },
  { path: '/files/*', params: { '*': 'a/../../b' }, says: '"*" cannot be' },
  { path: '/files/*', params: { '*': 'a/%2E%2e' }, says: '"*" cannot be' },
  { path: '/files/*', params: { '*': '' }, says: '"*" missing' },
  { path: '/files/*', params: [''], says: '"*" missing' },
  { path: '/.*', params: { '*': './b' }, says: '"*" cannot be' },
  { path: '*', params: { '*': 'a' }, says: '"*" cannot be \'a\'' },
  { path: '*', params: { '*': '/..' }, says: '"*" cannot be \'/..\'' },
  { path: '/:id', params: { id: '\ud800' }, says: '"id" cannot be' },
  { path: '/:a-:b', params: ['\ud800', 'x'], says: '"a" cannot be' },
  { path: '/:id', params: { id: 'x'.repeat(101) }, says: '"id" cannot be' },
  { path: '/:a-:b', params: ['x'.repeat(101), 'b'], says: '"a" cannot be' },
  { path: '/:id(^\\d+)', params: { id: 'x' }, says: '"id" cannot be \'x\'' },
  { path: '/:a-:b', params: ['a', 'b-c'], says: '"a" cannot be \'a\', "b" cannot be \'b-c\'' },
  { path: '/:a.:b-:c', params: [1, 2, '3-4'], says: '"a" cannot be 1, "b" cannot be 2, "c" cannot be \'3-4\'' },
  { path: '/:a(\\d)/:b(\\d)', params: [1, 'x'], says: '"b" cannot be \'x\'' },
  { path: '/:a(\\d)/:b(\\d)', params: ['x', 1], says: '"a" cannot be \'x\'' },
  { path: '/:a/:a', params: [1, 2], says: '"args[1]" unknown' },
  { path: '*', params: { '*': '//host' }, says: '"*" cannot be \'//host\'' },
  { path: '//host/:id', params: { id: 7 }, says: '"id" cannot be 7' }
]

for (const { path, params, says } of unfitting) {
  t.test(`the path ${path} cannot be reversed with ${shown(params)}`, async (t) => {
    const app = await appOf(t, path)
    t.throws(() => app.reverse('route', params), { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 })
    t.throws(() => app.reverse('route', params), { message: new RegExp(escape(says)) })
  })
}

const merging = { routerOptions: { ignoreDuplicateSlashes: true } }
const folding = { routerOptions: { caseSensitive: false } }
const semicolons: FastifyServerOptions = { routerOptions: { useSemicolonDelimiter: true } as object }

/** What find-my-way itself is asked. */
const alone: Alone[] = [
  { path: '/:id((v)(\\d))/:next', params: { id: 'v1', next: 'x' }, url: null },
  { path: '/:id((?:v)\\d)/:next', params: { id: 'v1', next: 'x' }, url: '/v1/x' },
  { path: '/:id/100%', params: { id: 'x' }, url: '/x/100%25' },
  { path: '/%:id', params: { id: 'x' }, url: '/%25x' },
  { path: '/:id/a?b', params: { id: 'x' }, url: null },
  { path: '/:id/a;b', params: { id: 'x' }, url: '/x/a;b' },
  { path: '/:id/a;b', params: { id: 'x' }, url: null, options: semicolons },
  { path: '/a//:id', params: { id: 'x' }, url: '/a//x', options: merging },
  { path: '/city/:name/rooms', params: { name: 'İstanbul' }, url: null, options: folding },
  { path: '/city/:name/x', params: { name: 'istanbul' }, url: '/city/istanbul/x', options: folding },
  { path: '/city/:name', params: { name: 'İstanbul' }, url: '/city/%C4%B0stanbul', options: folding },
  { path: '/city/:name/rooms', params: { name: 'İ' }, url: '/city/%C4%B0/rooms' },
  { path: '/İ/:name/x', params: { name: 'a' }, url: null, options: folding }
]

for (const { path, params, url, options } of alone) {
  const router = JSON.stringify(options?.routerOptions ?? {})
  t.test(`the path ${path} with ${shown(params)} under ${router} becomes ${url}`, async (t) => {
    const app = await appOf(t, path, options)
    if (url === null) {
      t.throws(() => app.reverse('route', params), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    } else {
      t.equal(app.reverse('route', params), url)
      t.same((await app.inject(url)).json(), params)
    }
  })
}

t.test('a longer value fits where the router accepts longer values', async (t) => {
  const id = 'x'.repeat(120)
  for (const options of [{ maxParamLength: 120 }, { routerOptions: { maxParamLength: 120 } }]) {
    const app = await appOf(t, '/:id', options)
    t.same((await app.inject(app.reverse('route', { id }))).json(), { id })
  }
})

t.test('only a shorter value fits where the router accepts shorter values', async (t) => {
  const app = await appOf(t, '/:id', { routerOptions: { maxParamLength: 3 } })
  t.equal(app.reverse('route', { id: 'abc' }), '/abc')
  t.throws(() => app.reverse('route', { id: 'abcd' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a maxParamLength of 0 means no limit of its own', async (t) => {
  const app = await appOf(t, '/:page', { routerOptions: { maxParamLength: 0 } })
  t.equal(app.reverse('route', { page: 'x' }), '/x')
  t.same((await app.inject('/x')).json(), { page: 'x' })
})

t.test('a link is made although another route answers it', async (t) => {
  const app = await appOf(t, '/users/:id')
  app.get('/users/me', async () => 'another route')
  t.equal(app.reverse('route', { id: 'me' }), '/users/me')
  t.equal((await app.inject('/users/me')).body, 'another route')
})

t.test('a wildcard has no slashes in a row where the router reads several as one', async (t) => {
  for (const options of [{ ignoreDuplicateSlashes: true }, { routerOptions: { ignoreDuplicateSlashes: true } }]) {
    const app = await appOf(t, '/a//*', options)
    const url = app.reverse('route', { '*': 'b/c' })
    t.same((await app.inject(url)).json(), { '*': 'b/c' })
    t.throws(() => app.reverse('route', { '*': 'b//c' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  }
})

t.test('a wildcard has no last slash where the router ignores trailing ones', async (t) => {
  const app = await appOf(t, '/files/*', { routerOptions: { ignoreTrailingSlash: true } })
  t.same((await app.inject(app.reverse('route', { '*': 'docs' }))).json(), { '*': 'docs' })
  t.throws(() => app.reverse('route', { '*': 'docs/' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a pattern without a closing parenthesis is a syntax error', async (t) => {
  t.throws(() => parsePath('/:id(\\d+'), new SyntaxError('Unterminated pattern in "/:id(\\d+"'))
})

t.test('the given parameters are not modified', async (t) => {
  const app = await appOf(t, '/:a/:b')
  const kwargs = Object.freeze({ a: 1 })
  const args = Object.freeze([2])
  t.throws(() => app.reverse('route', kwargs), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('route', args), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(app.reverse('route', kwargs, { args } as LinkOptions), '/1/2')
})

t.test('inherited properties are not parameters', async (t) => {
  const app = await appOf(t, '/:toString')
  t.throws(() => app.reverse('route', {}), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  const app2 = await appOf(t, '/x')
  t.equal(app2.reverse('route', Object.create({ id: 7 })), '/x')
})

function shown (params: unknown): string {
  return JSON.stringify(params, (_, value) => typeof value === 'bigint' ? `${value}n` : value)
}

function escape (text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
