import { StandaloneValidator } from '@fastify/ajv-compiler'
import { Ajv } from 'ajv'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { runInThisContext } from 'node:vm'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { BookingV1, EXAMPLES, appWithChanges, ask, byCursor, cursor, guests, ofRoute, room } from './bookings.ts'

import type { FastifyInstance, FastifyRequest, FastifyServerOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

const body = { body: { $ref: 'Booking#' } }
const echo = async (request: FastifyRequest) => ({ body: request.body, query: request.query })

async function appOf (
  t: Test, changes: Change[] = [guests, room], options: Partial<RouteOptions> = {}, serverOptions?: FastifyServerOptions
): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes }, serverOptions)
  const method = options.schema?.querystring === byCursor ? 'GET' : 'POST'
  const schema = { response: { 200: {} }, ...options.schema }
  app.route({ method, url: '/bookings', name: 'bookings', handler: echo, ...options, schema })
  return app
}
const withCursor = (options: Partial<RouteOptions> = {}) => ({ schema: { querystring: byCursor }, ...options })

async function send (app: FastifyInstance, payload?: string, type = 'application/json') {
  const sent = payload === undefined ? {} : { payload, headers: { 'api-version': 'v1', 'content-type': type } }
  return (await app.inject({ method: 'POST', url: '/bookings', headers: { 'api-version': 'v1' }, ...sent })).json()
}

t.test('hooks up to preValidation see what the client sent, all preHandler hooks what the handler gets', async (t) => {
  const seen: unknown[] = []
  const see = async (request: FastifyRequest) => { seen.push(request.body) }
  const app = await appOf(t, [guests, room], { schema: body, preValidation: see, preHandler: see })
  for (const hook of ['preValidation', 'preHandler']) app.addHook(hook as 'preHandler', see)
  await ask(app, 'v1', '/bookings', EXAMPLES.v1)
  t.same(seen, [EXAMPLES.v1, EXAMPLES.v1, EXAMPLES.v3, EXAMPLES.v3])
})

const object = { type: 'object', additionalProperties: true }

t.test('an upgraded value that the newest schema refuses is an error of the app', async (t) => {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => { lines.push(line) } } }
  const Booking = { ...guests.schemas?.Booking, older: BookingV1, upgrade: () => ({}) }
  for (const attachValidation of [false, true]) {
    const app = await appOf(t, [{ ...guests, schemas: { Booking } }], { schema: body, attachValidation }, { logger })
    t.same((await ask(app, 'v1', '/bookings', EXAMPLES.v1)).json(), {
      statusCode: 500,
      code: 'FST_ERR_VERSION_CHANGE',
      error: 'Internal Server Error',
      message: 'A change between versions failed.'
    })
    t.match(lines.splice(0).join(''), /'v2' \(A booking has .*\), POST \/bookings, body: .* property 'guests'/)
    t.equal((await ask(app, 'v1', '/bookings', {})).statusCode, attachValidation ? 200 : 400)
  }
})

t.test('with attachValidation a valid part is upgraded, and an invalid part stays as it was sent', async (t) => {
  const doubled = ofRoute({ query: { upgrade: ({ id }) => ({ id: id * 2 }) } })
  const app = await appOf(t, [guests, room, doubled], {
    schema: { ...body, querystring: { type: 'object', properties: { id: { type: 'integer' } } } },
    attachValidation: true,
    handler: async (request) => ({ ...await echo(request), error: request.validationError?.message })
  })
  t.same((await ask(app, 'v1', '/bookings?id=4', EXAMPLES.v3)).json(), {
    query: { id: 8 }, body: EXAMPLES.v3, error: "body must have required property 'guest'"
  })
  t.same((await ask(app, 'v1', '/bookings?id=4', EXAMPLES.v1)).json(), { query: { id: 8 }, body: EXAMPLES.v3 })
})

