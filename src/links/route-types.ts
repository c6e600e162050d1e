import type { NamedRoute } from '../../types/index.d.ts'

const HEAD = `// The named routes of this app, as routeTypes() of fastify-versioning writes them.
import 'fastify-versioning'

declare module 'fastify-versioning' {
  interface NamedRoutes {
`
const FOOT = `  }
}
`
const IDENTIFIER = /^[a-z_$][\w$]*$/i

/**
 * The named routes of an app as TypeScript source: written to a file of the app, it lets `reverse` accept only names
 * that exist, with exactly their parameters.
 *
 * @param app the app, or any context of it, once its routes are declared
 * @returns a module, one line a name, sorted by name: the same routes make the same text
 */
export function routeTypes (app: { readonly namedRoutes: readonly NamedRoute[] }): string {
  const routes = new Map<string, NamedRoute[]>()
  for (const route of app.namedRoutes) {
    add(routes, route.name, route)
    if (route.shortName !== null) add(routes, route.shortName, route)
  }
  const lines = [...routes].sort(byName).map(([name, some]) => `    ${toKey(name)}: ${shapesOf(some)}\n`)
  return HEAD + lines.join('') + FOOT
}

function add (routes: Map<string, NamedRoute[]>, name: string, route: NamedRoute): void {
  routes.set(name, [...routes.get(name) ?? [], route])
}

/** What the routes of one name take. */
function shapesOf (routes: readonly NamedRoute[]): string {
  const names = new Set(routes.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  return [...new Set(routes.map((route) => shapeOf(route, names)))].sort().join(' | ')
}

/** What one of them takes, and that it takes nothing of what the others do. */
function shapeOf ({ parameters }: NamedRoute, names: ReadonlySet<string>): string {
  const own = parameters.map(({ name, optional }) => (
    optional ? `${toKey(name)}?: string | number | undefined` : `${toKey(name)}: string | number`
  ))
  const others = [...names].filter((name) => !parameters.some((parameter) => parameter.name === name)).sort()
  const members = [...own, ...others.map((name) => `${toKey(name)}?: never`)]
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join(', ')} }`
}

function byName ([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function toKey (text: string): string {
  if (IDENTIFIER.test(text)) return text
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
