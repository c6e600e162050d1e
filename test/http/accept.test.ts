import t from 'tap'

import { parseAccept, parseMediaRange } from '../../src/http/accept.ts'

import type { MediaRange } from '../../src/http/accept.ts'

interface Reading { header: string, ranges: Array<[mediaType: string, quality?: number, ...parameters: string[][]]> }

const JSON_TYPE = 'application/json'

const readings: Reading[] = [
  { header: '', ranges: [] },
  { header: ' \t', ranges: [] },
  { header: 'a/b', ranges: [['a/b']] },
  { header: '*/*', ranges: [['*/*']] },
  { header: 'a/*', ranges: [['a/*']] },
  { header: ' \ta/b\t ', ranges: [['a/b']] },
  { header: 'Application/JSON', ranges: [[JSON_TYPE]] },
  { header: 'application/vnd.api+json', ranges: [['application/vnd.api+json']] },
  { header: "!#$%&'*+.^_`|~-1/x", ranges: [["!#$%&'*+.^_`|~-1/x"]] },
  { header: 'a/b,c/d', ranges: [['a/b'], ['c/d']] },
  { header: 'a/b \t,\t c/d', ranges: [['a/b'], ['c/d']] },
  { header: ',, ,a/b,,c/d, ,', ranges: [['a/b'], ['c/d']] },

  { header: 'a/b;x=1', ranges: [['a/b', 1, ['x', '1']]] },
  { header: 'a/b \t;\t x=1 \t;\t y=2 ', ranges: [['a/b', 1, ['x', '1'], ['y', '2']]] },
  { header: 'a/b;X=Yz', ranges: [['a/b', 1, ['x', 'Yz']]] },
  { header: "a/b;!#$%&'*+.^_`|~-1=!#$%&'*+.^_`|~-2", ranges: [['a/b', 1, ["!#$%&'*+.^_`|~-1", "!#$%&'*+.^_`|~-2"]]] },
  { header: 'a/b;x=1;x=2;X=3', ranges: [['a/b', 1, ['x', '3']]] },
  { header: 'a/b;x=1,c/d;y=2', ranges: [['a/b', 1, ['x', '1']], ['c/d', 1, ['y', '2']]] },
  { header: 'a/b;__proto__=1;constructor=2', ranges: [['a/b', 1, ['__proto__', '1'], ['constructor', '2']]] },

  { header: 'a/b;x=""', ranges: [['a/b', 1, ['x', '']]] },
  { header: 'a/b;x="1"', ranges: [['a/b', 1, ['x', '1']]] },
  { header: 'a/b;x="1" ;y=2', ranges: [['a/b', 1, ['x', '1'], ['y', '2']]] },
  { header: 'a/b;x=" 1, c/d; y=2 "', ranges: [['a/b', 1, ['x', ' 1, c/d; y=2 ']]] },
  { header: 'a/b;x="\\"",c/d', ranges: [['a/b', 1, ['x', '"']], ['c/d']] },
  { header: 'a/b;x="\\\\",c/d', ranges: [['a/b', 1, ['x', '\\']], ['c/d']] },
  { header: 'a/b;x="\\1\\,\\;"', ranges: [['a/b', 1, ['x', '1,;']]] },
  { header: 'a/b;x="é\u0000\n\\\n"', ranges: [['a/b', 1, ['x', 'é\u0000\n\n']]] },

  { header: 'a/b;q=0.5', ranges: [['a/b', 0.5]] },
  { header: 'a/b;q="0.5"', ranges: [['a/b', 0.5]] },
  { header: 'a/b;q=0', ranges: [['a/b', 0]] },
  { header: 'a/b;q=.5', ranges: [['a/b', 0.5]] },
  { header: 'a/b;q=0.123456', ranges: [['a/b', 0.123456]] },
  { header: 'a/b;q=1', ranges: [['a/b', 1]] },
  { header: 'a/b;q=1.000', ranges: [['a/b', 1]] },
  { header: 'a/b;q=0.2;q=0.3', ranges: [['a/b', 0.3]] },
  { header: 'a/b;x=1;q=0.5', ranges: [['a/b', 0.5, ['x', '1']]] },
  { header: 'a/b;q=0.5;x=1', ranges: [['a/b', 0.5, ['x', '1']]] },
  { header: 'a/b;q=0.5;q=high', ranges: [['a/b', 0.5]] },
  ...['1', '1.', '1.0', '1.000'].map(
    (weight) => ({ header: `a/b;q=0.5;q=${weight}`, ranges: [['a/b', 1]] satisfies Reading['ranges'] })
  ),
  ...['1.1', '2', '10', '-1', '-0', '+1', '1e-1', '0x1', '.', '0x', 'NaN', 'Infinity', '""', '" 0.5"', ''].map(
    (weight) => ({
      header: `a/b;q=${weight}, c/d;q=0.5;q=${weight}`,
      ranges: [['a/b'], ['c/d', 0.5]] satisfies Reading['ranges']
    })
  )
]