t.test('with attachValidation preHandler hooks of the instance see what the older version refuses', async (t) => {
  const properties = { guest: { type: 'string', minLength: 3 } }
  const older = { body: { type: 'object', properties, additionalProperties: false } }
  const app = await appWithChanges(t, {
    scheme: HeaderVersioning, changes: [ofRoute({ older, body: { upgrade: ({ guest }) => ({ guests: [guest] }) } })]
  })
  app.addHook('preHandler', async ({ validationError }) => { if (validationError) throw validationError })
  const schema = { body: { type: 'object' }, response: { 200: {} } }
  app.post('/bookings', { name: 'bookings', schema, attachValidation: true }, echo)
  t.match((await ask(app, 'v1', '/bookings', { guest: 'x' })).json(), { statusCode: 400, message: /^body\/guest/ })
  t.match((await ask(app, 'v1', '/bookings', { guest: 'Ada' })).json(), { body: { guests: ['Ada'] } })
})

t.test('with attachValidation hooks see the first error of the older version, and may take it away', async (t) => {
  const found: unknown[] = []
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes: [guests, ofRoute(cursor)] })
  app.addHook('preHandler', async (request) => {
    found.push(request.validationError?.message)
    Object.assign(request, { validationError: undefined })
  })
  const schema = { ...body, querystring: byCursor, response: { 200: {} } }
  app.post('/bookings', { name: 'bookings', schema, attachValidation: true }, async ({ validationError }) => (
    { isValid: validationError === undefined }
  ))
  for (const url of ['/bookings', '/bookings?page=x']) {
    t.same((await ask(app, 'v1', url, { room: '7' })).json(), { isValid: true })
  }
  t.same(found, Array(2).fill("body must have required property 'guest'"))
})

t.test('a build step may compile validators, and keeps each by its method, its URL and its part', async (t) => {
  const codes = new Map<string, string>()
  const keyOf = ({ method, url, httpPart }: Partial<Record<string, unknown>>) => `${method} ${url} ${httpPart}`
  const require = createRequire(import.meta.resolve('@fastify/ajv-compiler'))
  const build = StandaloneValidator({
    readMode: false,
    storeFunction: (route, code) => {
      const key = keyOf(route)
      t.notOk(codes.has(key), key)
      codes.set(key, code)
    }
  })
  const read = StandaloneValidator({
    readMode: true,
    restoreFunction: (route) => {
      const module: { exports: unknown } = { exports: {} }
      const load = runInThisContext(`(function (module, exports, require) { ${codes.get(keyOf(route))}\n})`)
      load(module, module.exports, require)
      return module.exports as never
    }
  })
  for (const buildValidator of [build, read]) {
    const serverOptions = { schemaController: { compilersFactory: { buildValidator } } }
    const app = await appOf(t, [guests, room], { schema: body }, serverOptions as FastifyServerOptions)
    app.post('/', { schema: { ...body, response: { 200: {} } } }, echo)
    for (const url of ['/bookings', '/']) {
      for (const version of ['v1', 'v2', 'v3']) {
        t.same((await ask(app, version, url, EXAMPLES[version])).json(), { body: EXAMPLES.v3, query: {} })
        t.same((await ask(app, version, url, {})).statusCode, 400)
      }
    }
    for (const version of ['v1', 'v2']) t.same(app.upgrade('Booking', EXAMPLES[version], version), EXAMPLES.v3)
  }
})

const number = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } }
const counted = ofRoute({
  older: { body: { properties: { n: { type: 'integer' } }, additionalProperties: false } },
  body: { upgrade: (sent) => ({ count: sent?.n ?? 1 }) }
})
const added = ofRoute({ older: { body: { type: 'integer' } }, body: { upgrade: (count) => count + 1 } })
for (const [says, payload, expected, change = counted, schema = number] of [
  ['a value', '{"n":2}', { body: { count: 2 } }],
  ['null', 'null', { body: { count: 1 } }],
  ['absent, and validated by the newest schema', undefined, { statusCode: 400, message: 'body must be object' }],
  ['absent, and stays so', undefined, { query: {} }, counted, { properties: number.properties }],
  ['a text that is coerced', '4', { body: '5' }, added, { type: 'string' }],
  ['invalid', '"x"', { statusCode: 400, message: 'body must be integer' }, added, { type: 'string' }]
] as const) {
  t.test(`the older version of a body may be ${says}`, async (t) => {
    const app = await appOf(t, [change], { schema: { body: schema } }, { ajv: { customOptions: { strict: false } } })
    t.match(await send(app, payload), expected)
  })
}

