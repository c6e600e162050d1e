import t from 'tap'

import { emptyIn, UrlTemplate } from '../../src/paths/template.ts'

import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

const limits = { maxParamLength: 10, ignoreDuplicateSlashes: false }

interface Filling {
  says: string
  path: string
  args?: ReverseArgs
  kwargs?: ReverseKwargs
  /** A parameter with the value that it has unless it is given. */
  implied?: [name: string, value: string]
  empty?: string[]
  url: string | null
}

const fillings: Filling[] = [
  { says: 'an implied parameter is filled', path: '/:v/x', implied: ['v', 'v1'], url: '/v1/x' },
  { says: 'an implied parameter may be given', path: '/:v/x', kwargs: { v: 'v2' }, implied: ['v', 'v1'], url: '/v2/x' },
  { says: 'undefined is not given', path: '/:v', kwargs: { v: undefined }, implied: ['v', 'v1'], url: '/v1' },
  { says: 'an empty text is given, and fits nowhere', path: '/:v', kwargs: { v: '' }, implied: ['v', 'v1'], url: null },
  { says: 'null is given, and fits nowhere', path: '/:v', kwargs: { v: null }, implied: ['v', 'v1'], url: null },
  { says: 'what objects inherit is not given', path: '/:toString', implied: ['toString', 'v1'], url: '/v1' },
  { says: 'an implied parameter must be in the path', path: '/x', implied: ['v', 'v1'], url: null },
  { says: 'another parameter does not replace it', path: '/:id', kwargs: { id: 7 }, implied: ['v', 'v1'], url: null },
  { says: 'an implied one takes no positional value', path: '/:v/:id', args: [7], implied: ['v', 'v1'], url: '/v1/7' },

  { says: 'a parameter may be empty', path: '/a/:id/b', kwargs: { id: '' }, empty: ['id'], url: '/a//b' },
  { says: 'an empty parameter takes no positional value', path: '/u/:a/:b', args: ['x'], empty: ['a'], url: '/u//x' },
  { says: 'an empty parameter leaves no positional value', path: '/u/:a', args: ['x'], empty: ['a'], url: null },
  { says: 'other parameters may not be empty', path: '/u/:a/:b', kwargs: { b: '' }, empty: ['a'], url: null },
  { says: 'an empty value makes no dot segment', path: '/.:id', kwargs: { id: '' }, empty: ['id'], url: null },
  { says: 'an empty value makes no dot segment', path: '/a/..*', kwargs: { '*': '' }, empty: ['*'], url: null },
  { says: 'empty values make no dot segment', path: '/:a.:b', kwargs: { a: '', b: '' }, empty: ['a', 'b'], url: null },

  { says: 'a percent sign of the app makes no escape', path: '/%:id', kwargs: { id: '2e' }, url: null },
  { says: 'a percent sign of the app is escaped', path: '/%:id', kwargs: { id: 'x' }, url: '/%25x' },

  { says: 'values beyond the last one are surplus', path: '/:id', args: ['x', null, 'y'], url: null },
  { says: 'what is not set is not surplus', path: '/:id', args: ['x', null, '', undefined], url: '/x' },
  { says: 'a text of the app stays as it is', path: '/./:id', kwargs: { id: 7 }, url: '/./7' },
  { says: 'a text of the app stays as it is', path: '/./:id(\\d)', kwargs: { id: 7 }, url: '/./7' },
  { says: 'a value of full length fits', path: '/:id', kwargs: { id: '+'.repeat(10) }, url: `/${'%2B'.repeat(10)}` },
  { says: 'a longer value does not fit', path: '/:id', kwargs: { id: '+'.repeat(11) }, url: null },
  { says: 'a plain value of full length fits', path: '/:id', kwargs: { id: 'u'.repeat(10) }, url: '/uuuuuuuuuu' },
  { says: 'a longer plain value does not fit', path: '/:id', kwargs: { id: 'u'.repeat(11) }, url: null },
  { says: 'a part of full length fits', path: '/:id.', kwargs: { id: '+'.repeat(10) }, url: `/${'%2B'.repeat(10)}.` },
  { says: 'a longer part does not fit', path: '/:id.', kwargs: { id: '+'.repeat(11) }, url: null },
  { says: 'a plain part of full length fits', path: '/:id.', kwargs: { id: 'u'.repeat(10) }, url: '/uuuuuuuuuu.' },
  { says: 'a wildcard has any length', path: '/*', kwargs: { '*': 'u'.repeat(11) }, url: '/uuuuuuuuuuu' }
]

