import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'

import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaCompiler, RouteOptions } from 'fastify'

type Compiler = NonNullable<RouteOptions['serializerCompiler']>

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const strict = { type: 'object', required: ['bookingId'], properties: { bookingId: { type: 'string' } } }
const compiled: Compiler = () => (body) => JSON.stringify({ compiled: true, ...body as object })

/** The compilers of a context and of a route, and whether one of them serializes the body of the app's own 404. */
const compilers: [of: string, isCompiled: boolean, ofContext?: Compiler | null, ofRoute?: Compiler][] = [
  ['Fastify', false],
  ['the context', true, compiled],
  ['the route', true, null, compiled],
  ['the route, before the context', true, () => () => 'never', compiled]
]

/** What an error handler makes of a refusal, and whether that is the app's own 404. */
const handlers: [says: string, isOwn: boolean, handle?: (error: FastifyError, reply: FastifyReply) => unknown][] = [
  ['no error handler', false],
  ['one that sends the error', false, (error, reply) => reply.send(error)],
  ['one that throws the error', false, (error) => { throw error }],
  ['one that answers', true, (_error, reply) => reply.code(404).send({ bookingId: '7' })]
]

for (const status of ['404', '4xx', '4XX', 'default']) {
  for (const [of, isCompiled, ofContext, ofRoute] of compilers) {
    for (const [says, isOwn, handle] of handlers) {
      t.test(`a response schema of ${status} compiled by ${of} is not for refusals, with ${says}`, async (t) => {
        const app = bareApp(t)
        // Hooks of routes that read the options, and add their own.
        app.addHook('onRoute', (route) => { route.onSend = [route.onSend ?? []].flat() })
        await app.register(versioning, settings)
        app.addHook('onRoute', (route) => {
          if (Array.isArray(route.onSend)) route.onSend.push(async () => {})
          route.serializerCompiler = route.serializerCompiler as FastifySchemaCompiler<unknown> & Compiler
        })
        // Its compiler does not know the schemas of the context below.
        app.get('/parent', { schema: { response: { [status]: strict } } }, ok)
        await app.register(async (context) => {
          context.addSchema({ $id: 'NotFound', ...strict })
          if (ofContext) context.setSerializerCompiler(ofContext)
          if (handle !== undefined) {
            context.setErrorHandler<FastifyError>((error, _request: FastifyRequest, reply) => handle(error, reply))
          }
          for (const url of ['/a', '/b']) {
            context.get(url, {
              schema: { response: { [status]: { $ref: 'NotFound#' } } },
              ...ofRoute && { serializerCompiler: ofRoute }
            }, async (_request, reply) => reply.code(404).send({ bookingId: '7' }))
          }
        })
        const body = { bookingId: '7', ...isCompiled && { compiled: true } }
        for (const url of ['/a', '/b']) {
          t.same((await app.inject(`${url}?version=v1`)).json(), body)
          const refused = await app.inject(`${url}?version=v9`)
          t.equal(refused.statusCode, 404)
          t.same(refused.json(), isOwn ? body : places.query.refusal)
          const head = await app.inject({ method: 'HEAD', url: `${url}?version=v9` })
          t.same([head.statusCode, head.headers['content-length']], [404, refused.headers['content-length']])
        }
      })
    }
  }
}

t.test('a refusal by the default version of a client names the header of that default', async (t) => {
  const defaultVersion = { header: 'X-Key', version: () => 'v9' }
  const refusals = [
    [HeaderVersioning, {}, 'The default version by the "X-Key" header is not allowed. Versions: v1, v2.'],
    [[HeaderVersioning, QueryParameterVersioning], {}, 'The default version by the "X-Key" header is not allowed. Ver'],
    [HeaderVersioning, { 'api-version': 'v9' }, 'Invalid version in "API-Version" header. Versions: v1, v2.'],
    [QueryParameterVersioning, {}, 'Invalid version in query parameter.']
  ] as const
  for (const [scheme, headers, message] of refusals) {
    const app = await appWith(t, { ...settings, scheme: scheme as never, defaultVersion })
    app.get('/', ok)
    t.match((await app.inject({ url: '/', headers })).json().message, message)
  }
})

t.test('different versions in a namespace that is not allowed are refused, and none of them is named', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [NamespaceVersioning, HeaderVersioning] })
  for (const namespace of ['v0', 'v1']) {
    app.register(async (context) => { context.get('/', ok) }, { prefix: `/${namespace}`, namespace })
  }
  for (const [url, end] of [['/v0', '"API-Version" header.'], ['/v1', '"API-Version" header. Versions: v1.']]) {
    const { code, message } = (await app.inject({ url, headers: { 'api-version': 'v2' } })).json()
    t.equal(code, 'FST_ERR_VERSION_AMBIGUOUS')
    t.ok(message.endsWith(end), message)
  }
})
