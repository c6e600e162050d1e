import { parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

/** A link-value (RFC 8288, section 3): its target and its parameters. */
const LINK = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\[^])*"?)*)/g

/**
 * The links of a page by their relation, of each the first. What is malformed, has an anchor, or is neither http
 * nor https, is left out.
 *
 * @param page against which links are resolved; undefined: they stay as they were sent
 */
export function linksIn (field: string, page: string | undefined): Record<string, string> {
  const links: Record<string, string> = {}
  for (const [, target, parameters] of field.matchAll(LINK)) {
    const href = (page ? parseUrl(target, page)?.href : target) ?? ''
    if (!parameterIn(parameters, 'anchor') && /^(?:https?:|(?![\w+.-]+:))[!-~]+$/i.test(href)) {
      for (const type of (parameterIn(parameters, 'rel') ?? '').toLowerCase().split(/\s+/)) links[type] ??= href
    }
  }
  return links
}
