import swagger from '@fastify/swagger'
import t from 'tap'

import { QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf, documented, operationsOf } from './app.ts'

import type { OpenapiOptions } from '../../types/openapi.d.ts'

const answer = async () => 'ok'
const query = { scheme: QueryParameterVersioning }
type Transform = NonNullable<OpenapiOptions['transform']>

const withSummary = (summary: string): Transform => ({ schema, url }) => ({ schema: { ...schema, summary }, url })

t.test('a transform of the user runs first, and only for routes of the version', async (t) => {
  const asked: string[] = []
  const app = await documented(t, { scheme: URLPathVersioning }, (app) => {
    app.get('/:version/a', answer)
  }, {
    ui: false,
    transform ({ schema, url, route }) {
      asked.push(`${route.method} ${url}`)
      return { schema: { ...schema, summary: 'Mine' }, url: `/api${url}` }
    }
  })
  t.match(documentOf(app, 'v1').paths, { '/api/v1/a': { get: { summary: 'Mine' } } })
  t.strictSame(asked, ['GET /:version/a'])
})

t.test('a transform knows the version of its document', async (t) => {
  const seen: unknown[] = []
  const transform: Transform = (input) => {
    const { openapiObject } = input as unknown as { openapiObject: ReturnType<typeof documentOf> }
    seen.push(openapiObject.info['x-api-version'])
    return input
  }
  const app = await documented(t, query, (app) => app.get('/a', answer), { ui: false, transform })
  app.openapi('v2')
  t.strictSame(seen, ['v2'])
})

t.test('a route that a transform hides stays hidden', async (t) => {
  const app = await documented(t, query, (app) => app.get('/a', answer), {
    transform: ({ url }) => ({ schema: { hide: true }, url })
  })
  t.strictSame(operationsOf(app, 'v1'), [])
})

t.test('a transform that returns no schema leaves the schema of the route', async (t) => {
  const app = await documented(t, query, (app) => app.get('/a', { schema: { summary: 'Own' } }, answer), {
    transform: ({ url }) => ({ url }) as ReturnType<Transform>
  })
  t.match(documentOf(app, 'v1').paths['/a'].get, { summary: 'Own', parameters: [{ name: 'version' }] })
})

t.test('the transform of a route replaces the transform of all routes', async (t) => {
  const app = await documented(t, query, (app) => {
    app.get('/own', { config: { swaggerTransform: withSummary('Own') } }, answer)
    app.route({
      method: ['GET', 'POST'], url: '/several', config: { swaggerTransform: withSummary('Own') }, handler: answer
    })
    app.get('/none', { version: 'v1', config: { swaggerTransform: false } }, answer)
    app.get('/all', answer)
  }, { transform: withSummary('All'), exposeHeadRoutes: true })
  const summaries = Object.entries(documentOf(app, 'v1').paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, { summary }]) => `${method} ${path} ${summary}`)
  ))
  t.strictSame(summaries.toSorted(), [
    'get /all All', 'get /none undefined', 'get /own Own', 'get /several Own', 'head /all All', 'head /none undefined',
    'head /own Own', 'head /several Own', 'post /several Own'
  ].toSorted())
  t.strictSame(operationsOf(app, 'v2').filter((one) => one.endsWith('/none')), [])
})

t.test('transformObject has the whole document, and the last word', async (t) => {
  const app = await documented(t, query, (app) => app.get('/a', answer), {
    transformObject (made) {
      const { openapiObject } = made as unknown as { openapiObject: { info: { 'x-api-version': string } } }
      return { ...openapiObject, 'x-seen': openapiObject.info['x-api-version'] } as object
    }
  })
  t.match(documentOf(app, 'v2'), { 'x-seen': 'v2', components: { responses: { VersionNotFound: {} } } })
})

t.test('routes without tags are hidden where the user says so', async (t) => {
  const app = await documented(t, query, (app) => {
    app.get('/a', answer)
    app.get('/b', { schema: { tags: ['b'] } }, answer)
    app.get('/c', { schema: { tags: ['secret'] } }, answer)
  }, { hideUntagged: true, hiddenTag: 'secret' })
  t.strictSame(operationsOf(app, 'v1'), ['GET /b'])
})

t.test('shared schemas have the names that refResolver gives them', async (t) => {
  const app = await documented(t, query, (app) => {
    app.addSchema({ $id: 'booking', type: 'object', properties: {} })
    app.get('/a', { schema: { response: { 200: { $ref: 'booking#' } } } }, answer)
  }, { refResolver: { buildLocalReference: (json) => `The${json.$id}` } })
  t.strictSame(Object.keys(documentOf(app, 'v1').components.schemas), ['Thebooking'])
})

t.test('a base path of the servers is not taken from a version that begins like it', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning, allowedVersions: ['v10'] }, (app) => {
    app.get('/:version/x', answer)
  }, { openapi: { servers: [{ url: '/v1' }] }, stripBasePath: false })
  t.strictSame(operationsOf(app, 'v10'), ['GET /v10/x'])
})

for (const order of ['before', 'after'] as const) {
  t.test(`an app that registers @fastify/swagger ${order} the plugin keeps its document`, async (t) => {
    const app = await appWith(t, { ...query, allowedVersions: ['v1', 'v2'] })
    const own = () => app.register(swagger, { openapi: { info: { title: 'Own', version: '1' } } })
    if (order === 'before') await own()
    await app.register(openapi)
    if (order === 'after') await own()
    app.get('/a', { version: 'v1', schema: { summary: 'first' } }, answer)
    app.get('/b', { version: 'v2', config: { swaggerTransform: withSummary('Own') } }, answer)
    await app.ready()
    const { info, paths } = app.swagger() as unknown as ReturnType<typeof documentOf>
    t.strictSame([info.title, Object.keys(paths), paths['/b'].get.summary], ['Own', ['/a', '/b'], 'Own'])
    t.strictSame(operationsOf(app, 'v1'), ['GET /a'])
    const { info: served } = (await app.inject('/documentation/json')).json()
    t.equal(served.title, 'API v2')
  })
}

t.test('an option that is undefined is not given', async (t) => {
  const app = await documented(t, query, (app) => {
    app.get('/a', async () => '')
  }, { mode: undefined, transform: undefined, transformObject: undefined } as unknown as OpenapiOptions)
  t.strictSame(Object.keys(documentOf(app, 'v1').paths), ['/a'])
})

t.test('a transform of the document may leave its components out', async (t) => {
  const app = await documented(t, query, (app) => {
    app.addSchema({ $id: 'Booking', type: 'object' })
    app.get('/a', async () => '')
  }, {
    transformObject (made) {
      const { components, ...others } = (made as unknown as { openapiObject: Record<string, object> }).openapiObject
      return others as object
    }
  })
  t.equal(documentOf(app, 'v1').components, undefined)
})

t.test('a transform may return a path without the version', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning }, (app) => {
    app.get('/:version/rooms/:id', async () => '')
  }, { transform: ({ schema }) => ({ schema, url: '/rooms/:id' }) })
  const { paths } = documentOf(app, 'v1')
  t.strictSame(Object.keys(paths), ['/rooms/{id}'])
  t.strictSame(paths['/rooms/{id}'].get.parameters?.map(({ name }) => name), ['id'])
})
