import etag from '@fastify/etag'
import t from 'tap'

import versioning, { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { Booking, EXAMPLES, VERSIONS, appWithChanges, guests, room } from './bookings.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod } from 'fastify'
import type { Test } from 'tap'

const scheme = HeaderVersioning
const changes = [guests, room]
const response = { 200: { $ref: 'Booking#' } }
const body = { $ref: 'Booking#' }

/** What a handler does with preconditions: its tag is that of the stored booking. */
function tagged (tag: string): RouteHandlerMethod {
  return async ({ headers, method }, reply) => {
    reply.header('etag', tag)
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && headers['if-none-match'] === tag) return await reply.code(304).send()
    if (!isRead && headers['if-match'] !== undefined && ![tag, '*'].includes(headers['if-match'])) {
      return await reply.code(412).send()
    }
    return isRead ? EXAMPLES.v3 : await reply.code(204).send()
  }
}

async function appOf (t: Test, handler: RouteHandlerMethod = tagged('"x"')): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/bookings', { schema: { response } }, handler)
  app.put('/bookings', { schema: { body, response: { 204: {} } } }, handler)
  app.post('/bookings/cancel', { schema: { response: { 204: {} } } }, handler)
  app.get('/rooms', { schema: { response: { 200: {} } } }, handler)
  return app
}

type Headers = Record<string, string>

/** The status, and the tag. */
async function get (app: FastifyInstance, version: string, headers: Headers = {}, url = '/bookings', method = 'GET') {
  const payload = method === 'PUT' ? { payload: EXAMPLES[version] } : {}
  const sent = { 'api-version': version, ...headers }
  const answer = await app.inject({ method: method as 'GET', url, headers: sent, ...payload })
  return [answer.statusCode, answer.headers.etag]
}

t.test('a client that moves to another version never gets a 304 for what it has', async (t) => {
  const app = await appOf(t)
  const tags = { v1: '"x;v1"', v2: '"x;v2"', v3: '"x"' }
  for (const [version, tag] of Object.entries(tags)) {
    t.same(await get(app, version), [200, tag])
    for (const [other, sent] of Object.entries(tags)) {
      t.same(await get(app, version, { 'if-none-match': sent }), [other === version ? 304 : 200, tag])
    }
  }
})

t.test('a client of v1 writes with the tag that it has read, whatever the route answers', async (t) => {
  const app = await appOf(t)
  for (const [url, method] of [['/bookings', 'PUT'], ['/bookings/cancel', 'POST']]) {
    const status = async (tag: string, version = 'v1') => (await get(app, version, { 'if-match': tag }, url, method))[0]
    t.equal(await status('"x;v1"'), 204)
    t.equal(await status('*'), 204)
    t.equal(await status('"y;v1"'), 412)
    t.equal(await status('"x;v2"'), 412)
    t.equal(await status('"x;v1"', 'v3'), 412)
    t.equal(await status('"x"', 'v3'), 204)
  }
  t.equal((await get(app, 'v1', { 'if-match': '"x"' }, '/bookings', 'PUT'))[0], 412)
  t.same(await get(app, 'v1', {}, '/bookings', 'PUT'), [204, '"x;v1"'], 'the tag of a URL, whatever its method')
})

t.test('the tags of a URL whose responses are the same stay as they are', async (t) => {
  const app = await appOf(t)
  for (const version of VERSIONS) {
    t.same(await get(app, version, {}, '/rooms'), [200, '"x"'])
    t.same(await get(app, version, { 'if-none-match': '"x"' }, '/rooms'), [304, '"x"'])
    t.same(await get(app, version, { 'if-none-match': '"y"' }, '/rooms'), [200, '"x"'])
  }
})

t.test('a HEAD request has the tag of its GET request', async (t) => {
  const app = await appOf(t)
  t.same(await get(app, 'v1', {}, '/bookings', 'HEAD'), [200, '"x;v1"'])
  t.same(await get(app, 'v1', { 'if-none-match': '"x;v1"' }, '/bookings', 'HEAD'), [304, '"x;v1"'])
  t.same(await get(app, 'v1', { 'if-none-match': '"x"' }, '/bookings', 'HEAD'), [200, '"x;v1"'])
})

