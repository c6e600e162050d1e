import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions, VersioningSettings } from '../../types/index.d.ts'

const ACME = 'application/vnd.acme.{version}+json'
const JSON_TYPE = 'application/json'

const schemes = [
  { Scheme: AcceptHeaderVersioning, header: 'accept' },
  { Scheme: ContentTypeVersioning, header: 'content-type' }
]

async function reading (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, { defaultVersion: 'the default', ...options })
  app.get('/', async ({ version }) => ({ version }))
  return app
}

interface Named { settings: VersioningSettings, version: string, instead?: string, type: string | null }

const named: Named[] = [
  { settings: {}, version: 'v2', type: 'application/json; version=v2' },
  { settings: {}, version: 'v2', instead: 'text/html; charset=utf-8', type: 'text/html; charset=utf-8; version=v2' },
  { settings: { versionParam: 'v' }, version: '1, 2', type: 'application/json; v="1, 2"' },
  { settings: { versionParam: 'api version' }, version: 'v2', type: null },
  { settings: { mediaTypes: [] }, version: 'v2', type: null },
  { settings: { mediaTypes: [] }, version: 'v2', instead: JSON_TYPE, type: null },
  { settings: { mediaTypes: [ACME, JSON_TYPE] }, version: 'V2', type: 'application/vnd.acme.V2+json' },
  { settings: { mediaTypes: [JSON_TYPE, ACME] }, version: 'v2', type: 'application/json; version=v2' },
  { settings: { mediaTypes: ['text/plain', JSON_TYPE] }, version: 'v2', type: 'text/plain; version=v2' },
  {
    settings: { mediaTypes: [ACME, JSON_TYPE] },
    version: 'v2',
    instead: JSON_TYPE,
    type: 'application/vnd.acme.v2+json'
  },
  {
    settings: { mediaTypes: [JSON_TYPE, ACME] },
    version: 'v2',
    instead: 'Application/JSON',
    type: 'application/json; version=v2'
  },
  {
    settings: { mediaTypes: ['text/plain', JSON_TYPE] },
    version: 'v2',
    instead: JSON_TYPE,
    type: 'application/json; version=v2'
  },
  { settings: { mediaTypes: [ACME, JSON_TYPE] }, version: 'v2', instead: 'text/html', type: null },
  { settings: { mediaTypes: [ACME], versionParam: 'api version' }, version: 'v2', type: 'application/vnd.acme.v2+json' }
]

interface Subtype { mediaTypes: string[] | null, sent: string, isVersion: boolean }

const subtypes: Subtype[] = [
  { mediaTypes: null, sent: 'application/vnd.acme.v2+json', isVersion: false },
  { mediaTypes: [JSON_TYPE, ACME], sent: 'application/vnd.acme.v2+json', isVersion: true },
  { mediaTypes: [JSON_TYPE, ACME], sent: 'Application/Vnd.Acme.V2+JSON', isVersion: true },
  { mediaTypes: [JSON_TYPE, ACME], sent: 'application/json', isVersion: false },
  { mediaTypes: [JSON_TYPE, ACME], sent: 'text/html', isVersion: false }
]

for (const { settings, version, instead, type } of named) {
  const asked = instead === undefined ? '' : ` into ${instead}`
  t.test(`a scheme with ${JSON.stringify(settings)} writes ${version}${asked} as ${type}`, async (t) => {
    for (const { Scheme } of schemes) t.equal(new Scheme(settings).mediaTypeFor(version, instead), type)
  })
}

for (const { mediaTypes, sent, isVersion } of subtypes) {
  t.test(`${sent} has ${isVersion ? 'a' : 'no'} version among ${mediaTypes ?? 'any'}`, async (t) => {
    for (const { Scheme } of schemes) {
      t.equal(new Scheme({ mediaTypes }).namesVersion({ mediaType: sent.toLowerCase(), sent }), isVersion)
    }
  })
}

interface Reading { mediaTypes: string[], type: string, version: string }

