import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning } from '../../src/index.ts'
import { versionBySubtype } from '../../src/options/media-types.ts'
import { differing } from '../fixtures/places.ts'
import { readingApp, readings, versionIn } from './readings.ts'

const ACME = 'application/vnd.acme.{version}+json'
const JSON_TYPE = 'application/json'
const accepting = (accept: string) => ({ url: '/', headers: { accept } })
const posting = (type: string) => ({ url: '/', headers: { 'content-type': type } })

readings(t, { scheme: AcceptHeaderVersioning }, accepting, [
  ['', 'the default'],
  ['text/html', 'the default'],
  ['text/html;version=1', '1'],
  ['TEXT/HTML;VERSION=V1', 'V1'],

  // No lower-ranked range is used if the first specifies no version.
  ['text/html, */*;version=2', 'the default'],

  // By weight, wherever it stands, before how specific they are.
  ['a/b;version=1;q=0.5, a/c;version=2', '2'],
  ['a/b;q=0.1;version=1, a/c;q=0.2;version=2', '2'],
  ['a/b;version=1;q=0.9, */*;version=2', '2'],

  // Type before wildcard, subtype before type, parameter before subtype, which the weight is not.
  ['*/*;version=1, a/*;version=2', '2'],
  ['a/*;version=1, a/b', 'the default'],
  ['a/b, a/c;version=2', '2'],
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

for (const [versionParam, accept] of [
  ['v', 'text/html;version=1;v=2'],
  ['Version', 'text/html;version=2'],
  ['__proto__', 'text/html;__proto__=2'],
  ['constructor', 'text/html;constructor=2']
]) {
  readings(t, { scheme: AcceptHeaderVersioning, versionParam, allowedVersions: ['2'] }, accepting, [
    [accept, '2'], ['text/html;other=2', 'the default'],
    // No lower-ranked range is used if the version of the first is refused.
    [`text/html;${versionParam}=1, ${accept};q=0.9`, 'FST_ERR_VERSION_NOT_ACCEPTABLE']
  ])
}

t.test('each of many Accept headers is answered in its own version, repeatedly', async (t) => {
  const app = await readingApp(t, { scheme: AcceptHeaderVersioning })
  for (let i = 0; i < 300; i++) t.equal(await versionIn(app, accepting(`a/b;version=${i % 150}`)), `${i % 150}`)
})

readings(t, { scheme: AcceptHeaderVersioning, mediaTypes: ['application/json'] }, accepting, [
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

for (const [mediaTypes, accept, version] of [
  [['text/html', 'text/plain'], 'text/plain;version=1', '1'],
  [['image/png', 'text/plain'], 'text/*;version=1', '1'],
  [new Set(['Text/HTML; charset=utf-8']), 'text/html;version=1', '1'],
  [[], 'text/html;version=1, text/*;version=2', 'the default']
] as const) {
  readings(t, { scheme: AcceptHeaderVersioning, mediaTypes }, accepting, [[accept, version]])
}

readings(t, { scheme: ContentTypeVersioning }, posting, [
  ['', 'the default'], ['application/json', 'the default'], ['application/json; charset=utf-8; VERSION=V1', 'V1'],
  ['application/json;version=v1;version=v2', 'v2'], ['application/json;version=v1, text/html;version=v2', 'v1'],
  ['text/html, application/json;version=v2', 'the default']
])

readings(t, { scheme: ContentTypeVersioning, versionParam: 'V' }, posting, [['application/json;version=1;v=2', '2']])

const schemes = [
  { Scheme: AcceptHeaderVersioning, header: 'accept', text: 'the "Accept" header' },
  { Scheme: ContentTypeVersioning, header: 'content-type', text: 'the "Content-Type" header' }
]

for (const [settings, version, instead, type] of [
  [{}, 'v2', undefined, 'application/json; version=v2'],
  [{}, 'v2', 'text/html; charset=utf-8', 'text/html; charset=utf-8; version=v2'],
  [{ versionParam: 'v' }, '1, 2', undefined, 'application/json; v="1, 2"'],
  [{ versionParam: 'api version' }, 'v2', undefined, null],
  [{ mediaTypes: [] }, 'v2', undefined, null],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'V2', undefined, 'application/vnd.acme.V2+json'],
  [{ mediaTypes: [JSON_TYPE, ACME] }, 'v2', undefined, 'application/json; version=v2'],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'v2', JSON_TYPE, 'application/vnd.acme.v2+json'],
  [{ mediaTypes: ['text/plain', JSON_TYPE] }, 'v2', 'Application/JSON', 'application/json; version=v2'],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'v2', 'text/html', null],
  [{ mediaTypes: [ACME], versionParam: 'api version' }, 'v2', undefined, 'application/vnd.acme.v2+json']
] as const) {
  const asked = instead === undefined ? '' : ` into ${instead}`
  t.test(`a scheme with ${JSON.stringify(settings)} writes ${version}${asked} as ${type}`, async (t) => {
    for (const { Scheme } of schemes) t.equal(new Scheme(settings).mediaTypeFor(version, instead), type)
  })
}

t.test('a media type has a version in its subtype only if it is one of the API', async (t) => {
  const sent = 'Application/Vnd.Acme.V2+JSON'
  for (const [mediaTypes, isVersion] of [[null, false], [[JSON_TYPE, ACME], true], [[JSON_TYPE], false]] as const) {
    t.equal(versionBySubtype({ mediaType: sent.toLowerCase(), sent }, mediaTypes) !== null, isVersion)
  }
})

for (const { Scheme, header, text } of schemes) {
  const sending = (type: string) => ({ url: '/', headers: { [header]: type } })
  const reads = (mediaTypes: readonly string[], ...rows: [type: string, version: string][]) => (
    readings(t, { scheme: Scheme, mediaTypes }, sending, rows)
  )

  reads(
    [ACME],
    ['application/vnd.acme.v2+json', 'v2'],
    ['APPLICATION/VND.Acme.V2a+JSON', 'V2a'],
    ['application/vnd.acme.a+json+json', 'a+json'],
    ['application/vnd.acme.v2+json;version=v2', 'v2'],
    ['application/vnd.acme.v2+json;other=v1', 'v2'],
    ['application/vnd.acme.+json', 'the default'],
    ['application/vnd.acme.*+json', 'the default'],
    ['application/vnd.other.v2+json', 'the default'],
    ['application/vnd.acme.v2+xml', 'the default']
  )
  reads(['Application/Vnd.Acme.{Version}+Json; charset=utf-8'], ['application/vnd.acme.V2+json', 'V2'])
  reads(['a/x{version}x'], ['a/xx', 'the default'], ['a/xxx', 'x'])
  reads([ACME, 'text/vnd.acme.{version}'], ['text/vnd.acme.v2', 'v2'])
  reads([JSON_TYPE, ACME], ['application/json;version=v2', 'v2'], ['application/json', 'the default'])
  reads(['application/vnd.acme.v2+json', ACME], ['application/vnd.acme.v2+json', 'the default'])
  reads(['a/v{version}', 'a/{version}'], ['a/v2', '2'])
  reads(['a/{version}', 'a/v{version}'], ['a/v2', 'v2'])

  t.test(`a media range in ${header} whose subtype and parameter differ is ambiguous`, async (t) => {
    const app = await readingApp(t, { scheme: Scheme, mediaTypes: [ACME], allowedVersions: ['v1', 'v2'] })
    for (const type of ['v2+json;version=v1', 'v8+json;version=v9', 'v2+json;version=""']) {
      t.match((await app.inject(sending(`application/vnd.acme.${type}`))).json(), {
        statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS', message: differing([text], ['v1', 'v2'])
      })
    }
  })
}

// A Content-Type that is not one of the media types specifies a version by its parameter.
readings(t, { scheme: ContentTypeVersioning, mediaTypes: [JSON_TYPE] }, posting, [['text/plain; version=v2', 'v2']])

readings(t, { scheme: AcceptHeaderVersioning, mediaTypes: [ACME, JSON_TYPE] }, accepting, [
  ['application/vnd.acme.v1+json;q=0.5, application/vnd.acme.v2+json', 'v2'],
  ['application/*;version=v1, application/vnd.acme.v2+json', 'v2'],
  ['application/vnd.acme.v1+json, application/json;version=v2', 'v2'],
  ['application/json, application/vnd.acme.v1+json', 'the default'],
  ['text/vnd.acme.v1+json, application/vnd.acme.v2+json;q=0.1', 'v2'],
  ['application/vnd.acme.*+json;version=v1, */*;version=v2;q=0.1', 'v2'],
  ['application/*;version=v2', 'v2'],
  ['text/*;version=v1, application/*;version=v2;q=0.1', 'v2'],
  // What ranks lower may contradict.
  ['application/json;version=v1, application/vnd.acme.v2+json;q=0.9', 'v1']
])

readings(t, { scheme: AcceptHeaderVersioning, mediaTypes: ['text/vnd.{version}'] }, accepting, [
  ['text/*;version=v2', 'v2'], ['application/*;version=v2', 'the default']
])

class Acme extends AcceptHeaderVersioning {
  override readonly mediaTypes = ['Application/Vnd.Acme.{version}+JSON']
}

readings(t, { scheme: Acme }, accepting, [['application/vnd.acme.v2+json', 'v2']])

t.test('a version of a million characters in a subtype is read', async (t) => {
  const scheme = new AcceptHeaderVersioning({ mediaTypes: [ACME, 'application/{version}'] })
  const version = '+json'.repeat(200_000)
  t.equal(scheme.readVersion({ headers: { accept: `application/vnd.acme.${version}+json` } }), version)
})
