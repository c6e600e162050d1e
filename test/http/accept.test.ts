import t from 'tap'

import { parseAccept, parseMediaRange } from '../../src/http/accept.ts'

import type { MediaRange } from '../../src/http/accept.ts'

/** Headers that are read alike, and what is read. */
type Reading = [headers: readonly string[], ...ranges: [mediaType: string, quality?: number, ...string[][]][]]

const JSON_TYPE = 'application/json'
const TOKEN = "!#$%&'*+.^_`|~-1"
/** Malformed types, parameters and weights. */
const TYPES = [
  'a', 'a/', '/b', '/', '*', '*/b', '*/*x', '*x/*y', 'a/*x', 'a/**', 'a/b/c', 'a b', 'a /b', 'a/ b', 'a/b c', 'a/b=c',
  '"a/b"', 'a"b/c"', 'é/b', 'a/é', 'a/b(x)', ';x=1', ';a/b;x="1"', '=', '\\', '\u0000', 'a/b\u0000'
]
const PARAMETERS = [
  '', ' ', 'x', 'x=', '=1', 'x =1', 'x= 1', 'x=1 2', 'x="1"2', 'x=1"2"', 'x==1', 'x=1=2', 'x=(1)', 'x=é', 'é=1',
  '"x"=1', '"x;z=3"', 'x=1"2;z=3"', '/', '\\', '\\;'
]
const WEIGHTS = ['1.1', '2', '10', '-1', '-0', '+1', '1e-1', '0x1', '.', '0x', 'NaN', 'Infinity', '""', '" 0.5"', '']

const readings: Reading[] = [
  [['', ' \t', '"']],
  [[
    'a/b', ' \ta/b\t ', 'a/b;q=1', 'a/b;q=1.000', ...['1', '1.', '1.0', '1.000'].map((one) => `a/b;q=0.5;q=${one}`),
    'a/b;', 'a/b;x="1', 'a/b;x="1\\", c/d', 'a/b, ", c/d', 'a/b, c", d/e'
  ], ['a/b']],
  [['*/*'], ['*/*']],
  [['a/*'], ['a/*']],
  [['Application/JSON'], [JSON_TYPE]],
  [['application/vnd.api+json'], ['application/vnd.api+json']],
  [[`${TOKEN}/x`], [`${TOKEN}/x`]],
  [['a/b,c/d', 'a/b \t,\t c/d', ',, ,a/b,,c/d, ,'], ['a/b'], ['c/d']],

  [['a/b;x=1', 'a/b;x="1"', 'a/b;x=1;x=1 2'], ['a/b', 1, ['x', '1']]],
  [['a/b \t;\t x=1 \t;\t y=2 ', 'a/b;x="1" ;y=2'], ['a/b', 1, ['x', '1'], ['y', '2']]],
  [['a/b;X=Yz'], ['a/b', 1, ['x', 'Yz']]],
  [[`a/b;${TOKEN}=${TOKEN}`], ['a/b', 1, [TOKEN, TOKEN]]],
  [['a/b;x=1;x=2;X=3'], ['a/b', 1, ['x', '3']]],
  [['a/b;x=1,c/d;y=2'], ['a/b', 1, ['x', '1']], ['c/d', 1, ['y', '2']]],
  [['a/b;__proto__=1;constructor=2'], ['a/b', 1, ['__proto__', '1'], ['constructor', '2']]],
  [['a/b;x=""'], ['a/b', 1, ['x', '']]],
  [['a/b;x=" 1, c/d; y=2 "'], ['a/b', 1, ['x', ' 1, c/d; y=2 ']]],
  [['a/b;x="\\"",c/d'], ['a/b', 1, ['x', '"']], ['c/d']],
  [['a/b;x="\\\\",c/d'], ['a/b', 1, ['x', '\\']], ['c/d']],
  [['a/b;x="\\1\\,\\;"'], ['a/b', 1, ['x', '1,;']]],
  [['a/b;x="é\u0000\n\\\n"'], ['a/b', 1, ['x', 'é\u0000\n\n']]],

  [['a/b;q=0.5', 'a/b;q="0.5"', 'a/b;q=.5', 'a/b;q=0.5;q=high'], ['a/b', 0.5]],
  [['a/b;q=0'], ['a/b', 0]],
  [['a/b;q=0.123456'], ['a/b', 0.123456]],
  [['a/b;q=0.2;q=0.3'], ['a/b', 0.3]],
  [['a/b;x=1;q=0.5', 'a/b;q=0.5;x=1'], ['a/b', 0.5, ['x', '1']]],
  [WEIGHTS.map((weight) => `a/b;q=${weight}, c/d;q=0.5;q=${weight}`), ['a/b'], ['c/d', 0.5]],

  [[...TYPES.map((type) => `${type};x=1, c/d`), '", a/b", c/d'], ['c/d']],
  [['a;x=",c/d";y="\\",e/f", g/h'], ['g/h']],
  [PARAMETERS.map((parameter) => `a/b;${parameter};y=2, c/d`), ['a/b', 1, ['y', '2']], ['c/d']],
  [['a/b;y=2;x="1, c/d;z=3'], ['a/b', 1, ['y', '2']]]
]

