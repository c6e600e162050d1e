import { NOWHERE, parseUrl } from './url.ts'

const PARAMETER = /;\s*([^\s,;"=]+)\s*=\s*((?:"(?:[^"\\]|\\[^])*"?|[^\s,;"])*)/g

/** A link-value (RFC 8288, section 3): its target and its parameters. */
const LINK = /<([!-;=?-~]*)>((?:"(?:[^"\\]|\\[^])*"?|[^<,"])*)/g

/** Finds the first parameter of this name in a field, in linear time: a quoted string without an end takes the rest. */
export function parameterIn (field: string, name: string): string | undefined {
  for (const [, parameter, value] of field.matchAll(PARAMETER)) {
    if (parameter.toLowerCase() === name.toLowerCase()) return value.replace(/\\([^])|"/g, '$1')
  }
}

/**
 * Finds the first link of each relation type. Links that are malformed, have an anchor, or are neither http nor https
 * are left out.
 *
 * @param page the URL against which links are resolved, or undefined to leave them as they were sent
 */
export function linksIn (field: string, page: string | undefined): Record<string, string> {
  const links: Record<string, string> = {}
  for (const [, target, parameters] of field.matchAll(LINK)) {
    const url = parseUrl(target, page || NOWHERE)
    if (url && !parameterIn(parameters, 'anchor')) {
      for (const type of `${parameterIn(parameters, 'rel')}`.toLowerCase().split(/\s+/)) {
        links[type] ??= page ? url.href : target
      }
    }
  }
  return links
}
