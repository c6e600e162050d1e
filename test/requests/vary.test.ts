import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { ending } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'

const settings = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const VALID = { accept: 'a/b;version=v1' }

class HeaderVersioning extends BaseVersioning {
  override readonly vary: string | null = 'X-API-Version'

  override determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-api-version']?.toString())
  }
}

async function answersApp (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t, settings)
  app.addHook('onSend', async (request, reply) => {
    if (request.url === '/by-hook') reply.header('Vary', 'Origin')
  })
  app.get('/ok', async () => 'ok')
  app.get('/empty', (_request, reply) => { reply.code(204).send() })
  app.get('/unchanged', (_request, reply) => { reply.code(304).send() })
  app.get('/redirect', (_request, reply) => { reply.redirect('/ok') })
  app.get('/stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])))
  app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, async () => 'ok')
  app.get('/broken', async () => { throw new Error('broken') })
  app.get('/missing', (_request, reply) => { reply.callNotFound() })
  app.get('/by-hook', async () => 'ok')
  app.post('/ok', async () => 'ok')
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).header('Vary', 'Origin').send('teapot'))
    context.get('/handled', async () => { throw new Error('broken') })
  })
  return app
}

interface Answer { says: string, request: InjectOptions, statusCode: number, vary?: string }

const answers: Answer[] = [
  { says: 'a 200', request: { url: '/ok', headers: VALID }, statusCode: 200 },
  { says: 'the default version', request: { url: '/ok' }, statusCode: 200 },
  { says: 'a HEAD', request: { url: '/ok', method: 'HEAD', headers: VALID }, statusCode: 200 },
  { says: 'a 204', request: { url: '/empty', headers: VALID }, statusCode: 204 },
  { says: 'a 304', request: { url: '/unchanged', headers: VALID }, statusCode: 304 },
  { says: 'a redirect', request: { url: '/redirect', headers: VALID }, statusCode: 302 },
  { says: 'a stream', request: { url: '/stream', headers: VALID }, statusCode: 200 },
  { says: 'a validation error', request: { url: '/invalid', headers: VALID }, statusCode: 400 },
  { says: 'a refusal', request: { url: '/ok', headers: { accept: 'a/b;version=v9' } }, statusCode: 406 },
  { says: 'an error', request: { url: '/broken', headers: VALID }, statusCode: 500 },
  { says: 'an error handler', request: { url: '/handled', headers: VALID }, statusCode: 418, vary: 'Origin, Accept' },
  { says: 'a handler that finds nothing', request: { url: '/missing', headers: VALID }, statusCode: 404 },
  { says: 'an onSend hook', request: { url: '/by-hook', headers: VALID }, statusCode: 200, vary: 'Origin, Accept' },
  {
    says: 'a body that cannot be parsed',
    request: { url: '/ok', method: 'POST', headers: { ...VALID, 'content-type': 'application/json' }, payload: '{' },
    statusCode: 400
  }
]

for (const { says, request, statusCode, vary = 'Accept' } of answers) {
  t.test(`the response for ${says} varies by ${vary}`, async (t) => {
    const app = await answersApp(t)
    const response = await app.inject(request)
    t.equal(response.statusCode, statusCode)
    t.equal(response.headers.vary, vary)
  })
}

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

t.test('a web response of another package varies as well', async (t) => {
  const app = await appWith(t, settings)
  app.get('/', async () => ({
    [Symbol.toStringTag]: 'Response',
    status: 202,
    statusText: '',
    bodyUsed: false,
    headers: new Headers({ vary: 'Origin' }),
    body: new Response('foreign').body
  }))
  const { statusCode, headers: { vary }, body } = await app.inject('/')
  t.same({ statusCode, vary, body }, { statusCode: 202, vary: 'Origin, Accept', body: 'foreign' })
})

t.test('the response of a not-found handler varies like responses of the route that called it', async (t) => {
  const app = await appWith(t, { ...settings, scheme: QueryParameterVersioning })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.get('/', { versioning: AcceptHeaderVersioning }, (_request, reply) => { reply.callNotFound() })
  t.equal((await app.inject('/')).headers.vary, 'Accept')
  t.equal((await app.inject('/unknown')).headers.vary, undefined)
})

t.test('the response of an onSend hook that fails varies', async (t) => {
  const app = await appWith(t, settings)
  const onSend = async () => { throw new Error('failed') }
  app.get('/', { onSend }, async (_request, reply) => reply.header('vary', 'Origin').send(''))
  const response = await app.inject('/')
  t.equal(response.statusCode, 500)
  t.equal(response.headers.vary, 'Origin, Accept')
})

t.test('a preflight that fails does not vary', async (t) => {
  const app = await appWith(t, settings)
  app.options('/', async () => { throw new Error('failed') })
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
  const response = await app.inject({ url: '/', method: 'OPTIONS', headers })
  t.equal(response.statusCode, 500)
  t.equal(response.headers.vary, undefined)
})

