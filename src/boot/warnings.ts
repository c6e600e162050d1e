import { rootOf } from '../context.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { warn } from '../requests/warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { Warned } from '../context.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/base.ts'

const MAX_SHOWN = 5
/** A list of methods in what Fastify prints, other than the route of @fastify/cors, which is best registered first. */
const METHODS = /\((?!OPTIONS\))[A-Z-]+(?:, [A-Z-]+)*\)/

/** Warns of a default version that is allowed (SPEC.md, Base contract 4), although the list leaves it out. */
export function warnDefault ({ defaultVersion, allowedVersions }: Scheme, { others }: Warned): void {
  const isListed = !allowedVersions?.length || allowedVersions.includes(defaultVersion)
  const message = `The default version ${show(defaultVersion)} is not in allowedVersions, ` +
    `${show(allowedVersions)}: it is the version of a request without one, and allowed for one that specifies it.`
  if (defaultVersion === null || isListed || others.has(message)) return
  others.add(message)
  warn('FST_WARN_VERSION_DEFAULT', message)
}

/**
 * Warns of routes that the app has already when the plugin is loaded. Fastify shows them as a drawing only.
 *
 * @returns whether there are any
 */
export function warnUnseenRoutes (server: FastifyInstance): boolean {
  const drawing = rootOf(server) === server ? server.printRoutes() : ''
  if (!METHODS.test(drawing)) return false
  warn('FST_WARN_VERSION_UNSEEN', 'Routes were declared before fastify-versioning was loaded: they have no version, ' +
    `and their options "name", "version" and "versioning" are not read. Await its registration first.\n${drawing}`)
  return true
}

/** Warns of routes whose prefix has a version that no namespace says, where the version is a namespace. */
export function warnPrefixes (routes: readonly Route[]): void {
  const forgotten = routes.filter(({ isAdded, methods, namespace, scheme, server }) => (
    !isAdded && methods[0] !== 'OPTIONS' && scheme?.readsNamespaces && scheme.listedVersions.length > 0 &&
    scheme.versionIn(namespace.names) === null &&
    server.prefix.split('/').some((segment) => segment !== '' && scheme.allows(segment))
  ))
  if (forgotten.length === 0) return
  const labels = [...new Set(forgotten.map(labelOf))]
  const more = labels.length > MAX_SHOWN ? ` and ${labels.length - MAX_SHOWN} more` : ''
  warn('FST_WARN_VERSION_PREFIX', 'A segment of their prefix is an allowed version, but no namespace of these routes ' +
    `is: ${labels.slice(0, MAX_SHOWN).join(', ')}${more}. Give the option "namespace" next to "prefix".`)
}
