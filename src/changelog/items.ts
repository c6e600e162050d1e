import { isDate } from '../options/instant.ts'

import type { Advice } from '../between-versions/advice.ts'
import type { AppliedChange } from '../between-versions/changes.ts'
import type { Release, ReleaseItem } from '../../types/changelog.d.ts'
import type { AppVersion } from '../../types/index.d.ts'

type Urgency = ReleaseItem['urgency']
type About = Pick<AppVersion, 'preview'> & Partial<Pick<AppVersion, 'released' | 'deprecated' | 'sunset' | 'info'>>

const ORDER: readonly Urgency[] = ['breaking', 'unknown', 'added']

/** The sentences for whole endpoints. */
export const NEW = 'New endpoints:'
export const GONE = 'Endpoints that are gone:'

/** A part of an item of a release. */
export interface Note {
  readonly urgency: Urgency
  /** The endpoint, or '' if the note belongs to none. */
  readonly endpoint: string
  readonly sentence?: string | undefined
  readonly advice?: Advice
  readonly example?: ReleaseItem['examples'][number]
}

/** The notes of which the items of a release are made, by what each item is about. */
export class Notes {
  readonly #byKey = new Map<string, Note[]>()

  of (key: string): Note[] {
    const notes = this.#byKey.get(key) ?? []
    this.#byKey.set(key, notes)
    return notes
  }

  /** Returns the notes of changes. If the differences of several changes cannot be told apart, they become one item. */
  ofChanges (changes: readonly AppliedChange[]): Note[] {
    const [first, ...others] = changes.map(({ version, description }) => this.of(`change ${version} ${description}`))
    for (const notes of new Set(others)) {
      if (notes === first) continue
      first.push(...notes)
      for (const [key, existing] of this.#byKey) if (existing === notes) this.#byKey.set(key, first)
    }
    return first
  }

  /** Returns the items, the breaking ones first. */
  items (): ReleaseItem[] {
    const items = [...new Set(this.#byKey.values())].map(releaseItem)
    return items.sort((a, b) => ORDER.indexOf(a.urgency) - ORDER.indexOf(b.urgency))
  }
}

function releaseItem (notes: readonly Note[]): ReleaseItem {
  const unique = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')
  return {
    urgency: ORDER.find((urgency) => notes.some((note) => note.urgency === urgency)) as Urgency,
    sentences: unique(notes.map(({ sentence = '' }) => sentence)),
    endpoints: unique(notes.map(({ endpoint }) => endpoint)),
    differences: differencesOf(notes),
    examples: [...new Map(notes.flatMap(({ example }) => example ? [[example.schema, example]] : [])).values()]
  }
}

function differencesOf (notes: readonly Note[]): ReleaseItem['differences'] {
  const byText = new Map<string, { kind: Advice['kind'], text: string, endpoints: string[], at: string[] }>()
  // A difference in a single value and in the items of a list has one text.
  const texts = new Set(notes.map(({ advice }) => advice?.text))
  for (const { advice, endpoint } of notes) {
    if (advice === undefined) continue
    const { at, kind, ofItem } = advice
    const text = ofItem !== null && texts.has(ofItem) ? ofItem : advice.text
    const difference = byText.get(`${kind} ${text}`) ?? { kind, text, endpoints: [], at: [] }
    byText.set(`${kind} ${text}`, difference)
    difference.at.push(at)
    if (endpoint !== '' && !difference.endpoints.includes(endpoint)) difference.endpoints.push(endpoint)
  }
  return [...byText.values()].sort((a, b) => Number(a.kind === 'added') - Number(b.kind === 'added'))
}

/**
 * Returns a release.
 *
 * @param about the entry of the version in `app.versions`. A version that is a date was released on it
 * @param now the time by the clock of the app. Documents have no clock
 */
export function releaseOf (
  version: string, previous: string | null, items: readonly ReleaseItem[],
  { preview: isPreview, released, deprecated, sunset, info = null }: About, now = -Infinity
): Release {
  const textOf = (date: Date | null = null) => date?.toISOString() ?? null
  const dates = { released: textOf(released ?? (isDate(version) ? new Date(version) : null)), isPreview }
  const hasEnded = Number(sunset ?? Infinity) <= now
  return { version, previous, ...dates, deprecated: textOf(deprecated), sunset: textOf(sunset), hasEnded, info, items }
}
