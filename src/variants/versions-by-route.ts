import { expandOptional, shapeOf } from '../paths/pattern.ts'
import { schemeOf } from '../context.ts'
import { pathsOf } from '../routes.ts'
import { coverageOf, ownVersionsOf } from '../routing/coverage.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Route, Routes } from '../routes.ts'

/** The versions that a route serves. */
export interface Served {
  /** In release order. */
  readonly versions: readonly string[]
  /** Whether each method serves all of them. */
  readonly isSame: boolean
}

/** Which versions the routes that have been declared serve. */
export class VersionsByRoute {
  readonly #routes: Pick<Routes, 'list'>
  readonly #options: RouterOptions
  readonly #byShape = new Map<string, Route[]>()
  #length = 0

  constructor (routes: Pick<Routes, 'list'>, options: RouterOptions) {
    this.#routes = routes
    this.#options = options
  }

  /** The versions that a route serves, by any method, and that its scheme lists. */
  of (route: Route): Served {
    const allowed = schemeOf(route)?.allowedVersions ?? []
    const own = ownVersionsOf(route)
    const listed = allowed.filter((version): version is string => version !== null && own.includes(version))
    const isServedBy = coverageOf(this.#nextTo(route), this.#options)
    const versions = listed.filter((version) => (
      route.methods.some((method) => isServedBy(route, method, version))
    ))
    const isSame = versions.every((version) => (
      route.methods.every((method) => isServedBy(route, method, version))
    ))
    return { versions, isSame }
  }

  /** The routes that share a path with a route. */
  #nextTo (route: Route): readonly Route[] {
    const { list } = this.#routes
    for (; this.#length < list.length; this.#length++) {
      const one = list[this.#length]
      for (const shape of this.#shapesOf(one)) {
        const known = this.#byShape.get(shape)
        if (known === undefined) this.#byShape.set(shape, [one])
        else known.push(one)
      }
    }
    return [...new Set(this.#shapesOf(route).flatMap((shape) => this.#byShape.get(shape) as Route[]))]
  }

  #shapesOf (route: Route): readonly string[] {
    return pathsOf(route).flatMap(expandOptional).map((path) => shapeOf(path, this.#options))
  }
}
