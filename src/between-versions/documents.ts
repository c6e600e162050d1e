import { namesInPointer } from '../check/json.ts'
import { schemeOf } from '../context.ts'
import { pathIn } from '../openapi/operations.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'

import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Difference } from '../../types/check.d.ts'
import type { Endpoints } from './endpoints.ts'

interface Operation {
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: object }>> }>>
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The documents of two versions, and the endpoints that they describe. */
export class Described {
  readonly differences: Difference[] = []
  /** In either version, by method and path without the names of parameters: the key of the endpoint. */
  readonly #keys: readonly ReadonlyMap<string, string>[]
  /** In either version, the keys of endpoints whose answers the document describes. */
  readonly #described: readonly ReadonlySet<string | null>[]

  /** @param versions each with its document and its endpoints */
  constructor (versions: readonly (readonly [version: string, document: Document, Endpoints])[]) {
    this.#keys = versions.map(([version, , endpoints]) => {
      const keys = [...endpoints].flatMap(([key, { method, routes }]) => (
        routes.flatMap((route) => pathsOf(route, version)).map((path) => [`${method} ${path}`, key] as const)
      ))
      return new Map(keys)
    })
    this.#described = versions.map(([, { paths = {} }], i) => new Set(
      Object.entries(paths).flatMap(([path, methods]) => (
        Object.entries(methods).filter(([, operation]) => isDescribed(operation))
          .map(([method]) => this.#keyIn(i, path, method))
      ))
    ))
  }

  /** The endpoint that a difference is at, or null. */
  keyOf ({ at }: Difference): string | null {
    const [root, path = '', method = ''] = namesInPointer(at)
    if (root !== 'paths') return null
    return this.#keyIn(0, path, method) ?? this.#keyIn(1, path, method)
  }

  /** Whether both documents describe what an endpoint answers. */
  hasBoth (key: string): boolean {
    return this.#described.every((keys) => keys.has(key))
  }

  #keyIn (i: number, path: string, method: string): string | null {
    return this.#keys[i].get(`${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`) ?? null
  }
}

/** The paths of a route in the document of a version, without the names of parameters. */
function pathsOf (route: Route, version: string): string[] {
  const { params } = schemeOf(route) as Scheme
  return expandOptional(route.url).map((url) => {
    const param = namesOf(url).find((name) => params.includes(name)) ?? null
    return parsePath(pathIn(version, url, param)).texts.join('{}')
  })
}

/** Whether an operation says what it answers: a schema, or that there is nothing. */
function isDescribed ({ responses = {} }: Operation): boolean {
  return Object.entries(responses).some(([status, { content = {} }]) => status === '204' || (
    status.startsWith('2') && Object.values(content).some(({ schema = {} }) => Object.keys(schema).length > 0)
  ))
}
