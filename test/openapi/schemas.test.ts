import t from 'tap'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { Type } from 'typebox'
import { z } from 'zod'

import {
  HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { documentOf, documented } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const answer = async () => 'ok'
const text = { type: 'string' }
const page = { type: 'object', properties: { page: text }, required: ['page'] }
const query = { scheme: QueryParameterVersioning }

const names = (app: FastifyInstance, path: string) => (
  documentOf(app, 'v2').paths[path].get.parameters?.map(({ in: place, name, required }) => (
    `${place} ${name}${required ? '' : '?'}`
  ))
)

const QUERIES: [string, object, string[]][] = [
  ['properties', page, ['query page', 'query version']],
  ['a shared schema', { $ref: 'page#' }, ['query page', 'query version']],
  ['several that all count', { allOf: [page, { type: 'object', properties: { size: text } }] },
    ['query page', 'query size?', 'query version']],
  ['one of several', { anyOf: [page, { type: 'object', properties: { size: text } }] },
    ['query page', 'query size?', 'query version']],
  ['TypeBox', Type.Object({ page: Type.Optional(Type.String()) }), ['query page?', 'query version']],
  ['the version itself', { type: 'object', properties: { version: text } }, ['query version?']],
  ['a shared schema with the version', { $ref: 'versioned#' }, ['query version?']],
  ['several with the version', { allOf: [page, { $ref: 'versioned#' }] }, ['query page', 'query version?']]
]

for (const [what, querystring, expected] of QUERIES) {
  t.test(`a query that is described by ${what} has the version in the document`, async (t) => {
    const app = await documented(t, query, (app) => {
      app.addSchema({ $id: 'page', ...page })
      app.addSchema({ $id: 'versioned', type: 'object', properties: { version: text } })
      app.get('/a', { schema: { querystring } }, answer)
    })
    t.strictSame(names(app, '/a'), expected)
  })
}

t.test('the style of parameters is kept', async (t) => {
  const app = await documented(t, query, (app) => {
    app.setValidatorCompiler(() => () => true)
    app.get('/a', { schema: { querystring: { style: 'form', explode: false, allOf: [page] } } }, answer)
  })
  t.match(documentOf(app, 'v2').paths['/a'].get.parameters, [{ style: 'form', explode: false }, { name: 'version' }])
})

t.test('a header that the user describes is found in any case', async (t) => {
  const headers = { type: 'object', properties: { 'api-version': text } }
  const app = await documented(t, { scheme: HeaderVersioning }, (app) => app.get('/a', { schema: { headers } }, answer))
  t.strictSame(names(app, '/a'), ['header api-version?'])
})

const id = { type: 'object', properties: { version: text, id: { type: 'integer' } } }
const PARAMS: [string, object | undefined, string[] | undefined][] = [
  ['properties', id, ['path id']],
  ['only the version', { type: 'object', properties: { version: text } }, ['path id']],
  ['only other parameters', { type: 'object', properties: { id: text } }, ['path id']],
  ['a shared schema', { $ref: 'id#' }, ['path id']],
  ['a part of a shared schema', { $ref: 'all#/definitions/id' }, ['path id']],
  ['nothing', undefined, ['path id']]
]

for (const [what, params, expected] of PARAMS) {
  t.test(`a path with the version, described by ${what}, has no parameter for it`, async (t) => {
    const app = await documented(t, { scheme: URLPathVersioning }, (app) => {
      app.addSchema({ $id: 'id', ...id })
      app.addSchema({ $id: 'all', definitions: { id } })
      app.get('/:version/a/:id', { schema: params === undefined ? {} : { params } }, answer)
    })
    t.strictSame(names(app, '/v2/a/{id}'), expected)
  })
}

t.test('parameters with a pattern have it in their schema', async (t) => {
  const app = await documented(t, query, (app) => app.get('/a/:id(^\\d+$)/:kind/*', { version: 'v2' }, answer))
  const { parameters = [] } = documentOf(app, 'v2').paths['/a/{id}/{kind}/{*}'].get
  const patterns = parameters.filter((one) => one.in === 'path').map(({ name, schema: { pattern } }) => [name, pattern])
  t.strictSame(patterns, [['id', '^(\\d+)$'], ['kind', undefined], ['*', undefined]])
})

t.test('Zod schemas are documented by their transform', async (t) => {
  const app = await documented(t, query, (app) => {
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    const schema = { querystring: z.object({ page: z.string() }), response: { 200: z.object({ id: z.number() }) } }
    app.get('/a', { schema }, answer)
  }, { transform: jsonSchemaTransform as NonNullable<OpenapiOptions['transform']> })
  t.strictSame(names(app, '/a'), ['query page', 'query version'])
  t.match(documentOf(app, 'v2').paths['/a'].get.responses[200].content, { 'application/json': { schema: {} } })
})

t.test('shared schemas are in every document', async (t) => {
  const app = await documented(t, query, (app) => {
    app.addSchema({ $id: 'booking', type: 'object', properties: { id: text } })
    app.get('/a', { schema: { response: { 200: { $ref: 'booking#' } } } }, answer)
  })
  for (const version of ['v1', 'v2']) {
    const { components, paths } = documentOf(app, version)
    t.strictSame(components.schemas, { booking: { type: 'object', properties: { id: text } } })
    const [media] = Object.values(paths['/a'].get.responses[200].content ?? {})
    t.strictSame(media.schema, { $ref: '#/components/schemas/booking' })
  }
})

/** Contexts of v1 and v2, each with a schema of the same `$id` and one of its own. */
const inContexts = (namespaced: boolean) => (app: FastifyInstance) => {
  for (const version of ['v1', 'v2']) {
    app.register(async (context) => {
      context.addSchema({ $id: 'Booking', type: 'object', properties: { [version]: text } })
      context.addSchema({ $id: `Only${version}`, type: 'object', properties: {} })
      const schema = { response: { 200: { $ref: 'Booking#' } } }
      context.get('/b', namespaced ? { schema } : { schema, version }, answer)
    }, namespaced ? { prefix: version, namespace: version } : {})
  }
}

const byId: OpenapiOptions = { refResolver: { buildLocalReference: (json) => String(json.$id) } }
const CONTEXTS: [string, object, boolean, OpenapiOptions][] = [
  ['namespaces', { scheme: NamespaceVersioning }, true, {}],
  ['contexts whose routes specify a version', { scheme: HeaderVersioning }, false, {}],
  ['namespaces whose schemas are named by a refResolver', { scheme: NamespaceVersioning }, true, byId]
]

for (const [what, versioning, namespaced, options] of CONTEXTS) {
  t.test(`a document has only the schemas of its own version with ${what}`, async (t) => {
    const app = await documented(t, versioning, inContexts(namespaced), { ui: false, ...options })
    for (const version of ['v1', 'v2']) {
      const { components, paths } = documentOf(app, version)
      const schemas = components.schemas as Record<string, { properties: object }>
      t.strictSame(Object.values(schemas).map(({ properties }) => Object.keys(properties)), [[version]])
      const [{ get }] = Object.values(paths)
      const { $ref = '' } = Object.values(get.responses[200].content ?? {})[0].schema as { $ref?: string }
      t.match(schemas[$ref.replace('#/components/schemas/', '')], { properties: { [version]: text } })
    }
  })
}

t.test('schemas of a context that has routes of both versions are in both documents', async (t) => {
  const app = await documented(t, query, (app) => {
    app.register(async (context) => {
      context.addSchema({ $id: 'Booking', type: 'object', properties: { id: text } })
      const schema = { response: { 200: { $ref: 'Booking#' } } }
      for (const version of ['v1', 'v2']) context.get('/b', { version, schema }, answer)
    })
  })
  for (const version of ['v1', 'v2']) {
    t.match(documentOf(app, version).components.schemas, { Booking: { properties: { id: text } } })
  }
})

t.test('a route refers to the schemas of its own context, whatever others have under their names', async (t) => {
  const shared = (field: string) => ({ $id: 'Booking', type: 'object', properties: { [field]: text } })
  const list = { $id: 'List', type: 'array', items: { $ref: 'Booking#' } }
  const app = await documented(t, { scheme: HeaderVersioning, defaultVersion: 'v2' }, (app) => {
    for (const [version, field, paths] of [
      ['v1', 'first', ['/a', '/old']],
      ['v2', 'third', ['/third']],
      ['v2', 'second', ['/a']],
      ['v2', 'first', ['/first']]
    ] as const) {
      app.register(async (context) => {
        context.addSchema(shared(field))
        context.addSchema(list)
        const schema = { response: { 200: { $ref: 'List#' }, 201: { type: 'string', enum: ['one', new Date(0)] } } }
        for (const path of paths) context.get(path, path === '/a' ? { schema, version } : { schema }, answer)
      })
    }
  }, { ui: false, ...byId })
  const { components, paths } = documentOf(app, 'v2')
  const schemas = components.schemas as Record<string, { items: { $ref: string }, properties: object }>
  const find = ($ref: string) => schemas[$ref.replace('#/components/schemas/', '')]
  const fields = Object.entries(paths).map(([path, { get }]) => {
    const { $ref } = Object.values(get.responses[200].content ?? {})[0].schema as { $ref: string }
    return [path, Object.keys(find(find($ref).items.$ref).properties)]
  })
  t.strictSame(fields, [['/old', ['first']], ['/third', ['third']], ['/a', ['second']], ['/first', ['first']]])
  const ids = Object.keys(schemas).filter((name) => name.startsWith('Booking')).toSorted()
  t.strictSame(ids, ['Booking', 'Booking-2', 'Booking-3'])
})

t.test('components are called by their $id, in characters of OpenAPI, with a number if that is taken', async (t) => {
  const shared = (field: string) => ({ type: 'object', properties: { [field]: text } })
  const app = await documented(t, query, (app) => {
    app.addSchema({ $id: 'http://example.com/schemas/Room.json', ...shared('beds') })
    app.addSchema({ $id: 'the+guest', ...shared('name') })
    app.addSchema({ $id: 'the@guest', ...shared('other') })
    app.addSchema({ $id: 'Mine', ...shared('ours') })
    const response = {
      200: {
        type: 'object',
        properties: {
          room: { $ref: 'http://example.com/schemas/Room.json#' },
          guest: { $ref: 'the+guest#' },
          other: { $ref: 'the@guest#/properties/other' },
          mine: { $ref: 'Mine#' }
        }
      }
    }
    app.get('/a', { schema: { response } }, answer)
  }, { openapi: { components: { schemas: { Mine: { type: 'integer' } } } } })
  const { components, paths } = documentOf(app, 'v1')
  t.same(components.schemas, {
    Mine: { type: 'integer' },
    'http---example.com-schemas-Room.json': shared('beds'),
    'the-guest': shared('name'),
    'the-guest-2': shared('other'),
    'Mine-2': shared('ours')
  })
  t.match(paths['/a'].get.responses[200].content?.['application/json'].schema, {
    properties: {
      room: { $ref: '#/components/schemas/http---example.com-schemas-Room.json' },
      guest: { $ref: '#/components/schemas/the-guest' },
      other: { $ref: '#/components/schemas/the-guest-2/properties/other' },
      mine: { $ref: '#/components/schemas/Mine-2' }
    }
  })
})

t.test('a document has only schemas to which its operations lead, and the schemas of the user', async (t) => {
  const app = await documented(t, query, (app) => {
    app.addSchema({ $id: 'Unused', type: 'object', properties: { guest: { $ref: 'Guest#' } } })
    app.addSchema({ $id: 'Guest', type: 'object', properties: { cat: { $ref: 'Cat#' } } })
    app.addSchema({ $id: 'Cat', type: 'object', properties: { self: { $ref: 'Cat#' } } })
    app.addSchema({ $id: 'Hidden', type: 'object', properties: {} })
    app.get('/a', { version: 'v2', schema: { response: { 200: { $ref: 'Guest#' } } } }, answer)
    app.get('/b', { version: 'v1' }, answer)
    app.get('/c', { schema: { hide: true, response: { 200: { $ref: 'Hidden#' } } } as object }, answer)
  }, {
    openapi: {
      components: {
        schemas: { Own: { type: 'object', properties: { other: { $ref: '#/components/schemas/Other' } } }, Other: {} }
      }
    }
  })
  t.strictSame(Object.keys(documentOf(app, 'v1').components.schemas), ['Own', 'Other'])
  t.strictSame(Object.keys(documentOf(app, 'v2').components.schemas), ['Own', 'Other', 'Guest', 'Cat'])
})

t.test('a schema that only a discriminator names stays', async (t) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }
  const app = await documented(t, query, (app) => app.get('/a', answer), {
    openapi: { components: { responses: { Pet: { description: 'A pet', content } } } },
    transformObject (made) {
      const { openapiObject } = made as unknown as { openapiObject: { components: { schemas: object } } }
      Object.assign(openapiObject.components.schemas, {
        Pet: { discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } } }, Cat: {}, Dog: {}
      })
      return openapiObject as object
    }
  })
  t.strictSame(Object.keys(documentOf(app, 'v1').components.schemas), ['Pet', 'Cat'])
})

t.test('schemas that routes of all documents do not share with a version leave it its name', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning }, (app) => {
    for (const [version, field] of [['v1', 'old'], ['v2', 'new']] as const) {
      app.register(async (context) => {
        context.addSchema({ $id: 'Booking', type: 'object', properties: { [field]: text } })
        context.get(`/health/${version}`, { versioning: false }, answer)
        context.get('/a', { version, schema: { response: { 200: { $ref: 'Booking#' } } } }, answer)
      })
    }
  })
  for (const [version, field] of [['v1', 'old'], ['v2', 'new']]) {
    t.same(documentOf(app, version).components.schemas, { Booking: { type: 'object', properties: { [field]: text } } })
  }
})
