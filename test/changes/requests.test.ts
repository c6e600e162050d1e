import { Ajv } from 'ajv'
import { Readable } from 'node:stream'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { BookingV1, EXAMPLES, appWithChanges, byCursor, cursor, guests, inVersion, room } from './bookings.ts'

import type { FastifyRequest, RouteOptions } from 'fastify'
import type { Change } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const body = { body: { $ref: 'Booking#' } }
const echo = async (request: FastifyRequest) => ({ body: request.body, query: request.query, params: request.params })

/** A change of one route. */
function routeChange (route: NonNullable<Change['routes']>[string], version = 'v3'): Change {
  return { version, description: 'A route changed.', routes: { bookings: route } }
}

t.test('a handler gets a body of each version in the shape of the newest one', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.post('/bookings', { schema: body }, async (request) => request.body)
  for (const version of ['v1', 'v2', 'v3']) {
    t.same((await app.inject(inVersion(version, '/bookings', EXAMPLES[version]))).json(), EXAMPLES.v3, version)
  }
})

t.test('hooks up to preValidation see what the client sent, all preHandler hooks what the handler gets', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const seen: unknown[] = []
  const see = async (request: FastifyRequest) => { seen.push(request.body) }
  app.addHook('preValidation', see)
  app.addHook('preHandler', see)
  app.post('/bookings', { schema: body, preValidation: see, preHandler: see }, async () => '')
  await app.inject(inVersion('v1', '/bookings', EXAMPLES.v1))
  t.same(seen, [EXAMPLES.v1, EXAMPLES.v1, EXAMPLES.v3, EXAMPLES.v3])
})

t.test('a query is validated and completed by the older schema, upgraded, and validated by the newest', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
  app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor } }, echo)
  t.match((await app.inject(inVersion('v1', '/bookings'))).json(), { query: { cursor: 'c1' } })
  t.match((await app.inject(inVersion('v2', '/bookings?page=4'))).json(), { query: { cursor: 'c4' } })
  t.match((await app.inject(inVersion('v1', '/bookings?page=0'))).json(), { message: 'querystring/page must be >= 1' })
  t.match((await app.inject(inVersion('v3', '/bookings?cursor=c4'))).json(), { query: { cursor: 'c4' } })
})

t.test('a part whose newest version has no schema is upgraded', async (t) => {
  const object = { type: 'object', additionalProperties: true }
  const change = routeChange({
    older: { query: object, body: object },
    query: { upgrade: ({ page }) => ({ cursor: page }) },
    body: { upgrade: ({ old }) => ({ now: old }) }
  })
  const app = await appWithChanges(t, { scheme, changes: [change] })
  app.post('/bookings', { name: 'bookings' }, echo)
  const response = await app.inject(inVersion('v1', '/bookings?page=2', { old: 1 }))
  t.match(response.json(), { body: { now: 1 }, query: { cursor: '2' } })
})

t.test('an upgraded value that the newest schema refuses is an error of the app', async (t) => {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => { lines.push(line) } } }
  const change = {
    ...guests, schemas: { Booking: { ...guests.schemas?.Booking, older: BookingV1, upgrade: () => ({}) } }
  }
  const app = await appWithChanges(t, { scheme, changes: [change] }, { logger })
  app.post('/bookings', { schema: body }, async () => '')
  const response = await app.inject(inVersion('v1', '/bookings', EXAMPLES.v1))
  t.same(response.json(), {
    statusCode: 500,
    code: 'FST_ERR_VERSION_CHANGE',
    error: 'Internal Server Error',
    message: 'A change between versions failed.'
  })
  t.match(lines.join(''), /'v2' \(A booking has several guests.\), POST \/bookings, body: .* property 'guests'/)
})

