import { parameterOf, split } from './fields.ts'
import { parseUrl } from './url.ts'

/**
 * The links of a page in a Link header (RFC 8288) by their relation, of each the first. A link that is malformed, that
 * has another anchor, or that is neither http nor https, is left out.
 *
 * @param page against which links are resolved; undefined: they stay as they were sent
 */
export function linksIn (header: string, page: string | undefined): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  for (const value of split(header, ',')) {
    const [target, ...rest] = split(value, ';')
    const parameters = rest.map(parameterOf)
    const valueOf = (name: string) => parameters.find(([one]) => one === name)?.[1]
    const [, reference] = /^\s*<([^>]*)>\s*$/.exec(target) ?? []
    const href = reference === undefined ? null : hrefOf(reference, page)
    const anchor = valueOf('anchor')
    if (!href || (anchor && (!page || parseUrl(anchor, page)?.href !== page))) continue
    for (const relation of (valueOf('rel') ?? '').toLowerCase().split(/\s+/)) {
      if (!links.has(relation)) links.set(relation, href)
    }
  }
  return links
}

function hrefOf (reference: string, page: string | undefined): string | null {
  const url = parseUrl(reference, page)
  if (url) return /^https?:/.test(url.href) ? url.href : null
  return page || !/^(?![a-z][\w+.-]*:)[!-~]+$/i.test(reference) ? null : reference
}
