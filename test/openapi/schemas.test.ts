import t from 'tap'
import { Type } from 'typebox'

import { HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { documentOf, documented, header, object, ok, path, query, refer, text } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { OpenapiOptions } from '../../types/openapi.d.ts'
import type { Doc } from './app.ts'

type Schemas = Record<string, { properties: object, items: { $ref: string } }>

const page = { ...object('page'), required: ['page'] }
const booking = { response: { 200: { $ref: 'Booking#' } } }

const schemasIn = (app: FastifyInstance, version: string) => documentOf(app, version).components.schemas as Schemas

/** The schema that a route answers with. */
function schemaAt ({ paths, components }: Doc, path: string) {
  const { $ref = '' } = Object.values(paths[path].get.responses[200].content ?? {})[0].schema as { $ref?: string }
  return (components.schemas as Schemas)[$ref.replace('#/components/schemas/', '')]
}

const id = { type: 'object', properties: { version: text, id: { type: 'integer' } } }
const PARAMETERS: [string, object, object, string, string[]][] = [
  ['a query with properties', query, { querystring: page }, '/a', ['query page', 'query version']],
  ['a query with a shared schema', query, { querystring: { $ref: 'page#' } }, '/a', ['query page', 'query version']],
  ['a query with several schemas', query, { querystring: { allOf: [page, object('size')] } }, '/a',
    ['query page', 'query size?', 'query version']],
  ['a query by TypeBox', query, { querystring: Type.Object({ page: Type.Optional(Type.String()) }) }, '/a',
    ['query page?', 'query version']],
  ['a query that has the version', query, { querystring: object('version') }, '/a', ['query version']],
  ['a query that shares the version', query, { querystring: { allOf: [page, { $ref: 'versioned#' }] } }, '/a',
    ['query page', 'query version']],
  ['a header in another case', header, { headers: object('api-version') }, '/a', ['header API-Version']],
  ['a path with properties', path, { params: id }, '/:version/a/:id', ['path id']],
  ['a path with the version alone', path, { params: object('version') }, '/:version/a/:id', ['path id']],
  ['a path with a shared schema', path, { params: { $ref: 'all#/definitions/id' } }, '/:version/a/:id', ['path id']],
  ['a path without a schema', path, {}, '/:version/a/:id', ['path id']]
]

for (const [what, versioning, schema, url, expected] of PARAMETERS) {
  t.test(`the version is a parameter once, or in the path, next to ${what}`, async (t) => {
    const app = await documented(t, versioning, (app) => {
      app.addSchema({ $id: 'page', ...page })
      app.addSchema({ $id: 'versioned', ...object('version') })
      app.addSchema({ $id: 'all', definitions: { id } })
      app.get(url, { schema }, ok)
    })
    const [{ get: { parameters } }] = Object.values(documentOf(app, 'v2').paths)
    const shown = parameters?.map(({ in: place, name, required }) => `${place} ${name}${required ? '' : '?'}`)
    t.strictSame(shown, expected)
  })
}

for (const required of [[], ['version']]) {
  const isRequired = required.length > 0
  const what = isRequired ? ', and is required if it was' : ''
  t.test(`a parameter of the user that is the version keeps its description${what}`, async (t) => {
    const properties = { version: { type: 'string', description: 'Mine', pattern: '^v' }, page: { type: 'string' } }
    const schema = { querystring: { type: 'object', additionalProperties: false, properties, required } }
    const app = await documented(t, { ...query, defaultVersion: 'v1' }, (app) => app.get('/a', { schema }, ok))
    for (const version of ['v1', 'v2']) {
      const own = { type: 'string', enum: [version], ...version === 'v2' || isRequired ? {} : { default: version } }
      t.strictSame(documentOf(app, version).paths['/a'].get.parameters, [
        { in: 'query', name: 'version', required: version === 'v2' || isRequired, description: 'Mine', schema: own },
        { in: 'query', name: 'page', required: false, schema: { type: 'string' } }
      ])
    }
    t.equal((await app.inject('/a')).statusCode, isRequired ? 400 : 200)
  })
}

const byId: OpenapiOptions = { refResolver: { buildLocalReference: (json) => `The${json.$id}` } }
for (const [what, options, name] of [['their $id', {}, 'Booking'], ['a refResolver', byId, 'TheBooking']] as const) {
  t.test(`a document has only the schemas of its own version, which are called by ${what}`, async (t) => {
    for (const scheme of [HeaderVersioning, NamespaceVersioning]) {
      const app = await documented(t, { scheme }, (app) => {
        for (const version of ['v1', 'v2']) {
          const isChosen = scheme === HeaderVersioning
          app.register(async (context) => {
            context.addSchema({ $id: 'Booking', ...object(version) })
            context.addSchema({ $id: `Only${version}`, ...object() })
            context.get('/b', isChosen ? { schema: booking, version } : { schema: booking }, ok)
            context.get(`/health/${version}`, { versioning: false }, ok)
          }, isChosen ? {} : { prefix: version, namespace: version })
        }
      }, { ui: false, ...options })
      for (const version of ['v1', 'v2']) t.strictSame(schemasIn(app, version), { [name]: object(version) })
    }
  })
}

t.test('a route refers to the schemas of its own context, whatever others have under their names', async (t) => {
  const app = await documented(t, { ...header, defaultVersion: 'v2' }, (app) => {
    for (const [version, field, paths] of [
      ['v1', 'first', ['/a', '/old']], ['v2', 'third', ['/third']], ['v2', 'second', ['/a']],
      ['v2', 'first', ['/first']]
    ] as const) {
      app.register(async (context) => {
        context.addSchema({ $id: 'Booking', ...object(field) })
        context.addSchema({ $id: 'List', type: 'array', items: { $ref: 'Booking#' } })
        const schema = { response: { 200: { $ref: 'List#' }, 201: { type: 'string', enum: ['one', new Date(0)] } } }
        for (const path of paths) context.get(path, path === '/a' ? { schema, version } : { schema }, ok)
      })
    }
  })
  const document = documentOf(app, 'v2')
  const schemas = document.components.schemas as Schemas
  for (const [path, field] of [['/old', 'first'], ['/third', 'third'], ['/a', 'second'], ['/first', 'first']]) {
    const name = schemaAt(document, path).items.$ref.replace('#/components/schemas/', '')
    t.strictSame(schemas[name].properties, { [field]: text }, path)
  }
  t.strictSame(Object.keys(schemas).filter((one) => one.startsWith('Booking')), ['Booking', 'Booking-2', 'Booking-3'])
})

t.test('components are called by their $id, in characters of OpenAPI, with a number if that is taken', async (t) => {
  const NAMES = [
    ['http://example.com/Room.json', 'http---example.com-Room.json'], ['the+guest', 'the-guest'],
    ['the@guest', 'the-guest-2'], ['Mine', 'Mine-2']
  ]
  const app = await documented(t, query, (app) => {
    for (const [$id] of NAMES) app.addSchema({ $id, ...object($id) })
    const properties = Object.fromEntries(NAMES.map(([$id], i) => [i, { $ref: `${$id}#` }]))
    const one = { $ref: 'the@guest#/properties/the@guest' }
    app.get('/a', { schema: { response: { 200: { type: 'object', properties: { ...properties, one } } } } }, ok)
  }, { openapi: { components: { schemas: { Mine: { type: 'integer' } } } } })
  const { components, paths } = documentOf(app, 'v1')
  t.same(components.schemas, {
    Mine: { type: 'integer' }, ...Object.fromEntries(NAMES.map(([$id, name]) => [name, object($id)]))
  })
  t.match(paths['/a'].get.responses[200].content?.['application/json'].schema, {
    properties: { 0: refer(NAMES[0][1]), 3: refer('Mine-2'), one: refer('the-guest-2/properties/the@guest') }
  })
})

t.test('a document has only schemas to which its operations lead, and the schemas of the user', async (t) => {
  const app = await documented(t, query, (app) => {
    const leadsTo = (name: string) => ({ type: 'object', properties: { one: { $ref: `${name}#` } } })
    app.addSchema({ $id: 'Unused', ...leadsTo('Guest') })
    app.addSchema({ $id: 'Guest', ...leadsTo('Cat') })
    app.addSchema({ $id: 'Cat', ...leadsTo('Cat') })
    app.addSchema({ $id: 'Hidden', ...object() })
    app.get('/a', { version: 'v2', schema: { response: { 200: { $ref: 'Guest#' } } } }, ok)
    app.get('/c', { schema: { hide: true, response: { 200: { $ref: 'Hidden#' } } } as object }, ok)
  }, { openapi: { components: { schemas: { Own: { $ref: '#/components/schemas/Other' }, Other: {} } } } })
  t.strictSame(Object.keys(schemasIn(app, 'v1')), ['Own', 'Other'])
  t.strictSame(Object.keys(schemasIn(app, 'v2')), ['Own', 'Other', 'Guest', 'Cat'])
})

t.test('a schema that only a discriminator names stays', async (t) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }
  const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/None' }
  const app = await documented(t, query, (app) => app.get('/a', ok), {
    openapi: { components: { responses: { Pet: { description: 'A pet', content } } } },
    transformObject (made) {
      const { openapiObject } = made as unknown as { openapiObject: { components: { schemas: object } } }
      const Pet = { discriminator: { propertyName: 'kind', mapping } }
      Object.assign(openapiObject.components.schemas, { Pet, Cat: {}, Dog: {} })
      return openapiObject as object
    }
  })
  t.strictSame(Object.keys(schemasIn(app, 'v1')), ['Pet', 'Cat'])
})
