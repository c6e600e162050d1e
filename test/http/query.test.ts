import t from 'tap'

import { queryOf, setQueryParameter, toQuery } from '../../src/http/query.ts'

import type { LinkQuery } from '../../types/index.d.ts'

const settings: [says: string, url: string, result: string, own?: { name?: string, value?: string }][] = [
  ['a new parameter begins the query', '/list', '/list?version=v1'],
  ['a new parameter stands before the fragment', '/list?a=1#top', '/list?a=1&version=v1#top'],
  ['a lone question mark before a fragment is used', '/list?#top', '/list?version=v1#top'],
  ['a question mark in a fragment begins no query', '/list#a?b=1', '/list?version=v1#a?b=1'],
  ['a fragment is never looked into', '/list#version=v0', '/list?version=v1#version=v0'],
  ['an empty URL has a query only', '', '?version=v1'],
  ['the path is never looked into', '/version=v0&a', '/version=v0&a?version=v1'],

  ['the parameter is replaced in place', '/list?a=1&version=v0&b=2', '/list?a=1&version=v1&b=2'],
  ['the parameter is replaced at the front', '/list?version=v0&b=2#x', '/list?version=v1&b=2#x'],
  ['a repeated parameter stays at the first', '/?a&version=v2&b=2&version&c=3&version=', '/?a&version=v1&b=2&c=3'],

  ['a name may be a value', '/list?a=version', '/list?a=version&version=v1'],
  ['an encoded name is decoded', '/list?v%65rsion=v0', '/list?version=v1'],
  ['an encoded equals sign is the name\'s', '/x?version%3D=a', '/x?version%3D=a&version=v1'],
  ['a plus sign is a space', '/list?a+b=1', '/list?a%20b=v1', { name: 'a b' }],
  ['an encoded plus sign is one', '/list?a%2Bb=1&a+b=2', '/list?a%2Bb=v1&a+b=2', { name: 'a+b' }],
  ['what cannot be decoded stays', '/list?%zz=1&a=%', '/list?%zz=1&a=%&version=v1'],
  ['what cannot be decoded is compared as it is', '/list?%zz=1', '/list?%25zz=v1', { name: '%zz' }],

  ['the spelling of other parameters stays', '/x?a=%41+&&b&=c', '/x?a=%41+&&b&=c&version=v1'],

  ['a value is encoded', '/x', '/x?version=a%20%26%3D%23%3F%2B%2F%25', { value: 'a &=#?+/%' }],
  ['a value is not a pattern', '/x?version=v0', '/x?version=%24%26%241%24%24', { value: '$&$1$$' }],
  ['a lone surrogate is replaced', '/x', '/x?version=%EF%BF%BD', { value: '\ud800' }],
  ['a name is encoded', '/x', '/x?a%20b%26c%3Dd%23=v1', { name: 'a b&c=d#' }],
]

for (const [says, url, result, { name = 'version', value = 'v1' } = {}] of settings) {
  t.test(`${says}: ${JSON.stringify(url)} becomes ${JSON.stringify(result)}`, async (t) => {
    t.equal(setQueryParameter(url, name, value), result)
    t.equal(setQueryParameter(result, name.toWellFormed(), value), result, 'and twice')
  })
}

t.test('a query of a million characters can be edited', async (t) => {
  const query = '&a=1'.repeat(250_000)
  t.equal(setQueryParameter(`/list?version=v0${query}&version`, 'version', 'v1'), `/list?version=v1${query}`)
})

for (const [url, result] of [
  ['/list', '/list'], ['/list?', '/list'], ['/list?#top', '/list#top'], ['/list?version=v0', '/list'],
  ['/list?version=v0&version', '/list'], ['/list?version=v0#top', '/list#top'],
  ['/list?a=1&v%65rsion=v0&b=2&version=v1#top', '/list?a=1&b=2#top'],
  ['/list?versions=v0#version=v0', '/list?versions=v0#version=v0']
]) {
  t.test(`the URL ${url} without the parameter is ${result}`, async (t) => {
    t.equal(setQueryParameter(url, 'version', null), result)
  })
}

const written: [says: string, query: LinkQuery, text: string][] = [
  ['an empty object', {}, ''],
  ['an object', { a: 'b c', 'd&': '' }, 'a=b%20c&d%26='],
  ['values that are not strings', { a: 0, b: true, c: false, d: 12n }, 'a=0&b=true&c=false&d=12'],
  ['undefined and null', { a: undefined, b: null, c: 1 }, 'c=1'],
  ['an array', { a: ['b', 1, null, undefined, true], c: [] }, 'a=b&a=1&a=true'],
  ['pairs', [['a', 'b'], ['c', 1], ['a', ['d', 'e']]], 'a=b&c=1&a=d&a=e'],
  ['URLSearchParams', new URLSearchParams('a=1&b=2&a=3+4'), 'a=1&b=2&a=3%204'],
  ['a Map', new Map([['a', '1']]), 'a=1']
]

for (const [says, query, text] of written) {
  t.test(`the query of ${says} is "${text}"`, async (t) => {
    t.equal(toQuery(query), text)
  })
}

const wrong: [query: unknown, shown: string][] = [
  ['a=1', "'a=1'"], [1, '1'], [['ab'], "'ab'"], [[[1, 'a']], "[ 1, 'a' ]"],
  [[{ 0: 'a', 1: 'b' }], "{ '0': 'a', '1': 'b' }"], [{ a: {} }, '{ a: {} }'], [{ a: ['b', ['c']] }, "{ a: [ 'c' ] }"],
  [{ a: Symbol('b') }, '{ a: Symbol(b) }'], [new Map([['a', () => {}]]), '{ a: [Function (anonymous)] }']
]

for (const [query, shown] of wrong) {
  t.test(`${shown} cannot be a query or a value in one`, async (t) => {
    t.throws(() => toQuery(query as LinkQuery), {
      code: 'FST_ERR_REVERSE_OPTION',
      message: `Invalid link option "query": expected strings, numbers, bigints and booleans by name, got ${shown}.`
    })
  })
}

const reads: Array<[url: string, query: Record<string, string | string[]>]> = [
  ['/a', {}], ['/a?', {}], ['/a?b=1&c=%20+&b=2', { b: ['1', '2'], c: '  ' }], ['?b', { b: '' }],
  ['/a?b=c?d', { b: 'c?d' }], ['/a#b=1', { b: '1' }], ['/a?b=1#c', { b: '1#c' }]
]

for (const [url, query] of reads) {
  t.test(`the query of ${url} is ${JSON.stringify(query)}`, async (t) => {
    t.same({ ...queryOf(url) }, query)
  })
}
