import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions, RouteOptions } from 'fastify'

/** What an app has besides its routes. */
export interface Setting {
  readonly serverOptions?: FastifyServerOptions
  /** Before the plugin is registered, and afterwards. A hook may answer with things of the newest version. */
  readonly before?: (app: FastifyInstance) => unknown
  readonly prepare?: (app: FastifyInstance, things: unknown) => unknown
  /** Where the routes are declared. */
  readonly within?: (app: FastifyInstance, declare: (app: FastifyInstance) => void) => void
  /** How the schema of a part is written. */
  readonly write?: (schema: object) => object
  /** Options of every route. */
  readonly route?: Partial<RouteOptions>
  /** Whether an error handler sends the same errors in all versions. */
  readonly hasErrorHandler?: boolean
}

const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const { statusCode = 500, message } = error as Error & { statusCode?: number }
  reply.code(statusCode).send({ statusCode, message: `${request.version}: ${message}` })
}
const schemaErrorFormatter: RouteOptions['schemaErrorFormatter'] = ([error], part) => (
  new Error(`${part} is wrong: ${error?.message}`)
)

export const SETTINGS = {
  none: {},
  errorHandlerOfRoute: { route: { errorHandler }, hasErrorHandler: true },
  errorHandlerOfContext: {
    within: (app, declare) => {
      app.register(async (child) => {
        child.setErrorHandler(errorHandler)
        declare(child)
      })
    },
    hasErrorHandler: true
  },
  notFoundHandler: {
    prepare: (app) => {
      app.setNotFoundHandler((request, reply) => { reply.code(404).send({ message: `nothing in ${request.version}` }) })
    }
  },
  errorFormatterOfRoute: { route: { schemaErrorFormatter } },
  errorFormatterOfContext: { prepare: (app) => app.setSchemaErrorFormatter(schemaErrorFormatter) },
  attachValidation: {
    route: {
      attachValidation: true,
      preHandler: async ({ validationError }, reply) => {
        if (validationError) return await reply.code(422).send({ message: validationError.message })
      }
    }
  },
  content: { write: (schema) => ({ description: 'A part.', content: { 'application/json': { schema } } }) },
  fluent: { write: (schema) => ({ isFluentSchema: true, valueOf: () => schema }) },
  otherAjv: { serverOptions: { ajv: { customOptions: { removeAdditional: 'all', allErrors: true } } } },
  lateContext: {
    within: (app, declare) => {
      app.register(async (child) => {
        await app.hasPlugin('none')
        child.register(async (inner) => declare(inner))
      })
    }
  },
  earlyAnswer: {
    prepare: (app, things) => app.addHook('preHandler', async (_request, reply) => await reply.send(things))
  },
  otherText: {
    prepare: (app) => app.addHook('onSend', async (_request, _reply, payload) => (
      typeof payload === 'string' ? payload.replaceAll('7', '8') : payload
    ))
  }
} satisfies Record<string, Setting>
