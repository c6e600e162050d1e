import { emitWarning } from 'node:process'

import { adviceOf, atEachPlace } from '../between-versions/advice.ts'
import { elementsOf, itemOf, shortJson } from '../check/json.ts'
import { operationIn } from '../check/message.ts'
import { METHODS, compare } from '../check/operations.ts'
import { sunsetOf } from '../check/sunset.ts'
import { GONE, NEW, Notes, releaseOf } from './items.ts'

import type { Release, ReleaseItem } from '../../types/changelog.d.ts'

interface Named {
  readonly document: object
  readonly version: string
}

/** The sentence for a whole endpoint, by the words of `compare`. */
const WHOLE: Readonly<Record<string, string | undefined>> = { 'is new': NEW, 'was removed': GONE }
const { compare: byNumbers } = new Intl.Collator('en', { numeric: true })

/** Returns the releases that documents describe, newest first. Errors call the documents by their labels. */
export function changelogOf (
  documents: readonly object[], labels: readonly string[] = [],
  warn = (text: string): unknown => emitWarning(text, 'FastifyVersioningWarning')
): Release[] {
  if (!Array.isArray(documents)) throw new TypeError(`Expected a list of documents, got ${shortJson(documents)}`)
  const named = documents.map((document, i): Named => {
    const { info, openapi } = itemOf(document)
    const { 'x-api-version': ofApp, version: ofDocument } = itemOf(info)
    const version = ofApp ?? ofDocument
    if (typeof version === 'string' && /^3\.[012]\b/.test(String(openapi))) return { document, version }
    throw new TypeError(`Expected ${labels[i] ?? `documents[${i}]`} to be a document of OpenAPI 3.0, 3.1 or 3.2 with ` +
      `the version in "info", got ${shortJson(document)}`)
  })
  const twice = named.find(({ version }, i) => named.findIndex((candidate) => candidate.version === version) < i)
  if (twice !== undefined) throw new TypeError(`Expected one document of each version, got two of ${twice.version}`)
  if (documents.every((document) => itemOf(itemOf(document).info)['x-api-version'] !== undefined)) {
    named.sort((a, b) => byNumbers(a.version, b.version))
  }
  const wrong = named.findIndex(({ version }, i) => i > 0 && byNumbers(named[i - 1].version, version) > 0)
  if (wrong > 0) warn(`Are the documents in order? ${named[wrong].version} comes after ${named[wrong - 1].version}.`)
  return named.map((newer, i) => {
    const older: Named | undefined = named[i - 1]
    const items = older === undefined ? [] : itemsOfDocuments(older, newer)
    const about = { preview: itemOf(newer.document)['x-stability-level'] === 'beta', sunset: endOf(newer.document) }
    return releaseOf(newer.version, older?.version ?? null, items, about)
  }).reverse()
}

/** Returns an item for each shared schema and each endpoint. Nothing else says which differences belong together. */
function itemsOfDocuments (older: Named, newer: Named): ReleaseItem[] {
  const notes = new Notes()
  for (const difference of compare(older.document, newer.document, { now: 0 }).flatMap(atEachPlace)) {
    const { at, kind, schema } = difference
    const [operation, names] = operationIn(at)
    const [method, path = ''] = operation.split(/ (.*)/s)
    const endpoint = at.startsWith('#/paths/') ? `${method} ${urlOf(path, [older, newer])}` : ''
    const advice = adviceOf(difference)
    const whole = endpoint !== '' && names.length === 0 ? WHOLE[advice.text] : undefined
    const sentence = whole ?? (schema && `${schema.name}:`)
    notes.of(sentence ?? (endpoint || at)).push({ urgency: kind, endpoint, sentence, advice })
  }
  return notes.items()
}

/** Returns a path as an app writes it, without the version. */
function urlOf (path: string, versions: readonly Named[]): string {
  const [, ...segments] = path.split('/')
  const at = segments.findIndex((segment) => versions.some(({ version }) => segment === encodeURIComponent(version)))
  return `/${segments.filter((_segment, i) => i !== at).join('/')}`.replace(/\{([^{}]*)\}/g, ':$1')
}

/** Returns the end that `info` says, or else the latest end of the operations if all of them end, or null. */
function endOf (document: object): Date | null {
  const operations = elementsOf(itemOf(document).paths).map(itemOf).flatMap((path) => (
    [...METHODS.flatMap((method) => path[method] ?? []), ...elementsOf(path.additionalOperations)]
  ))
  const ends = operations.map((operation) => sunsetOf(itemOf(operation))?.time ?? Infinity)
  const last = sunsetOf(itemOf(itemOf(document).info))?.time ?? Math.max(...ends)
  return Number.isFinite(last) ? new Date(last) : null
}