const TAGS: [tag: string, sent: string][] = [
  ['"x"', '"x;v1"'], ['W/"x"', 'W/"x;v1"'], ['""', '";v1"'], ['"a;b"', '"a;b;v1"'], ['"x;v1"', '"x;v1;v1"'],
  ['"x;v2"', '"x;v2;v1"'], ['"a,b"', '"a,b;v1"'], ['"é"', '"é;v1"'], ['x', 'x;v1'], ['W/x', 'W/x;v1']
]
for (const [tag, sent] of TAGS) {
  t.test(`the tag ${tag} of a handler is ${sent} for clients of v1`, async (t) => {
    const app = await appOf(t, tagged(tag))
    t.same(await get(app, 'v1'), [200, sent])
    t.same(await get(app, 'v1', { 'if-none-match': sent }), [304, sent])
    t.same(await get(app, 'v1', { 'if-none-match': tag }), [200, sent])
    t.same(await get(app, 'v3', { 'if-none-match': tag }), [304, tag])
  })
}

/** What a handler sees of a header. `none` stands for a tag that matches nothing. */
const SEEN: [sent: string, seen: string][] = [
  ['"a;v1", W/"b;v1"', '"a", W/"b"'],
  ['"a;v1","b","c;v2"', '"a", none'],
  ['"b", "c"', 'none'],
  ['"a,b;v1" , "c;v1"', '"a,b", "c"'],
  [' *  ', '*'],
  ['*', '*'],
  ['"*"', 'none'],
  ['', ''],
  ['  ', 'none'],
  [',,', 'none'],
  ['"', 'none'],
  ['"a', 'none'],
  ['"a;v1', 'a'],
  ['W/', 'none'],
  ['w/"a;v1"', 'none, "a"'],
  ['"a;v1"b', '"a", none'],
  ['a;v1, b', 'a, none'],
  ['"a;V1"', 'none'],
  ['"a; v1"', 'none'],
  ['"a;v1 "', 'none'],
  ['"__proto__;v1"', '"__proto__"']
]
for (const [sent, seen] of SEEN) {
  t.test(`of the header ${JSON.stringify(sent)} the handler sees ${JSON.stringify(seen)}`, async (t) => {
    const found: unknown[] = []
    const app = await appOf(t, async ({ headers, raw }) => {
      found.push(headers['if-none-match'], headers['if-match'], raw.headers['if-match'])
      return EXAMPLES.v3
    })
    await get(app, 'v1', { 'if-none-match': sent, 'if-match': sent })
    const expected = sent === '' ? '' : seen.replace('none', '"of-another-version"').trim()
    t.same(found.map((header) => String(header).split(', ').sort()), Array(3).fill(expected.split(', ').sort()))
    await get(app, 'v3', { 'if-none-match': sent, 'if-match': sent })
    t.same(found.slice(3), Array(3).fill(sent), 'and in the newest version what the client has sent')
  })
}

t.test('where responses are the same, only the version is taken off', async (t) => {
  const found: unknown[] = []
  const app = await appOf(t, async ({ headers }) => {
    found.push(headers['if-match'])
    return {}
  })
  for (const sent of ['"a","b"', '"a;v1" , "b"', '"a;v2"', '*', '"', '"a;v1']) {
    await app.inject({ method: 'POST', url: '/bookings/cancel', headers: { 'api-version': 'v1', 'if-match': sent } })
  }
  t.same(found, ['"a","b"', '"a", "b"', '"a;v2"', '*', '"', 'a'])
})

t.test('hooks before preHandler see what the client has sent, and so do onSend hooks', async (t) => {
  const found: unknown[] = []
  const see = async ({ headers }: FastifyRequest) => { found.push(headers['if-none-match']) }
  const app = await appWithChanges(t, { scheme, changes })
  app.addHook('preValidation', see)
  app.addHook('preHandler', see)
  app.addHook('onSend', see)
  app.get('/bookings', { schema: { response } }, tagged('"x"'))
  for (const tag of ['"x;v1"', '"x"']) await get(app, 'v1', { 'if-none-match': tag })
  t.same(found, ['"x;v1"', '"x"', '"x;v1"', '"x"', '"of-another-version"', '"x"'])
})

for (const hook of ['onRequest', 'preHandler'] as const) {
  t.test(`${hook} hooks may replace the headers of a request: preconditions are those of the client`, async (t) => {
    const found: unknown[] = []
    const app = await appWithChanges(t, { scheme, changes })
    app.addHook(hook, async (request: FastifyRequest) => { request.headers = { ...request.headers, 'x-user': 'ada' } })
    app.addHook('onSend', async ({ headers, raw }) => {
      found.push(headers['if-none-match'], raw.headers['if-none-match'], headers['x-user'])
    })
    app.get('/bookings', { schema: { response } }, tagged('"x"'))
    t.same(await get(app, 'v1', { 'if-none-match': '"x;v1"' }), [304, '"x;v1"'])
    t.same(await get(app, 'v1', { 'if-none-match': '"x"' }), [200, '"x;v1"'])
    t.same(found, ['"x;v1"', '"x;v1"', 'ada', '"x"', '"x"', 'ada'])
  })
}

