import compress from '@fastify/compress'
import { request as httpRequest } from 'node:http'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning, VersionNotFoundError
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'

import type { FastifyError } from 'fastify'
import type { VersioningOptions, VersioningSchemeClass } from '../../types/index.d.ts'

const options: VersioningOptions = { problemDetails: true, enforceSunset: true, now: clockAt(SUNSET).now }
const handler = async () => 'ok'

const NOT_FOUND = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'Invalid version in query parameter.',
  instance: '/bookings',
  code: 'FST_ERR_VERSION_NOT_FOUND',
  // The first version is gone.
  reason: 'unsupported',
  allowedVersions: ['v2', 'v3']
}

t.test('a version that is not found is answered with a problem', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.get('/bookings', handler)
  const response = await app.inject('/bookings?version=v9')
  t.equal(response.statusCode, 404)
  t.equal(response.headers['content-type'], 'application/problem+json')
  t.equal(response.headers['content-length'], String(response.rawPayload.length))
  t.same(response.json(), NOT_FOUND)
})

t.test('a version that is not acceptable is answered with a problem', async (t) => {
  const app = await appWith(t, { ...ending, ...options, scheme: AcceptHeaderVersioning })
  app.get('/', handler)
  const response = await app.inject({ url: '/', headers: { accept: '*/*;version=v9' } })
  t.equal(response.headers.vary, 'Accept')
  t.same(response.json(), {
    ...NOT_FOUND,
    title: 'Not Acceptable',
    status: 406,
    detail: 'Invalid version in "Accept" header.',
    instance: '/',
    code: 'FST_ERR_VERSION_NOT_ACCEPTABLE'
  })
})

t.test('a version that is gone is answered with a problem', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.get('/', handler)
  const response = await app.inject('/?version=v1')
  t.equal(response.headers.sunset, 'Thu, 31 Dec 2026 23:59:59 GMT')
  t.same(response.json(), {
    ...NOT_FOUND,
    title: 'Gone',
    status: 410,
    detail: "Version 'v1' was retired on Thu, 31 Dec 2026 23:59:59 GMT.",
    instance: '/',
    code: 'FST_ERR_VERSION_GONE',
    reason: 'gone'
  })
})

t.test('a version that a URL does not serve is answered with a problem', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.get('/', { version: ['v2', 'v3'] }, handler)
  const { detail, code } = (await app.inject('/?version=v1')).json()
  t.same([detail, code], ['This URL is served in v2, v3.', 'FST_ERR_VERSION_NOT_FOUND'])
})

interface Titled { scheme: VersioningSchemeClass, version: string, title: string }

const titles: Titled[] = [
  { scheme: QueryParameterVersioning, version: 'v9', title: 'The version is not found' },
  { scheme: AcceptHeaderVersioning, version: 'v9', title: 'The version is not acceptable' },
  { scheme: QueryParameterVersioning, version: 'v1', title: 'The version is gone' }
]

for (const { scheme, version, title } of titles) {
  t.test(`with a base the title of a refusal of ${version} under ${scheme.name} is "${title}"`, async (t) => {
    const app = await appWith(t, { ...ending, ...options, scheme, problemDetails: { base: '/problems' } })
    app.get('/', handler)
    const response = await app.inject({ url: '/', query: { version }, headers: { accept: `*/*;version=${version}` } })
    t.equal(response.json().title, title)
  })
}

t.test('a problem with a status without a phrase has a title anyway', async (t) => {
  const app = await appWith(t, { ...ending, ...options, statusCodes: { notFound: 499 } })
  app.get('/', handler)
  t.match((await app.inject('/')).json(), { type: 'about:blank', title: 'Client Error', status: 499 })
})

for (const [base, type] of [
  ['https://errors.example.com', 'https://errors.example.com/'],
  ['https://errors.example.com/größe?a=b', 'https://errors.example.com/gr%C3%B6%C3%9Fe?a=b'],
  ['/problems', '/problems'],
  ['tag:example.com,2026:problems', 'tag:example.com,2026:problems']
]) {
  t.test(`the type of a problem is the code after the base ${base}`, async (t) => {
    const app = await appWith(t, { ...ending, ...options, problemDetails: { base } })
    app.get('/bookings', handler)
    t.equal((await app.inject('/bookings')).json().type, `${type}#fst_err_version_not_found`)
  })
}

