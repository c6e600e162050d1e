import { show } from './json.ts'

import type { Change, ChangeKind } from '../../types/check.d.ts'

/** The worst first. */
const KINDS: readonly ChangeKind[] = ['breaking', 'unknown', 'added']
const HEADINGS: Readonly<Record<ChangeKind, string>> = {
  breaking: 'Breaking changes', unknown: 'Changes that may break', added: 'Additions'
}

/**
 * The changes that are neither additions nor accepted.
 *
 * @param accept locations whose changes are accepted, with everything below them
 * @throws TypeError if `accept` is not a list of locations
 */
export function rejected (changes: readonly Change[], accept: Iterable<string> = []): Change[] {
  const isList = typeof accept === 'object' && accept !== null && Symbol.iterator in accept
  const locations = isList ? [...accept] : [accept]
  const isWrong = (location: unknown) => typeof location !== 'string' || !location.startsWith('#/')
  const wrong = isList ? locations.filter(isWrong) : locations
  if (wrong.length > 0) {
    throw new TypeError(`Expected "accept" to list locations that begin with "#/", got ${show(wrong[0])}`)
  }
  const isAccepted = (at: string) => locations.some((location) => at === location || at.startsWith(`${location}/`))
  return changes.filter(({ kind, at }) => kind !== 'added' && !isAccepted(at))
}

/** The changes as a table for a terminal, the worst first. */
export function toTable (changes: readonly Change[]): string {
  const rows = KINDS.flatMap((kind) => changes.filter((change) => change.kind === kind))
    .map(({ kind, at, message }) => [kind, printable(at), printable(message)] as const)
  const width = Math.max(0, ...rows.map(([, at]) => at.length))
  return rows.map(([kind, at, message]) => `${kind.padEnd(8)}  ${at.padEnd(width)}  ${message}\n`).join('')
}

export function toMarkdown (changes: readonly Change[]): string {
  const sections = KINDS.map((kind) => [kind, changes.filter((change) => change.kind === kind)] as const)
    .filter(([, members]) => members.length > 0)
    .map(([kind, members]) => `### ${HEADINGS[kind]}\n\n${members.map(itemOf).join('\n')}\n`)
  return sections.length > 0 ? sections.join('\n') : 'No changes.\n'
}

/** The operation, the location in it, and what has changed there. */
function itemOf ({ at, message }: Change): string {
  const names = at.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const [, root = '', path, method, ...rest] = names
  const subject = path === undefined || method === undefined ? root : `${method.toUpperCase()} ${path}`
  const location = rest.length > 0 ? ` ${code(rest.join(' › '))}` : ''
  return `- ${code(subject)}${location}: ${escaped(message)}`
}

/** A code span. It ends at as many backticks as it begins with, so that these must be more than any inside. */
function code (text: string): string {
  const plain = printable(text)
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 ? `${fence} ${plain} ${fence}` : `${fence}${plain}${fence}`
}

function escaped (text: string): string {
  return printable(text).replace(/[\\`*_[\]<>|~]/g, '\\$&')
}

/** Text of a document on one line, without characters that a terminal would obey. */
export function printable (text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (
    `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`
  ))
}

export function summaryOf ({ length }: readonly Change[]): string {
  return `Clients may fail because of ${length} ${length === 1 ? 'change' : 'changes'}`
}

/** Error of `assertCompatible`. */
export class IncompatibleError extends Error {
  override readonly name = 'IncompatibleError'
  readonly code = 'FST_ERR_VERSION_INCOMPATIBLE'
  readonly changes: readonly Change[]

  constructor (changes: readonly Change[]) {
    super(`${summaryOf(changes)}:\n\n${toTable(changes)}`)
    this.changes = changes
  }
}