for (const { says, path, args = [], kwargs = {}, implied, empty, url } of fillings) {
  t.test(`${says}: the URL of ${path} is ${url}`, async (t) => {
    const [name, value] = implied ?? [null, '']
    t.equal(new UrlTemplate(path, limits).fill(args, kwargs, name, value, empty), url)
  })
}

t.test('no parameter of a template is implied, and none may be empty, by default', async (t) => {
  const template = new UrlTemplate('/:id', { ...limits, maxParamLength: 100 })
  t.equal(template.fill([7], {}), '/7')
  t.equal(template.fill([], { id: '' }), null)
  t.equal(template.fill([], {}, 'id'), null)
})

const given: [path: string, kwargs: ReverseKwargs, isTaken: boolean][] = [
  ['/:id', { id: 7 }, true],
  ['/:id', { id: '..' }, true],
  ['/:id', {}, false],
  ['/:id', { id: undefined }, false],
  ['/:id', { id: null }, false],
  ['/:id', { id: 7, x: 1 }, false],
  ['/:id', { id: 7, x: undefined }, true],
  ['/:a/:b', { a: 1 }, false],
  ['/x', {}, true]
]

for (const [path, kwargs, isTaken] of given) {
  const are = isTaken ? 'are' : 'are not'
  const shown = Object.entries(kwargs).map(([name, value]) => `${name}=${value}`).join(' and ')
  t.test(`the parameters ${shown || '(none)'} ${are} the parameters of ${path}`, async (t) => {
    t.equal(new UrlTemplate(path, limits).takes(kwargs), isTaken)
  })
}

interface Explanation { path: string, args?: ReverseArgs, kwargs?: ReverseKwargs, says: string }

const explanations: Explanation[] = [
  { path: '/:id', says: '/:id takes "id": "id" missing' },
  { path: '/:id', kwargs: { x: 1 }, says: '/:id takes "id": "id" missing, "x" unknown' },
  { path: '/:id', args: [7, 8], says: '/:id takes "id": 1 positional too many' },
  { path: '/:id', args: ['.', '', null, undefined], says: '/:id takes "id": "id" cannot be \'.\'' },
  { path: '/:a/:a', kwargs: { a: '.' }, says: '/:a/:a takes "a", "a": "a" cannot be \'.\', "a" cannot be \'.\'' },
  {
    path: '/:a/:a',
    args: [1],
    kwargs: { a: 2 },
    says: '/:a/:a takes "a", "a": 1 positional too many, a name that stands twice takes no positional values'
  },
  { path: '/:a/:b', args: ['x', '.'], says: '/:a/:b takes "a", "b": "b" cannot be \'.\'' },
  { path: '/:a/:b-:c', args: ['.', 'x', 'y-z'], says: '/:a/:b-:c takes "a", "b", "c": "a" cannot be \'.\'' },
  { path: '/:a(\\d)/:b(\\d)', args: [1, 'x'], says: '/:a(\\d)/:b(\\d) takes "a", "b": "b" cannot be \'x\'' }
]

for (const { path, args = [], kwargs = {}, says } of explanations) {
  t.test(`the reason why a path has no URL is reported as ${says}`, async (t) => {
    t.equal(new UrlTemplate(path, limits).explain(args, kwargs), says)
  })
}

t.test('only parameters of the request, and a given wildcard, may be empty', async (t) => {
  t.same(emptyIn({ a: 'x', b: '', c: '' }), ['b', 'c'])
  t.same(emptyIn({ a: 'x' }), [])
  t.same(emptyIn({ a: '', b: '', '*': '' }, { b: '', '*': '' }), ['a', '*'])
})
