import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { VersioningSettings } from '../../types/index.d.ts'

const ACME = 'application/vnd.acme.{version}+json'
const JSON_TYPE = 'application/json'

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

interface Subject { Scheme: typeof AcceptHeaderVersioning, field: string }

// A class cannot extend one of two. Of what the tests use both have all.
const schemes: Subject[] = [
  { Scheme: AcceptHeaderVersioning, field: 'accept' },
  { Scheme: ContentTypeVersioning as unknown as typeof AcceptHeaderVersioning, field: 'content-type' }
]

for (const { Scheme, field } of schemes) {
  for (const { settings, version, instead, type } of named) {
    const asked = instead === undefined ? '' : ` into ${instead}`
    t.test(`${Scheme.name} with ${JSON.stringify(settings)} writes ${version}${asked} as ${type}`, async (t) => {
      t.equal(new Scheme(settings).mediaTypeFor(version, instead), type)
    })
  }

  for (const { mediaTypes, sent, isVersion } of subtypes) {
    const types = mediaTypes ?? 'any'
    t.test(`${sent} specifies ${isVersion ? 'a' : 'no'} version to ${Scheme.name} with ${types}`, async (t) => {
      t.equal(new Scheme({ mediaTypes }).namesVersion({ mediaType: sent.toLowerCase(), sent }), isVersion)
    })
  }

  t.test(`a request without a header specifies no version to ${Scheme.name}`, async (t) => {
    t.equal(new Scheme().readVersion({ headers: {} }), null)
    t.equal(new Scheme().readVersion({ headers: { [field]: 'json' } }), null)
  })

  t.test(`${Scheme.name} reads the media types of a class field only for the first request`, async (t) => {
    let isRead = false
    const types = {
      * [Symbol.iterator] () {
        isRead = true
        yield ACME
      }
    }
    class Listing extends Scheme {
      override readonly mediaTypes = types as unknown as string[]
    }
    const app = await appWith(t, { scheme: Listing })
    app.get('/', async ({ version }) => version)
    for (const version of ['v1', 'v2', 'v3']) {
      const headers = { [field]: ACME.replace('{version}', version) }
      t.equal((await app.inject({ url: '/', headers })).body, version)
      t.equal(isRead, version === 'v1')
      isRead = false
    }
  })
}
