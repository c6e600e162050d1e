import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawRequest, VersioningOptions, VersioningSource } from '../../types/index.d.ts'

const settings = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

interface Merge { does: string, set: (reply: FastifyReply) => void, vary: string }

const merges: Merge[] = [
  { does: 'sets another name', set: (reply) => { reply.header('Vary', 'Origin') }, vary: 'Origin, Accept' },
  { does: 'sets a list', set: (reply) => { reply.header('vary', 'Origin,Cookie') }, vary: 'Origin, Cookie, Accept' },
  { does: 'sets an array', set: (reply) => { reply.header('Vary', ['a', 'b'] as never) }, vary: 'a, b, Accept' },
  { does: 'sets the same name', set: (reply) => { reply.header('Vary', 'Accept') }, vary: 'Accept' },
  { does: 'sets it in another case', set: (reply) => { reply.header('Vary', 'accept') }, vary: 'accept' },
  { does: 'sets it among others', set: (reply) => { reply.header('Vary', 'a, ACCEPT ,b') }, vary: 'a, ACCEPT ,b' },
  { does: 'sets a longer name', set: (reply) => { reply.header('Vary', 'Accept-X') }, vary: 'Accept-X, Accept' },
  { does: 'sets an asterisk', set: (reply) => { reply.header('Vary', '*') }, vary: '*' },
  { does: 'sets an asterisk in a list', set: (reply) => { reply.header('Vary', 'a, *') }, vary: 'a, *' },
  { does: 'sets a name twice', set: (reply) => { reply.header('Vary', 'a, A') }, vary: 'a, Accept' },
  { does: 'sets nothing', set: (reply) => { reply.header('Vary', '') }, vary: 'Accept' },
  { does: 'sets empty names', set: (reply) => { reply.header('Vary', ' , a') }, vary: 'a, Accept' },
  { does: 'removes it', set: (reply) => { reply.removeHeader('Vary') }, vary: 'Accept' },
  {
    does: 'sets it only on the response of Node',
    set: (reply) => { reply.removeHeader('Vary').raw.setHeader('Vary', 'Origin') },
    vary: 'Origin, Accept'
  },
  {
    does: 'sets it on the response of Node as well',
    set: (reply) => { reply.raw.setHeader('Vary', 'Origin') },
    vary: 'Origin, Accept'
  },
  {
    does: 'sets it on both',
    set: (reply) => { reply.header('Vary', 'a').raw.setHeader('Vary', ['Origin', 'Accept']) },
    vary: 'Origin, Accept, a'
  },
  { does: 'sets null', set: (reply) => { reply.header('Vary', null as never) }, vary: 'Accept' },
  {
    does: 'sets null, and a name on the response of Node',
    set: (reply) => { reply.header('Vary', null as never).raw.setHeader('Vary', 'Origin') },
    vary: 'Origin, Accept'
  }
]

