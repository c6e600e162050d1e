/** How many results are kept, and up to which length of the header. */
const MAX_CACHED = 1000
const MAX_LENGTH = 512
/** How many headers that came once are remembered. */
const MAX_ONCE = 64

/**
 * A cache of parsed headers that clients send again: a header must come twice within a short time. Clients send
 * few different ones. A client that always sends new ones neither fills the memory nor evicts the others.
 */
export class HeaderCache<Outcome> {
  readonly #outcomes = new Map<string, Outcome>()
  readonly #once = new Set<string>()

  /** @returns undefined where it is not known */
  get (header: string): Outcome | undefined {
    return this.#outcomes.get(header)
  }

  set (header: string, outcome: Outcome): void {
    if (header.length > MAX_LENGTH) return
    if (this.#once.delete(header)) {
      if (this.#outcomes.size === MAX_CACHED) this.#outcomes.clear()
      this.#outcomes.set(header, outcome)
    } else {
      if (this.#once.size === MAX_ONCE) this.#once.clear()
      this.#once.add(header)
    }
  }
}
