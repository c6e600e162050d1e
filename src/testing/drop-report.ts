import { Edition } from '../changes/edition.ts'
import { normalId } from '../changes/schema.ts'
import { changesIn, contextOf, findContext } from '../context.ts'
import { VersioningOptionError, mustBeIn } from '../errors.ts'
import { eventsOf } from '../events/events.ts'
import { functionsOf } from '../fastify/route-functions.ts'
import { registryOf } from '../links/registry.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { isServedBy, ownVersionsOf } from '../routing/coverage.ts'

import type { FastifyInstance } from 'fastify'
import type { DropReport } from '../../types/testing.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { Step, ValueStep } from '../changes/read-changes.ts'
import type { Route } from '../routes.ts'

/**
 * Returns what only one version of an app needs.
 *
 * @param app the app, or a context of it, once it is ready
 * @throws FST_ERR_VERSIONING_OPTION for a version that no route has, and before the app is ready
 */
export function dropReport (app: object, version: string): DropReport {
  const { routes } = Object(registryOf(Object(app))) as Partial<ReturnType<typeof registryOf>>
  if (routes?.isSettled !== true) {
    throw new VersioningOptionError('Await app.ready() before dropReport(): it needs all routes of an app in which ' +
      'you registered fastify-versioning.')
  }
  const list = routes.list.filter(({ isAdded }) => !isAdded)
  // An app may have only events and no routes, so the scheme of the app itself counts, too.
  const schemes = [...list.map(({ scheme }) => scheme), findContext(app)?.scheme]
  const orders = schemes.map((scheme) => scheme?.listedVersions ?? [])
  const versions = [...new Set([...orders, ...list.map(ownVersionsOf)].flat())].filter((name) => name !== null)
  mustBeIn(versions, 'version', `one of the versions ${show(versions)}`, version, 'retiring.md#delete-a-version')
  const handlers = list.filter((route) => servesOnly(route, version))
  const kept = list.filter((route) => !handlers.includes(route))
  const servers = [...new Set([app as FastifyInstance, ...list.map(({ server }) => server)])]
  const changes = [...new Set(servers.flatMap((server) => changesIn(server) ?? []))]
  const dropped = changes.flatMap(({ steps, versions: [oldest] }) => (
    oldest === version ? steps.filter(({ index }) => index === 1) : []
  ))
  const steps = changes.flatMap(({ steps }) => steps).filter((step) => !dropped.includes(step))
  const calls = callsIn(kept, version, orders.find(([oldest]) => oldest === version)?.[1])
  const older = new Set(orders.flatMap((order) => order.slice(0, Math.max(0, order.indexOf(version)))))
  const needed = referredIds(kept, steps, servers, [
    ...servers.flatMap((server) => eventsOf(server)?.map(({ schema }) => schema) ?? []),
    // A changed schema is still needed in its newest form.
    ...[...dropped, ...steps].flatMap(({ schemas }) => [...schemas.keys()].map(($ref) => ({ $ref })))
  ])
  return {
    version,
    handlers: handlers.map(labelOf),
    lists: kept.filter((route) => mayList(route, version)).map(labelOf),
    changes: dropped.flatMap(changesOf),
    schemas: [...referredIds(handlers, dropped, servers)].filter((id) => !needed.has(id)),
    options: [
      ...orders.some((order) => order.includes(version)) ? ['allowedVersions'] : [],
      ...schemes.some((scheme) => scheme?.defaultVersion === version) ? ['defaultVersion'] : [],
      ...servers.some((server) => contextOf(server)?.lifecycle?.has(version)) ? ['lifecycle'] : []
    ],
    calls,
    watched: kept.filter(({ observer }) => observer?.isRead === true).map(labelOf)
      .filter((label) => !calls.some(({ route }) => route === label)),
    stays: older.size === 0
      ? []
      : [
          `${show(version)} is not the oldest version: ${[...older].map(show).join(', ')} can still be asked for.`,
          ...new Set(changes.flatMap((some) => staysOf(some, version)))
        ]
  }
}

function servesOnly (route: Route, version: string): boolean {
  const isServed = (candidate: string | null) => route.methods.some((method) => isServedBy(route, method, candidate))
  const served = ownVersionsOf(route).filter(isServed)
  return served.length > 0 && served.every((name) => name === version)
}

