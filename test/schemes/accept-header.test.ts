import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { readingApp, readings, versionIn } from './readings.ts'

const scheme = AcceptHeaderVersioning
const accepting = (accept: string) => ({ url: '/', headers: { accept } })

readings(t, { scheme, defaultVersion: null }, accepting, [
  ['', null],
  ['text/html', null],
  ['text/html;version', null],
  ['text/html;version=1', '1'],
  ['text/html \t;\t version=1.0', '1.0'],
  ['*/*;version=1', '1'],
  ['text/*;version=1', '1'],
  ['text/html;version="1"', '1'],
  ['text/html;version="1, 2; 3"', '1, 2; 3'],
  ['text/html;version="\\"1\\" \\\\ \\2"', '"1" \\ 2'],
  ['text/html;x=",*/*;version=1";version=2', '2'],
  ['TEXT/HTML;VERSION=V1', 'V1'],
  ['text/html;version=1;version=2', '2'],
  ['text;version=1, text/html;version=2', '2'],
  ['text/html;version=1=2;version=3', '3']
])

for (const [versionParam, accept] of [
  ['v', 'text/html;version=1;v=2'],
  ['Version', 'text/html;version=2'],
  ['__proto__', 'text/html;__proto__=2'],
  ['constructor', 'text/html;constructor=2']
]) {
  readings(t, { scheme, versionParam, allowedVersions: ['2'] }, accepting, [
    [accept, '2'], ['text/html;other=2', 'the default']
  ])
}

t.test('a lower-ranked media range is not used if the version of the first is refused', async (t) => {
  const app = await readingApp(t, { scheme, allowedVersions: ['2'] })
  t.equal((await app.inject(accepting('text/html;version=1, text/html;version=2;q=0.9'))).statusCode, 406)
})

t.test('each of many Accept headers is answered in its own version, repeatedly', async (t) => {
  const app = await readingApp(t, { scheme })
  const padding = 'x'.repeat(300)
  for (const round of ['first', 'later']) {
    for (let i = 0; i < 150; i++) {
      t.equal(await versionIn(app, accepting(`text/html;version=${i}`)), String(i), round)
      const long = accepting(`text/html;padding=${padding};version=${i % 2}`)
      t.equal(await versionIn(app, long), String(i % 2), round)
    }
  }
})

// By rank.
readings(t, { scheme }, accepting, [
  // No lower-ranked range is used if the first specifies no version.
  ['text/html, */*;version=2', 'the default'],

  // By weight, wherever it stands, before how specific they are.
  ['a/b;version=1;q=0.5, a/c;version=2', '2'],
  ['a/b;version=1;q=0.8, a/c;version=2;q=0.9', '2'],
  ['a/b;version=1;q=.1, a/c;version=2;Q=0.2', '2'],
  ['a/b;q=0.1;version=1, a/c;q=0.2;version=2', '2'],
  ['a/b;version=1;q=0.9, */*;version=2', '2'],
  ['a/b;version=1;q=.1, a/c;version=2;q=.9, a/d;q=.5', '2'],

  // Type before wildcard, subtype before type, parameter before subtype, which the weight is not.
  ['*/*;version=1, a/*;version=2', '2'],
  ['a/*;version=1, a/b', 'the default'],
  ['*/*;version=1, a/b', 'the default'],
  ['a/b, a/c;version=2', '2'],
  ['a/b;x=1, a/*;version=1, a/b', 'the default'],
  ['a/b;q=1, a/c;version=2', '2'],
  ['a/b;version=1, a/c;x=1;y=2;version=2', '1'],
  ['*/*;x=1;version=1, a/b', 'the default'],

  // By order.
  ['a/b;version=1, a/c;version=2', '1'],

  // By a weight above 0.
  ['a/b;version=1;q=0', 'the default'],
  ['a/b;version=1;q=0.000, */*;version=2;q=0.001', '2'],
  ['a/b;version=1;q=0, a/c;version=2;q=0', 'the default']
])

readings(t, { scheme, mediaTypes: ['application/json'] }, accepting, [
  ['application/json;version=1', '1'],
  ['Application/JSON;version=1', '1'],
  ['application/*;version=1', '1'],
  ['*/*;version=1', '1'],
  ['text/html;version=1', 'the default'],
  ['text/*;version=1', 'the default'],
  ['app/*;version=1', 'the default'],
  ['application/json-seq;version=1', 'the default'],
  ['text/html;version=1, application/json;version=2;q=0.1', '2'],
  ['text/html;version=1, application/*;version=2;q=0.1', '2']
])

readings(t, { scheme, mediaTypes: ['text/html', 'text/plain'] }, accepting, [['text/plain;version=1', '1']])
readings(t, { scheme, mediaTypes: ['image/png', 'text/plain'] }, accepting, [['text/*;version=1', '1']])
readings(t, { scheme, mediaTypes: new Set(['Text/HTML; charset=utf-8']) }, accepting, [['text/html;version=1', '1']])
readings(t, { scheme, mediaTypes: [] }, accepting, [['text/html;version=1, text/*;version=2', 'the default']])
