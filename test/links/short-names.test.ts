import t from 'tap'

import { NamespaceVersioning, QueryParameterVersioning, routeTypes } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const settings: VersioningOptions = { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] }

/** Two teams, whose namespaces have a namespace for each version: `bookings:v1:list` is at `/bookings/v1/list`. */
async function appOfTeams (t: Test, options: VersioningOptions = settings): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  for (const team of ['bookings', 'rates']) {
    app.register(async (ofTeam) => {
      for (const version of ['v1', 'v2']) {
        ofTeam.register(async (inVersion) => {
          inVersion.get('/list', { name: 'list' }, async () => '')
          inVersion.get('/to', async (request, reply) => {
            const { name, version } = request.query as { name: string, version?: string }
            return reply.reverse(name, null, { version })
          })
          inVersion.register(async (inAdmin) => {
            inAdmin.get('/users', { name: 'users' }, async (request, reply) => (
              reply.reverse((request.query as { name: string }).name)
            ))
          }, { prefix: '/admin', namespace: 'admin' })
        }, { prefix: `/${version}`, namespace: version })
      }
    }, { prefix: `/${team}`, namespace: team })
  }
  await app.ready()
  return app
}

interface Linked { from: string, name: string, version?: string, to: string }

const linkeds: Linked[] = [
  { from: '/bookings/v1/to', name: 'list', to: '/bookings/v1/list' },
  { from: '/rates/v2/to', name: 'list', to: '/rates/v2/list' },
  { from: '/bookings/v1/to', name: 'list', version: 'v2', to: '/bookings/v2/list' },
  { from: '/bookings/v1/to', name: 'bookings:list', to: '/bookings/v1/list' },
  { from: '/rates/v2/to', name: 'bookings:list', to: '/bookings/v2/list' },
  { from: '/rates/v2/to', name: 'bookings:list', version: 'v1', to: '/bookings/v1/list' },
  { from: '/rates/v2/to', name: 'bookings:v1:list', to: '/bookings/v1/list' },
  { from: '/bookings/v1/to', name: 'admin:users', to: '/bookings/v1/admin/users' },
  { from: '/rates/v1/to', name: 'bookings:admin:users', to: '/bookings/v1/admin/users' },
  { from: '/bookings/v1/admin/users', name: 'list', to: '/bookings/v1/list' }
]

for (const { from, name, version = '', to } of linkeds) {
  t.test(`from ${from} the name ${name} ${version && `in ${version} `}leads to ${to}`, async (t) => {
    const app = await appOfTeams(t)
    const query = version === '' ? `name=${name}` : `name=${name}&version=${version}`
    t.equal((await app.inject(`${from}?${query}`)).body, to)
  })
}

t.test('outside a request a short name needs a version', async (t) => {
  const app = await appOfTeams(t)
  t.equal(app.reverse('bookings:list', null, { version: 'v2' }), '/bookings/v2/list')
  t.throws(() => app.reverse('bookings:list'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('list', null, { version: 'v2' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a version in front of a name wins over the option version', async (t) => {
  const app = await appWith(t, settings)
  const get = (context: FastifyInstance, path: string) => {
    context.get(path, { name: 'list' }, async (_request, reply) => [
      reply.reverse('list'), reply.reverse('bookings:list')
    ])
  }
  app.register(async (outer) => {
    get(outer, '/plain')
    outer.register(async (inner) => { get(inner, '/front') }, { namespace: 'bookings' })
  }, { namespace: 'v1' })
  app.register(async (outer) => {
    outer.register(async (inner) => { get(inner, '/inside') }, { namespace: 'v1' })
  }, { namespace: 'bookings' })
  await app.ready()
  t.same((await app.inject('/inside')).json(), ['/plain', '/front'])
})

t.test('a namespace that is not the version of its routes has no short name', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (outer) => {
    outer.get('/to', async (_request, reply) => reply.reverse('v2:list', null, { version: 'v1' }))
    outer.register(async (inner) => { inner.get('/list', { name: 'list' }, async () => '') }, { namespace: 'v1' })
  }, { namespace: 'v2' })
  await app.ready()
  t.equal((await app.inject('/to')).statusCode, 500)
})

t.test('short names are found by a list of schemes', async (t) => {
  const app = await appOfTeams(t, { ...settings, scheme: [NamespaceVersioning, QueryParameterVersioning] })
  t.equal((await app.inject('/bookings/v1/to?name=bookings:list')).body, '/bookings/v1/list')
  t.equal((await app.inject('/rates/v2/to?name=list')).body, '/rates/v2/list')
})

t.test('app.namedRoutes and the types have short names', async (t) => {
  const app = await appOfTeams(t)
  t.same(app.namedRoutes.map(({ name, shortName }) => [name, shortName]).slice(0, 2), [
    ['bookings:v1:list', 'bookings:list'], ['bookings:v1:admin:users', 'bookings:admin:users']
  ])
  t.match(routeTypes(app), /RequestNamedRoutes \{[^}]*'bookings:list': Record<string, never>/)
})
