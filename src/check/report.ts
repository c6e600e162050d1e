import { checkNames, shortJson } from './json.ts'
import { compare } from './operations.ts'
import { placed } from './shared-schemas.ts'

import type { CompatibleOptions, Difference } from '../../types/check.d.ts'

const NO_DIFFERENCES = 'No differences.\n'

export function assertCompatible (before: object, after: object, options: CompatibleOptions = {}): void {
  checkNames(options, ['accept', 'now'])
  const { accept, now } = options
  const breaking = rejected(judged(compare(before, after, { now }), accept))
  if (breaking.length > 0) throw new IncompatibleError(breaking)
}

/** Error of `assertCompatible`. */
export class IncompatibleError extends Error {
  override readonly name = 'IncompatibleError'
  readonly code = 'FST_ERR_VERSION_INCOMPATIBLE'
  readonly differences: readonly Difference[]

  constructor (differences: readonly Difference[]) {
    super(`${summaryOf(differences)}:\n\n${toText(differences)}`)
    this.differences = differences
  }
}

/** A difference. If it breaks and is accepted, its kind is `accepted`. */
type Judged = Omit<Difference, 'kind'> & { readonly kind: Difference['kind'] | 'accepted' }

/** Returns the differences that are breaking and not accepted. */
export function rejected (judged: readonly Judged[]): Difference[] {
  return judged.filter((difference) => difference.kind === 'breaking') as Difference[]
}

/** Returns the differences, breaking ones first. At an accepted location and below it, they are `accepted`. */
export function judged (differences: readonly Difference[], accept: Iterable<string> = []): Judged[] {
  const locations = [...accept]
  if (!locations.every((location) => String(location).startsWith('#/'))) {
    throw new TypeError(`Expected "accept" to list locations that begin with "#/", got ${shortJson(locations)}`)
  }
  const isOpen = (at: string) => !locations.some((location) => isAtOrBelow(at, location))
  const judged = differences.map((difference): Judged => {
    const { kind, at, schema, places = [at] } = difference
    if (kind !== 'breaking') return difference
    const open = isOpen(schema?.at ?? '') ? places.filter(isOpen) : []
    if (open.length === 0) return { ...difference, kind: 'accepted' }
    return open.length === places.length ? difference : placed(difference, open)
  })
  return judged.sort((a, b) => Number(b.kind === 'breaking') - Number(a.kind === 'breaking'))
}

/** Returns the accepted locations where nothing is breaking. */
export function unusedLocations (differences: readonly Difference[], accept: readonly string[] = []): string[] {
  const breaking = differences.filter(({ kind }) => kind === 'breaking')
  const all = breaking.flatMap(({ at, schema, places = [at] }) => [schema?.at ?? '', ...places])
  return accept.filter((location) => !all.some((at) => isAtOrBelow(at, location)))
}

function isAtOrBelow (at: string, location: string): boolean {
  return at === location || at.startsWith(`${location}/`)
}

/** Returns the differences for a terminal. The location of each difference is in the next line. */
export function toText (differences: readonly Judged[]): string {
  return differences.map(({ kind, at, message, schema, operations = [] }) => {
    const lines = operations.length > 1 ? [schema!.at, `in ${operations.join(', ')}`] : [at]
    return `${kind.padEnd(8)}  ${[message, ...lines].map(printable).join(`\n${' '.repeat(10)}`)}\n`
  }).join('') || NO_DIFFERENCES
}

export function toMarkdown (differences: readonly Difference[]): string {
  if (!Array.isArray(differences) || !differences.every((difference) => typeof difference?.message === 'string')) {
    throw new TypeError(`Expected what compare() returns, got ${shortJson(differences)}. Releases have a toMarkdown ` +
      'in fastify-versioning/changelog')
  }
  const sections = [['breaking', 'Breaking changes'], ['added', 'Additions']].map(([kind, heading]) => {
    const items = differences.filter((difference) => difference.kind === kind).map(({ message }) => (
      `- ${printable(message).replace(/[\\`*_[\]<>|~]/g, '\\$&').replace(/^([A-Z]+ \/.*?) {2}/, '**$1** ')}\n`
    ))
    return items.length === 0 ? [] : [`### ${heading}\n\n${items.join('')}`]
  })
  return sections.flat().join('\n') || NO_DIFFERENCES
}

/** Returns a text of a document on one line, without characters that a terminal would obey. */
export function printable (text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (
    `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`
  ))
}

export function summaryOf ({ length }: readonly Difference[]): string {
  return `Clients may fail because of ${length} ${length === 1 ? 'difference' : 'differences'}`
}