interface Target { path: string, instance: string }

const targets: Target[] = [
  { path: '/any/a?x=/b', instance: '/any/a' },
  { path: '/any/%3Cb%3E', instance: '/any/%3Cb%3E' },
  { path: '/any/"b"{c}|^', instance: '/any/%22b%22%7Bc%7D%7C%5E' },
  { path: '/any/http://example.com/b', instance: '/any/http://example.com/b' },
  { path: '//any/b', instance: '/.//any/b' },
  { path: 'http://127.0.0.1/any/b?c', instance: '/any/b' }
]

for (const { path, instance } of targets) {
  t.test(`the instance of a problem is ${instance} for the request ${path}`, async (t) => {
    const app = await appWith(t, { ...ending, ...options })
    app.get('*', handler)
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const body = await new Promise<string>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path, agent: false }, async (response) => {
        resolve(Buffer.concat(await response.toArray()).toString())
      }).on('error', reject).end()
    })
    t.equal(JSON.parse(body).instance, instance)
    t.ok(URL.canParse(instance, 'http://localhost'))
  })
}

for (const isOwn of [false, true]) {
  t.test(`the response to ${isOwn ? 'a HEAD route' : 'HEAD'} has the length of the problem`, async (t) => {
    const app = await appWith(t, { ...ending, ...options })
    if (isOwn) app.head('/bookings', handler)
    app.get('/bookings', handler)
    const { headers, body } = await app.inject({ url: '/bookings', method: 'HEAD' })
    t.equal(body, '')
    t.equal(headers['content-type'], 'application/problem+json')
    t.equal(headers['content-length'], String((await app.inject('/bookings')).rawPayload.length))
  })
}

t.test('other errors are not turned into problems', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.get('/broken', async () => { throw new VersionNotFoundError('of my own') })
  app.get('/neutral', { versioning: false }, async () => { throw new VersionNotFoundError('of my own') })
  for (const url of ['/broken?version=v3', '/neutral', '/unknown']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 404)
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  }
})

t.test('a custom scheme that refuses with its own error is answered with it', async (t) => {
  class Teapot extends BaseVersioning {
    override determineVersion (): string {
      throw Object.assign(new Error('teapot'), { statusCode: 418, code: 'TEAPOT' })
    }
  }
  const app = await appWith(t, { ...ending, ...options, scheme: Teapot })
  app.get('/', handler)
  const response = await app.inject('/')
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.match(response.json(), { statusCode: 418, code: 'TEAPOT', message: 'teapot' })
})

t.test('the error objects are the same as without problemDetails', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  const seen: string[] = []
  app.addHook('onError', async (_request, _reply, error) => { seen.push(error.code) })
  app.get('/', handler)
  await app.inject('/')
  t.same(seen, ['FST_ERR_VERSION_NOT_FOUND'])
})

interface Handled { does: string, answer: (error: FastifyError) => unknown, type: string, body: object | string }

const handleds: Handled[] = [
  { does: 'writes a text', answer: () => 'no', type: 'text/plain; charset=utf-8', body: 'no' },
  {
    does: 'writes the message',
    answer: ({ message }) => ({ message }),
    type: 'application/json; charset=utf-8',
    body: { message: NOT_FOUND.detail }
  },
  {
    does: 'adds a field to the error',
    answer: ({ statusCode, code, message }) => ({ statusCode, code, error: 'Not Found', message, more: 1 }),
    type: 'application/json; charset=utf-8',
    body: { more: 1 }
  },
  {
    does: 'sends something else',
    answer: ({ statusCode, code }) => ({ statusCode, code, error: 'Not Found', message: 'no' }),
    type: 'application/json; charset=utf-8',
    body: { message: 'no' }
  },
  { does: 'writes null', answer: () => 'null', type: 'text/plain; charset=utf-8', body: 'null' },
  {
    does: 'passes the error on',
    answer: (error) => { throw error },
    type: 'application/problem+json',
    body: { ...NOT_FOUND, reason: 'missing', instance: '/' }
  }
]

