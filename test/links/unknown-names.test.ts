import Fastify from 'fastify'
import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance } from 'fastify'

t.test('the error about an unknown name does not mention routes declared before if there are none', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  t.throws(() => app.reverse('booking'), {
    code: 'FST_ERR_NO_REVERSE_MATCH', message: /^No route is named 'booking'\.(?!.*declared before)/
  })
})

const MISSED = /Routes declared before fastify-versioning was loaded/

function messageOf (link: () => string): string {
  try {
    return link()
  } catch (error) {
    return (error as Error).message
  }
}

interface Unknown { says: string, declare: (app: FastifyInstance) => unknown, isMissed: boolean }

const unknowns: Unknown[] = [
  { says: 'an app without routes', declare: (app) => app.register(versioning), isMissed: false },
  {
    says: 'an app without a similar name',
    declare: async (app) => {
      await app.register(versioning)
      app.get('/rooms', { name: 'rooms' }, async () => '')
    },
    isMissed: false
  },
  {
    says: 'an app with a similar name',
    declare: async (app) => {
      await app.register(versioning)
      app.get('/bookings', { name: 'bookings' }, async () => '')
    },
    isMissed: false
  },
  {
    says: 'an app with the name in a namespace',
    declare: async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning })
      app.register(async (v1) => {
        v1.get('/', { name: 'booking' }, async () => '')
      }, { prefix: '/v1', namespace: 'v1' })
    },
    isMissed: false
  },
  {
    says: 'an app with a route declared before',
    declare: (app) => {
      app.register(versioning)
      app.get('/bookings', { name: 'booking' }, async () => '')
    },
    isMissed: true
  },
  {
    says: 'an app with a context loaded before',
    declare: (app) => {
      app.register(async (context) => { context.get('/bookings', { name: 'booking' }, async () => '') })
      app.register(versioning)
    },
    isMissed: true
  }
]

for (const { says, declare, isMissed } of unknowns) {
  t.test(`the error about a name in ${says} ${isMissed ? 'mentions' : 'omits'} routes declared before`, async (t) => {
    const app = Fastify()
    await declare(app)
    await app.ready()
    const message = messageOf(() => app.reverse('booking'))
    t.match(message, /^No route is named 'booking'\./)
    t.equal(MISSED.test(message), isMissed, message)
  })
}

t.test('the error about an unknown name in a request omits routes declared before if there are none', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.get('/', { name: 'root' }, async (_request, reply) => reply.reverse('rot'))
  t.equal((await app.inject('/?version=v1')).json().message, "No route is named 'rot'. Did you mean 'root'?")
})
