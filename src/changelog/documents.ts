import { adviceOf, atEachPlace } from '../between-versions/advice.ts'
import { itemOf } from '../check/json.ts'
import { operationIn } from '../check/message.ts'
import { compare } from '../check/operations.ts'
import { Draft, GONE, NEW, toItems } from './items.ts'
import { dateIn } from './release-date.ts'

import type { Release } from '../../types/changelog.d.ts'

interface Named {
  readonly document: object
  readonly version: string
}

/** What is said of a whole endpoint, by the words of `compare`. */
const WHOLE: Readonly<Record<string, string | undefined>> = { 'is new': NEW, 'was removed': GONE }
const { compare: byNumbers } = new Intl.Collator('en', { numeric: true })

export function changelogOf (documents: readonly object[]): Release[] {
  const named = documents.map((document): Named => {
    const { 'x-api-version': version, version: ofDocument } = itemOf(itemOf(document).info)
    return { document, version: String(version ?? ofDocument) }
  })
  if (documents.every((document) => itemOf(itemOf(document).info)['x-api-version'] !== undefined)) {
    named.sort((a, b) => byNumbers(a.version, b.version))
  }
  return named.map((newer, i) => {
    const { document, version } = newer
    const older = named[i - 1] ?? null
    return {
      version,
      previous: older?.version ?? null,
      released: dateIn(version),
      isPreview: itemOf(document)['x-stability-level'] === 'beta',
      deprecated: null,
      sunset: sunsetOf(document),
      info: null,
      items: older === null ? [] : toItems(draftsOf(older, newer))
    }
  }).reverse()
}

/** One for each shared schema, and for each endpoint: nothing else says what several have in common. */
function draftsOf (older: Named, newer: Named): Iterable<Draft> {
  const drafts = new Map<string, Draft>()
  for (const difference of compare(older.document, newer.document, { now: 0 }).flatMap(atEachPlace)) {
    const { at, kind, schema } = difference
    const [operation, names] = operationIn(at)
    const [method, path = ''] = operation.split(/ (.*)/s)
    const endpoint = operation && `${method} ${urlOf(path, [older, newer])}`
    const advice = adviceOf(difference)
    const whole = endpoint !== '' && names.length === 0 ? WHOLE[advice.text] : undefined
    const sentence = whole ?? (schema && `${schema.name}:`)
    const key = sentence ?? endpoint
    const draft = drafts.get(key) ?? new Draft(kind, ...sentence === undefined ? [] : [sentence])
    drafts.set(key, draft)
    draft.add(endpoint, advice)
  }
  return drafts.values()
}

/** A path as an app writes it, without the version. */
function urlOf (path: string, versions: readonly Named[]): string {
  const starts = versions.map(({ version }) => `/${encodeURIComponent(version)}/`)
  const start = starts.find((one) => path.startsWith(one)) ?? '/'
  return `/${path.slice(start.length)}`.replace(/\{([^{}]*)\}/g, ':$1')
}

/** The latest end of the operations, if all of them end. */
function sunsetOf (document: object): string | null {
  const operations = Object.values(itemOf(itemOf(document).paths)).flatMap((path) => Object.values(itemOf(path)))
  const ends = operations.map((operation) => Date.parse(String(itemOf(operation)['x-sunset'])))
  const last = Math.max(...ends)
  return Number.isFinite(last) ? new Date(last).toISOString() : null
}
