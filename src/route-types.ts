import type { NamedRoute } from '../types/index.d.ts'

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
  const shapes = new Map<string, Set<string>>()
  for (const route of app.namedRoutes) {
    add(shapes, route.name, shapeOf(route))
    if (route.shortName !== null) add(shapes, route.shortName, shapeOf(route))
  }
  const lines = [...shapes].sort(byName).map(([name, one]) => `    ${toKey(name)}: ${[...one].sort().join(' | ')}\n`)
  return HEAD + lines.join('') + FOOT
}

function add (shapes: Map<string, Set<string>>, name: string, shape: string): void {
  shapes.set(name, (shapes.get(name) ?? new Set()).add(shape))
}

function shapeOf ({ parameters }: NamedRoute): string {
  if (parameters.length === 0) return 'Record<string, never>'
  const members = parameters.map(({ name, optional }) => `${toKey(name)}${optional ? '?' : ''}: string | number`)
  return `{ ${members.join(', ')} }`
}

function byName ([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function toKey (text: string): string {
  if (IDENTIFIER.test(text)) return text
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
