import { declaredBefore } from '../fastify/declared-before.ts'
import { namesIn } from '../http/headers.ts'
import { toQueryParameter } from '../http/query.ts'
import { rootOf } from '../instances.ts'
import { pluginBefore, show, warn, warnOfSome, warnOnce } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { versionOf } from '../routing/slots.ts'

import type { FastifyInstance } from 'fastify'
import type { Unseen } from '../older-routes/unseen.ts'
import type { VersioningContext, Warned } from '../context.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Route, Versioned } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

const MAX_UNCHANGED = 10
/** Plugins whose hooks a refusal skips if they are loaded later, a test that sees each, and the effect. */
const EARLIER: readonly [name: string, isLoaded: (server: FastifyInstance) => boolean, effect: string][] = [
  ['@fastify/websocket', (server) => server.hasDecorator('websocketServer'), 'the connection of a refused upgrade ' +
    'stays open'],
  ['@fastify/cors', (server) => server.hasRequestDecorator('corsPreflightEnabled'), 'refusals lack its headers, so ' +
    'that browsers hide them']
]

/**
 * Warns of a default version that is allowed (SPEC.md, Base contract 4), although the list leaves it out, and of a
 * request header whose name has an underscore.
 */
export function warnScheme ({ allowedVersions, defaultVersion, varies }: Scheme, { others }: Warned): void {
  if (defaultVersion !== null && allowedVersions?.length && !allowedVersions.includes(defaultVersion)) {
    const message = `Add the default version ${show(defaultVersion)} to allowedVersions, ${show(allowedVersions)}. ` +
      'Requests get it and may ask for it, but it is missing from lists, ranges and documents.'
    warnOnce(others, 'FST_WARN_VERSION_DEFAULT', message)
  }
  for (const name of namesIn(varies ?? '').filter((name) => name.includes('_'))) {
    const message = `Write "${name.replaceAll('_', '-')}" instead of "${name}": nginx drops request headers with "_" ` +
      'in their name, so that every client behind it gets the default version, or a refusal.'
    warnOnce(others, 'FST_WARN_VERSION_HEADER', message)
  }
}

/** Warns of versions in the options of a `register()` under a name that the plugin does not read there. */
export function warnMisnamed (options: object, listed: readonly unknown[]): void {
  // An app that uses an option of the plugin means something else by these names.
  if ('version' in options || 'namespace' in options) return
  for (const name of ['versions', 'apiVersion', 'apiVersions', 'api_version']) {
    const value: unknown = Reflect.get(options, name)
    // Another plugin may have an option "versions" that is a text.
    const versions = name === 'versions' && !Array.isArray(value) ? [] : [value].flat()
    if (versions.length === 0 || !versions.every((version) => listed.includes(version))) continue
    warn('FST_WARN_VERSION_SETTINGS', `Write "version" instead of "${name}" into the options of register(), unless ` +
      `the plugin reads ${show(value)}: nothing else does, so the routes serve every version.`)
  }
}

/** Warns of a function in place of the options of a `register()`, if its source has options of the plugin. */
export function warnFunction (options: unknown): void {
  const hasOption = /(?<![\w$.-])(?:version|namespace|writtenFor)\s*[:,}]/
  // An object inside the options, such as "info" of documents, may have a version of its own.
  if (typeof options !== 'function' || !hasOption.test(String(options).replace(/[:[,]\s*\{[^{}]*\}/g, ''))) return
  warn('FST_WARN_VERSION_SETTINGS', 'Write the options of register() as an object, not as a function: Fastify calls ' +
    'the function too late, so "prefix", "version", "namespace" and "writtenFor" that it returns have no effect.')
}

/**
 * Returns an onReady hook that warns of EARLIER plugins, if they are loaded from now on.
 *
 * @param registrations all of the app, once it is ready
 */
export function lateWarner (
  server: FastifyInstance, registrations: readonly { readonly context: VersioningContext }[]
) {
  const missing = EARLIER.filter(([, isLoaded]) => !isLoaded(server))
  return async function warnLate (this: FastifyInstance): Promise<void> {
    if (registrations.every(({ context }) => context.scheme === null)) return
    // Hooks that the root gets later run for this context, too, which does not see the decorators of such a plugin.
    const servers = [this, rootOf(this) as FastifyInstance]
    for (const [name, , effect] of missing.filter(([, isLoaded]) => servers.some(isLoaded))) {
      warn('FST_WARN_VERSION_SETTINGS', `Register ${name} before fastify-versioning. Otherwise ${effect}.`)
    }
  }
}

/**
 * Warns of Fastify's own constraint where a scheme reads the same header: the router decides before the plugin. A route
 * that the plugin has not seen may have the constraint, too.
 */
export function warnConstraint (routes: readonly Route[], server: FastifyInstance): void {
  if (!server.hasConstraintStrategy('version')) return
  const reading = routes.filter(({ varies }) => namesIn((varies ?? '').toLowerCase()).includes('accept-version'))
  if (reading.length === 0) return
  const constrained = routes.find(({ constraints }) => constraints.version !== undefined)
  const label = constrained === undefined ? 'a route' : labelOf(constrained)
  const unfound = reading.find(({ constraints }) => constraints.version === undefined)
  const example = unfound === undefined ? '' : `, such as ${labelOf(unfound)}`
  warn('FST_WARN_VERSION_CONSTRAINT', 'Read another header than Accept-Version ("versionHeader", "defaultVersion", ' +
    `or a scheme of your own), because ${label} has Fastify's constraints.version: a request with the header finds ` +
    `only such routes, and gets a plain 404 at all others${example}.`)
}

