import type { NamedRoute } from '../../types/index.d.ts'

const HEAD = `// The versions and the named routes of this app, as routeTypes() of fastify-versioning writes them.
import 'fastify-versioning'

declare module 'fastify-versioning' {
`
const FOOT = `}
`
const IDENTIFIER = /^[a-z_$][\w$]*$/i

/** What `routeTypes` reads of an app. */
interface Described {
  readonly namedRoutes: readonly NamedRoute[]
  readonly versions?: readonly { readonly version: string | null }[]
}

/**
 * The versions and the named routes of an app as TypeScript source: written to a file of the app, it lets options take
 * only versions that exist, and `reverse` only names that exist, with exactly their parameters.
 *
 * @param app the app, or any context of it, once its routes are declared
 * @returns a module, one line a version in release order, and one line a name, sorted by name: the same routes make the
 * same text
 */
export function routeTypes ({ namedRoutes, versions = [] }: Described): string {
  const names = new Map<string, NamedRoute[]>()
  const shortNames = new Map<string, NamedRoute[]>()
  for (const route of namedRoutes) {
    add(names, route.name, route)
    if (route.shortName !== null) add(shortNames, route.shortName, route)
  }
  // A request finds routes of both kinds under one name.
  for (const name of shortNames.keys()) names.get(name)?.forEach((route) => add(shortNames, name, route))
  const named = versions.flatMap(({ version }) => version ?? [])
  const interfaces = [
    ...named.length > 0 ? [toInterface('Versions', named.map((version) => `    ${toKey(version)}: true\n`))] : [],
    toInterface('NamedRoutes', linesOf(names)),
    ...shortNames.size > 0 ? [toInterface('RequestNamedRoutes', linesOf(shortNames))] : []
  ]
  return HEAD + interfaces.join('\n') + FOOT
}

function add (routes: Map<string, NamedRoute[]>, name: string, route: NamedRoute): void {
  routes.set(name, [...routes.get(name) ?? [], route])
}

function toInterface (name: string, lines: readonly string[]): string {
  return `  interface ${name} {\n${lines.join('')}  }\n`
}

function linesOf (routes: ReadonlyMap<string, readonly NamedRoute[]>): string[] {
  return [...routes].sort(byName).map(([name, some]) => `    ${toKey(name)}: ${shapesOf(some)}\n`)
}

/** The parameters of the routes of one name. */
function shapesOf (routes: readonly NamedRoute[]): string {
  const names = new Set(routes.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  return [...new Set(routes.map((route) => shapeOf(route, names)))].sort().join(' | ')
}

/** The parameters of one of them, and none of the others' parameters. */
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