t.test('a body that was not parsed is passed on unchanged', async (t) => {
  const older = { body: { ...object, nullable: true } }
  const change = { older, body: { upgrade: () => ({ upgraded: true }) } }
  const app = await appOf(t, [ofRoute(change)], {
    handler: async ({ body }) => {
      if (Buffer.isBuffer(body)) return { bytes: body.length }
      if (body === undefined || body === null) return { none: true }
      if (body instanceof ReadableStream) return { webStream: true }
      return 'pipe' in (body as object) ? { stream: true } : body
    }
  })
  const asItIs = async (_request: unknown, bytes: Buffer) => bytes
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, asItIs)
  app.addContentTypeParser('text/csv', async (_request: unknown, stream: unknown) => stream)
  app.addContentTypeParser('text/html', async (_request: unknown, stream: Readable) => Readable.toWeb(stream))
  t.same(await send(app, 'abc', 'application/octet-stream'), { bytes: 3 })
  t.same(await send(app, 'abc', 'text/csv'), { stream: true })
  t.same(await send(app, 'abc', 'text/html'), { webStream: true })
  t.same(await send(app), { none: true })
  t.same(await send(app, '{}'), { upgraded: true })
})

for (const place of ['route', 'context']) {
  t.test(`a validatorCompiler of the ${place} validates both versions`, async (t) => {
    const ajv = new Ajv({ coerceTypes: true })
    const validatorCompiler: RouteOptions['validatorCompiler'] = ({ schema, httpPart }) => {
      const validate = ajv.compile({ ...schema as object, title: httpPart })
      return (value) => validate(value) ? { value } : { error: new Error(`custom: ${ajv.errorsText(validate.errors)}`) }
    }
    const app = await appOf(t, [ofRoute(cursor)], withCursor(place === 'route' ? { validatorCompiler } : {}))
    if (place === 'context') app.setValidatorCompiler(validatorCompiler as never)
    t.match((await ask(app, 'v1', '/bookings?page=4')).json(), { query: { cursor: 'c4' } })
    for (const [version, name] of [['v1', 'page'], ['v3', 'cursor']]) {
      const message = new RegExp(`^custom: .*${name}`)
      t.match((await ask(app, version, `/bookings?${name}=x`)).json(), { statusCode: 400, message })
    }
  })
}

t.test('a validatorCompiler of a route gets no query if nothing describes a query', async (t) => {
  const parts = new Set<unknown>()
  const app = await appOf(t, [ofRoute({ older: { body: object }, body: { upgrade: (body) => body } })], {
    validatorCompiler: ({ httpPart }) => {
      parts.add(httpPart)
      return () => true
    }
  })
  await app.ready()
  t.notOk(parts.has('querystring'))
})

const validates = { query: { cursor: 'c4' } }
const refused = { statusCode: 400, code: 'FST_ERR_VALIDATION' }
/** What becomes of a request if the validator of the older schema returns this. */
for (const [says, validate, expected, isForAll = false] of [
  ['resolves to true', async () => true, validates, true],
  ['returns an object without a value', () => ({}), validates, true],
  ['resolves to false', async () => false, refused],
  ['rejects', async () => { throw new Error('own') }, refused],
  ['throws', () => { throw new Error('own') }, { statusCode: 500, message: 'own' }]
] as const) {
  t.test(`a request is ${'query' in expected ? 'accepted' : 'refused'} if a validator ${says}`, async (t) => {
    const app = await appOf(t, [ofRoute(cursor)], withCursor({
      validatorCompiler: ({ schema }) => (
        (schema as unknown) === byCursor && !isForAll ? () => true : validate
      ) as never
    }))
    t.match((await ask(app, 'v1', '/bookings?page=4')).json(), expected)
  })
}

t.test('an older schema in draft 07 has dependencies on names and on schemas', async (t) => {
  const dependencies = { a: ['b'], b: { required: ['a'] } }
  const older = { type: 'object', additionalProperties: false, properties: { a: {}, b: {} }, dependencies }
  const app = await appOf(t, [ofRoute({ older: { body: older }, body: { upgrade: (body) => body } })])
  for (const [sent, status] of [[{ a: 1 }, 400], [{ b: 1 }, 400], [{ a: 1, b: 1 }, 200]] as const) {
    t.equal((await ask(app, 'v2', '/bookings', sent)).statusCode, status)
  }
})

