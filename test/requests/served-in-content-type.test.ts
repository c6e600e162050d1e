import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const settings: VersioningOptions = {
  scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], servedVersion: 'Content-Type'
}
const VENDOR = 'application/vnd.acme.{version}+json'
const byAccept: VersioningOptions = {
  ...settings, scheme: AcceptHeaderVersioning, mediaTypes: [VENDOR, 'application/json', 'text/html']
}

async function answer () {
  return { a: 1 }
}

async function typeOf (app: FastifyInstance, request: InjectOptions): Promise<string | undefined> {
  return (await app.inject(request)).headers['content-type']?.toString()
}

interface Answer { what: string, handler: (reply: FastifyReply) => unknown, type?: string, status?: number }

const answers: Answer[] = [
  { what: 'an object', handler: () => ({}), type: 'application/json; charset=utf-8; version=v2' },
  { what: 'a string', handler: () => 'text', type: 'text/plain; charset=utf-8' },
  { what: 'a Buffer', handler: () => Buffer.from('bytes'), type: 'application/octet-stream' },
  { what: 'HTML', handler: (reply) => reply.type('text/html').send('<p>'), type: 'text/html' },
  {
    what: 'HTML with its charset',
    handler: (reply) => reply.header('Content-Type', 'text/html; charset=utf-8').send('<p>'),
    type: 'text/html; charset=utf-8'
  },
  {
    what: 'JSON with its own type',
    handler: (reply) => reply.type('application/hal+json').send({}),
    type: 'application/hal+json; charset=utf-8; version=v2'
  },
  {
    what: 'a stream with a type',
    handler: (reply) => reply.type('application/geo+json').send(Readable.from(['a'])),
    type: 'application/geo+json; version=v2'
  },
  {
    what: 'a web stream with a type',
    handler: (reply) => reply.type('application/geo+json').send(new Response('a').body),
    type: 'application/geo+json; version=v2'
  },
  { what: 'a stream without a type', handler: (reply) => reply.send(Readable.from(['a'])) },
  { what: 'a web response', handler: () => Response.json({}), type: 'application/json; version=v2' },
  { what: 'a web response of text', handler: () => new Response('a'), type: 'text/plain;charset=UTF-8' },
  { what: 'a web response without a type', handler: () => new Response(Buffer.from('a')) },
  {
    what: 'a web response without a type, in a reply with one',
    handler: (reply) => reply.type('application/geo+json').send(new Response(Buffer.from('a'))),
    type: 'application/geo+json; version=v2'
  },
  { what: 'a 204', handler: (reply) => reply.code(204).send(), status: 204 },
  { what: 'a 304', handler: (reply) => reply.code(304).send(), status: 304 },
  { what: 'a web response of a 204', handler: () => new Response(null, { status: 204 }), status: 204 },
  { what: 'a redirect', handler: (reply) => reply.redirect('/'), status: 302 },
  {
    what: 'an error',
    handler: () => { throw new Error('broken') },
    type: 'application/json; charset=utf-8; version=v2',
    status: 500
  },
  {
    what: 'a handler that finds nothing',
    handler: (reply) => { reply.callNotFound() },
    type: 'application/json; charset=utf-8; version=v2',
    status: 404
  },
  {
    what: 'a problem of the app',
    handler: (reply) => reply.code(400).type('application/problem+json').send({}),
    type: 'application/problem+json; charset=utf-8',
    status: 400
  },
  {
    what: 'a problem of the app, in capital letters',
    handler: (reply) => reply.code(400).type('Application/Problem+JSON;charset=utf-8').send('{}'),
    type: 'Application/Problem+JSON;charset=utf-8',
    status: 400
  },
  {
    what: 'a web response with a problem',
    handler: () => new Response('{}', { status: 400, headers: { 'content-type': 'application/problem+json' } }),
    type: 'application/problem+json',
    status: 400
  },
  {
    what: 'a handler that writes the parameter itself',
    handler: (reply) => reply.header('Content-Type', 'application/geo+json; version=own').send('a'),
    type: 'application/geo+json; version="own"; charset=utf-8'
  },
  {
    what: 'a handler that writes the parameter in capital letters and in quotes',
    handler: (reply) => reply.header('Content-Type', 'application/geo+json; VERSION="own"').send('a'),
    type: 'application/geo+json; version="own"; charset=utf-8'
  },
  {
    what: 'a web response with the parameter',
    handler: () => new Response('a', { headers: { 'content-type': 'application/geo+json; version=own' } }),
    type: 'application/geo+json; version=own'
  },
  {
    what: 'a parameter whose name is longer',
    handler: (reply) => reply.header('Content-Type', 'application/geo+json; versions=own').send('a'),
    type: 'application/geo+json; versions="own"; charset=utf-8; version=v2'
  },
  {
    what: 'a type with a semicolon at its end',
    handler: (reply) => reply.header('Content-Type', 'application/geo+json; ').send('a'),
    type: 'application/geo+json; charset=utf-8; version=v2'
  },
  {
    what: 'a form with its boundary',
    handler: (reply) => reply.header('Content-Type', 'multipart/mixed; boundary="a;b"').send('a'),
    type: 'multipart/mixed; boundary="a;b"'
  },
  {
    what: 'an invalid type',
    handler: (reply) => reply.header('Content-Type', 'text').send(Readable.from(['a'])),
    type: 'text'
  }
]

