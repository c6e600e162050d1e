import { namesIn } from './headers.ts'

/** Adds names that Vary lacks (RFC 9110, section 12.5.5). `*` stands alone: some caches overlook it in a list. */
export function withNames (present: string, names: string): string {
  const presentNames = namesIn(present).filter((name) => name !== '')
  if (presentNames.includes('*')) return '*'
  const all = [...presentNames, ...namesIn(names).filter((name) => name !== '')]
  const lowerCase = all.map((name) => name.toLowerCase())
  const unique = all.filter((_name, i) => lowerCase.indexOf(lowerCase[i]) === i)
  return unique.join() === presentNames.join() ? present : unique.join(', ')
}

/** Adds the link-values that Link lacks (RFC 8288, section 3). */
export function withLinks (present: string, links: string): string {
  if (present === '') return links
  return present.includes(links) ? present : `${present}, ${links}`
}
