import t from 'tap'

import versioning, { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningSchemeClass } from '../../types/index.d.ts'

class Slow extends BaseVersioning {
  override async determineVersion ({ query }: FastifyRequest) {
    return this.permit((query as { version: string }).version)
  }
}

interface Order { says: string, scheme: VersioningSchemeClass, order: string[] }

const orders: Order[] = [
  { says: 'is synchronous does not delay the next hook', scheme: QueryParameterVersioning, order: ['next', 'turn'] },
  { says: 'returns a promise delays the next hook', scheme: Slow, order: ['turn', 'next'] }
]

for (const { says, scheme, order } of orders) {
  t.test(`a scheme that ${says}`, async (t) => {
    const happened: string[] = []
    const app = bareApp(t)
    app.addHook('onRequest', (_request, _reply, done) => {
      queueMicrotask(() => happened.push('turn'))
      done()
    })
    await app.register(versioning, { scheme })
    app.addHook('onRequest', (_request, _reply, done) => {
      happened.push('next')
      done()
    })
    app.get('/', async (request) => request.version)
    t.equal((await app.inject('/?version=v1')).body, 'v1')
    t.same(happened, order)
  })
}
