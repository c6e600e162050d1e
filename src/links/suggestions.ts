import { closestMatch } from 'leven'

import { show } from '../errors.ts'

/** How many unknown names keep their suggestion: one that is asked for on every request is compared only once. */
const MAX_SUGGESTIONS = 1000

/** What somebody may have meant who asks for a route by a name that is not there. */
export class Suggestions {
  readonly #texts = new Map<string, string>()
  /** How many names there were when the texts were made. */
  #known = 0

  /** A sentence with a space in front; `''` where no name is near. */
  for (name: string, names: ReadonlyMap<string, unknown>): string {
    if (names.size !== this.#known || this.#texts.size === MAX_SUGGESTIONS) this.#texts.clear()
    this.#known = names.size
    let text = this.#texts.get(name)
    if (text === undefined) {
      const near = namesNear(name, [...names.keys()])
      text = near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`
      this.#texts.set(name, text)
    }
    return text
  }
}

/** The closest name by spelling, and the same route in other namespaces. */
function namesNear (name: string, names: readonly string[]): string[] {
  const local = localName(name)
  const elsewhere = names.filter((other) => localName(other) === local)
  const closest = closestMatch(name, names, { maxDistance: Math.max(2, Math.floor(name.length / 3)) })
  return [...new Set([closest, ...elsewhere])].filter((near) => near !== undefined).slice(0, 3)
}

function localName (name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}
