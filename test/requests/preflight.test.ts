import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { Test } from 'tap'

const ORIGIN = 'https://example.com'
const METHOD = { 'access-control-request-method': 'GET' }

async function appFor (t: Test, defaultVersion: string | null) {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1'], defaultVersion })
  const tell = async (request: { version: unknown, versioningScheme: unknown }) => (
    { version: request.version, hasScheme: request.versioningScheme !== null }
  )
  app.options('/', tell)
  app.get('/', tell)
  app.options('/query', { versioning: QueryParameterVersioning }, tell)
  return app
}

for (const defaultVersion of [null, 'v1']) {
  t.test(`with ${defaultVersion} as default version no version is determined for a preflight`, async (t) => {
    const app = await appFor(t, defaultVersion)
    for (const url of ['/', '/query']) {
      const response = await app.inject({ url, method: 'OPTIONS', headers: { origin: ORIGIN, ...METHOD } })
      t.same(response.json(), { version: null, hasScheme: false })
      t.equal(response.headers.vary, undefined)
    }
  })
}

interface Other { says: string, method: 'OPTIONS' | 'GET', headers: Record<string, string> }

const others: Other[] = [
  { says: 'OPTIONS without either header of a preflight', method: 'OPTIONS', headers: {} },
  { says: 'OPTIONS without Origin', method: 'OPTIONS', headers: METHOD },
  { says: 'OPTIONS without a requested method', method: 'OPTIONS', headers: { origin: ORIGIN } },
  { says: 'GET with both headers of a preflight', method: 'GET', headers: { origin: ORIGIN, ...METHOD } }
]

for (const { says, method, headers } of others) {
  t.test(`the version of ${says} is determined`, async (t) => {
    t.equal((await (await appFor(t, null)).inject({ url: '/', method, headers })).statusCode, 406)
    const response = await (await appFor(t, 'v1')).inject({ url: '/', method, headers })
    t.same(response.json(), { version: 'v1', hasScheme: true })
    t.equal(response.headers.vary, 'Accept')
  })
}
