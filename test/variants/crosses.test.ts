import t from 'tap'

import { compareTwins } from './twins.ts'

import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Api } from './twins.ts'

/** An error handler of the app: what it sends is downgraded. */
const own: RouteOptions['errorHandler'] = (error, request, reply) => {
  const { statusCode = 500, message } = error as { statusCode?: number, message: string }
  reply.code(statusCode).send({ statusCode, message: `${request.version}: ${message}` })
}
const asPromise = async (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
  const { statusCode = 500, message } = error as { statusCode?: number, message: string }
  reply.code(statusCode)
  return { statusCode, message: `own: ${message}` }
}
const format: RouteOptions['schemaErrorFormatter'] = ([error], part) => new Error(`${part} is wrong: ${error?.message}`)

const APIS: Record<string, Api> = {
  'nothing else': {},
  'an error handler of the route': { route: { errorHandler: own }, hasErrorHandler: true },
  'an error handler of the route that returns a promise': { route: { errorHandler: asPromise }, hasErrorHandler: true },
  'an error handler of the app': { prepare: (app) => { app.setErrorHandler(own) }, hasErrorHandler: true },
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
  'an onError hook': {
    prepare: (app) => {
      app.addHook('onError', async (request, reply, { message }) => {
        reply.header('x-error', `${message} ${JSON.stringify(request.params)}`)
      })
    }
  },
  'a reply that is hijacked': {
    route: {
      preHandler: async (request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'x-own': 'yes' }).end(JSON.stringify([request.body, request.params, request.query]))
      }
    }
  },
  'schemaErrorFormatter of the route': { route: { schemaErrorFormatter: format } },
  'schemaErrorFormatter of the context': { prepare: (app) => { app.setSchemaErrorFormatter(format) } },
  'schemaErrorFormatter of the server': { serverOptions: { schemaErrorFormatter: format } },
  attachValidation: {
    route: {
      attachValidation: true,
      preHandler: async ({ validationError }, reply) => {
        if (validationError) return await reply.code(422).send({ message: validationError.message })
      }
    }
  },
  bodyLimit: { route: { bodyLimit: 30 } },
  'Ajv with other options': { serverOptions: { ajv: { customOptions: { removeAdditional: 'all', allErrors: true } } } },
  'no HEAD routes': { serverOptions: { exposeHeadRoutes: false } },
  'a router that takes other spellings': {
    serverOptions: { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false, ignoreDuplicateSlashes: true } }
  },
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
  'a hook that refuses': {
    prepare: (app) => {
      app.addHook('preHandler', async () => { throw Object.assign(new Error('denied'), { statusCode: 403 }) })
    }
  },
  'onRoute hooks that wrap handlers, before and after the plugin': {
    before: (app) => { app.addHook('onRoute', wrap('x-before')) },
    prepare: (app) => { app.addHook('onRoute', wrap('x-after')) }
  },
  'an onSend hook that changes text': {
    prepare: (app) => {
      app.addHook('onSend', async (_request, _reply, payload) => (
        typeof payload === 'string' ? payload.replaceAll('Ada', 'Eve') : payload
      ))
    }
  }
}

function wrap (name: string) {
  return function wrapHandler (route: RouteOptions) {
    const { handler } = route
    route.handler = function (request, reply) {
      reply.header(name, JSON.stringify(request.params))
      return handler.call(this, request, reply)
    }
  }
}

for (const [label, api] of Object.entries(APIS)) {
  t.test(`an API with changes answers like one written by hand, with ${label}`, async (t) => {
    await compareTwins(t, api)
  })
}

t.test('an API with changes answers like one written by hand, with a timeout of the handler', async (t) => {
  const { setTimeout } = globalThis
  let elapse = () => {}
  t.teardown(() => { globalThis.setTimeout = setTimeout })
  // The time is up when the handler says so: never during a request that is refused before.
  globalThis.setTimeout = Object.assign((callback: () => void, ms: number) => {
    if (ms !== 20) return setTimeout(callback, ms)
    elapse = callback
    return setTimeout(() => {}, 0)
  }, setTimeout)
  const handler = async () => {
    elapse()
    return await new Promise(() => {})
  }
  await compareTwins(t, { route: { handlerTimeout: 20, handler } })
})
