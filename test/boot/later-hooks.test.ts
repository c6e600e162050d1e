import Fastify from 'fastify'
import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'

t.test('links follow a later onRoute hook that changes the url of a route, or it is refused', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.addHook('onRoute', (route) => { route.url = `/api${route.url}` })
  const error = await failureOf(() => app.get('/bookings', { name: 'bookings' }, async () => 'bookings').ready())
  if (error === null) t.equal((await app.inject(app.reverse('bookings'))).body, 'bookings')
  else t.match(error, REFUSED)
})

const REFUSED = { code: 'FST_ERR_VERSIONING_OPTION', message: /\/(?:bookings|journeys)/ }

/** What boot fails with, or null if it does not. */
async function failureOf (boot: () => unknown): Promise<unknown> {
  try {
    await boot()
    return null
  } catch (error) {
    return error
  }
}

/** Fastify calls the hook once more, with the url of before, for the HEAD route that it adds. */
function move (route: RouteOptions): void {
  route.url = route.url.replace('bookings', 'journeys')
}

interface Place { says: string, declare: (app: FastifyInstance) => unknown, asked: string }

const handler = async () => ''

const places: Place[] = [
  {
    says: 'at the root',
    declare: (app) => {
      app.addHook('onRoute', move)
      declareBookings(app)
    },
    asked: '/journeys/7'
  },
  {
    says: 'of a child context',
    declare: (app) => {
      app.register(async (context) => {
        context.addHook('onRoute', move)
        declareBookings(context)
      }, { prefix: '/api' })
    },
    asked: '/api/journeys/7'
  },
  {
    says: 'that moves a route onto the path of another',
    declare: (app) => {
      app.post('/journeys/:id', { name: 'taken' }, handler)
      app.addHook('onRoute', move)
      declareBookings(app)
    },
    asked: '/journeys/7'
  },
  {
    says: 'that replaces a parameter',
    declare: (app) => {
      app.addHook('onRoute', (route) => { route.url = route.url.replace(':id', ':id(^\\d+$)') })
      declareBookings(app)
    },
    asked: '/bookings/7'
  }
]

/** A route that answers with the link to itself, by its name and without. */
function declareBookings (app: FastifyInstance): void {
  app.get('/bookings/:id', { name: 'booking' }, async (_request, reply) => ({
    byName: reply.reverse('booking', { id: 7 }), self: reply.reverse()
  }))
}

for (const { says, declare, asked } of places) {
  t.test(`links follow an onRoute hook ${says}, or it is refused`, async (t) => {
    const app = Fastify()
    await app.register(versioning)
    const error = await failureOf(async () => {
      declare(app)
      await app.ready()
    })
    if (error !== null) return t.match(error, REFUSED)
    t.same((await app.inject(asked)).json(), { byName: asked, self: asked })
    t.equal(app.reverse('booking', { id: 7 }), asked)
    const url = app.namedRoutes.find(({ name }) => name === 'booking')?.url as string
    t.equal((await app.inject(url.replace(/:id.*/, '7'))).statusCode, 200)
  })
}

t.test('a parameter that an onRoute hook constrains is constrained in links as well, or it is refused', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  const error = await failureOf(async () => {
    places[3].declare(app)
    await app.ready()
  })
  if (error !== null) t.match(error, REFUSED)
  else t.throws(() => app.reverse('booking', { id: 'seven' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('versions choose among routes whose url a later onRoute hook changes, or it is refused', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.addHook('onRoute', move)
  const error = await failureOf(async () => {
    for (const version of ['v1', 'v2']) {
      app.get('/bookings', { version, name: `bookings-${version}` }, async (_request, reply) => (
        { version, link: reply.reverse(`bookings-${version}`) }
      ))
    }
    await app.ready()
  })
  if (error !== null) return t.match(error, REFUSED)
  for (const version of ['v1', 'v2']) {
    const url = `/journeys?version=${version}`
    t.same((await app.inject(url)).json(), { version, link: url })
  }
})

t.test('links follow an onRoute hook that was added before the plugin, or it is refused', async (t) => {
  const app = Fastify()
  app.addHook('onRoute', move)
  await app.register(versioning)
  const error = await failureOf(async () => {
    declareBookings(app)
    await app.ready()
  })
  if (error !== null) return t.match(error, REFUSED)
  t.same((await app.inject('/journeys/7')).json(), { byName: '/journeys/7', self: '/journeys/7' })
})

t.test('a later onRoute hook that keeps the url of a route changes nothing', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.addHook('onRoute', (route) => { route.config = { ...route.config } })
  declareBookings(app)
  t.same((await app.inject('/bookings/7')).json(), { byName: '/bookings/7', self: '/bookings/7' })
})