t.test('a body is upgraded by the schema of its media type', async (t) => {
  const content = {
    'application/json': { schema: { $ref: 'Booking#' } }, 'application/other+json': { schema: { type: 'object' } }
  }
  const app = await appOf(t, [guests, room], { schema: { body: { content } } })
  const parse = async (_request: unknown, text: string) => JSON.parse(text)
  app.addContentTypeParser(/^application\/\w+\+json$/, { parseAs: 'string' }, parse)
  const payload = JSON.stringify(EXAMPLES.v1)
  for (const [type, shape] of [['json', 'v3'], ['other+json', 'v1'], ['third+json', 'v1']] as const) {
    t.same((await send(app, payload, `application/${type}`)).body, EXAMPLES[shape], type)
  }
})

/** What an upgrade may throw about a query that no schema can describe. */
const THROWN: [title: string, error: unknown, status: number][] = [
  ['an error with a status of 400', Object.assign(new Error('Not JSON.'), { statusCode: 400 }), 400],
  ['an error with a status of 499', Object.assign(new TypeError('Not JSON.'), { statusCode: 499 }), 499],
  ['an error with a status that is no integer', Object.assign(new Error('Not JSON.'), { statusCode: 422.5 }), 500],
  ['an error with a status of 500', Object.assign(new Error('secret'), { statusCode: 500 }), 500],
  ['an error with a status of 399', Object.assign(new Error('secret'), { statusCode: 399 }), 500],
  ['an error with a text as its status', Object.assign(new Error('secret'), { statusCode: '400' }), 500],
  ['an error without a status', new SyntaxError('secret'), 500],
  ['an object that is no error', { statusCode: 400, message: 'secret' }, 500],
  ['nothing', undefined, 500]
]
for (const [title, error, status] of THROWN) {
  t.test(`an upgrade that throws ${title} makes a client of v1 get ${status}`, async (t) => {
    const refusing = ofRoute({ ...cursor, query: { upgrade: () => { throw error }, downgrade: (query) => query } })
    for (const attachValidation of [false, true]) {
      const app = await appOf(t, [refusing], withCursor({ attachValidation }))
      const { statusCode, body } = await ask(app, 'v1', '/bookings?page=2')
      t.equal(statusCode, status)
      t.match(JSON.parse(body), status === 500 ? { code: 'FST_ERR_VERSION_CHANGE' } : { message: 'Not JSON.' })
      t.notMatch(body, /secret/)
      t.equal((await ask(app, 'v3', '/bookings?cursor=c2')).statusCode, 200)
    }
  })
}

t.test('the body of a refusal by an upgrade is downgraded, and app.upgrade throws the error itself', async (t) => {
  const full = Object.assign(new Error('No guest.'), { statusCode: 422 })
  const object = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
  const refusal: Change = {
    version: 'v2',
    description: 'A guest has a name.',
    schemas: {
      Booking: { older: BookingV1, upgrade: () => { throw full } },
      Problem: { older: object('error'), downgrade: ({ message }) => ({ error: message }) }
    }
  }
  const schema = { ...body, response: { 200: {}, 422: { $id: 'Problem', ...object('message') } } }
  const app = await appOf(t, [refusal], { schema })
  const { statusCode, body: text } = await ask(app, 'v1', '/bookings', EXAMPLES.v1)
  t.same([statusCode, JSON.parse(text)], [422, { error: 'No guest.' }])
  t.throws(() => app.upgrade('Booking', EXAMPLES.v1, 'v1'), full)
})

t.test('a downgrade cannot refuse: whatever it throws is a 500', async (t) => {
  const error = Object.assign(new Error('secret'), { statusCode: 404 })
  const response = { 200: { downgrade: () => { throw error } } }
  const app = await appOf(t, [ofRoute({ response })], { schema: { ...body, response: { 200: { type: 'object' } } } })
  t.match((await ask(app, 'v1', '/bookings', EXAMPLES.v3)).json(), { code: 'FST_ERR_VERSION_CHANGE' })
})
