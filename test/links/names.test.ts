import t from 'tap'

import versioning, { NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions } from '../../types/index.d.ts'

async function appOf (
  t: Test, declare: (app: FastifyInstance) => unknown = () => {}, options = {}
): Promise<FastifyInstance> {
  const app = await appWith(t, {}, options)
  await declare(app)
  await app.ready()
  return app
}

async function handler () {
  return ''
}

t.test('a name is looked up with all the namespaces around it', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.register(async (api) => {
    api.get('/status', { name: 'status' }, handler)
    api.register(async (v1) => { v1.get('/list', { name: 'list' }, handler) }, { prefix: '/v1', namespace: 'v1' })
  }, { prefix: '/api', namespace: 'api' })))
  t.equal(reverse('api:status'), '/api/status')
  t.equal(reverse('api:v1:list'), '/api/v1/list')
  t.throws(() => reverse('list'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => reverse('v1:list'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a context without a namespace is in the namespace of its parent', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.register(async (api) => {
    api.register(async (inner) => { inner.get('/list', { name: 'list' }, handler) }, { prefix: '/inner' })
  }, { prefix: '/api', namespace: 'api' })))
  t.equal(reverse('api:list'), '/api/inner/list')
})

t.test('sibling contexts may share a name in their own namespaces', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => {
    for (const version of ['v1', 'v2']) {
      app.register(async (scope) => {
        scope.get('/list', { name: 'list' }, handler)
      }, { prefix: version, namespace: version })
    }
  }))
  t.equal(reverse('v1:list'), '/v1/list')
  t.equal(reverse('v2:list'), '/v2/list')
})

t.test('a GET route and its automatic HEAD route share the name', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/list', { name: 'list', exposeHeadRoute: true }, handler)))
  t.equal(reverse('list'), '/list')
})

interface Slash { prefixTrailingSlash: 'both' | 'slash' | 'no-slash', exposeHeadRoute: boolean, url: string }

const slashes: Slash[] = [
  { prefixTrailingSlash: 'both', exposeHeadRoute: true, url: '/api' },
  { prefixTrailingSlash: 'both', exposeHeadRoute: false, url: '/api' },
  { prefixTrailingSlash: 'slash', exposeHeadRoute: true, url: '/api/' },
  { prefixTrailingSlash: 'slash', exposeHeadRoute: false, url: '/api/' },
  { prefixTrailingSlash: 'no-slash', exposeHeadRoute: true, url: '/api' },
  { prefixTrailingSlash: 'no-slash', exposeHeadRoute: false, url: '/api' }
]

for (const { url, ...options } of slashes) {
  t.test(`the link to the root of a prefix is ${url} with ${JSON.stringify(options)}`, async (t) => {
    const instance = await appOf(t, (app) => app.register(async (api) => {
      api.get('/', { name: 'root', ...options }, handler)
    }, { prefix: '/api' }))
    t.equal(instance.reverse('root'), url)
    t.equal((await instance.inject(url)).statusCode, 200)
  })
}

t.test('an explicit HEAD route may have its own name', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.head('/probe/', { name: 'probe' }, handler)))
  t.equal(reverse('probe'), '/probe/')
})

interface Neighbour { says: string, declare: (app: FastifyInstance) => unknown, url: string }

const neighbours: Neighbour[] = [
  {
    says: 'a GET route with a slash at the end',
    declare: (app) => app.get('/rooms/', { name: 'rooms' }, handler),
    url: '/rooms/'
  },
  {
    says: 'a HEAD route of another path with a slash at the end',
    declare: (app) => app.head('/probe/', { name: 'rooms' }, handler),
    url: '/probe/'
  },
  {
    says: 'a HEAD route whose path has a letter more',
    declare: (app) => app.head('/rooms2', { name: 'rooms' }, handler),
    url: '/rooms2'
  }
]

for (const { says, declare, url } of neighbours) {
  t.test(`${says} is another URL of a name, and wins as the last one`, async (t) => {
    const { reverse } = bound(await appOf(t, (app) => {
      app.get('/rooms', { name: 'rooms' }, handler)
      declare(app)
    }))
    t.equal(reverse('rooms'), url)
  })
}

