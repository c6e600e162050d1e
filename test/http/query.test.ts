import t from 'tap'

import { queryOf, setQueryParameter, toQuery } from '../../src/http/query.ts'

import type { LinkQuery } from '../../types/index.d.ts'

const settings: { says: string, url: string, name?: string, value?: string, result: string }[] = [
  { says: 'a new parameter begins the query', url: '/list', result: '/list?version=v1' },
  { says: 'a new parameter follows a lone question mark', url: '/list?', result: '/list?version=v1' },
  { says: 'a new parameter stands before the fragment', url: '/list?a=1#top', result: '/list?a=1&version=v1#top' },
  { says: 'a lone question mark before a fragment is used', url: '/list?#top', result: '/list?version=v1#top' },
  { says: 'a question mark in a fragment begins no query', url: '/list#a?b=1', result: '/list?version=v1#a?b=1' },
  { says: 'a fragment is never looked into', url: '/list#version=v0', result: '/list?version=v1#version=v0' },
  { says: 'an empty URL has a query only', url: '', result: '?version=v1' },
  { says: 'a host stays', url: 'https://a.example/x?b=1', result: 'https://a.example/x?b=1&version=v1' },
  { says: 'the path is never looked into', url: '/version=v0&a', result: '/version=v0&a?version=v1' },

  { says: 'the parameter is replaced', url: '/list?version=v0', result: '/list?version=v1' },
  { says: 'the parameter is replaced in place', url: '/list?a=1&version=v0&b=2', result: '/list?a=1&version=v1&b=2' },
  { says: 'the parameter is replaced at the front', url: '/list?version=v0&b=2#x', result: '/list?version=v1&b=2#x' },
  { says: 'a parameter without a value is replaced', url: '/list?version&a=1', result: '/list?version=v1&a=1' },
  {
    says: 'a repeated parameter stays where it first stood',
    url: '/list?a=1&version=v2&b=2&version&c=3&version=',
    result: '/list?a=1&version=v1&b=2&c=3'
  },

  { says: 'another case is another name', url: '/list?Version=v0', result: '/list?Version=v0&version=v1' },
  { says: 'a longer name is another name', url: '/list?versions=v0', result: '/list?versions=v0&version=v1' },
  { says: 'a name may be a value', url: '/list?a=version', result: '/list?a=version&version=v1' },
  { says: 'an encoded name is decoded', url: '/list?v%65rsion=v0', result: '/list?version=v1' },
  { says: 'an encoded equals sign is the name\'s', url: '/x?version%3D=a', result: '/x?version%3D=a&version=v1' },
  { says: 'a plus sign is a space', url: '/list?a+b=1', name: 'a b', result: '/list?a%20b=v1' },
  { says: 'an encoded plus sign is one', url: '/list?a%2Bb=1&a+b=2', name: 'a+b', result: '/list?a%2Bb=v1&a+b=2' },
  { says: 'what cannot be decoded stays', url: '/list?%zz=1&a=%', result: '/list?%zz=1&a=%&version=v1' },
  { says: 'what cannot be decoded is compared as it is', url: '/list?%zz=1', name: '%zz', result: '/list?%25zz=v1' },
  { says: 'any name will do', url: '/x?a=1', name: '__proto__', result: '/x?a=1&__proto__=v1' },

  { says: 'the spelling of other parameters stays', url: '/x?a=%41+&&b&=c', result: '/x?a=%41+&&b&=c&version=v1' },

  { says: 'a value is encoded', url: '/x', value: 'a &=#?+/%', result: '/x?version=a%20%26%3D%23%3F%2B%2F%25' },
  { says: 'a value is not a pattern', url: '/x?version=v0', value: '$&$1$$', result: '/x?version=%24%26%241%24%24' },
  { says: 'a lone surrogate is replaced', url: '/x', value: '\ud800', result: '/x?version=%EF%BF%BD' },
  { says: 'a name is encoded', url: '/x', name: 'a b&c=d#', result: '/x?a%20b%26c%3Dd%23=v1' },
]

