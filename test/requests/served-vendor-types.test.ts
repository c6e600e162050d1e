import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const settings = {
  allowedVersions: ['v1', 'v2', 'V2'],
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json'],
  servedVersion: 'Content-Type'
}

for (const scheme of [AcceptHeaderVersioning, [AcceptHeaderVersioning, ContentTypeVersioning]]) {
  t.test(`a vendor type that the handler sets stays under ${[scheme].flat().length} schemes`, async (t) => {
    const app = await appWith(t, { ...settings, scheme })
    app.get('/', async (_request, reply) => reply.type('application/vnd.acme.v1+json').send({}))
    const { headers } = await app.inject({ url: '/', headers: { accept: 'application/vnd.acme.v2+json' } })
    t.equal(headers['content-type'], 'application/vnd.acme.v1+json; charset=utf-8')
  })
}

t.test('a vendor type is written as the setting has it, with the version as sent', async (t) => {
  const app = await appWith(t, { ...settings, scheme: AcceptHeaderVersioning })
  app.get('/', async () => ({}))
  const { headers } = await app.inject({ url: '/', headers: { accept: 'APPLICATION/Vnd.Acme.V2+JSON' } })
  t.equal(headers['content-type'], 'application/vnd.acme.V2+json; charset=utf-8')
})
