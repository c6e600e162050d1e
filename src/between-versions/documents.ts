import { namesInPointer } from '../check/json.ts'
import { schemeOf } from '../context.ts'
import { pathIn } from '../openapi/operations.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Endpoints } from './endpoints.ts'

interface Operation {
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: object }>> }>>
}

/** By method and path in a document, without the names of parameters: the endpoint that is described there. */
type Keys = ReadonlyMap<string, string>

/** The keys of the endpoints of a version, in steps. */
export function * keysIn (endpoints: Endpoints, version: string): Generator<undefined, Keys> {
  const keys = new Map<string, string>()
  for (const [key, { method, routes }] of endpoints) {
    for (const path of routes.flatMap((route) => pathsOf(route, version))) keys.set(`${method} ${path}`, key)
    yield
  }
  return keys
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
  const [root, path = '', method = ''] = namesInPointer(at)
  return root === 'paths' ? keys.get(`${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`) ?? null : null
}

/** The endpoints whose answers a document describes: by a schema, or as nothing. */
export function * describedIn (document: object, keys: Keys): Generator<undefined, Set<string>> {
  const described = new Set<string>()
  const { paths = {} } = document as { readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses = {} }] of Object.entries(methods)) {
      const isDescribed = Object.entries(responses).some(([status, { content = {} }]) => status === '204' || (
        status.startsWith('2') && Object.values(content).some(({ schema = {} }) => Object.keys(schema).length > 0)
      ))
      const key = keys.get(`${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`)
      if (isDescribed && key !== undefined) described.add(key)
    }
    yield
  }
  return described
}