t.test('a send of the reply that a plugin has replaced before is called in every version', async (t) => {
  const versions: unknown[] = []
  const app = await appWithChanges(t, { scheme, changes })
  app.addHook('onRequest', async ({ version }, reply) => {
    const { send } = reply
    reply.send = function (payload) {
      versions.push(version)
      return send.call(this, payload)
    }
  })
  app.get('/bookings', { schema: { response } }, tagged('"x"'))
  for (const version of VERSIONS) await get(app, version)
  t.same(versions, VERSIONS)
})

for (const isFirst of [true, false]) {
  t.test(`@fastify/etag, registered ${isFirst ? 'before' : 'after'} the plugin, knows its version`, async (t) => {
    for (const [tag, older] of [['"x"', '"x;v1"'], [null, null]]) {
      const app = bareApp(t)
      if (isFirst) await app.register(etag)
      await app.register(versioning, { scheme, allowedVersions: VERSIONS, changes })
      if (!isFirst) await app.register(etag)
      app.addSchema(Booking)
      const handler = async (_request: unknown, reply: FastifyReply) => {
        if (tag !== null) reply.header('etag', tag)
        return EXAMPLES.v3
      }
      app.get('/bookings', { schema: { response } }, handler)
      const [v1, v3] = [(await get(app, 'v1'))[1], (await get(app, 'v3'))[1]] as string[]
      if (tag !== null) t.same([v1, v3], [older, tag])
      t.notMatch(v3, ';v')
      t.not(v1, v3)
      t.same(await get(app, 'v1', { 'if-none-match': v1 }), [304, v1])
      t.same(await get(app, 'v1', { 'if-none-match': v3 }), [200, v1])
      t.same(await get(app, 'v3', { 'if-none-match': v1 }), [200, v3])
      t.same(await get(app, 'v3', { 'if-none-match': v3 }), [304, v3])
    }
  })
}

t.test('a tag that an onSend hook sets stays as it is', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.addHook('onSend', async (_request, reply) => { reply.header('etag', '"sent"') })
  app.get('/bookings', { schema: { response } }, async () => EXAMPLES.v3)
  for (const version of VERSIONS) t.same(await get(app, version), [200, '"sent"'])
})

/** How a handler may set its tag. */
const SET: Record<string, (reply: FastifyReply) => unknown> = {
  'reply.header in other letters': (reply) => reply.header('ETag', '"x"').send(EXAMPLES.v3),
  'reply.headers': (reply) => reply.headers({ etag: '"x"', 'x-a': 'b' }).send(EXAMPLES.v3),
  'reply.raw': (reply) => {
    reply.raw.setHeader('ETag', '"x"')
    return reply.send(EXAMPLES.v3)
  },
  'a number': (reply) => reply.header('etag', 7).send(EXAMPLES.v3),
  'an error with headers': (reply) => {
    const headers = { etag: '"x"' }
    reply.send(Object.assign(new Error('No.'), { statusCode: 409, headers }))
  },
  'an error after the tag': (reply) => {
    reply.header('etag', '"x"')
    throw new Error('No.')
  },
  'a web Response': (reply) => reply.send(new Response(null, { status: 304, headers: { etag: '"x"', vary: 'a' } })),
  'a web Response without a tag': (reply) => reply.header('etag', '"x"').send(new Response(null, { status: 304 })),
  'an empty tag': (reply) => reply.header('etag', '').send(EXAMPLES.v3)
}
const EXPECTED: Record<string, string | undefined> = { 'a number': '7;v1', 'an empty tag': '' }
for (const [title, handler] of Object.entries(SET)) {
  t.test(`a tag may be set by ${title}`, async (t) => {
    const app = await appOf(t, (_request, reply) => { handler(reply) })
    const [status, tag] = await get(app, 'v1')
    // Fastify sets the headers of an error when it answers, after the first send.
    t.equal(tag, EXPECTED[title] ?? '"x;v1"', `${status}`)
  })
}

t.test('a web Response that has been read is an error as without the plugin', async (t) => {
  const app = await appOf(t, async () => {
    const used = new Response('text', { headers: { etag: '"x"' } })
    await used.text()
    return used
  })
  t.equal((await get(app, 'v1'))[0], 500)
})