t.test('a route without a name is found by no name, not even an empty one', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/list', handler)))
  t.throws(() => reverse(''), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /^No route is named ''\.$/ })
  t.throws(() => reverse('null'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('one name may stand for several methods of a URL', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => {
    app.route({ method: ['GET', 'PUT'], url: '/bookings/:id', name: 'booking', handler })
    app.delete('/bookings/:id', { name: 'booking' }, handler)
  }))
  t.equal(reverse('booking', { id: 7 }), '/bookings/7')
})

t.test('the parameters choose among several URLs of a name', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => {
    app.get('/bookings', { name: 'bookings' }, handler)
    app.get('/bookings/:year', { name: 'bookings' }, handler)
    app.get('/bookings/:year/:month', { name: 'bookings' }, handler)
  }))
  t.equal(reverse('bookings'), '/bookings')
  t.equal(reverse('bookings', { year: 2026 }), '/bookings/2026')
  t.equal(reverse('bookings', [2026, 11]), '/bookings/2026/11')
})

t.test('the URL registered last wins if several URLs of a name fit', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => {
    app.get('/old/:id', { name: 'booking' }, handler)
    app.get('/new/:id', { name: 'booking' }, handler)
    app.get('/digits/:id(\\d+)', { name: 'booking' }, handler)
  }))
  t.equal(reverse('booking', { id: 'x' }), '/new/x')
  t.equal(reverse('booking', { id: 7 }), '/digits/7')
})

t.test('args fill the parameters that kwargs leave open, in order', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/:a/:b/:c', { name: 'abc' }, handler)))
  t.equal(reverse('abc', [1, 3], { kwargs: { b: 2 } } as LinkOptions), '/1/2/3')
  t.equal(reverse('abc', { b: 2 }, { args: [1, 3] } as LinkOptions), '/1/2/3')
})

t.test('the option format fills the parameter of that name, and wins over a given one', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/export.:format', { name: 'export' }, handler)))
  t.equal(reverse('export', null, { format: 'json' }), '/export.json')
  t.equal(reverse('export', { format: 'xml' }, { format: 'json' }), '/export.json')
  t.equal(reverse('export', { format: 'xml' }, { format: null }), '/export.xml')
})

t.test('two apps in one process do not see each other\'s names', async (t) => {
  const one = await appOf(t, (app) => app.get('/one', { name: 'one' }, handler))
  const two = await appOf(t, (app) => app.get('/two', { name: 'two' }, handler))
  t.throws(() => one.reverse('two'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => two.reverse('one'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('contexts that register the plugin each on their own share the names of the app', async (t) => {
  const root = bareApp(t)
  const scopes: FastifyInstance[] = []
  for (const name of ['a', 'b']) {
    root.register(async (scope) => {
      await scope.register(versioning)
      scope.get(`/${name}`, { name }, handler)
      scopes.push(scope)
    })
  }
  await root.ready()
  t.equal(scopes[0].reverse('b'), '/b')
  t.equal(scopes[1].reverse('a'), '/a')
})

t.test('an unknown name suggests the nearest one', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/bookings', { name: 'booking-list' }, handler)))
  t.throws(() => reverse('boking-list'), {
    message: /^No route is named 'boking-list'\. Did you mean 'booking-list'\?/
  })
})

t.test('an unknown name suggests the same route in its namespaces', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.register(async (scope) => {
    scope.get('/list', { name: 'list' }, handler)
  }, { namespace: 'catalogue' })))
  t.throws(() => reverse('list'), { message: /Did you mean 'catalogue:list'\?/ })
})

t.test('an unknown name that resembles no other suggests none', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/bookings', { name: 'bookings' }, handler)))
  t.throws(() => reverse('zebra'), {
    message: /^No route is named 'zebra'\.$/
  })
})

t.test('the suggestions are still right after a thousand unknown names', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => app.get('/bookings', { name: 'bookings' }, handler)))
  for (let i = 0; i < 1001; i++) t.throws(() => reverse(`unknown${i}`))
  t.throws(() => reverse('booking'), { message: /Did you mean 'bookings'\?/ })
})

