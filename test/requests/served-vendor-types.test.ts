import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning, byDate } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const settings = {
  allowedVersions: ['v1', 'v2', 'V2'],
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json'],
  servedVersion: 'Content-Type'
}

for (const scheme of [AcceptHeaderVersioning, [AcceptHeaderVersioning, ContentTypeVersioning]]) {
  t.test(`a vendor type that the handler sets is kept under ${[scheme].flat().map(({ name }) => name)}`, async (t) => {
    const app = await appWith(t, { ...settings, scheme })
    app.get('/', async (_request, reply) => reply.type('application/vnd.acme.v1+json').send({}))
    const { headers } = await app.inject({ url: '/', headers: { accept: 'application/vnd.acme.v2+json' } })
    t.equal(headers['content-type'], 'application/vnd.acme.v1+json; charset=utf-8')
  })
}

t.test('a vendor type is written like in the setting, with the version as sent', async (t) => {
  const app = await appWith(t, { ...settings, scheme: AcceptHeaderVersioning })
  app.get('/', async () => ({}))
  const { headers } = await app.inject({ url: '/', headers: { accept: 'APPLICATION/Vnd.Acme.V2+JSON' } })
  t.equal(headers['content-type'], 'application/vnd.acme.V2+json; charset=utf-8')
})

t.test('a vendor type with an alias of the version is written with the version', async (t) => {
  const app = await appWith(t, {
    ...settings, scheme: AcceptHeaderVersioning, allowedVersions: ['2025-06-01', '2025-11-15'], resolveVersion: byDate
  })
  app.get('/', async () => ({}))
  const { headers } = await app.inject({ url: '/', headers: { accept: 'application/vnd.acme.2026-01-31+json' } })
  t.equal(headers['content-type'], 'application/vnd.acme.2025-11-15+json; charset=utf-8')
})

t.test('a subclass that reads the version elsewhere reports it, whatever the vendor type has', async (t) => {
  class Elsewhere extends AcceptHeaderVersioning {
    override readVersion () { return 'v2' }
  }
  const resolveVersion = (named: string) => {
    if (named === 'broken') throw new Error('No such version')
    return named
  }
  const app = await appWith(t, { ...settings, scheme: Elsewhere, resolveVersion })
  app.get('/', async () => ({}))
  for (const version of ['v1', 'broken']) {
    const { headers } = await app.inject({ url: '/', headers: { accept: `application/vnd.acme.${version}+json` } })
    t.equal(headers['content-type'], 'application/json; charset=utf-8; version=v2')
  }
})