for (const { says, url, name = 'version', value = 'v1', result } of settings) {
  t.test(`${says}: ${JSON.stringify(url)} becomes ${JSON.stringify(result)}`, async (t) => {
    t.equal(setQueryParameter(url, name, value), result)
    t.equal(setQueryParameter(result, name.toWellFormed(), value), result, 'and twice')
  })
}

t.test('a query of a million characters can be edited', async (t) => {
  const query = '&a=1'.repeat(250_000)
  t.equal(setQueryParameter(`/list?version=v0${query}&version`, 'version', 'v1'), `/list?version=v1${query}`)
})

const removals = [
  ['/list', '/list'],
  ['/list?', '/list'],
  ['/list?#top', '/list#top'],
  ['/list?version=v0', '/list'],
  ['/list?version=v0&version', '/list'],
  ['/list?version=v0#top', '/list#top'],
  ['/list?a=1&v%65rsion=v0&b=2&version=v1#top', '/list?a=1&b=2#top'],
  ['/list?versions=v0#version=v0', '/list?versions=v0#version=v0']
]

for (const [url, result] of removals) {
  t.test(`the URL ${url} without the parameter is ${result}`, async (t) => {
    t.equal(setQueryParameter(url, 'version', null), result)
  })
}

const written: { says: string, query: LinkQuery, text: string }[] = [
  { says: 'an empty object', query: {}, text: '' },
  { says: 'an object', query: { a: 'b c', 'd&': '' }, text: 'a=b%20c&d%26=' },
  { says: 'values that are not strings', query: { a: 0, b: true, c: false, d: 12n }, text: 'a=0&b=true&c=false&d=12' },
  { says: 'undefined and null', query: { a: undefined, b: null, c: 1 }, text: 'c=1' },
  { says: 'an array', query: { a: ['b', 1, null, undefined, true], c: [] }, text: 'a=b&a=1&a=true' },
  { says: 'pairs', query: [['a', 'b'], ['c', 1], ['a', ['d', 'e']]], text: 'a=b&c=1&a=d&a=e' },
  { says: 'URLSearchParams', query: new URLSearchParams('a=1&b=2&a=3+4'), text: 'a=1&b=2&a=3%204' },
  { says: 'a Map', query: new Map([['a', '1']]), text: 'a=1' }
]

for (const { says, query, text } of written) {
  t.test(`the query of ${says} is "${text}"`, async (t) => {
    t.equal(toQuery(query), text)
  })
}

const wrong = [
  { query: 'a=1', shown: "'a=1'" },
  { query: 1, shown: '1' },
  { query: ['ab'], shown: "'ab'" },
  { query: [[1, 'a']], shown: "[ 1, 'a' ]" },
  { query: [{ 0: 'a', 1: 'b' }], shown: "{ '0': 'a', '1': 'b' }" },
  { query: { a: {} }, shown: '{ a: {} }' },
  { query: { a: ['b', ['c']] }, shown: "{ a: [ 'c' ] }" },
  { query: { a: Symbol('b') }, shown: '{ a: Symbol(b) }' },
  { query: new Map([['a', () => {}]]), shown: '{ a: [Function (anonymous)] }' }
]

for (const { query, shown } of wrong) {
  t.test(`${shown} cannot be a query or a value in one`, async (t) => {
    t.throws(() => toQuery(query as LinkQuery), {
      code: 'FST_ERR_REVERSE_OPTION',
      message: `Invalid link option "query": expected strings, numbers, bigints and booleans by name, got ${shown}.`
    })
  })
}

const reads: Array<[url: string, query: Record<string, string | string[]>]> = [
  ['/a', {}],
  ['/a?', {}],
  ['/a?b=1&c=%20+&b=2', { b: ['1', '2'], c: '  ' }],
  ['?b', { b: '' }],
  ['/a?b=c?d', { b: 'c?d' }],
  ['/a#b=1', { b: '1' }],
  ['/a?b=1#c', { b: '1#c' }]
]

for (const [url, query] of reads) {
  t.test(`the query of ${url} is ${JSON.stringify(query)}`, async (t) => {
    t.same({ ...queryOf(url) }, query)
  })
}