t.test('a route whose context gets a scheme in the URL later does not vary', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (context) => {
    context.get('/', async () => '')
    await context.register(versioning, { scheme: QueryParameterVersioning })
  })
  t.equal((await app.inject('/')).headers.vary, undefined)
})

for (const scheme of [URLPathVersioning, NamespaceVersioning, HostNameVersioning, QueryParameterVersioning, null]) {
  t.test(`under ${scheme?.name ?? 'no scheme'} no response varies, and no hook is added`, async (t) => {
    const app = await appWith(t, { ...settings, scheme })
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => { if (route.method === 'GET') routes.push(route) })
    app.get('/:version', async () => '')
    t.equal((await app.inject('/v1')).headers.vary, undefined)
    t.same(routes.map(({ onSend }) => onSend), [undefined])
  })
}

t.test('a response of a version-neutral route does not vary, and no hook is added', async (t) => {
  const app = await appWith(t, settings)
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => { if (route.method === 'GET') routes.push(route) })
  app.get('/', { versioning: false }, async () => '')
  t.equal((await app.inject('/')).headers.vary, undefined)
  t.equal((await app.inject({ url: '/', method: 'HEAD' })).headers.vary, undefined)
  t.same(routes.map(({ onSend }) => onSend), [undefined])
})

t.test('the response to an unknown URL does not vary', async (t) => {
  const app = await appWith(t, settings)
  t.equal((await app.inject('/')).headers.vary, undefined)
})

t.test('a response varies by the header of the scheme of its route', async (t) => {
  const app = await appWith(t, settings)
  app.get('/class', { versioning: HeaderVersioning }, async () => '')
  app.get('/instance', { versioning: new HeaderVersioning() }, async () => '')
  app.get('/query', { versioning: QueryParameterVersioning }, async () => '')
  t.equal((await app.inject('/class')).headers.vary, 'X-API-Version')
  t.equal((await app.inject('/instance')).headers.vary, 'X-API-Version')
  t.equal((await app.inject('/query')).headers.vary, undefined)
})

t.test('a scheme may depend on several headers', async (t) => {
  class Several extends HeaderVersioning {
    override readonly vary = 'X-API-Version, Accept'
  }
  const app = await appWith(t, { ...settings, scheme: Several })
  app.get('/', async (_request, reply) => {
    reply.header('vary', 'ACCEPT')
    return ''
  })
  app.get('/plain', async () => '')
  t.equal((await app.inject('/')).headers.vary, 'ACCEPT, X-API-Version')
  t.equal((await app.inject('/plain')).headers.vary, 'X-API-Version, Accept')
})

t.test('a response varies by the scheme of its context', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (context) => {
    await context.register(versioning, { scheme: HeaderVersioning })
    context.get('/header', async () => '')
  })
  app.register(async (context) => {
    await context.register(versioning, { scheme: URLPathVersioning })
    context.get('/:version/path', async () => '')
  })
  app.get('/accept', async () => '')
  t.equal((await app.inject('/header')).headers.vary, 'X-API-Version')
  t.equal((await app.inject('/v1/path')).headers.vary, undefined)
  t.equal((await app.inject('/accept')).headers.vary, 'Accept')
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

t.test('a response that a hook sends before the version is determined varies by the scheme of its route', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async (_request, reply) => reply.code(503).send('busy'))
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.get('/', { versioning: AcceptHeaderVersioning }, async () => '')
  t.equal((await app.inject('/')).headers.vary, 'Accept')
})

t.test('a web response under a scheme that reads no header keeps its own Vary', async (t) => {
  const app = await appWith(t, { ...ending, defaultVersion: 'v1' })
  app.get('/', async () => new Response('', { headers: { vary: 'Origin' } }))
  t.equal((await app.inject('/')).headers.vary, 'Origin')
})