/** Warns of `writtenFor` where there are no changes. */
export function warnWrittenFor (routes: readonly Route[]): void {
  const unread = routes.filter(({ context, isAdded, writtenFor }) => (
    writtenFor !== null && context.changes === null && !isAdded
  ))
  warnOfSome('FST_WARN_VERSION_SETTINGS', unread.map(labelOf), 'Remove "writtenFor", or set "changes": without ' +
    'changes, nothing reads it. The routes: %s.')
}

/** Warns of routes to which no request comes, because other routes serve all versions of their URL. */
export function warnUncalled (routes: readonly Route[]): void {
  const shown = routes.map((route) => `${labelOf(route)} (${versionOf(route)})`)
  warnOfSome('FST_WARN_VERSION_SETTINGS', shown, 'Remove these routes, or give them a version that no other route ' +
    'serves: other routes of the URL serve all allowed versions, so no request comes to %s.')
}

/** Returns the result of a parser for a query; undefined if it throws, because it may expect another syntax. */
function parsed (parse: (query: string) => unknown, query: string): unknown {
  try {
    return parse(query)
  } catch {
    return undefined
  }
}

/** Warns of a parser of the app whose results do not have the version as a text, such as a Map, or numbers. */
export function warnParser (routes: readonly Versioned[], { querystringParser: parse }: RouterOptions): void {
  if (parse === null) return
  const lost = routes.flatMap(({ scheme }) => scheme.members).filter(({ linkPlace }) => linkPlace === 'query')
    .flatMap(({ label, listedVersions, versionParam }) => listedVersions.flatMap((version) => {
      const sent = toQueryParameter(versionParam, version)
      const query = Object(parsed(parse, sent))
      const value = [query[versionParam]].flat().at(-1)
      const isText = typeof value === 'string' || (value === undefined && query.get === undefined)
      return isText ? [] : `${show(query)} for ${show(sent)}, where ${label} finds no version`
    }))
  warnOfSome('FST_WARN_VERSION_SETTINGS', lost.slice(0, 1), 'Return an object of texts from ' +
    '"querystringParser". It returns %s, so that requests get the default version, or a refusal.')
}

/** Warns of values that changes do not convert, because no schema describes them. */
export function warnUnchanged ({ routes, copies, renamed, faults, parts, replaced, leftOut }: Unseen): void {
  warnOfSome('FST_WARN_VERSION_RESPONSE', replaced.map(labelOf), 'Repeat the changes of the context around, as in ' +
    '"changes": [...outer, ...own]: a list replaces the one around it, which would convert these routes: %s.')
  warnOfSome('FST_WARN_VERSION_RESPONSE', leftOut.map(labelOf), 'Set "changes" in a context around all routes with ' +
    'the changed schemas, or to [] where nothing changed. Older versions of these routes get the newest schemas, ' +
    'because their context has no changes: %s.')
  // A schema that is used for errors alone, and for a class such as 4xx, is the error format of the app.
  const formats = [...parts].filter(([, all]) => {
    const names = [...all]
    return names.every((name) => /^response [45]/.test(name)) && names.some((name) => /xx$/i.test(name))
  })
  const undescribed = faults.filter(([, changed]) => formats.some(([id]) => changed.has(id)))
  warnOfSome('FST_WARN_VERSION_RESPONSE', undescribed.map(([route]) => labelOf(route)), 'Changes do not convert the ' +
    `errors of these routes, because no schema describes them (${undescribed.length}): %s. Write that of ` +
    'other routes under "4xx", or {} if nothing changed.', MAX_UNCHANGED)
  warnOfSome('FST_WARN_VERSION_RESPONSE', routes.map(labelOf), 'Changes do not convert the successful responses of ' +
    `these routes, because no schema describes them (${routes.length}): %s. Write a schema, or "response": { 200: ` +
    '{} } if nothing changed, { 204: {} } without a body. For routes of other plugins, use a context with "scheme": ' +
    'null.', MAX_UNCHANGED)
  warnOfSome('FST_WARN_VERSION_RESPONSE', copies, 'No change applies to these copies of changed schemas, because ' +
    `they lack the $id (${copies.length}): %s. Write a $ref to the schema, or give a copy its own $id and change.`,
  MAX_UNCHANGED)
  warnOfSome('FST_WARN_VERSION_RESPONSE', renamed, 'Older clients send these properties of requests by their old ' +
    `names, because a change renamed them only in responses (${renamed.length}): %s. Write a $ref to the changed ` +
    'schema, or change that of the request, too. If the property is another one, give its schema an $id.',
  MAX_UNCHANGED)
}

/**
 * Warns of routes that the app has already when the plugin is loaded. Fastify shows such routes as a drawing only.
 *
 * @returns whether there are any
 */
export function warnUnseenRoutes (server: FastifyInstance): boolean {
  const drawing = declaredBefore(server)
  if (drawing === null) return false
  warn('FST_WARN_VERSION_UNSEEN', 'Routes were declared before fastify-versioning was loaded: they have no version, ' +
    `and their options "name", "version" and "versioning" are not read. Write ${pluginBefore('these routes')}\n` +
    drawing)
  return true
}
