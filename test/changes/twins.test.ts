import websocket from '@fastify/websocket'
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'

import { changing, schemeNames } from '../../fuzz/changes/changes.ts'
import { QueryParameterVersioning } from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'
import { appInOrder, orders } from '../neighbours/orders.ts'
import { Booking, EXAMPLES, VERSIONS, guests, room } from './bookings.ts'
import { compareTwins } from './twins.ts'

import type { RouteOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Api } from './twins.ts'

/** An error handler of the app: what it sends is downgraded. */
const own: RouteOptions['errorHandler'] = (error, request, reply) => {
  const { statusCode = 500, message } = error as { statusCode?: number, message: string }
  reply.code(statusCode).send({ statusCode, message: `${request.version}: ${message}` })
}
const format: RouteOptions['schemaErrorFormatter'] = ([error], part) => new Error(`${part} is wrong: ${error?.message}`)

const APIS: Record<string, Api> = {
  'nothing else': {},
  'an error handler of the route': { route: { errorHandler: own }, hasErrorHandler: true },
  'an error handler of the context': {
    within: (app, declare) => {
      app.register(async (child) => {
        child.setErrorHandler(own)
        declare(child)
      })
    },
    hasErrorHandler: true
  },
  'a not-found handler': {
    prepare: (app) => {
      app.setNotFoundHandler((request, reply) => { reply.code(404).send({ message: `nothing in ${request.version}` }) })
    }
  },
  'schemaErrorFormatter of the route': { route: { schemaErrorFormatter: format } },
  'schemaErrorFormatter of the context': { prepare: (app) => { app.setSchemaErrorFormatter(format) } },
  attachValidation: {
    route: {
      attachValidation: true,
      preHandler: async ({ validationError }, reply) => {
        if (validationError) return await reply.code(422).send({ message: validationError.message })
      }
    }
  },
  'Ajv with other options': { serverOptions: { ajv: { customOptions: { removeAdditional: 'all', allErrors: true } } } },
  'a context in a context that loads later': {
    within: (app, declare) => {
      app.register(async (child) => {
        await app.hasPlugin('none')
        child.register(async (inner) => declare(inner))
      })
    }
  },
  'a hook that answers before the handler': {
    prepare: (app) => {
      app.addHook('preHandler', async (_request, reply) => (
        await reply.send({ guests: ['Eve'], room: { number: 1 }, secret: true })
      ))
    }
  },
  'an onSend hook that changes text': {
    prepare: (app) => {
      app.addHook('onSend', async (_request, _reply, payload) => (
        typeof payload === 'string' ? payload.replaceAll('Ada', 'Eve') : payload
      ))
    }
  }
}

for (const [label, api] of Object.entries(APIS)) {
  t.test(`an API with changes answers like one written by hand, with ${label}`, async (t) => {
    await compareTwins(t, api)
  })
}

const { seed = 0 } = fc.readConfigureGlobal()
for (const [i, scheme] of schemeNames.entries()) {
  t.test(`an API with changes answers and is documented like one written by hand, under ${scheme}`, async () => {
    const cases = changing.cases.map((one) => ({ ...one as object, scheme }))
    await fc.assert(fc.asyncProperty(cases, async (one) => { await changing.check(one as never) }), {
      numRuns: tries(2), seed: seed + i
    })
  })
}

// Websockets

const schema = { response: { 200: { $ref: 'Booking#' } } }
const feed = (socket: WebSocket) => { socket.send(JSON.stringify(EXAMPLES.v3)) }
const options = { scheme: QueryParameterVersioning, allowedVersions: VERSIONS, changes: [guests, room] }

for (const order of orders) {
  t.test(`a websocket route that no change touches works next to older routes, with websocket ${order}`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(websocket))
    app.addSchema(Booking)
    app.get('/bookings', { schema }, async () => EXAMPLES.v3)
    app.get('/feed', { websocket: true }, feed)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const client = new WebSocket(`ws://127.0.0.1:${port}/feed?version=v1`)
    const [message] = await once(client, 'message')
    client.terminate()
    t.same(JSON.parse(String(message)), EXAMPLES.v3)
    for (const version of VERSIONS) {
      t.same((await app.inject(`/bookings?version=${version}`)).json(), EXAMPLES[version], version)
    }
  })

  for (const route of [{ websocket: true, handler: feed }, { wsHandler: feed, handler: async () => EXAMPLES.v3 }]) {
    t.test(`a route with ${Object.keys(route)[0]} that a change touches is refused, with it ${order}`, async (t) => {
      const app = await appInOrder(t, order, options, (app) => app.register(websocket))
      app.addSchema(Booking)
      app.route({ method: 'GET', url: '/feed', schema, ...route } as unknown as RouteOptions)
      await t.rejects(async () => { await app.ready() }, {
        message: /^Change 'v3' \(A room has .*, GET \/feed, messages: websockets are not converted/
      })
    })
  }
}
