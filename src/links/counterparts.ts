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
 * Routes by their namespace, to find what a resource is in another version: the path that differs in one segment alone,
 * that of the version, as `/v1/bookings` and `/v2/bookings`, or `/bookings` where it has none.
 */
export class Counterparts {
  readonly #routes: Route[] = []
  readonly #byNamespace = new Map<string, Route[]>()
  /** What has been looked for so far, with what there is not: as much as there are routes and namespaces. */
  readonly #found = new Map<string, string | undefined>()
  /** How many of the routes have been put into their namespaces: none before somebody asks. */
  #indexed = 0

  /** @param path the path as Fastify registers it, prefix included */
  add (methods: readonly string[], path: string, namespace: Namespace): void {
    this.#routes.push({ methods, path, namespace })
  }

  /**
   * The path that is in another namespace what one is in its own; of several the one whose text is most like it.
   *
   * @param namespace where `path` is
   * @param other the names of the other namespace
   * @returns undefined where there is none
   */
  find (method: string, path: string, namespace: Namespace, other: readonly string[]): string | undefined {
    this.#index()
    const routes = this.#byNamespace.get(other.join(':'))
    if (routes === undefined) return undefined
    const key = [method, path, ...other].join(' ')
    if (!this.#found.has(key)) {
      const paths = routes
        .filter((route) => route.methods.includes(method) && isCounterpart(path, namespace, route))
        .map((route) => route.path)
      this.#found.set(key, paths.sort((a, b) => likeness(b, path) - likeness(a, path))[0])
    }
    return this.#found.get(key)
  }

  #index (): void {
    if (this.#indexed < this.#routes.length) this.#found.clear()
    for (; this.#indexed < this.#routes.length; this.#indexed++) {
      const route = this.#routes[this.#indexed]
      const key = route.namespace.names.join(':')
      const routes = this.#byNamespace.get(key)
      if (routes === undefined) this.#byNamespace.set(key, [route])
      else routes.push(route)
    }
  }
}

/** Whether two paths are the same but for one segment of their prefixes, replaced, added or left out. */
function isCounterpart (path: string, { prefix }: Namespace, other: Route): boolean {
  const [a, b] = [segmentsOf(path), segmentsOf(other.path)]
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const isOneApart = a.length - start - end <= 1 && b.length - start - end <= 1
  return isOneApart && start < Math.max(segmentsOf(prefix).length, segmentsOf(other.namespace.prefix).length)
}

/** How many characters two paths have in common at their start; a slash at the end of both or none breaks a tie. */
function likeness (a: string, b: string): number {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  return start + (a.endsWith('/') === b.endsWith('/') ? 0.5 : 0)
}

function segmentsOf (path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
