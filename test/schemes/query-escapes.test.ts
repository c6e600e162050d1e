import Fastify from 'fastify'
import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

t.test('a request for a version with a malformed escape comes to the open route', async (t) => {
  const app = await appWith()
  const response = await app.inject('/b?version=%zz%41')
  t.equal(response.statusCode, 200)
  t.same(response.json(), { route: 'open', version: '%zz%41', query: { version: '%zz%41' } })
})

/** An app with a route for v1 and one for all other versions, which answer with what they are and have read. */
async function appWith (options: VersioningOptions = {}): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, ...options })
  for (const version of ['v1', null]) {
    app.get('/b', { version }, async (request) => (
      { route: version ?? 'open', version: request.version, query: request.query }
    ))
  }
  return app
}

interface Query { query: string, version: string, route?: 'v1' }

const queries: Query[] = [
  { query: 'version=%zz', version: '%zz' },
  { query: 'version=%41%', version: '%41%' },
  { query: 'version=%4', version: '%4' },
  { query: 'version=v1%C3', version: 'v1%C3' },
  { query: 'version=%FF%41', version: '%FF%41' },
  { query: 'version=a+b%zz', version: 'a b%zz' },
  { query: '%zz%41=v1&version=%zz%41', version: '%zz%41' },
  { query: 'version=v2&version=%zz%41', version: '%zz%41' },
  { query: 'version=%zz&version=v1', version: 'v1', route: 'v1' },
  { query: 'version=%761', version: 'v1', route: 'v1' },
  { query: 'v%65rsion=v1', version: 'v1', route: 'v1' },
  { query: 'version=%C3%BC', version: 'ü' },
  { query: 'version', version: '' },
  { query: 'version=v1=', version: 'v1=' },
  { query: '&&version=v1&', version: 'v1', route: 'v1' }
]

for (const { query, version, route = 'open' } of queries) {
  t.test(`the query ${query} specifies ${JSON.stringify(version)} before routing and after`, async (t) => {
    const plain = Fastify()
    plain.get('/b', async (request) => request.query)
    const expected = (await plain.inject(`/b?${query}`)).json()
    t.equal([expected.version].flat().at(-1), version, 'by the parser of Fastify')
    const response = await (await appWith()).inject(`/b?${query}`)
    t.same(response.json(), { route, version, query: expected })
  })
}

t.test('a request for a version with a malformed escape comes to the route that serves it', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['%zz%41', 'v1'] })
  app.get('/b', { version: '%zz%41' }, async ({ version }) => version)
  app.get('/b', { version: 'v1' }, async ({ version }) => version)
  t.equal((await app.inject('/b?version=%zz%41')).body, '%zz%41')
})

const RUNS = tries(200)
const piece = fc.constantFrom(
  'version', '=', '&', '%', '%zz', '%41', '%C3', '%C3%BC', '%76', 'v1', '1', '+', ';', 'a', '%2'
)
const anyQuery = fc.array(piece, { maxLength: 10 }).map((pieces) => `version=${pieces.join('')}`)

t.test(`no query is refused where an open route takes every version: ${RUNS} queries`, async () => {
  const app = await appWith()
  await fc.assert(fc.asyncProperty(anyQuery, async (query) => {
    const response = await app.inject(`/b?${query}`)
    const { route, version, query: parsed } = response.json()
    const last = [parsed?.version].flat().at(-1)
    const isRight = response.statusCode === 200 && version === last && route === (last === 'v1' ? 'v1' : 'open')
    if (!isRight) throw new Error(`${query}: ${response.body}`)
  }), { numRuns: RUNS })
})