/** What else writes Vary, wherever it does. */
const replacing: Array<{ says: string, declare: (app: FastifyInstance) => void, status?: number, vary: string[] }> = [
  {
    says: 'a handler that sets several headers',
    declare: (app) => { app.get('/', async (_request, reply) => reply.headers({ vary: 'Origin' }).send('')) },
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an error with headers',
    declare: (app) => {
      app.get('/', async () => { throw Object.assign(new Error('failed'), { headers: { vary: 'Origin' } }) })
    },
    status: 500,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an onSend hook that replaces it',
    declare: (app) => {
      app.addHook('onSend', async (_request, reply) => { reply.header('vary', 'Origin') })
      app.get('/', async () => '')
    },
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an onSend hook that removes it',
    declare: (app) => {
      app.addHook('onSend', async (_request, reply) => { reply.removeHeader('vary') })
      app.get('/', async () => '')
    },
    vary: ['Accept']
  },
  {
    says: 'an onSend hook of the route that replaces it',
    declare: (app) => {
      app.get('/', { onSend: async (_request, reply) => { reply.header('vary', 'Origin') } }, async () => '')
    },
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an onSend hook that a later onRoute hook appends',
    declare: (app) => {
      app.addHook('onRoute', (route) => {
        route.onSend = [route.onSend ?? []].flat().concat(async (_request, reply) => { reply.header('vary', 'Origin') })
      })
      app.get('/', async () => '')
    },
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an onSend hook that sends a web response',
    declare: (app) => {
      app.addHook('onSend', async () => new Response('', { headers: { vary: 'Origin' } }))
      app.get('/', async () => '')
    },
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an onSend hook that fails each time',
    declare: (app) => {
      app.addHook('onSend', async () => { throw new Error('failed') })
      app.get('/', async (_request, reply) => reply.header('vary', 'Origin').send(''))
    },
    status: 500,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'an error handler, and an onSend hook that fails each time',
    declare: (app) => {
      app.addHook('onSend', async () => { throw new Error('failed') })
      app.setErrorHandler((_error, _request, reply) => reply.header('vary', 'Origin').send(''))
      app.get('/', async () => { throw new Error('broken') })
    },
    status: 500,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'a stream that fails',
    declare: (app) => {
      const failing = () => new Readable({ read () { this.destroy(new Error('broken')) } })
      app.get('/', async (_request, reply) => reply.header('vary', 'Origin').send(failing()))
    },
    status: 500,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'a not-found handler',
    declare: (app) => {
      app.setNotFoundHandler((_request, reply) => reply.code(404).header('vary', 'Origin').send(''))
      app.get('/', (_request, reply) => { reply.callNotFound() })
    },
    status: 404,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'a hook that refuses a body',
    declare: (app) => {
      app.addHook('preParsing', async (_request, reply) => {
        reply.header('vary', 'Origin')
        throw Object.assign(new Error('too large'), { statusCode: 413 })
      })
      app.get('/', async () => '')
    },
    status: 413,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'a handler that takes too long',
    declare: (app) => {
      app.get('/', { handlerTimeout: 1 } as object, async (_request, reply) => {
        reply.header('vary', 'Origin')
        return new Promise(() => {})
      })
    },
    status: 503,
    vary: ['Origin', 'Accept']
  },
  {
    says: 'a handler that bypasses the reply',
    declare: (app) => { app.get('/', (_request, reply) => { reply.raw.end('') }) },
    vary: ['Accept']
  },
  {
    says: 'a handler that takes the reply over',
    declare: (app) => { app.get('/', (_request, reply) => { reply.hijack().raw.end('') }) },
    vary: ['Accept']
  },
  {
    says: 'a handler that sends an invalid header',
    declare: (app) => { app.get('/', async (_request, reply) => reply.header('x-own', 'a\r\nb').send('')) },
    status: 500,
    vary: ['Accept']
  }
]

for (const { says, declare, status = 200, vary } of replacing) {
  t.test(`a response varies by ${vary.join(' and ')} after ${says}`, async (t) => {
    const app = await appWith(t, settings)
    declare(app)
    const { statusCode, headers } = await app.inject('/')
    t.equal(statusCode, status)
    t.same(`${headers.vary}`.split(', '), vary)
  })

  t.test(`a HEAD varies by Accept after ${says}`, async (t) => {
    const app = await appWith(t, settings)
    declare(app)
    const { headers } = await app.inject({ method: 'HEAD', url: '/' })
    t.ok(`${headers.vary}`.split(', ').includes('Accept'))
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

const wrong: unknown[] = ['', 'a b', 'Accept,', 'a\r\nb', 1, ['Accept']]

for (const vary of wrong) {
  t.test(`a scheme cannot vary by ${JSON.stringify(vary)}`, async (t) => {
    class Wrong extends HeaderVersioning {
      override readonly vary = vary as string
    }
    const message = /^Invalid "vary": expected the name of a request header/
    const expected = { code: 'FST_ERR_VERSIONING_OPTION', message }
    await t.rejects(async () => appWith(t, { scheme: Wrong }), expected)
    await t.rejects(async () => appWith(t, { scheme: new Wrong() }), expected)
  })
}

t.test('each response varies by its own scheme, however many there are', async (t) => {
  const app = await appWith(t)
  const names = Array.from({ length: 120 }, (_, i) => `X-Version-${i}`)
  for (const [i, vary] of names.entries()) {
    app.get(`/${i}`, { versioning: Object.assign(new HeaderVersioning(), { vary }) }, async () => '')
  }
  for (const [i, vary] of [...names.entries(), [0, names[0]] as const]) {
    t.equal((await app.inject(`/${i}`)).headers.vary, vary)
  }
})