const readings: Reading[] = [
  { mediaTypes: [ACME], type: 'application/vnd.acme.v2+json', version: 'v2' },
  { mediaTypes: [ACME], type: 'APPLICATION/VND.Acme.V2a+JSON', version: 'V2a' },
  { mediaTypes: ['Application/Vnd.Acme.{Version}+Json'], type: 'application/vnd.acme.V2+json', version: 'V2' },
  { mediaTypes: [`${ACME}; charset=utf-8`], type: 'application/vnd.acme.v2+json; charset=utf-8', version: 'v2' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.a.b+json', version: 'a.b' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.a+json+json', version: 'a+json' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.v2+json;version=v2', version: 'v2' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.v2+json;other=v1', version: 'v2' },

  { mediaTypes: [ACME], type: 'application/vnd.acme.+json', version: 'the default' },
  { mediaTypes: [ACME], type: 'application/vnd.acme+json', version: 'the default' },
  { mediaTypes: ['a/x{version}x'], type: 'a/xx', version: 'the default' },
  { mediaTypes: ['a/x{version}x'], type: 'a/xxx', version: 'x' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.*+json', version: 'the default' },
  { mediaTypes: [ACME], type: 'application/vnd.acme.v2+xml', version: 'the default' },
  { mediaTypes: [ACME], type: 'application/vnd.other.v2+json', version: 'the default' },

  { mediaTypes: ['application/vnd.acme.v{version}+json'], type: 'application/vnd.acme.v2+json', version: '2' },
  { mediaTypes: ['application/vnd.acme.v{version}+json'], type: 'application/vnd.acme.v+json', version: 'the default' },
  { mediaTypes: ['application/{version}'], type: 'application/v2', version: 'v2' },
  { mediaTypes: [ACME, 'text/vnd.acme.{version}'], type: 'text/vnd.acme.v2', version: 'v2' },
  { mediaTypes: [JSON_TYPE, ACME], type: 'application/vnd.acme.v2+json', version: 'v2' },
  { mediaTypes: [JSON_TYPE, ACME], type: 'application/json;version=v2', version: 'v2' },
  { mediaTypes: [JSON_TYPE, ACME], type: 'application/json', version: 'the default' },
  { mediaTypes: ['a/v{version}', 'a/{version}'], type: 'a/v2', version: '2' },
  { mediaTypes: ['a/{version}', 'a/v{version}'], type: 'a/v2', version: 'v2' }
]

for (const { mediaTypes, type, version } of readings) {
  t.test(`"${type}" specifies ${version} where the media types are ${mediaTypes}`, async (t) => {
    for (const { Scheme, header } of schemes) {
      const app = await reading(t, { scheme: Scheme, mediaTypes })
      t.same((await app.inject({ url: '/', headers: { [header]: type } })).json(), { version })
    }
  })
}

for (const { Scheme, header } of schemes) {
  t.test(`a media range in ${header} whose subtype and parameter differ is ambiguous`, async (t) => {
    const app = await reading(t, { scheme: Scheme, mediaTypes: [ACME], allowedVersions: ['v1', 'v2'] })
    const ask = (type: string) => app.inject({ url: '/', headers: { [header]: type } })
    const response = await ask('application/vnd.acme.v2+json;version=v1')
    t.match(response.json(), { statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS' })
    t.equal((await ask('application/vnd.acme.v8+json;version=v9')).json().code, 'FST_ERR_VERSION_AMBIGUOUS')
    t.equal((await ask('application/vnd.acme.v2+json;version=""')).json().code, 'FST_ERR_VERSION_AMBIGUOUS')
    t.same((await ask('application/vnd.acme.v2+json;version="v2"')).json(), { version: 'v2' })
  })

  t.test(`a version in a vendor media type of ${header} chooses the handler, or is refused`, async (t) => {
    const app = await appWith(t, { scheme: Scheme, mediaTypes: [ACME, JSON_TYPE], allowedVersions: ['v1', 'v2'] })
    app.get('/', { version: 'v1' }, async () => 'one')
    app.get('/', { version: 'v2' }, async () => 'two')
    const ask = (type: string) => app.inject({ url: '/', headers: { [header]: type } })
    t.equal((await ask('application/vnd.acme.v1+json')).body, 'one')
    t.equal((await ask('application/json;version=v2')).body, 'two')
    t.match((await ask('application/vnd.acme.V1+json')).json(), {
      message: /^Invalid version in /
    })
  })
}

const ranked: Array<{ accept: string, version: string }> = [
  { accept: 'application/vnd.acme.v1+json;q=0.5, application/vnd.acme.v2+json', version: 'v2' },
  { accept: 'application/vnd.acme.v1+json, application/vnd.acme.v2+json', version: 'v1' },
  { accept: 'application/*;version=v1, application/vnd.acme.v2+json', version: 'v2' },
  { accept: '*/*;version=v1, application/vnd.acme.v2+json', version: 'v2' },
  { accept: 'application/vnd.acme.v1+json, application/json;version=v2', version: 'v2' },
  { accept: 'application/vnd.acme.v1+json;x=1, application/json;version=v2', version: 'v1' },
  { accept: 'application/vnd.acme.v1+json, application/json', version: 'v1' },
  { accept: 'application/json, application/vnd.acme.v1+json', version: 'the default' },
  { accept: 'text/vnd.acme.v1+json, application/vnd.acme.v2+json;q=0.1', version: 'v2' },
  { accept: 'application/vnd.acme.v1+json;q=0, */*;version=v2;q=0.1', version: 'v2' },
  { accept: 'application/vnd.acme.*+json;version=v1, */*;version=v2;q=0.1', version: 'v2' },
  { accept: 'application/*;version=v2', version: 'v2' },
  { accept: 'text/*;version=v1, application/*;version=v2;q=0.1', version: 'v2' },
  // What ranks lower may contradict.
  { accept: 'application/json;version=v1, application/vnd.acme.v2+json;q=0.9', version: 'v1' }
]

for (const { accept, version } of ranked) {
  t.test(`the Accept header "${accept}" specifies ${version} with templates of media types`, async (t) => {
    const app = await reading(t, { scheme: AcceptHeaderVersioning, mediaTypes: [ACME, JSON_TYPE] })
    t.same((await app.inject({ url: '/', headers: { accept } })).json(), { version })
  })
}

t.test('a template matches a media range with a wildcard', async (t) => {
  const app = await reading(t, { scheme: AcceptHeaderVersioning, mediaTypes: ['text/vnd.{version}'] })
  const ask = async (accept: string) => (await app.inject({ url: '/', headers: { accept } })).json().version
  t.equal(await ask('text/*;version=v2'), 'v2')
  t.equal(await ask('application/*;version=v2'), 'the default')
})

t.test('templates of media types may be a class field', async (t) => {
  class Acme extends AcceptHeaderVersioning {
    override readonly mediaTypes = ['Application/Vnd.Acme.{version}+JSON']
  }
  const app = await reading(t, { scheme: Acme })
  const headers = { accept: 'application/vnd.acme.v2+json' }
  t.same((await app.inject({ url: '/', headers })).json(), { version: 'v2' })
})

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

interface Long { unit: string, version: string | string[] | null }

// At this length quadratic time would not end within the test.
const longs: Long[] = [
  { unit: 'a', version: 'itself' },
  { unit: '+json', version: 'itself' },
  { unit: 'application/vnd.acme.', version: null },
  { unit: '*', version: null },
  { unit: ';', version: 'vnd.acme.' },
  { unit: ';version=v1', version: ['vnd.acme.', 'v1+json'] },
  { unit: ';version="', version: ['vnd.acme.', ';version='] },
  { unit: '"', version: null },
  { unit: ' ', version: null }
]

t.test('templates read a header like plain patterns would', async () => {
  fc.assert(fc.property(fc.oneof(asked, others), ({ mediaTypes, type }) => {
    const expected = modelOf(mediaTypes, type)
    const read = readBy(mediaTypes, type)
    if (read !== expected) throw new Error(`${type}: ${JSON.stringify(read)}, not ${JSON.stringify(expected)}`)
  }), { numRuns: tries(150) })
})

for (const { unit, version } of longs) {
  t.test(`a million characters of ${JSON.stringify(unit)} in a header are read`, async (t) => {
    const middle = unit.repeat(1_000_000 / unit.length)
    const read = readBy([ACME, 'application/{version}'], `application/vnd.acme.${middle}+json`)
    t.same(read, version === 'itself' ? middle : version)
  })
}
