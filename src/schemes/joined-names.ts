const MAX_NAMES = 10_000
const MAX_NAMESPACES = 20

interface Joined {
  readonly namespace: string
  /** With the namespace in front: `v1:bookings`. */
  readonly name: string
}

/** Names in namespaces, each joined once: a string that is made anew is hashed anew at every lookup. */
export class JoinedNames {
  readonly #byName = new Map<string, Joined[]>()

  join (namespace: string, name: string): string {
    const known = this.#byName.get(name)
    if (known === undefined) return this.#add([], namespace, name)
    for (let i = 0; i < known.length; i++) {
      if (known[i].namespace === namespace) return known[i].name
    }
    return this.#add(known.length === MAX_NAMESPACES ? [] : known, namespace, name)
  }

  #add (known: Joined[], namespace: string, name: string): string {
    const joined = { namespace, name: `${namespace}:${name}` }
    if (this.#byName.size === MAX_NAMES) this.#byName.clear()
    this.#byName.set(name, [...known, joined])
    return joined.name
  }
}
