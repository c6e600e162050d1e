import { Readable } from 'node:stream'
import t from 'tap'

import { HeaderVersioning, VersionError } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWithChanges, ask, ofRoute } from './bookings.ts'

import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import type { Test } from 'tap'
import type { ResponseChange } from '../../types/index.d.ts'

type Responses = Readonly<Record<string, ResponseChange>>
type Schemas = Readonly<Record<string, object>>

const text = { type: 'string' }
const object = (...names: string[]) => (
  { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])) }
)
const legal = object('message', 'detail')
const denied = { older: object('error'), downgrade: ({ message }: { message: string }) => ({ error: message }) }

/** An app in which responses changed in v3, and then again for v1. */
async function appOf (
  t: Test, changed: Responses | Responses[], response: Schemas, handler: RouteHandlerMethod = async () => ({}),
  prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<FastifyInstance> {
  const changes = [changed].flat().map((response, i) => ofRoute({ response }, `v${3 - i}`))
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes })
  await prepare(app)
  app.get('/bookings', { name: 'bookings', schema: { response } }, handler)
  return app
}

async function answers (app: FastifyInstance, url = '/bookings') {
  const found: unknown[] = []
  for (const version of ['v3', 'v2', 'v1']) {
    const { statusCode, body } = await ask(app, version, url)
    found.push([statusCode, body])
  }
  return found
}

t.test('a response has the status of the older version, and its schema', async (t) => {
  const response = { 200: object('id'), 451: legal }
  const app = await appOf(t, { 451: { status: 422, ...denied } }, response, async (_request, reply) => (
    await reply.code(451).send({ message: 'No.', detail: 'secret' })
  ))
  const older = [422, '{"error":"No."}']
  t.same(await answers(app), [[451, '{"message":"No.","detail":"secret"}'], older, older])
})

t.test('where the status alone changed, the schema of the newer status serializes', async (t) => {
  for (const more of [{ '4xx': object('other') }, { default: object('other') }]) {
    const app = await appOf(t, { 451: { status: 422 } }, { 451: legal, ...more }, async (_, reply) => (
      await reply.code(451).send({ message: 'No.', other: 'secret' })
    ))
    t.same((await answers(app)).slice(0, 2), [[451, '{"message":"No."}'], [422, '{"message":"No."}']])
  }
})

t.test('a status may change in each version, and statuses may change places', async (t) => {
  const handler: RouteHandlerMethod = async ({ query }, reply) => {
    const { status } = query as { status: string }
    return await reply.code(Number(status)).send({ message: status, detail: 'a' })
  }
  const steps = [{ 451: { status: 422 } }, { 422: { status: 403, ...denied } }]
  const app = await appOf(t, steps, { 451: legal, 403: object('error'), 409: legal }, handler)
  t.same(await answers(app, '/bookings?status=451'), [
    [451, '{"message":"451","detail":"a"}'], [422, '{"message":"451","detail":"a"}'], [403, '{"error":"451"}']
  ])
  const swapped = await appOf(t, { 404: { status: 410 }, 410: { status: 404 } }, { 404: legal, 410: legal }, handler)
  for (const [now, then] of [[404, 410], [410, 404]]) {
    t.same((await answers(swapped, `/bookings?status=${now}`)).map((one) => (one as [number])[0]), [now, then, then])
  }
})

t.test('a class of statuses becomes one status', async (t) => {
  const app = await appOf(t, { '4xx': { status: 400 } }, { '4XX': legal }, async () => {
    throw Object.assign(new Error('No.'), { statusCode: 409 })
  })
  t.same((await answers(app)).slice(0, 2), [[409, '{"message":"No."}'], [400, '{"message":"No."}']])
})

const fail: RouteHandlerMethod = async () => { throw Object.assign(new Error('No.'), { statusCode: 451 }) }

