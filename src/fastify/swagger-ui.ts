import fp from 'fastify-plugin'

import type { FastifyInstance, RouteHandlerMethod } from 'fastify'

/**
 * Prepares a context for @fastify/swagger-ui where @fastify/swagger is not registered.
 *
 * The bet (@fastify/swagger-ui 5.0 to 6.1): it requires a plugin of this name, and sends the document of the app by two
 * routes of these paths, whose handlers are replaced here. A script at this path has its options.
 *
 * @param path of the page, prefix included
 * @param handlerOf returns the handler that sends the document
 * @param toScript makes the current script of the script at boot
 */
export async function standInForSwagger (
  context: FastifyInstance, path: string, handlerOf: (format: 'json' | 'yaml') => RouteHandlerMethod,
  toScript: (script: string) => string
): Promise<void> {
  await context.register(fp(async () => {}, { name: '@fastify/swagger' }))
  context.addHook('onRoute', (route) => {
    if (route.url === `${path}/json`) route.handler = handlerOf('json')
    if (route.url === `${path}/yaml`) route.handler = handlerOf('yaml')
    if (route.url === `${path}/static/swagger-initializer.js`) {
      route.onSend = async function updateScript (_request, _reply, script) { return toScript(script as string) }
    }
  })
}