for (const { does, set, vary } of merges) {
  t.test(`the response of a handler that ${does} varies by ${vary}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', async (_request, reply) => {
      set(reply)
      return ''
    })
    t.equal((await app.inject('/')).headers.vary, vary)
  })
}

t.test('a web response also varies by its own names', async (t) => {
  const app = await appWith(t, settings)
  app.get('/own', async () => new Response('own', { status: 201, headers: { vary: 'Origin', 'x-a': 'b' } }))
  app.get('/none', async () => new Response('none'))
  app.get('/all', async () => new Response(null, { status: 204, headers: { vary: '*' } }))
  app.get('/used', async () => {
    const response = new Response('used', { headers: { vary: 'Origin' } })
    await response.text()
    return response
  })
  const own = await app.inject('/own')
  t.match({ ...own.headers, status: own.statusCode, body: own.body }, {
    vary: 'Origin, Accept', 'x-a': 'b', status: 201, body: 'own'
  })
  t.equal((await app.inject('/none')).headers.vary, 'Accept')
  t.equal((await app.inject('/all')).headers.vary, '*')
  t.equal((await app.inject('/used')).statusCode, 500)
})

t.test('a preflight that fails does not vary', async (t) => {
  const app = await appWith(t, settings)
  app.options('/', async () => { throw new Error('failed') })
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
  const response = await app.inject({ url: '/', method: 'OPTIONS', headers })
  t.equal(response.statusCode, 500)
  t.equal(response.headers.vary, undefined)
})

t.test('a route declared before the scheme of its context varies, whatever its handler sets', async (t) => {
  const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
  app.register(async (context) => {
    const send = async () => {}
    context.get('/', { onSend: send }, async (_request, reply) => reply.header('Vary', 'Origin').send(''))
    context.get('/several', { onSend: [send, send] }, async (_request, reply) => reply.header('Vary', '').send(''))
    await context.register(versioning, { scheme: AcceptHeaderVersioning })
  })
  t.equal((await app.inject('/')).headers.vary, 'Origin, Accept')
  t.equal((await app.inject('/several')).headers.vary, 'Accept')
})

t.test('a response that a hook sends before the version is determined varies', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async (_request, reply) => reply.code(503).send('busy'))
  await app.register(versioning, { scheme: AcceptHeaderVersioning })
  app.get('/', async () => '')
  t.equal((await app.inject('/')).headers.vary, 'Accept')
})

type Declare = (app: FastifyInstance) => unknown

const origin = async (_request: FastifyRequest, reply: FastifyReply) => { reply.header('vary', 'Origin') }
const sendOrigin = async (_request: FastifyRequest, reply: FastifyReply) => reply.header('vary', 'Origin').send('')
const fail = async () => { throw new Error('failed') }
const ok = async () => 'ok'
const broken = () => new Readable({ read () { this.destroy(new Error('broken')) } })
const withOrigin = async () => {
  throw Object.assign(new Error('failed'), { statusCode: 418, headers: { vary: 'Origin' } })
}

/** What else writes Vary, wherever it does. */
const replacing: [says: string, declare: Declare, status: number, vary: string][] = [
  ['a handler that sets several headers', (app) => app.get('/', async (_request, reply) => (
    reply.headers({ vary: 'Origin' }).send('')
  )), 200, 'Origin, Accept'],
  ['an error with headers', (app) => app.get('/', withOrigin), 418, 'Origin, Accept'],
  ['an onSend hook that replaces it', (app) => app.addHook('onSend', origin).get('/', ok), 200, 'Origin, Accept'],
  ['an onSend hook that removes it', (app) => app.addHook('onSend', async (_request, reply) => {
    reply.removeHeader('vary')
  }).get('/', ok), 200, 'Accept'],
  ['an onSend hook of the route', (app) => app.get('/', { onSend: origin }, ok), 200, 'Origin, Accept'],
  ['an onSend hook that a later onRoute hook appends', (app) => app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().concat(origin)
  }).get('/', ok), 200, 'Origin, Accept'],
  ['an onSend hook that sends a web response', (app) => app.addHook('onSend', async () => (
    new Response('', { headers: { vary: 'Origin' } })
  )).get('/', ok), 200, 'Origin, Accept'],
  ['an onSend hook of the route that fails', (app) => (
    app.get('/', { onSend: fail }, sendOrigin)
  ), 500, 'Origin, Accept'],
  ['a hook that refuses a body', (app) => app.addHook('preParsing', async (_request, reply) => {
    reply.header('vary', 'Origin')
    throw Object.assign(new Error('too large'), { statusCode: 413 })
  }).get('/', ok), 413, 'Origin, Accept'],
  ['an error handler', (app) => {
    app.setErrorHandler((_error, _request, reply) => reply.code(418).header('vary', 'Origin').send(''))
    app.get('/', fail)
  }, 418, 'Origin, Accept'],
  ['an onSend hook that fails', (app) => app.addHook('onSend', fail).get('/', sendOrigin), 500, 'Origin, Accept'],
  ['an error handler, and an onSend hook that fails each time', (app) => {
    app.addHook('onSend', fail)
    app.setErrorHandler((_error, _request, reply) => reply.header('vary', 'Origin').send('')).get('/', fail)
  }, 500, 'Origin, Accept'],
  ['a stream that fails', (app) => app.get('/', async (_request, reply) => (
    reply.header('vary', 'Origin').send(broken())
  )), 500, 'Origin, Accept'],
  ['a stream', (app) => app.get('/', async (_request, reply) => reply.send(Readable.from(['a']))), 200, 'Accept'],
  ['a not-found handler', (app) => app.setNotFoundHandler(sendOrigin).get('/', (_request, reply) => {
    reply.callNotFound()
  }), 200, 'Origin, Accept'],
  ['a redirect', (app) => app.get('/', (_request, reply) => { reply.redirect('/ok') }), 302, 'Accept'],
  ['a 204', (app) => app.get('/', (_request, reply) => { reply.code(204).send() }), 204, 'Accept'],
  ['a 304', (app) => app.get('/', (_request, reply) => { reply.code(304).send() }), 304, 'Accept'],
  ['a handler that takes too long', (app) => app.get('/', { handlerTimeout: 1 } as object, async (_request, reply) => {
    reply.header('vary', 'Origin')
    return new Promise(() => {})
  }), 503, 'Origin, Accept'],
  ['a handler that bypasses the reply', (app) => app.get('/', (_request, reply) => {
    reply.raw.end('')
  }), 200, 'Accept'],
  ['a handler that takes the reply over', (app) => app.get('/', (_request, reply) => {
    reply.hijack().raw.end('')
  }), 200, 'Accept'],
  ['an invalid header', (app) => app.get('/', async (_request, reply) => (
    reply.header('x-own', 'a\r\nb').send('')
  )), 500, 'Accept']
]

for (const [says, declare, status, vary] of replacing) {
  t.test(`GET and HEAD vary by ${vary} after ${says}`, async (t) => {
    const app = await appWith(t, settings)
    declare(app)
    const { statusCode, headers } = await app.inject('/')
    t.same([statusCode, headers.vary], [status, vary])
    const head = await app.inject({ method: 'HEAD', url: '/' })
    t.match(head.headers.vary, 'Accept')
  })
}

t.test('an onSend hook before the plugin that fails each time leaves the Vary of the response complete', async (t) => {
  const app = bareApp(t)
  app.addHook('onSend', async () => { throw new Error('failed') })
  await app.register(versioning, settings)
  app.get('/', async (_request, reply) => reply.header('vary', 'Origin').send(''))
  const { statusCode, headers } = await app.inject('/')
  t.match({ statusCode, vary: headers.vary }, { statusCode: 500, vary: 'Origin, Accept' })
})

t.test('a response whose onSend hook fails has nothing of the web response that was to be sent', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onSend', async () => { throw new Error('failed') })
  app.get('/', async () => new Response('', { headers: { 'x-own': 'own' } }))
  const { statusCode, headers } = await app.inject('/')
  t.equal(statusCode, 500)
  t.equal(headers['x-own'], undefined)
  t.equal(headers.vary, 'Accept')
})

t.test('a web response that cannot be sent is the same error as without the plugin', async (t) => {
  for (const use of ['text', 'getReader'] as const) {
    const plain = bareApp(t)
    const app = await appWith(t, settings)
    for (const one of [plain, app]) {
      one.get('/', async () => {
        const response = new Response('text', { headers: { vary: 'Origin' } })
        if (use === 'text') await response.text()
        else response.body?.getReader()
        return response
      })
    }
    const response = await app.inject('/')
    t.same(response.json(), (await plain.inject('/')).json())
    t.equal(response.headers.vary, 'Origin, Accept')
  }
})

t.test('the responses of many routes declared at once vary, in contexts inside as well', async (t) => {
  const app = await appWith(t, settings)
  const replace = async (_request: FastifyRequest, reply: FastifyReply) => reply.header('vary', 'Origin').send('')
  app.get('/a', replace)
  app.register(async (context) => {
    context.get('/', replace)
    context.register(async (inner) => { inner.get('/b', replace) })
    await context.after()
    context.get('/c', replace)
  }, { prefix: '/inside' })
  app.after(() => { app.get('/d', replace) })
  await app.after()
  app.get('/e', replace)
  for (const url of ['/a', '/inside', '/inside/', '/inside/b', '/inside/c', '/d', '/e']) {
    t.equal((await app.inject(url)).headers.vary, 'Origin, Accept', url)
  }
})

class Custom extends BaseVersioning {
  override readonly vary: string | null = 'X-API-Version'
  override readVersion ({ headers }: RawRequest) { return headers['x-api-version'] }
}
class Several extends Custom {
  override readonly vary = 'X-API-Version, Accept'
}

t.test('a response varies by the scheme of its route or its context, and not by schemes of the URL', async (t) => {
  const app = await appWith(t, settings)
  const hooks: unknown[] = []
  app.addHook('onRoute', ({ url, method, onSend }) => {
    if (method === 'GET' && onSend !== undefined) hooks.push(url)
  })
  const declared: [url: string, scheme: VersioningSource | null | false, vary: string | undefined][] = [
    ['/class', Custom, 'X-API-Version'],
    ['/instance', new Custom(), 'X-API-Version'],
    ['/several', Several, 'X-API-Version, Accept'],
    ['/query', QueryParameterVersioning, undefined],
    ['/v1/path', URLPathVersioning, undefined],
    ['/namespace', NamespaceVersioning, undefined],
    ['/host', HostNameVersioning, undefined],
    ['/off', null, undefined]
  ]
  for (const [url, scheme] of declared) {
    const path = url.replace('v1', ':version')
    app.get(path, { versioning: scheme ?? false }, ok)
    app.register(async (context) => {
      context.get(`${path}/before`, ok)
      await context.register(versioning, { scheme } as VersioningOptions)
      context.get(`${path}/after`, ok)
    })
  }
  app.get('/accept', ok)
  app.get('/merged', { versioning: Several }, async (_request, reply) => reply.header('vary', 'ACCEPT').send(''))
  for (const [url, , vary] of declared) {
    for (const path of [url, `${url}/before`, `${url}/after`]) {
      t.equal((await app.inject(path)).headers.vary, vary, path)
      t.equal((await app.inject({ url: path, method: 'HEAD' })).headers.vary, vary, path)
    }
  }
  t.equal((await app.inject('/accept')).headers.vary, 'Accept')
  t.equal((await app.inject('/merged')).headers.vary, 'ACCEPT, X-API-Version')
  t.equal((await app.inject('/unknown')).headers.vary, undefined)
  t.same(hooks.filter((url) => /path|namespace|host|query|off/.test(String(url)) && !/before/.test(String(url))), [])
})

t.test('a refusal, a failed validation and a body that cannot be parsed vary', async (t) => {
  const app = await appWith(t, settings)
  app.post('/', { schema: { querystring: { type: 'object', required: ['x'] } } }, ok)
  const post = { url: '/', method: 'POST', payload: '{' } as const
  for (const [headers, status] of [
    [{ accept: 'a/b;version=v9' }, 406], [{ 'content-type': 'application/json' }, 400],
    [{ 'content-type': 'text/plain' }, 400], [{ 'content-type': 'a/b' }, 415]
  ] as const) {
    const { statusCode, headers: { vary } } = await app.inject({ ...post, headers })
    t.same([statusCode, vary], [status, 'Accept'])
  }
})

t.test('a web response of another package varies as well, and keeps its own Vary under another scheme', async (t) => {
  const byQuery = { scheme: QueryParameterVersioning }
  for (const [options, vary] of [[settings, 'Origin, Accept'], [byQuery, 'Origin']] as const) {
    const app = await appWith(t, options)
    app.get('/', async () => ({
      [Symbol.toStringTag]: 'Response',
      status: 202,
      statusText: '',
      bodyUsed: false,
      headers: new Headers({ vary: 'Origin' }),
      body: new Response('foreign').body
    }))
    const { statusCode, headers, body } = await app.inject('/')
    t.same({ statusCode, vary: headers.vary, body }, { statusCode: 202, vary, body: 'foreign' })
  }
})

t.test('what a not-found handler or an earlier hook answers varies by the scheme of the route', async (t) => {
  const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.get('/', { versioning: AcceptHeaderVersioning }, (_request, reply) => { reply.callNotFound() })
  const busy = bareApp(t)
  busy.addHook('onRequest', async (_request, reply) => reply.code(503).send('busy'))
  await busy.register(versioning, { scheme: QueryParameterVersioning })
  busy.get('/', { versioning: AcceptHeaderVersioning }, ok)
  for (const one of [app, busy]) {
    t.equal((await one.inject('/')).headers.vary, 'Accept')
    t.equal((await one.inject('/unknown')).headers.vary, undefined)
  }
})

t.test('a handler and a middleware see the Vary of the response', async (t) => {
  const app = await appWith(t, settings)
  const seen: unknown[] = []
  app.get('/', async (_request, reply) => {
    seen.push(reply.hasHeader('vary'), reply.getHeader('vary'), reply.getHeaders(), reply.raw.getHeader('vary'))
    return ''
  })
  await app.inject('/')
  t.match(seen, [true, 'Accept', { vary: 'Accept' }, 'Accept'])
})

for (const vary of ['', 'a b', 'Accept,', 'a\r\nb', 1, ['Accept']]) {
  t.test(`a scheme cannot vary by ${JSON.stringify(vary)}`, async (t) => {
    class Wrong extends Custom {
      override readonly vary = vary as string
    }
    const message = /^Invalid "vary": expected the name of a request header/
    const expected = { code: 'FST_ERR_VERSIONING_OPTION', message }
    await t.rejects(async () => appWith(t, { scheme: Wrong }), expected)
    await t.rejects(async () => appWith(t, { scheme: new Wrong() }), expected)
  })
}