t.test("the body of Fastify's own errors has the older status, too", async (t) => {
  const { properties } = object('message', 'error')
  const schema = { type: 'object', properties: { ...properties, statusCode: { type: 'integer' } } }
  const app = await appOf(t, { 451: { status: 422 } }, { 451: schema }, fail)
  t.same(JSON.parse((await ask(app, 'v2')).body), { statusCode: 422, error: 'Unprocessable Entity', message: 'No.' })
  t.equal((await ask(app, 'v2')).statusCode, 422)
  const own = await appOf(t, { 451: { status: 422 } }, { 451: schema }, fail, (app) => {
    app.setErrorHandler((_error, _request, reply) => { reply.code(451).send({ statusCode: 451, error: 'Mine' }) })
  })
  t.same(JSON.parse((await ask(own, 'v2')).body), { statusCode: 451, error: 'Mine' }, 'what the app has made stays')
  t.equal((await ask(own, 'v2')).statusCode, 422)
})

/** What else a handler may send. */
const SENT: Record<string, () => unknown> = {
  nothing: () => undefined,
  'an empty text': () => '',
  'a text': () => 'text',
  'a Buffer': () => Buffer.from('text'),
  'a stream': () => Readable.from(['text']),
  'a web stream': () => Readable.toWeb(Readable.from(['text'])),
  'a web Response': () => new Response('text', { status: 451, headers: { 'content-type': 'text/csv', etag: '"a"' } }),
  'a web Response without a body': () => new Response(null, { status: 451, headers: { etag: '"a"' } })
}
for (const [title, payload] of Object.entries(SENT)) {
  t.test(`${title} is sent with the older status, once`, async (t) => {
    const response = { 451: legal, 422: legal }
    const app = await appOf(t, { 451: { status: 422 }, 422: { status: 403 } }, response, async (_request, reply) => (
      await reply.code(451).type('text/csv').send(payload())
    ))
    const { statusCode, body, headers } = await ask(app, 'v2')
    t.equal(statusCode, 422)
    t.equal(body, /nothing|empty|without/.test(title) ? '' : 'text')
    if (title.includes('Response')) t.equal(headers.etag?.toString().startsWith('"a'), true)
  })

  t.test(`${title} has no body in an older version that answers 204`, async (t) => {
    const app = await appOf(t, { 202: { status: 204 } }, { 202: legal }, async (_request, reply) => {
      const sent = payload()
      reply.code(202).type('text/csv')
      if (!(sent instanceof Response)) return await reply.send(sent)
      return await reply.send(new Response(sent.body, { status: 202, headers: sent.headers }))
    })
    const { statusCode, body, headers } = await ask(app, 'v2')
    t.same([statusCode, body, headers['content-type']], [204, '', undefined])
    const head = await app.inject({ method: 'HEAD', url: '/bookings', headers: { 'api-version': 'v2' } })
    t.same([head.statusCode, head.headers['content-type']], [204, undefined], 'as for GET')
    if (title.includes('Response')) t.equal(headers.etag?.toString().startsWith('"a'), true)
    t.equal((await ask(app, 'v3')).statusCode, 202)
  })
}

t.test('a 202 with a body was a 204 without one, and an even older 200 has a body again', async (t) => {
  const done = { older: object('state'), downgrade: () => ({ state: 'done' }) }
  const steps = [{ 202: { status: 204 } }, { 204: { status: 200, ...done } }]
  const app = await appOf(t, steps, { 202: legal }, async (_request, reply) => (
    await reply.code(202).send({ message: 'Later.' })
  ))
  t.same(await answers(app), [[202, '{"message":"Later."}'], [204, ''], [200, '{"state":"done"}']])
})