t.test('a route that is named after an unknown name was missed is suggested', async (t) => {
  const instance = await appWith(t)
  t.throws(() => instance.reverse('bookins'), { message: /^(?!.*Did you mean)/ })
  instance.get('/bookings', { name: 'bookings' }, handler)
  t.throws(() => instance.reverse('bookins'), { message: /Did you mean 'bookings'\?/ })
})

t.test('the error about parameters that do not fit names the route, its parameters and those given', async (t) => {
  const { reverse } = bound(await appOf(t, (app) => {
    app.get('/bookings/:id', { name: 'booking' }, handler)
    app.get('/bookings/:id/:part', { name: 'booking' }, handler)
  }))
  t.throws(() => reverse('booking', { pk: 7 }), {
    message: 'Route \'booking\' has no URL for { pk: 7 }: ' +
      '/bookings/:id/:part ("id" missing, "part" missing, "pk" unknown); ' +
      '/bookings/:id ("id" missing, "pk" unknown).'
  })
  t.throws(() => reverse('booking', [1, 2, 3]), { message: /^Route 'booking' has no URL for \[ 1, 2, 3 \] and {}: / })
})

t.test('the error about parameters that do not fit shows the version that the scheme fills in', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning })
  app.get('/:version/bookings/:id', { name: 'booking' }, handler)
  t.throws(() => app.reverse('booking', { pk: 7 }, { version: 'v1' }), {
    message: "Route 'booking' has no URL for { pk: 7, version: 'v1' }: " +
      '/:version/bookings/:id ("id" missing, "pk" unknown).'
  })
})

t.test('a name that is not a string is refused', async (t) => {
  const { reverse } = bound(await appOf(t))
  t.throws(() => reverse(7 as never), {
    code: 'FST_ERR_NO_REVERSE_MATCH', message: 'The name of a route must be a string, got 7.'
  })
})

t.test('a scheme that no app has registered cannot make links', async (t) => {
  t.throws(() => new URLPathVersioning().reverse('bookings'), {
    code: 'FST_ERR_NO_REVERSE_MATCH',
    message: "Cannot reverse 'bookings' with a scheme that no app has registered."
  })
})

t.test('an empty name is not found in a version that ends with the name of a route', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme })
  app.register(async (v1) => { v1.get('/list', { name: 'list' }, handler) }, { prefix: '/v1', namespace: 'v1' })
  await app.ready()
  t.equal(scheme.reverse('list', { version: 'v1' }), '/v1/list')
  t.throws(() => scheme.reverse('', { version: 'v1:list' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('the rest of a name is found in several namespaces', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme })
  app.register(async (api) => api.register(async (v1) => {
    v1.get('/list', { name: 'list' }, handler)
  }, { prefix: '/v1', namespace: 'v1' }), { prefix: '/api', namespace: 'api' })
  await app.ready()
  t.equal(scheme.reverse('v1:list', { version: 'api' }), '/api/v1/list')
  t.equal(scheme.reverse('list', { version: 'api:v1' }), '/api/v1/list')
  t.throws(() => scheme.reverse('list', { version: 'apiv1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a scheme of several contexts of an app links outside a request as the first of them', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme, baseUrl: 'https://example.com/api' })
  app.register(async (context) => { await context.register(versioning, { scheme, baseUrl: null }) })
  app.get('/list', { name: 'list' }, handler)
  await app.ready()
  t.equal(scheme.reverse('list'), '/api/list')
})

t.test('a scheme of several apps links outside a request as the last one', async (t) => {
  const scheme = new NamespaceVersioning()
  const apps: FastifyInstance[] = []
  for (const path of ['/one', '/two']) {
    const app = await appWith(t, { scheme })
    app.get(path, { name: 'list' }, handler)
    t.equal(scheme.reverse('list'), path)
    apps.push(app)
  }
  t.same(apps.map((app) => app.reverse('list')), ['/one', '/two'], 'and each app in itself')
})

t.test('a registered scheme makes links outside a request', async (t) => {
  const scheme = new NamespaceVersioning()
  const instance = await appWith(t, { scheme })
  instance.get('/bookings', { name: 'bookings' }, handler)
  t.equal(scheme.reverse('bookings'), '/bookings')
})

/** `app.reverse` as its own function. */
function bound (app: FastifyInstance): Pick<FastifyInstance, 'reverse'> {
  return { reverse: app.reverse.bind(app) }
}
