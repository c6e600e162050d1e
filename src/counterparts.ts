/** The names of a namespace, outermost first, and the prefix of the context that has it. */
export interface Namespace {
  readonly names: readonly string[]
  readonly prefix: string
}

interface Route {
  readonly methods: readonly string[]
  readonly path: string
  readonly namespace: Namespace
}

/**
 * Routes by their place within their namespace, so that a resource without a name is found in another one:
 * `/v1/bookings` in the namespace `v1` with the prefix `/v1` is `/v2/bookings` in the namespace `v2` with `/v2`.
 */
export class Counterparts {
  readonly #routes: Route[] = []
  readonly #places = new Map<string, Route[]>()
  /** How many of the routes have been put into their places: none before somebody asks. */
  #indexed = 0

  /** @param path the path as Fastify registers it, prefix included */
  add (methods: readonly string[], path: string, namespace: Namespace): void {
    this.#routes.push({ methods, path, namespace })
  }

  /**
   * The path that stands in another namespace as one does in its own; of several the one that ends most like it.
   *
   * @param namespace where `path` is
   * @param other the names of the other namespace
   * @returns undefined where there is none
   */
  find (method: string, path: string, namespace: Namespace, other: readonly string[]): string | undefined {
    this.#index()
    const routes = this.#places.get(placeOf(path, namespace.prefix, other)) ?? []
    const paths = routes.filter(({ methods }) => methods.includes(method)).map((route) => route.path)
    return paths.sort((a, b) => commonEnd(b, path) - commonEnd(a, path))[0]
  }

  #index (): void {
    for (; this.#indexed < this.#routes.length; this.#indexed++) {
      const route = this.#routes[this.#indexed]
      const place = placeOf(route.path, route.namespace.prefix, route.namespace.names)
      this.#places.set(place, [...this.#places.get(place) ?? [], route])
    }
  }
}

function placeOf (path: string, prefix: string, names: readonly string[]): string {
  return `${names.join(':')} ${path.slice(prefix.replace(/\/$/, '').length)}`
}

/** How many characters two texts have in common at their end. */
function commonEnd (a: string, b: string): number {
  let length = 0
  while (length < a.length && a.at(-1 - length) === b.at(-1 - length)) length++
  return length
}
