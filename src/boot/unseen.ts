import { expandOptional } from '../paths/pattern.ts'
import { pathsOf } from '../routes.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'

/** A route under one of its methods, as Fastify draws it. */
interface Drawn {
  /** Such as `GET /a {"host":"example.com"}`. */
  readonly label: string
  /** Method and path, whatever the parameters are called. */
  readonly endpoint: string
  /** The same with the constraints. */
  readonly key: string
}

/** A line of the drawing: how far it is indented, the branch of a node, and what follows. */
const LINE = /^((?:[│ ] {3})*)([├└]── )?(.*)$/
/** What follows the path of a node that has routes: methods, and constraints. */
const ROUTE = / \(([A-Z, -]+)\)(.*)$/
const ROOT = '(empty root node)'
const HOOKS = '• (onRequest)'

/**
 * The routes that the app has already. Fastify shows a plugin only the routes declared after it; of all routes there is
 * only a drawing.
 *
 * @param seen the routes that the plugin has seen in other contexts, which are left out
 */
export function unseenRoutes (server: FastifyInstance, seen: readonly Route[]): readonly Drawn[] {
  const known = new Set(seen.flatMap((route) => (
    pathsOf(route).flatMap(expandOptional).flatMap((path) => route.methods.map((method) => endpointOf(method, path)))
  )))
  return drawnIn(server.printRoutes()).filter(({ endpoint }) => !known.has(endpoint))
}

/**
 * The labels of the routes to which an onRequest hook applies. Call it when the app is ready.
 *
 * @param hook the name of the hook
 */
export function labelsWithHook (server: FastifyInstance, routes: readonly Drawn[], hook: string): string[] {
  const keys = new Set(drawnIn(server.printRoutes({ includeHooks: true }), hook).map(({ key }) => key))
  return routes.filter(({ key }) => keys.has(key)).map(({ label }) => label)
}

/** The routes of a drawing, without those for OPTIONS: @fastify/cors has one, and is best registered first. */
function drawnIn (drawing: string, hook?: string): readonly Drawn[] {
  const drawn: Drawn[] = []
  const path: string[] = []
  let last: readonly Drawn[] = []
  for (const line of drawing.split('\n')) {
    const [, indent, branch, text] = LINE.exec(line) as unknown as [string, string, string | undefined, string]
    const [routes, methods, constraints] = ROUTE.exec(text) ?? ['']
    if (branch !== undefined) {
      path.length = indent.length / 4
      path.push(text === ROOT ? '' : text.slice(0, text.length - routes.length))
    }
    if (methods !== undefined) last = drawnAt(path.join(''), methods, constraints)
    const isHooked = hook === undefined ? methods !== undefined : text.startsWith(HOOKS) && text.includes(`"${hook}()"`)
    if (isHooked) drawn.push(...last)
  }
  return drawn
}

function drawnAt (path: string, methods: string, constraints: string): readonly Drawn[] {
  return methods.split(', ').filter((method) => method !== 'OPTIONS').map((method) => {
    const endpoint = endpointOf(method, path)
    return { label: `${method} ${path}${constraints}`, endpoint, key: endpoint + constraints }
  })
}

/** The drawing has paths as the router keeps them: with all names of a parameter, and perhaps in lower case. */
function endpointOf (method: string, path: string): string {
  return `${method} ${path.replaceAll('::', '%3A').replace(/:[^/]*/g, ':').replaceAll('%3A', ':').toLowerCase()}`
}
