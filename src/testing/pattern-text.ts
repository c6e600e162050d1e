import { toPattern } from '../changes/schema.ts'

/** The characters that are tried in each position, before those of the pattern itself. */
const CHARACTERS = 'x7A-_. @/:'

/** Returns a text that a pattern of characters, classes, groups, alternatives and counts matches, or else undefined. */
export function textLike (pattern: string): string | undefined {
  let rest = pattern
  const take = (token: RegExp): string | null => {
    const [found = null] = token.exec(rest) ?? []
    rest = rest.slice(found?.length ?? 0)
    return found
  }
  const alternatives = (): string => {
    const texts = [sequence()]
    while (take(/^\|/) !== null) texts.push(sequence())
    return texts[0]
  }
  const sequence = (): string => {
    let text = ''
    while (take(/^(?![|)])(?=[^])/) !== null) {
      const atom = take(/^[\^$]/) !== null ? '' : take(/^\((?:\?:|\?<\w+>)?/) === null ? character() : group()
      const [, least = 1] = /^\{(\d+)/.exec(take(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/) ?? '') ?? []
      text += atom.repeat(Math.min(Math.max(1, Number(least)), 100))
    }
    return text
  }
  const group = (): string => {
    const text = alternatives()
    take(/^\)/)
    return text
  }
  const character = (): string => {
    const source = take(/^(?:\[(?:\\.|[^\]\\])*\]|\\.|[^])/) as string
    const matcher = new RegExp(`^${source}$`)
    return [...CHARACTERS, ...source].find((text) => matcher.test(text)) ?? ''
  }
  try {
    const text = alternatives()
    return toPattern(pattern).test(text) ? text : undefined
  } catch {
    return undefined
  }
}