for (const { what, handler, type, status = 200 } of answers) {
  t.test(`the response of ${what} has the type ${type}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', async (_request, reply) => handler(reply))
    const response = await app.inject('/?version=v2')
    t.equal(response.statusCode, status)
    t.equal(response.headers['content-type'], type)
  })
}

for (const servedVersion of ['Content-Type', 'content-type', 'CONTENT-TYPE']) {
  t.test(`servedVersion: '${servedVersion}' adds the version to the type of the response`, async (t) => {
    const app = await appWith(t, { ...settings, servedVersion })
    app.get('/', answer)
    const { headers, body } = await app.inject('/?version=v1')
    t.equal(headers['content-type'], 'application/json; charset=utf-8; version=v1')
    t.equal(body, '{"a":1}')
  })
}

t.test('the response to HEAD has the type of the response to GET', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/', answer)
  const headers = { accept: 'application/vnd.acme.v2+json' }
  t.equal(await typeOf(app, { method: 'HEAD', url: '/', headers }), 'application/vnd.acme.v2+json; charset=utf-8')
  headers.accept = 'application/json;version=v1'
  t.equal(await typeOf(app, { method: 'HEAD', url: '/', headers }), 'application/json; charset=utf-8; version=v1')
})

t.test('a response without a version keeps its type', async (t) => {
  const app = await appWith(t, { ...settings, allowedVersions: [null, 'v1'] })
  app.get('/', answer)
  app.get('/neutral', { versioning: false }, answer)
  for (const url of ['/', '/neutral', '/neutral?version=v1']) {
    t.equal(await typeOf(app, { url }), 'application/json; charset=utf-8', url)
  }
})

interface Parameter { versionParam: string, version: string, parameter: string }

const parameters: Parameter[] = [
  { versionParam: 'v', version: '1.0', parameter: 'v=1.0' },
  { versionParam: 'Version', version: '2026-03-01', parameter: 'Version=2026-03-01' },
  { versionParam: 'v', version: '1/2', parameter: 'v="1/2"' },
  { versionParam: 'v', version: 'a b', parameter: 'v="a b"' },
  { versionParam: 'v', version: 'a;b=c', parameter: 'v="a;b=c"' },
  { versionParam: 'v', version: 'a"b\\', parameter: 'v="a\\"b\\\\"' }
]

for (const { versionParam, version, parameter } of parameters) {
  t.test(`the version ${version} is written as ${parameter} in the Content-Type`, async (t) => {
    const app = await appWith(t, { ...settings, versionParam, allowedVersions: [version] })
    app.get('/', answer)
    const type = await typeOf(app, { url: '/', query: { [versionParam]: version } })
    t.equal(type, `application/json; charset=utf-8; ${parameter}`)
  })

  t.test(`a version written as ${parameter} is read as ${version}`, async (t) => {
    const app = await appWith(t, {
      ...settings, versionParam, allowedVersions: [version], scheme: ContentTypeVersioning
    })
    app.post('/', answer)
    const type = `application/json; charset=utf-8; ${parameter}`
    const response = await app.inject({ method: 'POST', url: '/', headers: { 'content-type': type }, payload: '{}' })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], type)
  })
}

for (const versionParam of ['my version', 'v[er]', 'versión', 'версия', 'v;']) {
  t.test(`the parameter ${versionParam} is refused at boot if the Content-Type reports versions`, async (t) => {
    const expected = {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'Invalid "versionParam": expected the name of a parameter of a media type, because servedVersion ' +
        `writes it into the Content-Type, got '${versionParam}'`
    }
    await t.rejects(appWith(t, { ...settings, versionParam }), expected)
    await t.rejects(appWith(t, { ...settings, scheme: new QueryParameterVersioning({ versionParam }) }), expected)
    const app = await appWith(t, settings)
    const scheme = new QueryParameterVersioning({ versionParam })
    t.throws(() => app.get('/', { versioning: scheme }, answer), expected)
    await t.resolves(appWith(t, { ...settings, versionParam, servedVersion: 'API-Version' }))
  })
}

t.test('a plain object as scheme needs no versionParam to report versions', async (t) => {
  const { isAllowedVersion, reverse } = QueryParameterVersioning.prototype
  const scheme = { determineVersion: () => 'v1', isAllowedVersion, reverse }
  const app = await appWith(t, { servedVersion: 'Content-Type', scheme: scheme as never })
  app.get('/', answer)
  t.equal(await typeOf(app, { url: '/' }), 'application/json; charset=utf-8; version=v1')
})

interface Vendor { accept: string, type: string, handler?: (reply: FastifyReply) => unknown, what?: string }

const vendors: Vendor[] = [
  { accept: 'application/vnd.acme.v2+json', type: 'application/vnd.acme.v2+json; charset=utf-8' },
  { accept: 'Application/VND.acme.v2+JSON', type: 'application/vnd.acme.v2+json; charset=utf-8' },
  { accept: 'text/html;q=0.5, application/vnd.acme.v1+json', type: 'application/vnd.acme.v1+json; charset=utf-8' },
  { accept: 'application/vnd.acme.v2+json;version=v2', type: 'application/vnd.acme.v2+json; charset=utf-8' },
  { accept: 'application/json;version=v2', type: 'application/json; charset=utf-8; version=v2' },
  { accept: '*/*;version=v2', type: 'application/json; charset=utf-8; version=v2' },
  {
    accept: 'application/vnd.acme.v1+json;q=0.1, application/json;version=v2',
    type: 'application/json; charset=utf-8; version=v2'
  },
  {
    what: 'HTML',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('text/html').send('<p>'),
    type: 'text/html; version=v2'
  },
  {
    what: 'XML',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('application/xml').send('<a/>'),
    type: 'application/xml'
  },
  {
    what: 'its own type',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('application/geo+json').send({}),
    type: 'application/geo+json; charset=utf-8'
  },
  {
    what: 'the vendor type itself',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('application/vnd.acme.v2+json').send({}),
    type: 'application/vnd.acme.v2+json; charset=utf-8'
  },
  {
    what: 'a type in capital letters',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.header('Content-Type', ' Application/JSON;charset=utf-8; a=b').send('{}'),
    type: ' application/vnd.acme.v2+json;charset=utf-8; a=b'
  },
  {
    what: 'the parameter itself',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('application/json; version=own').send('{}'),
    type: 'application/json; version="own"; charset=utf-8'
  },
  {
    what: 'a problem',
    accept: 'application/vnd.acme.v2+json',
    handler: (reply) => reply.type('application/problem+json').send({}),
    type: 'application/problem+json; charset=utf-8'
  },
  {
    what: 'an error',
    accept: 'application/vnd.acme.v2+json',
    handler: () => { throw new Error('broken') },
    type: 'application/vnd.acme.v2+json; charset=utf-8'
  },
  {
    what: 'a web response',
    accept: 'application/vnd.acme.v2+json',
    handler: () => Response.json({}),
    type: 'application/vnd.acme.v2+json'
  }
]

for (const { what = 'JSON', accept, handler = answer, type } of vendors) {
  t.test(`a response of ${what} to Accept: ${accept} has the type ${type}`, async (t) => {
    const app = await appWith(t, byAccept)
    app.get('/', async (_request, reply) => handler(reply))
    t.equal(await typeOf(app, { url: '/', headers: { accept } }), type)
  })
}

t.test('a vendor type of another syntax is used for the response as well', async (t) => {
  const app = await appWith(t, { ...byAccept, mediaTypes: ['application/vnd.acme.{version}+xml'] })
  app.get('/', (_request, reply) => { reply.type('text/xml; charset=utf-8').send('<a/>') })
  const headers = { accept: 'application/vnd.acme.v2+xml' }
  t.equal(await typeOf(app, { url: '/', headers }), 'application/vnd.acme.v2+xml; charset=utf-8')
})

t.test('a vendor type without a syntax is not used for the response', async (t) => {
  const app = await appWith(t, { ...byAccept, mediaTypes: ['application/vnd.acme.{version}'] })
  app.get('/', answer)
  const headers = { accept: 'application/vnd.acme.v2' }
  t.equal(await typeOf(app, { url: '/', headers }), 'application/json; charset=utf-8')
})

t.test('a vendor type with a different version than the served one is not used for the response', async (t) => {
  class Latest extends AcceptHeaderVersioning {
    override permit (requested: string | null | undefined) {
      return super.permit(requested === 'latest' ? 'v2' : requested)
    }
  }
  const app = await appWith(t, { ...byAccept, scheme: Latest })
  app.get('/', answer)
  const headers = { accept: 'application/vnd.acme.latest+json' }
  t.equal(await typeOf(app, { url: '/', headers }), 'application/json; charset=utf-8; version=v2')
})

t.test('a vendor type has only valid characters where every version is allowed', async (t) => {
  const app = await appWith(t, { ...byAccept, allowedVersions: null })
  app.get('/', answer)
  for (const version of ['"', 'é', 'a b', 'a/b', 'a;b', 'v'.repeat(65_536), '*']) {
    const response = await app.inject({ url: '/', headers: { accept: `application/vnd.acme.${version}+json` } })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  }
})

t.test('a response is serialized by the schema of its type, whatever type the client accepts', async (t) => {
  const app = await appWith(t, byAccept)
  const properties = { a: { type: 'string' } }
  const json = { schema: { type: 'object', properties } }
  app.get('/', { schema: { response: { 200: json.schema } } }, async () => ({ a: 1, secret: 2 }))
  app.get('/typed', { schema: { response: { 200: { content: { 'application/json': json } } } } }, async (_, reply) => (
    reply.type('application/json').send({ a: 1, secret: 2 })
  ))
  for (const url of ['/', '/typed']) {
    for (const [accept, type] of [
      ['application/vnd.acme.v2+json', 'application/vnd.acme.v2+json; charset=utf-8'],
      ['application/json;version=v2', 'application/json; charset=utf-8; version=v2']
    ]) {
      const response = await app.inject({ url, headers: { accept } })
      t.equal(response.body, '{"a":"1"}')
      t.equal(response.headers['content-type'], type)
    }
  }
})

t.test('errors of handlers, of validation and of error handlers report the version', async (t) => {
  const app = await appWith(t, settings)
  app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, answer)
  app.post('/body', answer)
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', async () => { throw new Error('broken') })
  })
  const json = 'application/json; charset=utf-8; version=v1'
  t.equal(await typeOf(app, { url: '/invalid?version=v1' }), json)
  const body = { method: 'POST', url: '/body?version=v1', headers: { 'content-type': 'a/b' }, payload: 'a' } as const
  t.equal(await typeOf(app, body), json)
  t.equal(await typeOf(app, { url: '/handled?version=v1' }), 'text/plain; charset=utf-8')
})

t.test('a not-found handler reports the version if a handler calls it, and not otherwise', async (t) => {
  const app = await appWith(t, settings)
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/html').send('<p>'))
  app.get('/', (_request, reply) => { reply.callNotFound() })
  app.get('/neutral', { versioning: false }, (_request, reply) => { reply.callNotFound() })
  t.equal(await typeOf(app, { url: '/?version=v1' }), 'text/html')
  t.equal(await typeOf(app, { url: '/neutral?version=v1' }), 'text/html')
  t.equal(await typeOf(app, { url: '/unknown?version=v1' }), 'text/html')
})

t.test('the version is added to the type that an onSend hook of the route sets', async (t) => {
  const app = await appWith(t, settings)
  const onSend = async (_request: unknown, reply: FastifyReply) => { reply.type('application/geo+json') }
  app.get('/', { onSend }, answer)
  t.equal(await typeOf(app, { url: '/?version=v1' }), 'application/geo+json; version=v1')
})

t.test('a child context may report the version in the Content-Type, or not', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (child) => {
    await child.register(versioning, { versionParam: 'v' })
    child.get('/v', answer)
  })
  app.register(async (child) => {
    child.get('/before', answer)
    await child.register(versioning, { servedVersion: null })
    child.get('/none', answer)
  })
  t.equal(await typeOf(app, { url: '/v?v=v1' }), 'application/json; charset=utf-8; v=v1')
  t.equal(await typeOf(app, { url: '/before?version=v1' }), 'application/json; charset=utf-8')
  t.equal(await typeOf(app, { url: '/none?version=v1' }), 'application/json; charset=utf-8')
})

t.test('a route with its own scheme reports the version in the parameter of that scheme', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', { versioning: new AcceptHeaderVersioning({ versionParam: 'v', mediaTypes: [VENDOR] }) }, answer)
  const typed = (accept: string) => typeOf(app, { url: '/', headers: { accept } })
  t.equal(await typed('application/vnd.acme.1+json;v=1'), 'application/vnd.acme.1+json; charset=utf-8')
  t.equal(await typed('*/*;v=1'), 'application/json; charset=utf-8; v=1')
})

const list: VersioningOptions = {
  ...settings, scheme: [AcceptHeaderVersioning, ContentTypeVersioning], mediaTypes: [VENDOR, 'application/json']
}
const vendor = 'application/vnd.acme.v2+json'

interface Listed { says: string, headers: Record<string, string>, type: string }

const listed: Listed[] = [
  {
    says: 'a vendor type that is accepted and sent',
    headers: { accept: vendor, 'content-type': vendor },
    type: `${vendor}; charset=utf-8`
  },
  {
    says: 'a vendor type that is accepted',
    headers: { accept: vendor, 'content-type': 'application/json' },
    type: `${vendor}; charset=utf-8`
  },
  {
    says: 'a vendor type that is sent',
    headers: { accept: '*/*', 'content-type': vendor },
    type: 'application/json; charset=utf-8; version=v2'
  },
  {
    says: 'a parameter of what is sent',
    headers: { 'content-type': 'application/json; version=v2' },
    type: 'application/json; charset=utf-8; version=v2'
  },
  {
    says: 'a parameter of what is sent, and a vendor type that is accepted',
    headers: { accept: vendor, 'content-type': 'application/json; version=v2' },
    type: `${vendor}; charset=utf-8`
  }
]

for (const { says, headers, type } of listed) {
  t.test(`a list of both media type schemes answers ${says} with ${type}`, async (t) => {
    const app = await appWith(t, list)
    app.addContentTypeParser(/^application\/vnd\.acme\./, { parseAs: 'string' }, async () => ({}))
    app.post('/', answer)
    const response = await app.inject({ method: 'POST', url: '/', headers, payload: '{}' })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], type)
    t.equal(response.headers.vary, 'Accept, Content-Type')
  })
}

t.test('a vendor type that one of several Accept schemes has read is used for the response', async (t) => {
  const scheme = ['x', 'acme'].map((name) => new AcceptHeaderVersioning({
    mediaTypes: [`application/vnd.${name}.{version}+json`]
  }))
  const app = await appWith(t, { ...settings, scheme: [new HeaderVersioning(), ...scheme] })
  app.get('/', answer)
  t.equal(await typeOf(app, { url: '/', headers: { accept: vendor } }), `${vendor}; charset=utf-8`)
})

t.test('a locked web response is answered like Fastify does, without a version in its Content-Type', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', async () => {
    const response = new Response('text')
    response.body?.getReader()
    return response
  })
  t.match((await app.inject('/?version=v1')).json(), { code: 'FST_ERR_REP_READABLE_STREAM_LOCKED' })
})

t.test('a scheme of three lines reports its version', async (t: Test) => {
  class Plain extends BaseVersioning {
    override readVersion ({ headers }: { headers: Record<string, unknown> }) {
      return headers['x-version']?.toString()
    }
  }
  const app = bareApp(t)
  await app.register(versioning, { ...settings, scheme: Plain })
  app.get('/', answer)
  t.equal(
    await typeOf(app, { url: '/', headers: { 'x-version': 'v1' } }), 'application/json; charset=utf-8; version=v1'
  )
})

const UNABLE = [
  'image/png', 'image/svg+xml', 'application/gzip', 'application/pdf', 'application/xml', 'text/event-stream',
  'text/html', 'text/plain'
]

for (const type of UNABLE) {
  t.test(`a response of ${type} does not report the version in its type`, async (t) => {
    for (const mediaTypes of [null, ['application/json']]) {
      const app = await appWith(t, { ...settings, scheme: AcceptHeaderVersioning, mediaTypes })
      app.get('/', async (_request, reply) => reply.header('Content-Type', type).send(Readable.from(['a'])))
      t.equal(await typeOf(app, { url: '/', headers: { accept: 'application/json;version=v2' } }), type)
    }
  })
}

t.test('a media type of the option mediaTypes reports the version, also as a member of a list', async (t) => {
  for (const scheme of [AcceptHeaderVersioning, [HeaderVersioning, AcceptHeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme, mediaTypes: ['application/xml'] })
    app.get('/xml', async (_request, reply) => reply.header('Content-Type', 'application/xml').send('<a/>'))
    app.get('/json', answer)
    const headers = { accept: 'application/xml;version=v2' }
    t.match(await typeOf(app, { url: '/xml', headers }), /^application\/xml.*; version=v2$/)
    t.equal(await typeOf(app, { url: '/json', headers }), 'application/json; charset=utf-8')
  }
})