t.test('with attachValidation a valid part is upgraded, and an invalid part stays as it was sent', async (t) => {
  const app = await appWithChanges(t, {
    scheme, changes: [guests, room, routeChange({ query: { upgrade: ({ id }) => ({ id: id * 2 }) } })]
  })
  const schema = { ...body, querystring: { type: 'object', properties: { id: { type: 'integer' } } } }
  app.post('/bookings', { name: 'bookings', schema, attachValidation: true }, async (request) => ({
    ...await echo(request), error: request.validationError?.message
  }))
  t.match((await app.inject(inVersion('v1', '/bookings?id=4', EXAMPLES.v3))).json(), {
    query: { id: 8 }, body: EXAMPLES.v3, error: "body must have required property 'guest'"
  })
  t.match((await app.inject(inVersion('v1', '/bookings?id=4', EXAMPLES.v1))).json(), {
    query: { id: 8 }, body: EXAMPLES.v3
  })
})

const number = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } }
const counted = routeChange({
  older: { body: { properties: { n: { type: 'integer' } }, additionalProperties: false } },
  body: { upgrade: (sent) => ({ count: sent?.n ?? 1 }) }
})

for (const [says, payload, expected] of [
  ['a value', '{"n":2}', { body: { count: 2 } }],
  ['null', 'null', { body: { count: 1 } }]
] as const) {
  t.test(`a body that is ${says} is upgraded and validated by the newest schema`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [counted] }, { ajv: { customOptions: { strict: false } } })
    app.post('/bookings', { name: 'bookings', schema: { body: number } }, echo)
    const headers = { 'api-version': 'v1', 'content-type': 'application/json' }
    t.match((await app.inject({ method: 'POST', url: '/bookings', headers, payload })).json(), expected)
  })
}

t.test('an absent body is not upgraded, and is validated by the newest schema', async (t) => {
  const strict = { ajv: { customOptions: { strict: false } } }
  for (const [schema, expected] of [
    [{ body: number }, { statusCode: 400, code: 'FST_ERR_VALIDATION', message: 'body must be object' }],
    [{ body: { properties: number.properties } }, { absent: true }]
  ] as const) {
    const app = await appWithChanges(t, { scheme, changes: [counted] }, strict)
    app.post('/bookings', { name: 'bookings', schema }, async ({ body }) => ({ absent: body === undefined }))
    t.match((await app.inject({ ...inVersion('v1', '/bookings'), method: 'POST' })).json(), expected)
  }
})

t.test('a body that was not parsed is passed on unchanged', async (t) => {
  const change = routeChange({ older: { body: {} }, body: { upgrade: () => ({ upgraded: true }) } })
  const app = await appWithChanges(t, { scheme, changes: [change] })
  const asItIs = async (_request: unknown, bytes: Buffer) => bytes
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, asItIs)
  app.addContentTypeParser('text/csv', async (_request: unknown, stream: unknown) => stream)
  app.addContentTypeParser('text/html', async (_request: unknown, stream: Readable) => Readable.toWeb(stream))
  app.post('/bookings', { name: 'bookings' }, async ({ body }) => {
    if (Buffer.isBuffer(body)) return { bytes: body.length }
    if (body === undefined || body === null) return { none: true }
    if (body instanceof ReadableStream) return { webStream: true }
    return 'pipe' in (body as object) ? { stream: true } : body
  })
  const send = async (type: string | undefined, payload?: string) => (await app.inject({
    method: 'POST',
    url: '/bookings',
    headers: {
      'api-version': 'v1', ...type && { 'content-type': type }
    },
    ...payload && { payload }
  })).json()
  t.same(await send('application/octet-stream', 'abc'), { bytes: 3 })
  t.same(await send('text/csv', 'abc'), { stream: true })
  t.same(await send('text/html', 'abc'), { webStream: true })
  t.same(await send(undefined), { none: true })
  t.same(await send('application/json', '{}'), { upgraded: true })
})