t.test('an error handler sees the preconditions as they were sent, and the tag has the version once', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.setErrorHandler((_error, { headers }, reply) => { reply.code(409).send({ tag: headers['if-none-match'] }) })
  app.get('/bookings', { schema: { response } }, async (_request, reply) => {
    reply.header('etag', '"x"')
    throw new Error('No.')
  })
  const answer = await app.inject({ url: '/bookings', headers: { 'api-version': 'v1', 'if-none-match': '"a;v1"' } })
  t.same([answer.statusCode, answer.json(), answer.headers.etag], [409, { tag: '"a;v1"' }, '"x;v1"'])
})

const STRANGE: [version: string, suffix: string][] = [
  ['2025-01-01', '2025-01-01'], ['a"b', 'a%22b'], ['a b', 'a%20b'], ['é', '%C3%A9'], ['a;b', 'a%3Bb'], ['a,b', 'a%2Cb'],
  ['\ud800', '%EF%BF%BD'], ['*', '*'], ['a/b', 'a%2Fb']
]
for (const [version, suffix] of STRANGE) {
  t.test(`the version ${JSON.stringify(version)} ends a tag as ${suffix}`, async (t) => {
    const app = await appWith(t, {
      scheme: QueryParameterVersioning,
      defaultVersion: version,
      allowedVersions: [version, 'v2'],
      changes: [guests]
    })
    app.addSchema({ ...Booking, properties: { ...Booking.properties, room: { type: 'string' } } })
    app.get('/bookings', { schema: { response } }, tagged('"x"'))
    const found = await app.inject('/bookings')
    t.equal(found.headers.etag, `"x;${suffix}"`)
    const again = await app.inject({ url: '/bookings', headers: { 'if-none-match': `"x;${suffix}"` } })
    t.equal(again.statusCode, 304)
  })
}

t.test('contexts with changes of their own have tags of their own', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests] })
  app.get('/bookings', { schema: { response } }, tagged('"x"'))
  app.register(async (app) => {
    await app.register(versioning, { changes: [room] })
    app.get('/rooms', { schema: { response } }, tagged('"x"'))
  })
  app.register(async (app) => {
    await app.register(versioning, { changes: null })
    app.get('/none', { schema: { response } }, tagged('"x"'))
  })
  app.register(async (app) => {
    app.get('/child', { schema: { response: { 200: {} } } }, tagged('"x"'))
  })
  const tags = async (url: string) => await Promise.all(VERSIONS.map(async (version) => (
    (await get(app, version, {}, url))[1]
  )))
  t.same(await tags('/bookings'), ['"x;v1"', '"x"', '"x"'])
  t.same(await tags('/rooms'), ['"x;v1"', '"x;v2"', '"x"'])
  t.same(await tags('/none'), ['"x"', '"x"', '"x"'])
  t.same(await get(app, 'v1', { 'if-none-match': '"x;v1"' }, '/child'), [304, '"x"'])
  t.same(await get(app, 'v2', { 'if-none-match': '"x;v2"' }, '/child'), [200, '"x"'])
  t.same(await get(app, 'v1', { 'if-none-match': '"x;v1"' }, '/none'), [200, '"x"'])
})

t.test('a route of older versions alone takes the version off tags of other routes', async (t) => {
  const app = await appWithChanges(t, { scheme, changes })
  app.get('/bookings', { schema: { response } }, tagged('"x"'))
  const seen: unknown[] = []
  for (const version of ['v1', 'v3']) {
    app.delete('/bookings', { version: version === 'v1' ? { to: 'v2' } : 'v3' }, async ({ headers }, reply) => {
      seen.push(headers['if-match'])
      await reply.code(204).send()
    })
  }
  for (const version of VERSIONS) {
    const headers = { 'api-version': version, 'if-match': '"x;v1"' }
    await app.inject({ method: 'DELETE' as HTTPMethods & 'DELETE', url: '/bookings', headers })
  }
  t.same(seen, ['"x"', '"of-another-version"', '"x;v1"'])
})

t.test('hostile preconditions are read in linear time', async (t) => {
  const app = await appOf(t)
  for (const part of ['"', 'W/', ',', '"a', 'a ', ';v1', '"a;v1"', '"a;v1",']) {
    // Quadratic time would be hours.
    const header = part.repeat(500_000)
    t.same(await get(app, 'v1', { 'if-none-match': header, 'if-match': `"${header}` }), [200, '"x;v1"'], part)
  }
})
