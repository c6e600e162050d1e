import t from 'tap'

import { compareTwins } from './twins.ts'

import type { RouteOptions } from 'fastify'
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