for (const { does, answer, type, body } of handleds) {
  t.test(`the response of an error handler that ${does} is ${type}`, async (t) => {
    const app = await appWith(t, { ...ending, ...options })
    app.setErrorHandler(async (error: FastifyError, _request, reply) => {
      reply.code(404)
      return answer(error)
    })
    app.get('/', handler)
    const response = await app.inject('/')
    t.equal(response.headers['content-type'], type)
    if (typeof body === 'string') t.equal(response.body, body)
    else t.match(response.json(), body)
  })
}

t.test('an error handler that sends the error itself sends a problem', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.setErrorHandler((error, _request, reply) => { reply.send(error) })
  app.get('/bookings', handler)
  t.same((await app.inject('/bookings')).json(), { ...NOT_FOUND, reason: 'missing' })
})

t.test('a problem is sent next to a response schema with all fields of an error', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  const properties = {
    message: { type: 'string' }, error: { type: 'string' }, code: { type: 'string' }, statusCode: { type: 'integer' }
  }
  app.get('/bookings', { schema: { response: { '4xx': { type: 'object', properties } } } }, handler)
  t.same((await app.inject('/bookings')).json(), { ...NOT_FOUND, reason: 'missing' })
})

const schemas = [
  { says: 'leaves something out', properties: { message: { type: 'string' } } },
  { says: "is a problem's", properties: { type: { type: 'string' }, title: { type: 'string' } } }
]

for (const { says, properties } of schemas) {
  t.test(`a problem is sent next to a response schema that ${says}`, async (t) => {
    const app = await appWith(t, { ...ending, ...options })
    app.get('/bookings', { schema: { response: { 404: { type: 'object', properties } } } }, handler)
    const response = await app.inject('/bookings')
    t.equal(response.headers['content-type'], 'application/problem+json')
    t.same(response.json(), { ...NOT_FOUND, reason: 'missing' })
  })
}

t.test('fields that an error handler adds are kept next to a response schema', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.setErrorHandler((_error, _request, reply) => reply.send({ own: 'yes' }))
  app.get('/bookings', { schema: { response: { 201: { type: 'string' } } } }, handler)
  t.same((await app.inject('/bookings')).json(), { own: 'yes' })
})

for (const body of ['""', '1', 'true', '[]']) {
  t.test(`a response of an error handler with ${body} is not a problem next to a response schema`, async (t) => {
    const app = await appWith(t, { ...ending, ...options })
    app.setErrorHandler((_error, _request, reply) => (
      reply.type('application/json; charset=utf-8').serializer(String).send(body)
    ))
    app.get('/bookings', { schema: { response: { 404: { type: 'object', properties: {} } } } }, handler)
    const response = await app.inject('/bookings')
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(response.body, body)
  })
}

t.test('a part of the error that an error handler sends is kept where the response schema is null', async (t) => {
  const app = await appWith(t, { ...ending, ...options })
  app.setErrorHandler((error: FastifyError, _request, reply) => reply.send({ message: error.message }))
  app.get('/bookings', { schema: { response: null } }, handler)
  t.same((await app.inject('/bookings')).json(), { message: NOT_FOUND.detail })
})

t.test('a problem is compressed like any response', async (t) => {
  for (const order of ['before', 'after']) {
    const app = bareApp(t)
    if (order === 'before') await app.register(compress, { threshold: 0 })
    await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1'], problemDetails: true })
    if (order === 'after') await app.register(compress, { threshold: 0 })
    app.get('/bookings', handler)
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`${origin}/bookings`)
    t.match(await response.json(), { status: 404, code: 'FST_ERR_VERSION_NOT_FOUND' }, order)
  }
})

t.test('a problem is replaced by an error of Fastify, with its type, if a later onSend hook fails', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1'], problemDetails: true })
  app.get('/a', { onSend: async () => { throw new Error('broken') } }, async () => 'ok')
  const response = await app.inject('/a?version=v9')
  t.match(response.json(), { message: 'broken' })
  t.match(response.headers['content-type'], /^application\/json/)
})
