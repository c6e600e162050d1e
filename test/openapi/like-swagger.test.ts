import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'

import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { documentOf, documented } from './app.ts'

import type { RouteShorthandOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const validator = new Validator()
const text = { type: 'string' }
const object = (properties: object, ...required: string[]) => ({
  type: 'object', properties, ...required.length === 0 ? {} : { required }
})

interface Topic {
  readonly what: string
  readonly method?: 'get' | 'post' | 'delete'
  readonly url?: string
  readonly options: RouteShorthandOptions & { readonly links?: object }
  /** What the operation has of it, whatever the scheme is. */
  readonly expected: object
}

/** What @fastify/swagger makes of a route, which it has to make of a route with versions as well. */
const TOPICS: Topic[] = [
  {
    what: 'texts',
    options: { schema: { summary: 'One', description: 'All', operationId: 'one', tags: ['a'] } as object },
    expected: { summary: 'One', description: 'All', operationId: 'one', tags: ['a'] }
  },
  {
    what: 'the deprecation by the user',
    options: { schema: { deprecated: true } as object },
    expected: { deprecated: true }
  },
  {
    what: 'security and other documentation',
    options: { schema: { security: [{ key: [] }], externalDocs: { url: 'https://example.com' } } as object },
    expected: { security: [{ key: [] }], externalDocs: { url: 'https://example.com' } }
  },
  { what: 'extensions', options: { schema: { 'x-own': { a: 1 } } as object }, expected: { 'x-own': { a: 1 } } },
  {
    what: 'parameters of a query',
    options: { schema: { querystring: object({ page: { type: 'integer', description: 'Which', default: 1 } }) } },
    expected: {
      parameters: [{ in: 'query', name: 'page', description: 'Which', schema: { type: 'integer', default: 1 } }]
    }
  },
  {
    what: 'parameters of a path',
    url: '/a/:id/b/:kind',
    options: { schema: { params: object({ id: { type: 'integer' }, kind: text }) } },
    expected: { parameters: [{ in: 'path', name: 'id', required: true }, { in: 'path', name: 'kind', required: true }] }
  },
  {
    what: 'headers and cookies',
    options: { schema: { headers: object({ 'X-Own': text }, 'X-Own'), cookies: object({ id: text }) } as object },
    expected: {
      parameters: [
        { in: 'header', name: 'X-Own', required: true, schema: text }, { in: 'cookie', name: 'id', schema: text }
      ]
    }
  },
  {
    what: 'a body that is required',
    method: 'post',
    options: { schema: { body: object({ guest: text }, 'guest') } },
    expected: { requestBody: { required: true } }
  },
  {
    what: 'responses with headers and by their status',
    options: {
      schema: {
        response: {
          201: {
            description: 'Made', headers: { 'X-Total': { type: 'integer', description: 'How many' } }, ...object({})
          },
          '5xx': { description: 'Failed', ...object({ fault: text }) }
        }
      }
    },
    expected: {
      responses: {
        201: { description: 'Made', headers: { 'X-Total': { description: 'How many', schema: { type: 'integer' } } } },
        '5XX': { description: 'Failed' }
      }
    }
  },
  {
    what: 'a response without content',
    method: 'delete',
    options: { schema: { response: { 204: { type: 'null', description: 'Gone' } } } },
    expected: { responses: { 204: { description: 'Gone' } } }
  },
  {
    what: 'links to other operations',
    options: {
      schema: { response: { 200: object({ id: text }) } },
      links: { 200: { one: { operationId: 'one', parameters: { id: '$response.body#/id' } } } }
    },
    expected: { responses: { 200: { links: { one: { operationId: 'one' } } } } }
  },
  {
    what: 'callbacks',
    method: 'post',
    options: {
      schema: {
        callbacks: {
          done: { '{$request.body#/url}': { post: { body: object({ id: text }), response: { 200: text } } } }
        }
      } as object
    },
    expected: { callbacks: { done: { '{$request.body#/url}': { post: {} } } } }
  }
]

const mediaTypes = ['application/vnd.acme.{version}+json']
const SCHEMES: [string, VersioningOptions][] = [
  ['AcceptHeaderVersioning', { scheme: AcceptHeaderVersioning }],
  ['vendor types', { scheme: AcceptHeaderVersioning, mediaTypes }],
  ['ContentTypeVersioning', { scheme: ContentTypeVersioning, defaultVersion: 'v1' }],
  ['HeaderVersioning', { scheme: HeaderVersioning }],
  ['HostNameVersioning', { scheme: HostNameVersioning, baseUrl: 'https://v1.example.com' }],
  ['QueryParameterVersioning', { scheme: QueryParameterVersioning }],
  ['URLPathVersioning', { scheme: URLPathVersioning }],
  ['a list', { scheme: [QueryParameterVersioning, HeaderVersioning] }]
]

for (const [name, versioning] of SCHEMES) {
  for (const { what, method = 'get', url = '/a', options, expected } of TOPICS) {
    t.test(`the document of a route has ${what}, under ${name}`, async (t) => {
      const prefix = versioning.scheme === URLPathVersioning ? '/:version' : ''
      const app = await documented(t, versioning, (app) => {
        app[method](prefix + url, options, async () => ({}))
      }, {
        ui: false,
        openapi: { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } }
      })
      const document = documentOf(app, 'v1')
      const [path] = Object.values(document.paths)
      const { parameters = [], ...others } = path[method]
      // The parameter of the version may stand before or after the route's parameters.
      const own = parameters.filter(({ description }) => description !== 'The version of the API')
      t.match({ ...others, parameters: own }, expected)
      const { valid, errors } = await validator.validate(structuredClone(document) as never)
      t.ok(valid || what === 'links to other operations', JSON.stringify(errors))
    })
  }
}
