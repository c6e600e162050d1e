import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { differing } from '../fixtures/places.ts'
import { fc, tries } from '../fixtures/property.ts'
import { readingApp, readings } from './readings.ts'

const ACME = 'application/vnd.acme.{version}+json'
const JSON_TYPE = 'application/json'

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
  [{ mediaTypes: [] }, 'v2', JSON_TYPE, null],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'V2', undefined, 'application/vnd.acme.V2+json'],
  [{ mediaTypes: [JSON_TYPE, ACME] }, 'v2', undefined, 'application/json; version=v2'],
  [{ mediaTypes: ['text/plain', JSON_TYPE] }, 'v2', undefined, 'text/plain; version=v2'],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'v2', JSON_TYPE, 'application/vnd.acme.v2+json'],
  [{ mediaTypes: [JSON_TYPE, ACME] }, 'v2', 'Application/JSON', 'application/json; version=v2'],
  [{ mediaTypes: ['text/plain', JSON_TYPE] }, 'v2', JSON_TYPE, 'application/json; version=v2'],
  [{ mediaTypes: [ACME, JSON_TYPE] }, 'v2', 'text/html', null],
  [{ mediaTypes: [ACME], versionParam: 'api version' }, 'v2', undefined, 'application/vnd.acme.v2+json']
] as const) {
  const asked = instead === undefined ? '' : ` into ${instead}`
  t.test(`a scheme with ${JSON.stringify(settings)} writes ${version}${asked} as ${type}`, async (t) => {
    for (const { Scheme } of schemes) t.equal(new Scheme(settings).mediaTypeFor(version, instead), type)
  })
}

for (const [mediaTypes, sent, isVersion] of [
  [null, 'application/vnd.acme.v2+json', false],
  [[JSON_TYPE, ACME], 'application/vnd.acme.v2+json', true],
  [[JSON_TYPE, ACME], 'Application/Vnd.Acme.V2+JSON', true],
  [[JSON_TYPE, ACME], 'application/json', false],
  [[JSON_TYPE, ACME], 'text/html', false]
] as const) {
  t.test(`${sent} has ${isVersion ? 'a' : 'no'} version among ${mediaTypes ?? 'any'}`, async (t) => {
    for (const { Scheme } of schemes) {
      t.equal(new Scheme({ mediaTypes }).namesVersion({ mediaType: sent.toLowerCase(), sent }), isVersion)
    }
  })
}

for (const { Scheme, header, text } of schemes) {
  const sending = (type: string) => ({ url: '/', headers: { [header]: type } })
  const reads = (mediaTypes: readonly string[], ...rows: [type: string, version: string][]) => (
    readings(t, { scheme: Scheme, mediaTypes }, sending, rows)
  )

  reads(
    [ACME],
    ['application/vnd.acme.v2+json', 'v2'],
    ['APPLICATION/VND.Acme.V2a+JSON', 'V2a'],
    ['application/vnd.acme.a.b+json', 'a.b'],
    ['application/vnd.acme.a+json+json', 'a+json'],
    ['application/vnd.acme.v2+json;version=v2', 'v2'],
    ['application/vnd.acme.v2+json;other=v1', 'v2'],
    ['application/vnd.acme.+json', 'the default'],
    ['application/vnd.acme+json', 'the default'],
    ['application/vnd.acme.*+json', 'the default'],
    ['application/vnd.acme.v2+xml', 'the default'],
    ['application/vnd.other.v2+json', 'the default']
  )
  reads(['Application/Vnd.Acme.{Version}+Json'], ['application/vnd.acme.V2+json', 'V2'])
  reads([`${ACME}; charset=utf-8`], ['application/vnd.acme.v2+json; charset=utf-8', 'v2'])
  reads(['a/x{version}x'], ['a/xx', 'the default'], ['a/xxx', 'x'])
  reads(
    ['application/vnd.acme.v{version}+json'],
    ['application/vnd.acme.v2+json', '2'],
    ['application/vnd.acme.v+json', 'the default']
  )
  reads(['application/{version}'], ['application/v2', 'v2'])
  reads([ACME, 'text/vnd.acme.{version}'], ['text/vnd.acme.v2', 'v2'])
  reads(
    [JSON_TYPE, ACME],
    ['application/vnd.acme.v2+json', 'v2'],
    ['application/json;version=v2', 'v2'],
    ['application/json', 'the default']
  )
  reads(['a/v{version}', 'a/{version}'], ['a/v2', '2'])
  reads(['a/{version}', 'a/v{version}'], ['a/v2', 'v2'])

  t.test(`a media range in ${header} whose subtype and parameter differ is ambiguous`, async (t) => {
    const app = await readingApp(t, { scheme: Scheme, mediaTypes: [ACME], allowedVersions: ['v1', 'v2'] })
    for (const type of ['v2+json;version=v1', 'v8+json;version=v9', 'v2+json;version=""']) {
      t.match((await app.inject(sending(`application/vnd.acme.${type}`))).json(), {
        statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS', message: differing([text], ['v1', 'v2'])
      })
    }
    t.same((await app.inject(sending('application/vnd.acme.v2+json;version="v2"'))).json(), { version: 'v2' })
  })

  t.test(`a version in a vendor media type of ${header} chooses the handler, or is refused`, async (t) => {
    const app = await appWith(t, { scheme: Scheme, mediaTypes: [ACME, JSON_TYPE], allowedVersions: ['v1', 'v2'] })
    app.get('/', { version: 'v1' }, async () => 'one')
    app.get('/', { version: 'v2' }, async () => 'two')
    t.equal((await app.inject(sending('application/vnd.acme.v1+json'))).body, 'one')
    t.equal((await app.inject(sending('application/json;version=v2'))).body, 'two')
    t.match((await app.inject(sending('application/vnd.acme.V1+json'))).json(), { message: /^Invalid version in / })
  })
}