const plain = ({ mediaType, quality, parameters }: MediaRange) => [mediaType, quality, ...parameters]

for (const [headers, ...ranges] of readings) {
  for (const header of headers) {
    t.test(`the media ranges of the Accept header ${JSON.stringify(header)} are read`, async (t) => {
      t.same(parseAccept(header).map(plain), ranges.map(([type, quality = 1, ...parameters]) => (
        [type, quality, ...parameters]
      )))
    })
  }
}

t.test('a media range also has its type as the client wrote it', async (t) => {
  const ranges = parseAccept(' Application/JSON ;X=1,*/*')
  t.same(ranges.map(({ sent, mediaType }) => [sent, mediaType]), [['Application/JSON', JSON_TYPE], ['*/*', '*/*']])
})

const contentTypes: [header: string, type: unknown[] | null][] = [
  [JSON_TYPE, [JSON_TYPE, 1]],
  [' Application/JSON ; Version="1 0"', [JSON_TYPE, 1, ['version', '1 0']]],
  ['a/b;x=1, c/d;y=2', ['a/b', 1, ['x', '1']]],
  ...['', 'a', ',a/b', 'a/b c', ';x=1'].map((header): [string, null] => [header, null])
]

for (const [header, expected] of contentTypes) {
  t.test(`the Content-Type ${JSON.stringify(header)} is ${expected === null ? 'malformed' : 'read'}`, async (t) => {
    const type = parseMediaRange(header)
    t.same(type === null ? null : plain(type), expected)
  })
}

// The unit is repeated up to a length at which quadratic time or recursion per character would fail.
const longs: [says: string, before: string, unit: string, after: string, ranges: number][] = [
  ['quotes', '', '"', '', 0],
  ['a quoted string', 'a/b;x="', 'x', '", c/d', 2],
  ['a quoted string without end', 'a/b;x="', 'x', '', 1],
  ['escapes', 'a/b;x="', '\\"', '", c/d', 2],
  ['backslashes without end', 'a/b;x="', '\\\\', '', 1],
  ['semicolons and quotes', 'a/b', ';"', '', 1],
  ['malformed parameters', 'a/b', ';x=1 2', ', c/d', 2],
  ['commas', '', ',', 'c/d', 1],
  ['space', '', ' \t', 'c/d', 1],
  ['space before a parameter', 'a/b', ' ', ';x=1, c/d', 2],
  ['space in a malformed parameter', 'a/b;x=1', ' ', '2, c/d', 2],
  ['a weight', 'a/b;q=0.', '0', 'x, c/d', 2]
]

for (const [says, before, unit, after, ranges] of longs) {
  t.test(`an Accept header with a million characters of ${says} is read`, async (t) => {
    t.equal(parseAccept(before + unit.repeat(1_000_000 / unit.length) + after).length, ranges)
  })
}