/** Tells whether the option `version` of a route lists a version, or may have it at an end of its range. */
function mayList ({ claim }: Route, version: string): boolean {
  if (claim === null || !claim.versions.includes(version)) return false
  return claim.rank === Infinity || claim.versions[0] === version || claim.versions.at(-1) === version
}

/** Returns the changes of a step by what they change: the `$id` of a schema, or a part such as `bookings query`. */
function valuesOf ({ schemas, routes }: Step): Map<string, ValueStep> {
  const parts = [...routes].flatMap(([name, parts]) => [...parts].map(([part, step]) => (
    [`${name} ${part === 'querystring' ? 'query' : part}`, step] as const
  )))
  return new Map([...schemas, ...parts])
}

function changesOf (step: Step): DropReport['changes'] {
  return step.changes.map((read) => {
    const { version, description } = read.change
    const older = [...valuesOf(step)].filter(([, { change, written }]) => change === read && written !== undefined)
    return { version, description, schemas: older.map(([name]) => name) }
  })
}

/** Returns advice about the changes that older versions than this one still need. */
function staysOf ({ steps, versions }: Changes, version: string): string[] {
  const at = versions.indexOf(version)
  const [older, newer] = [at, at + 1].map((index) => steps.find((step) => at > 0 && step.index === index))
  const [before, next] = [versions[at - 1], versions[at + 1]].map(show)
  const advice = at === versions.length - 1
    ? `until handlers and schemas are written for ${before}`
    : `and give them the version ${next}`
  const twice = older && newer ? [...valuesOf(older).keys()].filter((name) => valuesOf(newer).has(name)) : []
  return [
    ...older ? [`Keep the changes of ${show(version)}, ${advice}.`] : [],
    ...newer ? [`Keep the changes of ${next}: they make the values of older versions, too.`] : [],
    ...twice.map((name) => `Make the two changes of ${show(name)} one change, whose functions call both.`)
  ]
}

/** Returns the `$id`s of the shared schemas that routes, older schemas and other schemas refer to, directly or not. */
function referredIds (
  routes: readonly Route[], steps: readonly Step[], servers: readonly FastifyInstance[], others: readonly unknown[] = []
): Set<string> {
  const edition = new Edition(new Map(servers.flatMap((server) => (
    Object.entries(server.getSchemas()).map(([id, schema]) => [normalId(id), schema])
  ))))
  const older = steps.flatMap((step) => [...valuesOf(step).values()].map(({ written }) => written))
  const ids = new Set<string>()
  for (const schema of [...routes.map(({ options: { schema } }) => schema), ...older, ...others]) {
    edition.has(schema, ({ document: { id } }) => {
      if (id !== null && edition.schemas.has(id)) ids.add(id)
      return false
    })
  }
  return ids
}

/** Finds calls in functions of routes that name a version, or a range from the next one, which will always be true. */
function callsIn (routes: readonly Route[], version: string, next = version): DropReport['calls'] {
  const [quoted, quotedNext] = [version, next].map((name) => `["'\`]${name.replace(/\W/g, '\\$&')}(?::\\w+)*["'\`]`)
  // Arguments may be calls themselves, up to four inside one another.
  const others = ['', '', ''].reduce((inner) => `(?:[^()]|\\(${inner}\\))*`, '[^()]*')
  const mentions = new RegExp(
    `(?:isVersion|reverse|event|upgrade|downgrade|merge)\\s*\\(${others}${quoted}${others}\\)|` +
    `isVersion\\(\\s*{\\s*from:\\s*${quotedNext}\\s*}\\s*\\)|version\\s*(?:[!=]==?|:)\\s*${quoted}|` +
    `${quoted}\\s*[!=]==?\\s*[\\w.]*version|case\\s*${quoted}|` +
    `\\[[^[\\]]*${quoted}[^[\\]]*\\]\\s*\\.includes\\([\\w.]*version\\b`, 'g'
  )
  const seen = new Set<unknown>()
  return routes.flatMap((route) => functionsOf(route).flatMap((routeFunction) => {
    const found = seen.has(routeFunction) ? [] : String(routeFunction).match(mentions) ?? []
    seen.add(routeFunction)
    return found.map((call) => ({ route: labelOf(route), call: call.replace(/\s+/g, ' ') }))
  }))
}