const malformed: Reading[] = [
  ...['a', 'a/', '/b', '/', '*', '*/b', '*/*x', '*x/*y', 'a/*x', 'a/**', 'a/b/c', 'a b', 'a /b', 'a/ b', 'a/b c',
    'a/b=c', '"a/b"', 'a"b/c"', 'é/b', 'a/é', 'a/b(x)', ';x=1', ';a/b;x="1"', '=', '\\', '\u0000', 'a/b\u0000'
  ].map((type) => ({ header: `${type};x=1, c/d`, ranges: [['c/d']] satisfies Reading['ranges'] })),
  { header: 'a;x=",c/d";y="\\",e/f", g/h', ranges: [['g/h']] },

  ...['', ' ', 'x', 'x=', '=1', 'x =1', 'x= 1', 'x=1 2', 'x="1"2', 'x=1"2"', 'x==1', 'x=1=2', 'x=(1)', 'x=é', 'é=1',
    '"x"=1', '"x;z=3"', 'x=1"2;z=3"', '/', '\\', '\\;'
  ].map((parameter) => (
    { header: `a/b;${parameter};y=2, c/d`, ranges: [['a/b', 1, ['y', '2']], ['c/d']] satisfies Reading['ranges'] }
  )),
  { header: 'a/b;', ranges: [['a/b']] },
  { header: 'a/b;x=1;x=1 2', ranges: [['a/b', 1, ['x', '1']]] },

  { header: 'a/b;x="1', ranges: [['a/b']] },
  { header: 'a/b;y=2;x="1, c/d;z=3', ranges: [['a/b', 1, ['y', '2']]] },
  { header: 'a/b;x="1\\", c/d', ranges: [['a/b']] },
  { header: 'a/b, ", c/d', ranges: [['a/b']] },
  { header: 'a/b, c", d/e', ranges: [['a/b']] },
  { header: '"', ranges: [] },
  { header: '", a/b", c/d', ranges: [['c/d']] }
]

function plain ({ mediaType, quality, parameters }: MediaRange): unknown[] {
  return [mediaType, quality, ...parameters]
}

function weighted ([mediaType, quality = 1, ...parameters]: Reading['ranges'][number]): unknown[] {
  return [mediaType, quality, ...parameters]
}

for (const { header, ranges } of readings) {
  t.test(`the media ranges of the Accept header ${JSON.stringify(header)} are read`, async (t) => {
    t.same(parseAccept(header).map(plain), ranges.map(weighted))
  })
}

for (const { header, ranges } of malformed) {
  t.test(`malformed parts of the Accept header ${JSON.stringify(header)} are skipped`, async (t) => {
    t.same(parseAccept(header).map(plain), ranges.map(weighted))
  })
}

t.test('a media range also has its type as the client wrote it', async (t) => {
  const ranges = parseAccept(' Application/JSON ;X=1,*/*')
  t.same(ranges.map(({ sent, mediaType }) => [sent, mediaType]), [['Application/JSON', JSON_TYPE], ['*/*', '*/*']])
})

const contentTypes: Reading[] = [
  { header: JSON_TYPE, ranges: [[JSON_TYPE]] },
  { header: ' Application/JSON ; Version="1 0"', ranges: [[JSON_TYPE, 1, ['version', '1 0']]] },
  { header: 'a/b;x=1, c/d;y=2', ranges: [['a/b', 1, ['x', '1']]] },
  ...['', 'a', ',a/b', 'a/b c', ';x=1'].map((header) => ({ header, ranges: [] }))
]

for (const { header, ranges: [range] } of contentTypes) {
  t.test(`the Content-Type ${JSON.stringify(header)} is ${range === undefined ? 'malformed' : 'read'}`, async (t) => {
    const type = parseMediaRange(header)
    if (range === undefined) t.equal(type, null)
    else t.same(plain(type as MediaRange), weighted(range))
  })
}

// The unit is repeated up to a length at which quadratic time or recursion per character would fail.
const longs: { says: string, unit: string, before?: string, after?: string, ranges: number }[] = [
  { says: 'quotes', unit: '"', ranges: 0 },
  { says: 'quotes and commas', unit: '",', ranges: 0 },
  { says: 'a quoted string', before: 'a/b;x="', unit: 'x', after: '", c/d', ranges: 2 },
  { says: 'a quoted string without end', before: 'a/b;x="', unit: 'x', ranges: 1 },
  { says: 'escapes', before: 'a/b;x="', unit: '\\"', after: '", c/d', ranges: 2 },
  { says: 'escapes without end', before: 'a/b;x="', unit: '\\"', ranges: 1 },
  { says: 'backslashes without end', before: 'a/b;x="', unit: '\\\\', ranges: 1 },
  { says: 'semicolons', before: 'a/b', unit: ';', after: ', c/d', ranges: 2 },
  { says: 'semicolons and quotes', before: 'a/b', unit: ';"', ranges: 1 },
  { says: 'unfinished parameters', before: 'a/b', unit: ';x="', ranges: 1 },
  { says: 'malformed parameters', before: 'a/b', unit: ';x=1 2', after: ', c/d', ranges: 2 },
  { says: 'commas', unit: ',', after: 'c/d', ranges: 1 },
  { says: 'space', unit: ' \t', after: 'c/d', ranges: 1 },
  { says: 'space before a parameter', before: 'a/b', unit: ' ', after: ';x=1, c/d', ranges: 2 },
  { says: 'space before what is malformed', before: 'a/b', unit: ' ', after: 'x, c/d', ranges: 1 },
  { says: 'space in a malformed parameter', before: 'a/b;x=1', unit: ' ', after: '2, c/d', ranges: 2 },
  { says: 'a type without subtype', unit: 'a', after: ', c/d', ranges: 1 },
  { says: 'asterisks', unit: '*', after: '/*, c/d', ranges: 2 },
  { says: 'a weight', before: 'a/b;q=0.', unit: '0', after: 'x, c/d', ranges: 2 }
]

for (const { says, before = '', unit, after = '', ranges } of longs) {
  t.test(`an Accept header with a million characters of ${says} is read`, async (t) => {
    t.equal(parseAccept(before + unit.repeat(1_000_000 / unit.length) + after).length, ranges)
  })
}
