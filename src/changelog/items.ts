import { isDate } from '../options/instant.ts'

import type { Advice } from '../between-versions/advice.ts'
import type { AppliedChange } from '../between-versions/changes.ts'
import type { Release, ReleaseItem } from '../../types/changelog.d.ts'
import type { AppVersion } from '../../types/index.d.ts'

type Urgency = ReleaseItem['urgency']
type About = Pick<AppVersion, 'preview'> & Partial<Pick<AppVersion, 'released' | 'deprecated' | 'sunset' | 'info'>>

const ORDER: readonly Urgency[] = ['breaking', 'unknown', 'added']

/** What is said of whole endpoints. */
export const NEW = 'New endpoints:'
export const GONE = 'Endpoints that are gone:'

/** A part of an item. */
export interface Note {
  readonly urgency: Urgency
  /** '' for what belongs to no endpoint. */
  readonly endpoint: string
  readonly sentence?: string | undefined
  readonly advice?: Advice
  readonly example?: ReleaseItem['examples'][number]
}

/** What the items of a release are made of, by what each is about. */
export class Notes {
  readonly #byKey = new Map<string, Note[]>()

  of (key: string): Note[] {
    const notes = this.#byKey.get(key) ?? []
    this.#byKey.set(key, notes)
    return notes
  }

  /** One item for several changes, if their differences cannot be told apart. */
  ofChanges (changes: readonly AppliedChange[]): Note[] {
    const [first, ...others] = changes.map(({ version, description }) => this.of(`change ${version} ${description}`))
    for (const notes of new Set(others)) {
      if (notes === first) continue
      first.push(...notes)
      for (const [key, existing] of this.#byKey) if (existing === notes) this.#byKey.set(key, first)
    }
    return first
  }

  /** What must be done comes first. */
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
  // What differs in a single value and in the items of a list is said once.
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
 * @param about what `app.versions` says of the version: one that is a date says when it was released
 * @param now by the clock of the app; documents have none
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
