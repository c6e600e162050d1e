import { namesIn } from './headers.ts'

import type { Kept } from './head.ts'

/** Adds the missing members to the text of a header. */
type Merge = (present: string, members: readonly string[]) => string

/** What a response header that is a list holds, whatever else is in it. */
export class Members implements Kept {
  // Declared only: a field that is defined first and set later costs V8 both.
  declare readonly field: string
  /** The header if nothing else is in it. */
  declare readonly text: string
  declare readonly members: readonly string[]
  declare private readonly merge: Merge
  /** Most responses lack the same, such as nothing. */
  declare private lastOwn: string
  declare private lastText: string | undefined

  constructor (field: string, text: string, members: readonly string[], merge: Merge) {
    this.field = field
    this.text = text
    this.members = members
    this.merge = merge
    this.lastOwn = text
    this.lastText = undefined
  }

  /** The header with the members that it lacks. */
  mergeInto (present: string): string {
    return this.merge(present, this.members)
  }

  /** Fastify sends the header of the reply alone, and does not see one that is set on Node's response as well. */
  complete (own: unknown, raw: unknown): string | undefined {
    if (own === undefined && raw === undefined) return this.text
    if (own === this.lastOwn && raw === undefined) return this.lastText
    const present = textOf(own)
    const before = textOf(raw)
    const isIn = `, ${present}, `.includes(`, ${before}, `)
    const all = isIn ? present : textOf([before, present])
    const merged = all === '' ? this.text : this.mergeInto(all)
    const text = merged === (own ?? raw) ? undefined : merged
    if (typeof own === 'string' && raw === undefined) {
      this.lastOwn = own
      this.lastText = text
    }
    return text
  }
}

/** Names of request headers that a response depends on (RFC 9110, section 12.5.5). `*` means all of them. */
export function varyMembers (vary: string): Members {
  return new Members('vary', vary, namesIn(vary), mergeNames)
}

function mergeNames (present: string, names: readonly string[]): string {
  const own = namesIn(present).filter((name) => name !== '')
  const all = [...own, ...names]
  const known = all.map((name) => name.toLowerCase())
  // Headers of Node's response and of Fastify's reply may have the same name.
  const unique = all.filter((_name, i) => known.indexOf(known[i]) === i)
  return own.includes('*') || unique.join() === own.join() ? present : unique.join(', ')
}

/**
 * @param links link-values (RFC 8288, section 3)
 * @param text all of them in one
 */
export function linkMembers (links: readonly string[], text: string = links.join(', ')): Members {
  return new Members('link', text, links, mergeLinks)
}

function mergeLinks (present: string, links: readonly string[]): string {
  return [present, ...links.filter((link) => !present.includes(link))].join(', ')
}

/** The lines of a header in one. */
function textOf (lines: unknown): string {
  return [lines].flat().filter((line) => line !== undefined && line !== null && line !== '').join(', ')
}
