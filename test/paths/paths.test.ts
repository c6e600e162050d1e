import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { noMatch } from '../links/app.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions } from '../../types/index.d.ts'
import type { Params } from '../links/app.ts'

/** An app with one named route that answers with its parameters. */
async function appOf (t: Test, path: string, options: FastifyServerOptions = {}): Promise<FastifyInstance> {
  const app = await appWith(t, {}, options)
  app.get(path, { name: 'route' }, async (request) => request.params)
  return app
}

function shown (params: unknown): string {
  return JSON.stringify(params, (_, value) => typeof value === 'bigint' ? `${value}n` : value)
}

const merging = { routerOptions: { ignoreDuplicateSlashes: true } }
const folding = { routerOptions: { caseSensitive: false } }
const trimming = { routerOptions: { ignoreTrailingSlash: true } }
/** Options of the router may stand among those of the server. */
const short = { maxParamLength: 3 }

/** What the router reads is the parameters, unless it is given; the options are the server's. */
const fitting: [path: string, params: Params, url: string, decoded?: Params | null, options?: object][] = [
  ['/', null, '/', {}],
  ['/bookings/', [], '/bookings/', {}],
  ['/:id', { id: 7 }, '/7', { id: '7' }],
  ['/:id', [7n], '/7', { id: '7' }],
  ['/:id', { id: false }, '/false', { id: 'false' }],
  ['/:id', { id: 0 }, '/0', { id: '0' }],
  // Encoding
  ['/:id', { id: 'a/b' }, '/a%2Fb'],
  ['/:id', { id: '/evil.example' }, '/%2Fevil.example'],
  ['/:id', { id: 'a%2Fb' }, '/a%252Fb'],
  ['/:id', { id: 'a?b#c' }, '/a%3Fb%23c'],
  ['/:id', { id: 'ü 日本 🎉' }, encodeURI('/ü 日本 🎉'), { id: 'ü 日本 🎉' }],
  ['/:id', { id: 'a\r\nb\0' }, '/a%0D%0Ab%00'],
  ['/:id', { id: '...' }, '/...'],
  ['/:id/.x', { id: '1.0..' }, '/1.0../.x'],
  ['/files/*', { '*': 'a..b' }, '/files/a..b'],
  ['/100%', {}, '/100%25'],
  ['/grüße/@me;v=1,2', {}, '/gr%C3%BC%C3%9Fe/@me;v=1,2'],
  // Several parameters
  ['/:a/x/:b', { b: 2, a: 1 }, '/1/x/2', { a: '1', b: '2' }],
  ['/:a/x/:b', [1, 2], '/1/x/2', { a: '1', b: '2' }],
  ['/:a/:a', { a: 1 }, '/1/1', { a: '1' }],
  ['/:__proto__/:constructor', ['a', 'b'], '/a/b', JSON.parse('{ "__proto__": "a", "constructor": "b" }')],
  ['/:from-:to', { from: 'a-b', to: 'c' }, '/a-b-c'],
  ['/:a-:b', ['.', '..'], '/.-..', { a: '.', b: '..' }],
  ['/:name.:ext', ['logo', 'svg'], '/logo.svg', { name: 'logo', ext: 'svg' }],
  ['/room-:id', { id: '.' }, '/room-.'],
  ['/.:id', { id: 'well-known' }, '/.well-known'],
  // Patterns
  ['/:id(^\\d+$)/x', { id: 7 }, '/7/x', { id: '7' }],
  ['/:id((?:a|b\\)))', { id: 'b)' }, '/b)'],
  ['/at/:hour(^\\d+)h:minute(^\\d+)m', { hour: 8, minute: 15 }, '/at/8h15m', { hour: '8', minute: '15' }],
  ['/:a(\\d+):b', [1, 'x'], '/1x', { a: '1', b: 'x' }],
  // Optional parameters, wildcards, colons
  ['/bookings/:id?', { id: 7 }, '/bookings/7', { id: '7' }],
  ['/bookings/:id?', { id: undefined }, '/bookings', {}],
  ['/bookings/:id?/', {}, '/bookings/'],
  ['/:id?', {}, '/'],
  ['/:lang/:page?', ['de', null, ''], '/de', { lang: 'de' }],
  ['/files/*', { '*': 'a/b c.txt' }, '/files/a/b%20c.txt'],
  ['/files/*', ['/a//b/'], '/files//a//b/', { '*': '/a//b/' }],
  ['*', { '*': '/a/b' }, '/a/b'],
  ['/name::verb', {}, '/name:verb'],
  ['/:id(\\d+)::cancel', { id: 7 }, '/7:cancel', { id: '7' }],
  // What find-my-way itself is asked
  ['/:id((?:v)\\d)/:next', { id: 'v1', next: 'x' }, '/v1/x'],
  ['/:id/100%', { id: 'x' }, '/x/100%25'],
  ['/:id/a;b', { id: 'x' }, '/x/a;b'],
  ['/a//:id', { id: 'x' }, '/a//x', null, merging],
  ['/a//*', { '*': 'b/c' }, '/a//b/c', null, merging],
  ['/files/*', { '*': 'docs' }, '/files/docs', null, trimming],
  ['/city/:name/rooms', { name: 'istanbul' }, '/city/istanbul/rooms', null, folding],
  ['/city/:name', { name: 'İstanbul' }, '/city/%C4%B0stanbul', null, folding],
  ['/city/:name/rooms', { name: 'İ' }, '/city/%C4%B0/rooms'],
  ['/:id', { id: 'x'.repeat(120) }, `/${'x'.repeat(120)}`, null, { routerOptions: { maxParamLength: 120 } }],
  ['/:page', { page: 'x' }, '/x', null, { routerOptions: { maxParamLength: 0 } }]
]

