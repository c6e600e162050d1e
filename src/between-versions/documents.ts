import { namesInPointer } from '../check/json.ts'
import { schemeOf } from '../context.ts'
import { operationsIn } from '../openapi/document.ts'
import { pathIn, shownOperations } from '../openapi/operations.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { keyOf } from './endpoints.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Endpoints } from './endpoints.ts'

/**
 * The endpoint that is described in a document at a method and path; also by the path without the names of parameters,
 * if a function of the user has made a copy of the operation.
 */
type Keys = ReadonlyMap<string, string>

/** The keys of the endpoints of a version in its document, in steps. */
export function * keysIn (endpoints: Endpoints, version: string, document: object): Generator<undefined, Keys> {
  const keys = new Map<string, string>()
  for (const [key, { method, routes }] of endpoints) {
    for (const path of routes.flatMap((route) => pathsOf(route, version))) keys.set(`${method} ${path}`, key)
    yield
  }
  for (const { item, method, path } of operationsIn(document)) {
    const operation = shownOperations.get(item)
    if (operation !== undefined) keys.set(`${method.toUpperCase()} ${path}`, keyOf(operation.method, operation.record))
  }
  return keys
}

function keyAt (method: string, path: string, keys: Keys): string | null {
  const name = method.toUpperCase()
  return keys.get(`${name} ${path}`) ?? keys.get(`${name} ${path.replace(/\{[^{}]*\}/g, '{}')}`) ?? null
}

/** The paths of a route in the document of a version, without the names of parameters. */
function pathsOf (route: Route, version: string): string[] {
  const { params } = schemeOf(route) as Scheme
  return expandOptional(route.url).map((url) => {
    const param = namesOf(url).find((name) => params.includes(name)) ?? null
    return parsePath(pathIn(version, url, param)).texts.join('{}')
  })
}

/** The endpoint that a location in a document is at, or null. */
export function endpointAt (at: string, keys: Keys): string | null {
  const [root, path = '', method = '', other = ''] = namesInPointer(at)
  return root === 'paths' ? keyAt(method === 'additionalOperations' ? other : method, path, keys) : null
}

/** The endpoints whose answers a document describes: by a schema, or as nothing. */
export function * describedIn (document: object, keys: Keys): Generator<undefined, Set<string>> {
  const described = new Set<string>()
  for (const { item: { responses = {} }, method, path } of operationsIn(document)) {
    const isDescribed = Object.entries(responses).some(([status, { content = {} }]) => status === '204' || (
      status.startsWith('2') && Object.values(content as Record<string, { schema?: object }>)
        .some(({ schema = {} }) => Object.keys(schema).length > 0)
    ))
    const key = keyAt(method, path, keys)
    if (isDescribed && key !== null) described.add(key)
    yield
  }
  return described
}
