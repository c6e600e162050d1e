import { itemOf, namesInPointer } from '../check/json.ts'
import { operationsIn } from '../openapi/document.ts'
import { pathIn, shownOperations } from '../openapi/operations.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { endpointOf } from './endpoints.ts'

import type { Difference } from '../../types/check.d.ts'
import type { Item } from '../openapi/document.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Endpoints } from './endpoints.ts'

/** The endpoints of a version in its document. */
export interface DescribedEndpoints {
  /**
   * The keys of the endpoints by method and path. If a function of the user has made a copy of an operation, its path
   * is found without the names of parameters.
   */
  readonly keys: ReadonlyMap<string, string>
  /** The keys of the endpoints that the document shows. */
  readonly shown: ReadonlySet<string | null>
  /** The keys of the endpoints whose answers the document describes, by a schema or as empty. */
  readonly answered: ReadonlySet<string>
}

/** Finds the endpoints of a version in its document, in steps. */
export function * endpointsIn (
  document: object, endpoints: Endpoints, version: string
): Generator<undefined, DescribedEndpoints> {
  const keys = new Map<string, string>()
  for (const [key, { method, routes }] of endpoints) {
    for (const path of routes.flatMap((route) => pathsOf(route, version))) keys.set(`${method} ${path}`, key)
    yield
  }
  const shown = new Set<string | null>()
  const answered = new Set<string>()
  for (const { item, method, path } of operationsIn(document)) {
    const operation = shownOperations.get(item)
    if (operation !== undefined) {
      keys.set(`${method.toUpperCase()} ${path}`, endpointOf(operation.method, operation.record))
    }
    const key = keyAt(method, path, keys)
    shown.add(key)
    if (key !== null && isAnswered(item)) answered.add(key)
    yield
  }
  return { keys, shown, answered }
}

function isAnswered ({ responses = {} }: Partial<Item>): boolean {
  return Object.entries(responses).some(([status, { content = {} }]) => status === '204' || (
    status.startsWith('2') && Object.values(content as Record<string, { schema?: object }>)
      .some(({ schema = {} }) => Object.keys(schema).length > 0)
  ))
}

/** Returns the paths of a route in the document of a version, without the names of parameters. */
function pathsOf (route: Route, version: string): string[] {
  const { params } = route.scheme as Scheme
  return expandOptional(route.url).map((url) => {
    const param = namesOf(url).find((name) => params.includes(name)) ?? null
    return parsePath(pathIn(version, url, param)).texts.join('{}')
  })
}

/**
 * Tells whether a schema only lost its `additionalProperties`. Clients have nothing to do then, because Fastify sends
 * no property that a schema does not name. A path or a media type may have another version in the new document.
 */
export function isOnlyUnsaid (
  { at, message, schema }: Difference, document: object, from: string, to: string
): boolean {
  if (!message.endsWith(' is allowed now')) return false
  let holder: unknown = document
  for (const name of namesInPointer(schema?.at ?? at).slice(0, -1)) {
    const parts = name.split(from)
    const others = parts.slice(1).map((_part, i) => (
      parts.slice(0, i + 1).join(from) + to + parts.slice(i + 1).join(from)
    ))
    const there = [name, ...others].find((candidate) => Object.hasOwn(itemOf(holder), candidate))
    if (there === undefined) return false
    holder = itemOf(holder)[there]
  }
  return !Object.hasOwn(itemOf(holder), 'additionalProperties')
}

/** Tells whether the difference is only that the document describes an answer now. */
export function isOnlyUndescribed ({ at, message }: Difference, key: string | null, { answered }: DescribedEndpoints) {
  return /\/responses\/2[^/]*\/content\/[^/]+$/.test(at) && message.endsWith(' is new') && !answered.has(String(key))
}

/** Returns the key of the endpoint that a location in a document is at, or null. */
export function endpointAt (at: string, { keys }: DescribedEndpoints): string | null {
  const [root, path = '', method = '', further = ''] = namesInPointer(at)
  return root === 'paths' ? keyAt(method === 'additionalOperations' ? further : method, path, keys) : null
}

function keyAt (method: string, path: string, keys: DescribedEndpoints['keys']): string | null {
  const name = method.toUpperCase()
  return keys.get(`${name} ${path}`) ?? keys.get(`${name} ${path.replace(/\{[^{}]*\}/g, '{}')}`) ?? null
}