for (const [path, params, url, decoded, server = {}] of fitting) {
  const given = `${shown(params)} under ${shown(server)}`
  t.test(`the path ${path} with ${given} becomes ${url}, which the router reads back`, async (t) => {
    const app = await appOf(t, path, server)
    t.equal(app.reverse('route', params), url)
    t.same((await app.inject(url)).json(), decoded ?? params)
  })
}

const unfitting: [path: string, params: Params, says: string, options?: object][] = [
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
  ['/:id(^\\d+)', { id: 'x' }, '"id" cannot be \'x\''],
  ['/:a(\\d)/:b(\\d)', [1, 'x'], '/:b(\\d) ("b" cannot be \'x\')'],
  // The value at fault, and no other
  ['/:a/:b', ['v1', '..'], '/:a/:b ("b" cannot be \'..\')'],
  ['/:a-:b/.:c', ['..', 'x', '.'], '/:a-:b/.:c ("c" cannot be \'.\')'],
  ['/:a-:b', ['a', 'b-c'], '"a" cannot be \'a\', "b" cannot be \'b-c\''],
  ['/:id/*', [7, 'docs/'], '/:id/* ("*" cannot be \'docs/\')', trimming],
  // What find-my-way itself is asked
  ['/:id((v)(\\d))/:next', { id: 'v1', next: 'x' }, ''],
  ['/:id/a?b', { id: 'x' }, ''],
  ['/:id/a;b', { id: 'x' }, '', { routerOptions: { useSemicolonDelimiter: true } }],
  ['/a//*', { '*': 'b//c' }, '', merging],
  ['/files/*', { '*': 'docs/' }, '', trimming],
  ['/city/:name/rooms', { name: 'İstanbul' }, '', folding],
  ['/İ/:name/x', { name: 'a' }, '', folding],
  ['/:id', { id: 'abcd' }, '', { routerOptions: short }],
  ['/:id', { id: 'abcd' }, '', short]
]

for (const [path, params, says, server = {}] of unfitting) {
  t.test(`the path ${path} cannot be reversed with ${shown(params)} under ${shown(server)}`, async (t) => {
    const app = await appOf(t, path, server)
    const message = new RegExp(says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    t.throws(() => app.reverse('route', params), { ...noMatch, message })
  })
}

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
