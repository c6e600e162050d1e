import t from 'tap'

import { AcceptHeaderVersioning, HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const settings = {
  allowedVersions: ['v1', 'v2'],
  mediaTypes: ['application/vnd.acme.{version}+json', 'application/json'],
  servedVersion: 'Content-Type'
}

interface Served { says: string, headers: Record<string, string>, sent: string, told: string }

const serveds: Served[] = [
  {
    says: 'the vendor type that the client accepts',
    headers: { accept: 'application/vnd.acme.v2+json' },
    sent: 'application/json',
    told: 'application/vnd.acme.v2+json'
  },
  {
    says: 'a parameter, where the client accepts no vendor type',
    headers: { accept: 'application/json; version=v2' },
    sent: 'application/json',
    told: 'application/json; version=v2'
  },
  {
    says: 'the vendor type that the handler has set',
    headers: { accept: 'application/json; version=v2' },
    sent: 'application/vnd.acme.v2+json',
    told: 'application/vnd.acme.v2+json'
  },
  {
    says: 'nothing in a media type that is not one of the option',
    headers: { accept: 'application/vnd.acme.v2+json' },
    sent: 'text/html',
    told: 'text/html'
  }
]

const lists = [
  [AcceptHeaderVersioning],
  [AcceptHeaderVersioning, HeaderVersioning],
  [HeaderVersioning, AcceptHeaderVersioning]
]

for (const scheme of lists) {
  const names = scheme.map(({ name }) => name).join(', ')

  for (const { says, headers, sent, told } of serveds) {
    t.test(`[${names}] reports the version by ${says}`, async (t) => {
      const app = await appWith(t, { ...settings, scheme })
      app.get('/', async (_request, reply) => reply.header('content-type', sent).send(Buffer.from('{}')))
      t.equal((await app.inject({ url: '/', headers })).headers['content-type'], told)
    })
  }
}

t.test('the version is reported in a parameter if no scheme of a list reads media types', async (t) => {
  const app = await appWith(t, { ...settings, mediaTypes: null, scheme: [HeaderVersioning] })
  app.get('/', async (_request, reply) => reply.header('content-type', 'application/geo+json').send(Buffer.from('')))
  const { headers } = await app.inject({ url: '/', headers: { 'api-version': 'v2' } })
  t.equal(headers['content-type'], 'application/geo+json; version=v2')
})
