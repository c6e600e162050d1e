import swagger from '@fastify/swagger'

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance, FastifyPluginCallback, RouteOptions } from 'fastify'
import type { OpenapiDocument } from '../../types/openapi.d.ts'

/**
 * Returns the document that @fastify/swagger makes of routes, with a stand-in for the app. In the app, it would show
 * each route once, and take the schemas of all contexts, so that the last schema with an `$id` would win.
 *
 * The bet (@fastify/swagger 9.0 to 9.9): as a plugin it calls `addHook`, `decorate` and `getSchemas` of the instance
 * and nothing else. Its onRoute hook takes in a route, and the function that it decorates makes the document.
 *
 * @param schemas by `$id`
 * @param yaml whether the document is a text
 */
export function swaggerDocumentOf (
  routes: readonly RouteOptions[], schemas: object, options: FastifyDynamicSwaggerOptions, yaml: boolean
): OpenapiDocument | string {
  const hooks: Record<string, (argument: unknown) => unknown> = {}
  const app = {
    addHook (name: string, hook: typeof hooks[string]) { hooks[name] = hook },
    decorate (_name: string, make: typeof hooks[string]) { hooks.make = make },
    getSchemas: () => schemas
  }
  ;(swagger as unknown as FastifyPluginCallback<object>)(app as unknown as FastifyInstance, options, () => {})
  for (const route of routes) hooks.onRoute(route)
  hooks.onReady(() => {})
  return hooks.make({ yaml }) as OpenapiDocument | string
}
