import type { Advice } from '../between-versions/advice.ts'
import type { ReleaseItem } from '../../types/changelog.d.ts'

type Urgency = ReleaseItem['urgency']
type Example = ReleaseItem['examples'][number]

const ORDER: readonly Urgency[] = ['breaking', 'unknown', 'added']

/** What is said of whole endpoints. */
export const NEW = 'New endpoints:'
export const GONE = 'Endpoints that are gone:'

/** What an item is made of. */
export class Draft {
  readonly sentences: Set<string>
  readonly endpoints = new Set<string>()
  readonly examples: Example[] = []
  readonly #advices: { readonly advice: Advice, readonly endpoint: string }[] = []
  /** What it is if no difference says more. */
  #urgency: Urgency

  constructor (urgency: Urgency, ...sentences: readonly string[]) {
    this.#urgency = urgency
    this.sentences = new Set(sentences)
  }

  /** @param endpoint '' for what belongs to no endpoint */
  add (endpoint: string, advice?: Advice): void {
    if (endpoint !== '') this.endpoints.add(endpoint)
    if (advice !== undefined) this.#advices.push({ advice, endpoint })
  }

  raise (urgency: Urgency): void {
    if (ORDER.indexOf(urgency) < ORDER.indexOf(this.#urgency)) this.#urgency = urgency
  }

  /** Takes in another draft, where differences cannot be told apart. */
  join (draft: Draft): void {
    for (const sentence of draft.sentences) this.sentences.add(sentence)
    for (const endpoint of draft.endpoints) this.endpoints.add(endpoint)
    this.#advices.push(...draft.#advices)
    this.examples.push(...draft.examples)
    this.raise(draft.#urgency)
  }

  item (): ReleaseItem {
    const byText = new Map<string, { kind: Advice['kind'], text: string, endpoints: string[], at: string[] }>()
    // What differs in a single value and in the items of a list is said once.
    const texts = new Set(this.#advices.map(({ advice }) => advice.text))
    for (const { advice: { at, kind, ofItem, text: ownText }, endpoint } of this.#advices) {
      const text = ofItem !== null && texts.has(ofItem) ? ofItem : ownText
      const difference = byText.get(`${kind} ${text}`) ?? { kind, text, endpoints: [], at: [] }
      byText.set(`${kind} ${text}`, difference)
      difference.at.push(at)
      if (endpoint !== '' && !difference.endpoints.includes(endpoint)) difference.endpoints.push(endpoint)
    }
    const differences = [...byText.values()].sort((a, b) => Number(a.kind === 'added') - Number(b.kind === 'added'))
    return {
      urgency: differences[0]?.kind === 'breaking' ? 'breaking' : this.#urgency,
      sentences: [...this.sentences],
      endpoints: [...this.endpoints],
      differences,
      examples: this.examples
    }
  }
}

/** The items of drafts: what must be done comes first. */
export function toItems (drafts: Iterable<Draft>): ReleaseItem[] {
  const items = [...new Set(drafts)].map((draft) => draft.item())
  return items.sort((a, b) => ORDER.indexOf(a.urgency) - ORDER.indexOf(b.urgency))
}