t.test('a validatorCompiler of the route, of the context or of the app validates both versions', async (t) => {
  const ajv = new Ajv({ coerceTypes: true })
  const compile: NonNullable<RouteOptions['validatorCompiler']> = ({ schema, httpPart }) => {
    const validate = ajv.compile({ ...schema as object, title: httpPart })
    return (data) => validate(data)
      ? { value: data }
      : {
          error: new Error(`custom: ${ajv.errorsText(validate.errors)}`)
        }
  }
  for (const place of ['route', 'context']) {
    const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
    if (place === 'context') app.setValidatorCompiler(compile)
    const own = place === 'route' ? { validatorCompiler: compile } : {}
    app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor }, ...own }, echo)
    t.match((await app.inject(inVersion('v1', '/bookings?page=4'))).json(), { query: { cursor: 'c4' } }, place)
    t.match((await app.inject(inVersion('v1', '/bookings?page=x'))).json(), {
      statusCode: 400, message: /^custom: .*page/
    }, place)
    t.match((await app.inject(inVersion('v3', '/bookings?cursor=x'))).json(), {
      statusCode: 400, message: /^custom: .*cursor/
    }, place)
  }
})

t.test('an asynchronous validator of a part that changes is awaited', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
  app.get('/bookings', {
    name: 'bookings', schema: { querystring: byCursor }, validatorCompiler: () => (async () => true) as never
  }, echo)
  t.match((await app.inject(inVersion('v1', '/bookings?page=4'))).json(), { query: { cursor: 'c4' } })
})

for (const [says, validate] of [
  ['resolves to false', async () => false],
  ['rejects', async () => { throw new Error('own') }]
] as const) {
  t.test(`an asynchronous validator of the older schema that ${says} refuses the request`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
    app.get('/bookings', {
      name: 'bookings',
      schema: { querystring: byCursor },
      validatorCompiler: ({ schema }) => ((schema as unknown) === byCursor ? () => true : validate) as never
    }, echo)
    const response = await app.inject(inVersion('v1', '/bookings?page=4'))
    t.equal(response.statusCode, 400)
    t.equal(response.json().code, 'FST_ERR_VALIDATION')
  })
}

t.test('a validator of the older schema that throws is an error of the app', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
  app.get('/bookings', {
    name: 'bookings',
    schema: { querystring: byCursor },
    validatorCompiler: ({ schema }) => (schema as unknown) === byCursor ? () => true : () => { throw new Error('own') }
  }, echo)
  t.match((await app.inject(inVersion('v1', '/bookings?page=4'))).json(), { statusCode: 500, message: 'own' })
})

t.test('a validator that returns an object without a value accepts what was sent', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [routeChange(cursor)] })
  app.get('/bookings', {
    name: 'bookings', schema: { querystring: byCursor }, validatorCompiler: () => () => ({}) as never
  }, echo)
  t.match((await app.inject(inVersion('v1', '/bookings?page=4'))).json(), { query: { cursor: 'c4' } })
})

t.test('a body that is not an object is validated, changed and coerced like Fastify does', async (t) => {
  const change = routeChange({ older: { body: { type: 'integer' } }, body: { upgrade: (count) => count + 1 } })
  const app = await appWithChanges(t, { scheme, changes: [change] })
  app.post('/bookings', { name: 'bookings', schema: { body: { type: 'string' } } }, async ({ body }) => ({ body }))
  const send = async (version: string, payload: string) => (await app.inject({
    method: 'POST', url: '/bookings', headers: { 'api-version': version, 'content-type': 'application/json' }, payload
  })).json()
  t.same(await send('v1', '4'), { body: '5' })
  t.match(await send('v1', '"x"'), { message: 'body must be integer' })
})

t.test('a body is upgraded by the schema of its media type', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const content = {
    'application/json': { schema: { $ref: 'Booking#' } }, 'application/other+json': { schema: { type: 'object' } }
  }
  const parse = async (_request: unknown, text: string) => JSON.parse(text)
  app.addContentTypeParser(/^application\/\w+\+json$/, { parseAs: 'string' }, parse)
  app.post('/bookings', { schema: { body: { content } } }, async (request) => request.body)
  const send = async (type: string) => (await app.inject({
    method: 'POST',
    url: '/bookings',
    headers: {
      'api-version': 'v1', 'content-type': type
    },
    payload: JSON.stringify(EXAMPLES.v1)
  })).json()
  t.same(await send('application/json'), EXAMPLES.v3)
  t.same(await send('application/other+json'), EXAMPLES.v1)
  t.same(await send('application/third+json'), EXAMPLES.v1, 'a media type that no schema lists')
})