t.test('a 204 may have been a 202 with a body', async (t) => {
  const done = { status: 202, older: object('state'), downgrade: () => ({ state: 'done' }) }
  const app = await appOf(t, { 204: done }, { 204: {} }, async (_request, reply) => await reply.code(204).send())
  t.same(await answers(app), [[204, ''], [202, '{"state":"done"}'], [202, '{"state":"done"}']])
  t.equal((await ask(app, 'v2')).headers['content-type'], 'application/json; charset=utf-8')
  const empty = await appOf(t, { 204: { status: 202 } }, { 204: {} }, async (_request, reply) => (
    await reply.code(204).send()
  ))
  t.same((await answers(empty)).slice(0, 2), [[204, ''], [202, '']])
  const broken = await appOf(t, { 204: { ...done, downgrade: () => { throw new Error('secret') } } }, { 204: {} },
    async (_request, reply) => await reply.code(204).send())
  t.match(JSON.parse((await ask(broken, 'v2')).body), { statusCode: 500, code: 'FST_ERR_VERSION_CHANGE' })
})

t.test('an empty answer has a body in an older version whose downgrade makes one of nothing', async (t) => {
  const done = { status: 200, older: object('state'), downgrade: () => ({ state: 'done' }) }
  const handler: RouteHandlerMethod = async (_request, reply) => await reply.code(202).send()
  const app = await appOf(t, { 202: done }, { 202: {} }, handler)
  t.same((await answers(app)).slice(0, 2), [[202, ''], [200, '{"state":"done"}']])
  const withMessage = await appOf(t, { 202: { status: 200, ...denied } }, { 202: legal }, handler)
  t.same((await answers(withMessage)).slice(0, 2), [[202, ''], [200, '']], 'a downgrade that needs a body has none')
})

t.test('a text of JSON that would have to be converted is a 500, whatever its status was', async (t) => {
  const app = await appOf(t, { 451: { status: 422, ...denied } }, { 451: legal }, async (_request, reply) => (
    await reply.code(451).type('application/json').send('{"message":"No."}')
  ))
  t.match((await answers(app)).map((one) => (one as [number])[0]), [451, 500, 500])
  const same = await appOf(t, { 451: { status: 422 } }, { 451: legal }, async (_request, reply) => (
    await reply.code(451).type('application/json').send('{"message":"No."}')
  ))
  t.same((await answers(same)).slice(0, 2), [[451, '{"message":"No."}'], [422, '{"message":"No."}']])
})

t.test('a failed downgrade is a 500, and an error after the response has its own status', async (t) => {
  const broken = { status: 422, downgrade: () => { throw new Error('secret') } }
  const app = await appOf(t, { 451: broken }, { 451: legal }, async (_request, reply) => await reply.code(451).send({}))
  t.equal((await ask(app, 'v2')).statusCode, 500)
  for (const status of [422, 200]) {
    const late = await appOf(t, { 409: { status: 418 }, [status]: { status: 409 } }, { [status]: legal, 409: legal },
      async (_request, reply) => await reply.code(status).send({ message: 'a' }), (app) => {
        let isFirst = true
        app.addHook('onSend', async () => {
          if (!isFirst) return
          isFirst = false
          throw Object.assign(new Error('Late.'), { statusCode: 410 })
        })
      })
    t.equal((await ask(late, 'v2')).statusCode, 410, `${status}`)
  }
})

t.test('an onSend hook that always fails leaves the older status, but a success is none', async (t) => {
  for (const [status, sent] of [[422, 422], [200, 451]]) {
    const app = await appOf(t, { 451: { status } }, { 451: legal }, async (_request, reply) => (
      await reply.code(451).send({ message: 'No.' })
    ), (app) => { app.addHook('onSend', async () => { throw new Error('Always.') }) })
    t.same((await answers(app)).map((answer) => (answer as [number])[0]), [451, sent, sent])
  }
})

t.test('a refusal of the version keeps its status', async (t) => {
  const changed = { 410: { status: 404 }, '4xx': { status: 400 } }
  const app = await appOf(t, changed, { 410: legal, '4xx': legal }, async () => {
    throw new VersionError('gone', 'Away.')
  })
  t.same((await answers(app)).map((one) => (one as [number])[0]), [410, 410, 410])
  t.equal((await ask(app, 'v9')).statusCode, 400)
})

