import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import versioning from '../../src/index.ts'
import { documented, operationsOf } from './app.ts'

import type { FastifyInstance } from 'fastify'

const answer = async () => 'ok'

const header = { scheme: HeaderVersioning }

t.test('a route is in the documents of the versions that it claims', async (t) => {
  const app = await documented(t, header, (app) => {
    app.get('/a', { version: 'v1' }, answer)
    app.get('/b', { version: ['v1', 'v2'] }, answer)
    app.get('/c', { version: { from: 'v2' } }, answer)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a', 'GET /b'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /b', 'GET /c'])
})

t.test('an open route is in a document unless another route claims the version', async (t) => {
  const app = await documented(t, header, (app) => {
    app.get('/a', { schema: { operationId: 'open' } }, answer)
    app.get('/a', { version: 'v2', schema: { operationId: 'second' } }, answer)
  })
  t.equal(app.openapi('v1').paths?.['/a']?.get?.operationId, 'open')
  t.equal(app.openapi('v2').paths?.['/a']?.get?.operationId, 'second')
})

t.test('a document shows the methods of a route that no other route takes', async (t) => {
  const app = await documented(t, header, (app) => {
    app.route({ method: ['GET', 'POST'], url: '/a', schema: { summary: 'open' }, handler: answer })
    app.get('/a', { version: 'v2', schema: { summary: 'second' } }, answer)
  })
  const { get, post } = app.openapi('v2').paths?.['/a'] ?? {}
  t.strictSame([get?.summary, post?.summary], ['second', 'open'])
})

t.test('a version-neutral route is in every document', async (t) => {
  const app = await documented(t, header, (app) => app.get('/health', { versioning: false }, answer))
  t.strictSame([operationsOf(app, 'v1'), operationsOf(app, 'v2')], [['GET /health'], ['GET /health']])
})

t.test('a route in a namespace is in the document of that version', async (t) => {
  const app = await documented(t, { scheme: NamespaceVersioning, defaultVersion: 'v2' }, (app) => {
    app.register(async (v1) => { v1.get('/a', answer) }, { prefix: '/v1', namespace: 'v1' })
    app.register(async (v2) => { v2.get('/a', answer) }, { prefix: '/v2', namespace: 'v2' })
    app.register(async (other) => { other.get('/a', answer) }, { prefix: '/other', namespace: 'other' })
    app.get('/outside', answer)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /v1/a'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /outside', 'GET /v2/a'])
})

t.test('a documented path has the version, also where it has a pattern', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning, defaultVersion: 'v1' }, (app) => {
    app.get('/:version/a', answer)
    app.get('/:version(^v2$)/b', answer)
    app.get('/c', answer)
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /v1/a', 'GET /v1/b', 'GET /c'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /v2/a', 'GET /v2/b'])
})

t.test('a path is not shown with a version for which another route answers it', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning }, (app) => {
    app.get('/:version/a/:id', { schema: { summary: 'any' } }, answer)
    app.get('/v2/a/:id', { versioning: false, schema: { summary: 'only v2' } }, answer)
  })
  t.equal(app.openapi('v1').paths?.['/v1/a/{id}']?.get?.summary, 'any')
  t.equal(app.openapi('v2').paths?.['/v2/a/{id}']?.get?.summary, 'only v2')
})

t.test('a path is shown even if the values of its parameters cannot be predicted', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning }, (app) => app.get('/:version/a/:id(^x{9}$)', answer))
  t.strictSame(operationsOf(app, 'v1'), ['GET /v1/a/{id}'])
})

t.test('an escaped colon of a path is a colon in the document', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning }, (app) => app.get('/:version/a::b', answer))
  t.strictSame(operationsOf(app, 'v1'), ['GET /v1/a:b'])
})

t.test('a version is escaped in a documented path', async (t) => {
  const app = await documented(t, { scheme: URLPathVersioning, allowedVersions: ['(a b)*'] }, (app) => {
    app.get('/:version/a', async (request) => request.version)
  })
  t.strictSame(operationsOf(app, '(a b)*'), ['GET /%28a%20b%29%2A/a'])
  const { body } = await app.inject('/%28a%20b%29%2A/a')
  t.equal(body, '(a b)*')
})

t.test('each route is in the documents of its own scheme', async (t) => {
  const app = await documented(t, header, (app) => {
    app.get('/a', { versioning: QueryParameterVersioning }, answer)
    app.register(async (api) => {
      await api.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v2', 'v3'] })
      api.get('/b', answer)
    })
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a'])
  t.strictSame(operationsOf(app, 'v2'), ['GET /a', 'GET /b'])
})

t.test('both paths of an optional parameter are shown', async (t) => {
  const app = await documented(t, header, (app) => app.get('/a/:id?', answer))
  t.strictSame(operationsOf(app, 'v1'), ['GET /a/{id}', 'GET /a'])
})

t.test('the route with the fewest constraints is shown of routes with one path', async (t) => {
  const routes = (app: FastifyInstance) => {
    app.get('/a', { constraints: { host: 'a.example.com' }, schema: { summary: 'of a host' } }, answer)
    app.get('/a', { schema: { summary: 'of any' } }, answer)
    app.get('/b', { constraints: { host: 'a.example.com' }, schema: { summary: 'first' } }, answer)
    app.get('/b', { constraints: { host: 'b.example.com' }, schema: { summary: 'second' } }, answer)
  }
  const app = await documented(t, header, routes)
  const { paths } = app.openapi('v1')
  t.strictSame([paths?.['/a']?.get?.summary, paths?.['/b']?.get?.summary], ['of any', 'first'])
})

t.test('an operation has its constraints in its description', async (t) => {
  const app = await documented(t, header, (app) => {
    app.get('/a', { constraints: { host: 'a.example.com', version: '1.2.0' } }, answer)
  })
  const { servers, parameters } = app.openapi('v1').paths?.['/a']?.get ?? {}
  t.strictSame(servers, [{ url: '//a.example.com' }])
  t.match(parameters, [
    { name: 'Accept-Version', schema: { enum: ['1.2.0'] }, required: true }, { name: 'API-Version' }
  ])
})

for (const [exposeHeadRoutes, expected] of [[false, ['GET /a']], [true, ['GET /a', 'HEAD /a']]] as const) {
  t.test(`with exposeHeadRoutes ${exposeHeadRoutes} a document has ${expected.join(' and ')}`, async (t) => {
    const app = await documented(t, header, (app) => {
      app.get('/a', { version: 'v1', schema: { operationId: 'a' } }, answer)
    }, { exposeHeadRoutes })
    t.strictSame(operationsOf(app, 'v1').sort(), expected)
    t.strictSame(operationsOf(app, 'v2'), [])
  })
}

t.test('a document shows the root of a prefix once', async (t) => {
  const app = await documented(t, header, (app) => {
    app.register(async (api) => { api.get('/', { version: 'v1' }, answer) }, { prefix: '/a' })
  })
  t.strictSame(operationsOf(app, 'v1'), ['GET /a/'])
})

t.test('a version without routes has a document without paths', async (t) => {
  const app = await documented(t, header, (app) => app.get('/a', { version: 'v1' }, answer))
  t.strictSame(operationsOf(app, 'v2'), [])
})
