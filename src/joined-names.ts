const MAX_NAMES = 10_000

/** Names in namespaces, `v1:bookings`, each made once: a string that is made anew is hashed anew at every lookup. */
export class JoinedNames {
  readonly #byNamespace = new Map<string, Map<string, string>>()
  #size = 0

  join (namespace: string, name: string): string {
    return this.#byNamespace.get(namespace)?.get(name) ?? this.#add(namespace, name)
  }

  #add (namespace: string, name: string): string {
    if (this.#size === MAX_NAMES) {
      this.#byNamespace.clear()
      this.#size = 0
    }
    const names = this.#byNamespace.get(namespace) ?? new Map<string, string>()
    const joined = `${namespace}:${name}`
    this.#byNamespace.set(namespace, names.set(name, joined))
    this.#size++
    return joined
  }
}
