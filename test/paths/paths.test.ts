import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

type Params = ReverseKwargs | ReverseArgs | null

const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }

/** An app with one named route that answers with its parameters. */
async function appOf (t: Test, path: string, options: FastifyServerOptions = {}): Promise<FastifyInstance> {
  const app = await appWith(t, {}, options)
  app.get(path, { name: 'route' }, async (request) => request.params)
  return app
}

function shown (params: unknown): string {
  return JSON.stringify(params, (_, value) => typeof value === 'bigint' ? `${value}n` : value)
}

const fitting: [path: string, params: Params, url: string, decoded: Record<string, string>][] = [
  ['/', null, '/', {}],
  ['/bookings/', [], '/bookings/', {}],
  ['/:id', { id: 7 }, '/7', { id: '7' }],
  ['/:id', [7n], '/7', { id: '7' }],
  ['/:id', { id: false }, '/false', { id: 'false' }],
  ['/:id', { id: 0 }, '/0', { id: '0' }],
  // Encoding
  ['/:id', { id: 'a/b' }, '/a%2Fb', { id: 'a/b' }],
  ['/:id', { id: '/evil.example' }, '/%2Fevil.example', { id: '/evil.example' }],
  ['/:id', { id: 'a%2Fb' }, '/a%252Fb', { id: 'a%2Fb' }],
  ['/:id', { id: 'a?b#c' }, '/a%3Fb%23c', { id: 'a?b#c' }],
  ['/:id', { id: 'ü 日本 🎉' }, encodeURI('/ü 日本 🎉'), { id: 'ü 日本 🎉' }],
  ['/:id', { id: 'a\r\nb\0' }, '/a%0D%0Ab%00', { id: 'a\r\nb\0' }],
  ['/:id', { id: '...' }, '/...', { id: '...' }],
  ['/100%', {}, '/100%25', {}],
  ['/grüße/@me;v=1,2', {}, '/gr%C3%BC%C3%9Fe/@me;v=1,2', {}],
  // Several parameters
  ['/:a/x/:b', { b: 2, a: 1 }, '/1/x/2', { a: '1', b: '2' }],
  ['/:a/x/:b', [1, 2], '/1/x/2', { a: '1', b: '2' }],
  ['/:a/:a', { a: 1 }, '/1/1', { a: '1' }],
  ['/:__proto__/:constructor', ['a', 'b'], '/a/b', JSON.parse('{ "__proto__": "a", "constructor": "b" }')],
  ['/:from-:to/x', ['muc', 'fra'], '/muc-fra/x', { from: 'muc', to: 'fra' }],
  ['/:from-:to', { from: 'a-b', to: 'c' }, '/a-b-c', { from: 'a-b', to: 'c' }],
  ['/:a-:b', ['.', '..'], '/.-..', { a: '.', b: '..' }],
  ['/:name.:ext', ['logo', 'svg'], '/logo.svg', { name: 'logo', ext: 'svg' }],
  ['/:a-:b.:c', [1, 2, 3], '/1-2.3', { a: '1', b: '2', c: '3' }],
  ['/room-:id', { id: '.' }, '/room-.', { id: '.' }],
  ['/.:id', { id: 'well-known' }, '/.well-known', { id: 'well-known' }],
  // Patterns
  ['/:id(^\\d+$)/x', { id: 7 }, '/7/x', { id: '7' }],
  ['/:id((?:a|b\\)))', { id: 'b)' }, '/b)', { id: 'b)' }],
  ['/at/:hour(^\\d+)h:minute(^\\d+)m', { hour: 8, minute: 15 }, '/at/8h15m', { hour: '8', minute: '15' }],
  ['/:a(\\d+):b', [1, 'x'], '/1x', { a: '1', b: 'x' }],
  ['/room-:id(\\.)', { id: '.' }, '/room-.', { id: '.' }],
  // Optional parameters, wildcards, colons
  ['/bookings/:id?', { id: 7 }, '/bookings/7', { id: '7' }],
  ['/bookings/:id?', { id: undefined }, '/bookings', {}],
  ['/bookings/:id?/', {}, '/bookings/', {}],
  ['/:id?', {}, '/', {}],
  ['/:lang/:page?', ['de', null, ''], '/de', { lang: 'de' }],
  ['/files/*', { '*': 'a/b c.txt' }, '/files/a/b%20c.txt', { '*': 'a/b c.txt' }],
  ['/files/*', ['/a//b/'], '/files//a//b/', { '*': '/a//b/' }],
  ['*', { '*': '/a/b' }, '/a/b', { '*': '/a/b' }],
  ['/name::verb', {}, '/name:verb', {}],
  ['/:id(\\d+)::cancel', { id: 7 }, '/7:cancel', { id: '7' }]
]

