import Fastify from 'fastify'
import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** An app with a constraint `tenant`, of whose values a request names one by its index in the header `X-Tenant`. */
async function appWith (values: readonly unknown[], isVersioned = true): Promise<FastifyInstance> {
  const app = Fastify()
  app.addConstraintStrategy({
    name: 'tenant',
    storage () {
      return new Map<unknown, unknown>()
    },
    deriveConstraint: ({ headers }: IncomingMessage) => values[Number(headers['x-tenant'])]
  } as never)
  if (isVersioned) await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  return app
}

function declare (app: FastifyInstance, mark: string, tenant: unknown, version?: string): void {
  const constraints = { tenant } as RouteShorthandOptions['constraints']
  app.get('/b', { ...constraints && { constraints }, ...version && { version } }, async () => mark)
}

async function ask (app: FastifyInstance, tenant: number, version: string): Promise<string | object> {
  const response = await app.inject({ url: `/b?version=${version}`, headers: { 'x-tenant': String(tenant) } })
  return response.statusCode === 200 ? response.body : response.json()
}

t.test('two functions are different values of a constraint', async (t) => {
  const tenants = [() => 'a', () => 'b']
  const app = await appWith(tenants)
  declare(app, 'a', tenants[0], 'v1')
  declare(app, 'b', tenants[1], 'v1')
  t.equal(await ask(app, 0, 'v1'), 'a')
  t.equal(await ask(app, 1, 'v1'), 'b')
})

/** The router tells instances that have a `toString` or a `valueOf` of their own by what these return. */
class Named {
  readonly #name: string

  constructor (name: string) { this.#name = name }

  toString (): string { return this.#name }
}

class Valued {
  readonly #value: number

  constructor (value: number) { this.#value = value }

  valueOf (): number { return this.#value }
}

const twos: [says: string, a: unknown, b: unknown][] = [
  ['functions', () => 'a', () => 'b'],
  ['symbols', Symbol('tenant'), Symbol('tenant')],
  ['instances with a private name', new Named('a'), new Named('b')],
  ['instances with a private value', new Valued(1), new Valued(2)],
  ['lists of functions', [() => 'a'], [() => 'b']],
  ['objects with symbols', { tenant: Symbol('tenant') }, { tenant: Symbol('tenant') }],
  ['objects whose fields look alike', { is: () => 'a' }, { is: () => 'b' }]
]

for (const [says, a, b] of twos) {
  t.test(`the router distinguishes two ${says}`, async (t) => {
    const app = await appWith([a, b], false)
    declare(app, 'a', a)
    t.doesNotThrow(() => declare(app, 'b', b))
  })

  t.test(`routes with two ${says} as constraints may serve the same version`, async (t) => {
    const app = await appWith([a, b])
    declare(app, 'a', a, 'v1')
    declare(app, 'b', b, 'v1')
    t.same([await ask(app, 0, 'v1'), await ask(app, 1, 'v1')], ['a', 'b'])
  })

  t.test(`routes with two ${says} as constraints each refuse the version of the other`, async (t) => {
    const app = await appWith([a, b])
    declare(app, 'a', a, 'v1')
    declare(app, 'b', b, 'v2')
    t.same([await ask(app, 0, 'v1'), await ask(app, 1, 'v2')], ['a', 'b'])
    t.match(await ask(app, 0, 'v2'), { code: 'FST_ERR_VERSION_NOT_FOUND', message: 'This URL is served in v1.' })
    t.match(await ask(app, 1, 'v1'), { code: 'FST_ERR_VERSION_NOT_FOUND', message: 'This URL is served in v2.' })
  })

  t.test(`an open route with one of two ${says} serves only the versions left under it`, async (t) => {
    const app = await appWith([a, b])
    declare(app, 'a', a, 'v1')
    declare(app, 'b', b)
    declare(app, 'rest', a)
    t.same([await ask(app, 0, 'v1'), await ask(app, 0, 'v2')], ['a', 'rest'])
    t.same([await ask(app, 1, 'v1'), await ask(app, 1, 'v2')], ['b', 'b'])
  })
}

/** The router compares only public fields of instances without their own text. */
class Hidden {
  readonly #name: string
  constructor (name: string) { this.#name = name }
  is (name: string): boolean { return this.#name === name }
}

const equals: [says: string, a: unknown, b: unknown][] = [
  ['strings', 'a', 'a'],
  ['instances with the same private name', new Named('a'), new Named('a')],
  ['instances of which the router sees nothing', new Hidden('a'), new Hidden('b')],
  ['objects with the same fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['regular expressions with the same source', /a/, /a/]
]

for (const [says, a, b] of equals) {
  t.test(`routes with two ${says}, equal for the router, cannot serve the same version`, async (t) => {
    const plain = await appWith([a, b], false)
    declare(plain, 'a', a)
    t.throws(() => declare(plain, 'b', b), { code: 'FST_ERR_DUPLICATED_ROUTE' })
    const app = await appWith([a, b])
    declare(app, 'a', a, 'v1')
    declare(app, 'b', b, 'v1')
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION', message: "Two routes GET /b claim version 'v1'."
    })
  })
}
