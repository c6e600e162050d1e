import { isDeepStrictEqual } from 'node:util'

import { appOf } from '../boot/app.ts'
import { jsonOf } from '../changes/json.ts'
import { changesIn } from '../context.ts'

import type { FastifyInstance } from 'fastify'
import type { ReadChange } from '../changes/read-changes.ts'
import type { AppEvent } from '../events/events.ts'
import type { Route } from '../routes.ts'

/** A change that applies to an endpoint between two versions. */
export interface AppliedChange {
  readonly read: ReadChange
  readonly version: string
  readonly description: string
  /** The context whose routes the change applies to. */
  readonly server: FastifyInstance
  /** The parts that the change alters, such as `body` or `response 200`. The list is empty if nobody knows them. */
  readonly parts: readonly string[]
}

/** Returns the changes between two versions that apply to a route of an endpoint, oldest first. */
export function changesBetween (method: string, routes: readonly Route[], from: string, to: string): AppliedChange[] {
  const applied = new Map<ReadChange, AppliedChange>()
  for (const route of routes) {
    const { server, url } = route
    const changes = changesIn(server)
    if (changes === null) continue
    const [start, end] = [from, to].map((version) => changes.versions.indexOf(version))
    const described = appOf(server).olderRoutes.describe(changes)
    for (const [i, read] of changes.list.entries()) {
      const isApplied = described[i].routes.some((each) => (
        each.url === url && (each.method === method || route.isAdded)
      ))
      if (!isApplied || read.index <= start || read.index > end || applied.has(read)) continue
      applied.set(read, toApplied(read, server, alteredParts(route, read)))
    }
  }
  return [...applied.values()].reverse()
}

/** Returns the changes between two versions that apply to an event, oldest first. */
export function changesOfEvent ({ older, server }: AppEvent, from: string, to: string): AppliedChange[] {
  const changes = older.byVersion?.get(from)?.changes ?? []
  const end = changesIn(server)?.versions.indexOf(to) ?? -1
  return changes.filter(({ index }) => index <= end).map((read) => toApplied(read, server)).reverse()
}

/** Returns the changes between two versions of values that the app itself converts, oldest first. */
export function changesOutside (server: FastifyInstance, from: string, to: string): AppliedChange[] {
  const { list = [], versions = [] } = changesIn(server) ?? {}
  const [start, end] = [from, to].map((version) => versions.indexOf(version))
  return list.filter(({ change: { schemas = {} }, index }) => (
    index > start && index <= end && Object.values(schemas).some(({ outside }) => outside)
  )).map((read) => toApplied(read, server)).reverse()
}

function toApplied (read: ReadChange, server: FastifyInstance, parts: readonly string[] = []): AppliedChange {
  const { version, description } = read.change
  return { read, version, description, server, parts }
}

/** Returns the parts of a route that a change alters in an older version. A response has one part for each status. */
function alteredParts ({ name, older: { byVersion } }: Route, read: ReadChange): string[] {
  const altered = [...byVersion?.values() ?? []].flatMap(({ parts, renamed }) => [...parts].filter(([, part]) => (
    [...part.values()].some(({ moves }) => moves.some(({ steps }) => steps.some(({ change }) => change === read)))
  )).flatMap(([part]) => [part, renamed.get(part) ?? part]))
  const moved = Object.entries(read.change.routes?.[name ?? '']?.response ?? {}).flatMap(([key, { status }]) => (
    status === undefined ? [] : [`response ${key.toLowerCase()}`, `response ${status}`]
  ))
  return [...new Set([...altered, ...moved])]
}

/**
 * Tells what a change does between two versions, as the examples in its schemas show, with and without each of their
 * properties. A change `adds` if older values are newer values without some properties. It does nothing if a later
 * change takes it back. A change of requests, or one that no example shows, `alters`.
 */
export function effectOf ({ read, server }: AppliedChange, from: string, to: string): 'none' | 'adds' | 'alters' {
  const { routes = {}, schemas = {} } = read.change
  const around = changesIn(server)?.versions.slice(read.index - 1, read.index + 1) as string[]
  const ids = Object.keys(schemas)
  const isShown = ids.every((id) => examplePairs(server, id, around).some((pair) => !isDeepStrictEqual(...pair)))
  const isUpgraded = Object.values(schemas).some(({ upgrade }) => upgrade !== undefined)
  if (!isShown || isUpgraded || Object.keys(routes).length > 0) return 'alters'
  const pairs = ids.flatMap((id) => examplePairs(server, id, [from, to]))
  if (!pairs.every(([before, after]) => before !== undefined && isPartOf(before, after))) return 'alters'
  return pairs.every((pair) => isDeepStrictEqual(...pair)) ? 'none' : 'adds'
}

/** Returns the examples of a shared schema, with and without each of their properties, as two versions have them. */
function examplePairs (server: FastifyInstance, id: string, versions: readonly string[]): Array<[unknown, unknown]> {
  const values = examplesOf(server, id).flatMap((value) => [value, ...withoutEach(value)])
  return values.map((value) => versions.map((version) => exampleIn(server, id, value, version)) as [unknown, unknown])
}

export function examplesOf (server: FastifyInstance, id: string): readonly unknown[] {
  const { examples } = Object(server.getSchema(id)) as { readonly examples?: unknown }
  return Array.isArray(examples) ? examples : []
}

function withoutEach (example: unknown): object[] {
  const fields = Object.entries(Object(example) as object)
  return fields.map((left) => Object.fromEntries(fields.filter((field) => field !== left)))
}

/** Returns a value of a shared schema as a version has it, or undefined if a function refuses the value. */
export function exampleIn (server: FastifyInstance, id: string, value: unknown, version: string): unknown {
  try {
    return server.downgrade(id, value, version)
  } catch {
    return undefined
  }
}

/**
 * Tells whether a value of JSON is another value without some properties.
 *
 * @param seen the objects that have been compared, because a value may lead back to itself
 */
export function isPartOf (part: unknown, whole: unknown, seen = new Map<unknown, unknown>()): boolean {
  if (Object.is(part, whole)) return true
  const [inner, outer] = [jsonOf(part), jsonOf(whole)]
  if (typeof inner !== 'object' || inner === null || typeof outer !== 'object' || outer === null) return inner === outer
  if (seen.get(part) === whole) return true
  const isList = Array.isArray(inner)
  if (isList !== Array.isArray(outer) || (isList && inner.length !== (outer as unknown[]).length)) return false
  seen.set(part, whole)
  return Object.entries(inner).every(([name, value]) => {
    const there: unknown = Object.hasOwn(outer, name) ? (outer as Record<string, unknown>)[name] : undefined
    // JSON writes null for an undefined item of a list.
    return value === undefined || isPartOf(value, isList ? there ?? null : there, seen)
  })
}