for (const [path, params, url, decoded] of fitting) {
  t.test(`the path ${path} with ${shown(params)} becomes ${url}, which the router reads back`, async (t) => {
    const app = await appOf(t, path)
    t.equal(app.reverse('route', params), url)
    t.same((await app.inject(url)).json(), decoded)
  })
}

const unfitting: [path: string, params: Params, says: string][] = [
  // Exactly the parameters of the path
  ['/:id', {}, '/:id ("id" missing'],
  ['/:id', { id: '' }, '"id" missing'],
  ['/:id', { id: null }, '"id" missing'],
  ['/:id', [''], '"id" missing'],
  ['/:id', [undefined], '"id" missing'],
  ['/:a/:b', { a: 1, x: 2 }, '/:a/:b ("b" missing, "x" unknown'],
  ['/x', { id: 7 }, '/x ("id" unknown'],
  ['/:id', ['x', null, 'y'], '/:id ("args[2]" unknown'],
  ['/:a/:a', [1, 2], '"args[1]" unknown'],
  ['/:toString', {}, '"toString" cannot be'],
  ['/:id', { id: NaN }, '"id" cannot be NaN'],
  ['/:id', { id: {} } as never, '"id" cannot be {}'],
  // Dot segments, as they are, escaped, and by a backslash
  ['/:id', { id: '.' }, '"id" cannot be \'.\''],
  ['/:id', { id: '..' }, '"id" cannot be \'..\''],
  ['/:id', { id: '%2e.' }, '"id" cannot be \'%2e.\''],
  ['/:id', { id: 'a/../b' }, '"id" cannot be \'a/../b\''],
  ['/:id', { id: 'a\\..' }, '"id" cannot be'],
  ['/%:id', { id: '2e' }, '"id" cannot be \'2e\''],
  ['/.:id', { id: '.' }, '"id" cannot be \'.\''],
  ['/:id.', { id: '.' }, '"id" cannot be \'.\''],
  ['/files/*', { '*': 'a/../../b' }, '"*" cannot be'],
  ['/files/*', { '*': 'a/%2E%2e' }, '"*" cannot be'],
  ['/.*', { '*': './b' }, '"*" cannot be'],
  ['*', { '*': '/..' }, '"*" cannot be \'/..\''],
  // A host, and what is not a path
  ['*', { '*': '//host' }, '"*" cannot be \'//host\''],
  ['//host/:id', { id: 7 }, '"id" cannot be 7'],
  ['*', { '*': 'a' }, '"*" cannot be \'a\''],
  ['/files/*', { '*': '' }, '"*" missing'],
  ['/files/*', [''], '"*" missing'],
  // Lone surrogates, lengths, patterns
  ['/:id', { id: '\ud800' }, '"id" cannot be'],
  ['/:a-:b', ['\ud800', 'x'], '"a" cannot be'],
  ['/:id', { id: 'x'.repeat(101) }, '"id" cannot be'],
  ['/:a-:b', ['x'.repeat(101), 'b'], '"a" cannot be'],
  ['/:id(^\\d+)', { id: 'x' }, '"id" cannot be \'x\''],
  ['/:a(\\d)/:b(\\d)', [1, 'x'], '/:b(\\d) ("b" cannot be \'x\')'],
  // The value at fault, and no other
  ['/:a/:b', ['v1', '..'], '/:a/:b ("b" cannot be \'..\')'],
  ['/:a-:b/.:c', ['..', 'x', '.'], '/:a-:b/.:c ("c" cannot be \'.\')'],
  ['/:a-:b', ['a', 'b-c'], '"a" cannot be \'a\', "b" cannot be \'b-c\'']
]