const accepting = (accept: string) => ({ url: '/', headers: { accept } })

readings(t, { scheme: AcceptHeaderVersioning, mediaTypes: [ACME, JSON_TYPE] }, accepting, [
  ['application/vnd.acme.v1+json;q=0.5, application/vnd.acme.v2+json', 'v2'],
  ['application/vnd.acme.v1+json, application/vnd.acme.v2+json', 'v1'],
  ['application/*;version=v1, application/vnd.acme.v2+json', 'v2'],
  ['*/*;version=v1, application/vnd.acme.v2+json', 'v2'],
  ['application/vnd.acme.v1+json, application/json;version=v2', 'v2'],
  ['application/vnd.acme.v1+json;x=1, application/json;version=v2', 'v1'],
  ['application/vnd.acme.v1+json, application/json', 'v1'],
  ['application/json, application/vnd.acme.v1+json', 'the default'],
  ['text/vnd.acme.v1+json, application/vnd.acme.v2+json;q=0.1', 'v2'],
  ['application/vnd.acme.v1+json;q=0, */*;version=v2;q=0.1', 'v2'],
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

/** What a media type without parameters names, read by a template of plain text. */
function modelOf (mediaTypes: readonly string[], type: string): string | null {
  for (const mediaType of mediaTypes) {
    const [before, after] = mediaType.toLowerCase().split('{version}')
    if (after === undefined) {
      if (type.toLowerCase() === before) return null
      continue
    }
    if (!type.toLowerCase().startsWith(before)) continue
    const rest = type.slice(before.length)
    if (!rest.toLowerCase().endsWith(after)) continue
    const version = rest.slice(0, rest.length - after.length)
    if (version !== '' && !version.includes('*')) return version
  }
  return null
}

function readBy (mediaTypes: readonly string[], accept: string): unknown {
  return new AcceptHeaderVersioning({ mediaTypes }).readVersion({ headers: { accept } })
}

const token = fc.string({ unit: fc.constantFrom('a', 'B', 'v', '1', '.', '+', '-', 'x'), maxLength: 5 })
const template = fc.tuple(token, token).map(([before, after]) => `a/${before}{version}${after}`)
const plain = token.filter((text) => text !== '').map((text) => `a/${text}`)
const templates = fc.array(fc.oneof(template, plain), { minLength: 1, maxLength: 3 })
const asked = fc.tuple(templates, token, fc.boolean(), fc.nat(2)).map(([mediaTypes, text, isUpper, i]) => {
  // Half of the types are made from a template, because otherwise hardly any would match.
  const made = mediaTypes[i % mediaTypes.length].replace('{version}', text)
  const type = made === 'a/' ? 'a/x' : made
  return { mediaTypes, type: isUpper ? type.toUpperCase() : type }
})
const others = fc.tuple(templates, plain).map(([mediaTypes, type]) => ({ mediaTypes, type }))

t.test('templates read a header like plain patterns would', async () => {
  fc.assert(fc.property(fc.oneof(asked, others), ({ mediaTypes, type }) => {
    const expected = modelOf(mediaTypes, type)
    const read = readBy(mediaTypes, type)
    if (read !== expected) throw new Error(`${type}: ${JSON.stringify(read)}, not ${JSON.stringify(expected)}`)
  }), { numRuns: tries(150) })
})

// At this length quadratic time would not end within the test.
for (const [unit, version] of [
  ['a', 'itself'],
  ['+json', 'itself'],
  ['application/vnd.acme.', null],
  ['*', null],
  [';', 'vnd.acme.'],
  [';version=v1', ['vnd.acme.', 'v1+json']],
  [';version="', ['vnd.acme.', ';version=']],
  ['"', null],
  [' ', null]
] as const) {
  t.test(`a million characters of ${JSON.stringify(unit)} in a header are read`, async (t) => {
    const middle = unit.repeat(1_000_000 / unit.length)
    const read = readBy([ACME, 'application/{version}'], `application/vnd.acme.${middle}+json`)
    t.same(read, version === 'itself' ? middle : version)
  })
}