t.test('a document shows the response under the status of its version', async (t) => {
  const response = { 200: object('id'), 202: legal, 451: legal }
  const changed = { 202: { status: 204 }, 451: { status: 422, ...denied } }
  const app = await appOf(t, changed, response, undefined, (app) => app.register(openapi, { ui: false }))
  await app.ready()
  const responsesIn = (version: string) => {
    const { paths } = app.openapi(version) as { paths: Record<string, { get: { responses: Record<string, object> } }> }
    return paths['/bookings'].get.responses
  }
  t.same(Object.keys(responsesIn('v3')).filter((status) => status !== '400'), ['200', '202', '451'])
  const older = responsesIn('v2')
  t.same(Object.keys(older).filter((status) => status !== '400'), ['200', '204', '422'])
  t.same(older[204], { description: 'No Content', ...'headers' in older[204] && { headers: older[204].headers } })
  t.match(older[422], { content: { 'application/json': { schema: denied.older } } })
})

const WRONG: [changed: object, response: Schemas, message: RegExp][] = [
  [{ 451: { status: '422' } }, {}, /Invalid change .*response\.451\.status: expected the status .*, got '422'\./],
  [{ 451: { status: 199 } }, {}, /got 199\./],
  [{ 451: { status: 600 } }, {}, /got 600\./],
  [{ 451: { status: 205 } }, {}, /expected the status of older versions, such as 422, got 205\./],
  [{ 451: { status: 304 } }, {}, /got 304\./],
  [{ 451: { status: 422.5 } }, {}, /got 422\.5\./],
  [{ 451: { status: 451 } }, {}, /expected the other status of older versions, got 451\./],
  [{ 451: { status: 422, older: {} } }, {}, /expected a function "upgrade", "downgrade", or both/],
  [{ 451: { statu: 422 } }, {}, /has no option "statu", but .* Did you mean 'status'\?/],
  [{ default: { status: 422 } }, {}, /response\.default: write "status" under the statuses that changed/],
  [{ 202: { status: 204, ...denied } }, {}, /response\.202: remove "older" and "downgrade", because a 204 has no body/],
  [{ 202: { status: 204, downgrade: () => null } }, {}, /remove "older" and "downgrade"/],
  [{ 202: { status: 204, older: {} } }, {}, /remove "older"/],
  [{ 451: { status: 422 } }, { 200: legal }, /no schema for the response 451, .* It has schemas for: response 200\./],
  [{ 451: { status: 422 } }, {}, /has no schema for the response 451, .* It has no other schemas\./],
  [{ 451: { status: 422, ...denied } }, { 451: legal, 422: legal },
    /GET \/bookings, response 422: older versions would have two schemas for it, of the response 422 and of .* 451/],
  [{ 451: { status: 422 }, 403: { status: 422 } }, { 451: legal, 403: object('error') },
    /^Change 'v3' \([^)]*\), GET \/bookings, response 422: older versions would have two schemas .*403 .* 451/]
]
for (const [changed, response, message] of WRONG) {
  t.test(`a change of a status is refused at boot: ${message}`, async (t) => {
    await t.rejects(async () => {
      const app = await appOf(t, changed as Responses, response)
      await app.ready()
    }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
}

t.test('a status that an older version no longer has cannot change there', async (t) => {
  const app = await appOf(t, [{ 451: { status: 422 } }, { 451: { status: 403 } }], { 451: legal })
  const message = /no schema for the response 451, .* schemas for: response 422\./
  await t.rejects(async () => app.ready(), { message })
})

t.test('two responses with one schema may have had one status', async (t) => {
  const app = await appOf(t, [{ 451: { status: 422 } }, { 422: { ...denied } }], { 451: legal, 422: { ...legal } },
    async ({ query }, reply) => await reply.code(Number((query as { status: string }).status)).send({ message: 'a' }))
  for (const status of [451, 422]) {
    const [, ...older] = await answers(app, `/bookings?status=${status}`)
    t.same(older, [[422, '{"message":"a"}'], [422, '{"error":"a"}']])
  }
})
