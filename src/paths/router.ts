import FindMyWay from 'find-my-way'

import type { HTTPVersion, Instance } from 'find-my-way'
import type { RouterOptions } from '../fastify/router-options.ts'

export type Router = Instance<HTTPVersion.V1>

/** Returns a router with these paths alone, for GET, which reads URLs as the router of the app does. */
export function routerOf (paths: readonly string[], { querystringParser, ...options }: RouterOptions): Router {
  const router = FindMyWay({ ...options, ...querystringParser && { querystringParser }, allowUnsafeRegex: true })
  for (const path of paths) router.on('GET', path, Function.prototype as () => void)
  return router
}