for (const [path, params, says] of unfitting) {
  t.test(`the path ${path} cannot be reversed with ${shown(params)}`, async (t) => {
    const app = await appOf(t, path)
    const message = new RegExp(says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    t.throws(() => app.reverse('route', params), { ...noMatch, message })
  })
}

const merging = { ignoreDuplicateSlashes: true }
const folding = { caseSensitive: false }
const trimming = { ignoreTrailingSlash: true }

/** What find-my-way itself is asked. */
const asked: [path: string, params: ReverseKwargs, url: string | null, routerOptions?: object][] = [
  ['/:id((v)(\\d))/:next', { id: 'v1', next: 'x' }, null],
  ['/:id((?:v)\\d)/:next', { id: 'v1', next: 'x' }, '/v1/x'],
  ['/:id/100%', { id: 'x' }, '/x/100%25'],
  ['/:id/a?b', { id: 'x' }, null],
  ['/:id/a;b', { id: 'x' }, '/x/a;b'],
  ['/:id/a;b', { id: 'x' }, null, { useSemicolonDelimiter: true }],
  ['/a//:id', { id: 'x' }, '/a//x', merging],
  ['/a//*', { '*': 'b/c' }, '/a//b/c', merging],
  ['/a//*', { '*': 'b//c' }, null, merging],
  ['/files/*', { '*': 'docs' }, '/files/docs', trimming],
  ['/files/*', { '*': 'docs/' }, null, trimming],
  ['/city/:name/rooms', { name: 'İstanbul' }, null, folding],
  ['/city/:name/rooms', { name: 'istanbul' }, '/city/istanbul/rooms', folding],
  ['/city/:name', { name: 'İstanbul' }, '/city/%C4%B0stanbul', folding],
  ['/İ/:name/x', { name: 'a' }, null, folding],
  ['/city/:name/rooms', { name: 'İ' }, '/city/%C4%B0/rooms'],
  ['/:id', { id: 'x'.repeat(120) }, `/${'x'.repeat(120)}`, { maxParamLength: 120 }],
  ['/:id', { id: 'abcd' }, null, { maxParamLength: 3 }],
  ['/:page', { page: 'x' }, '/x', { maxParamLength: 0 }]
]

for (const [path, params, url, routerOptions = {}] of asked) {
  t.test(`the path ${path} with ${shown(params)} under ${shown(routerOptions)} becomes ${url}`, async (t) => {
    const app = await appOf(t, path, { routerOptions })
    if (url === null) {
      t.throws(() => app.reverse('route', params), noMatch)
    } else {
      t.equal(app.reverse('route', params), url)
      t.same((await app.inject(url)).json(), params)
    }
  })
}

t.test('options of the router may stand among the options of the server', async (t) => {
  const app = await appOf(t, '/:id', { maxParamLength: 3 })
  t.throws(() => app.reverse('route', { id: 'abcd' }), noMatch)
})

t.test('a link is made although another route answers it', async (t) => {
  const app = await appOf(t, '/users/:id')
  app.get('/users/me', async () => 'another route')
  t.equal(app.reverse('route', { id: 'me' }), '/users/me')
  t.equal((await app.inject('/users/me')).body, 'another route')
})

t.test('the given parameters are not modified, and inherited ones are not read', async (t) => {
  const app = await appOf(t, '/:a/:b')
  const kwargs = Object.freeze({ a: 1 })
  const args = Object.freeze([2])
  t.equal(app.reverse('route', kwargs, { args } as LinkOptions), '/1/2')
  t.throws(() => app.reverse('route', kwargs), noMatch)
  t.equal((await appOf(t, '/x')).reverse('route', Object.create({ id: 7 })), '/x')
})
