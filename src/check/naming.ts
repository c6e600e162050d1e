import { isItem, itemOf, listOf } from './json.ts'

import type { Document } from './document.ts'
import type { Item } from './json.ts'

/** Stands for the version, so that the documents of all versions are the same there. No path has it. */
const VERSION = '\0'

/** A path without the names of its parameters. */
export function pathKeyOf (path: string): string {
  return path.replace(/\{[^{}/]*\}/g, '{}')
}

/** A path without the names of its parameters, and with the same text for every version. */
export function versionedPathKeyOf (path: string, { version }: Document): string {
  const segments = path.split('/')
  const at = version === null ? -1 : segments.indexOf(version)
  return segments.map((segment, i) => i === at ? VERSION : pathKeyOf(segment)).join('/')
}

/** A media type in lower case, with its parameters in order, and with the same text for every version. */
export function mediaTypeKeyOf (mediaType: string, { version }: Document): string {
  const [type = '', ...parameters] = mediaType.toLowerCase().split(';').map((part) => part.trim())
  const own = version?.toLowerCase() ?? null
  const isOwn = (text: string) => own !== null && (text === own || text === `v${own}`)
  const named = type.split(/([/.+-])/).map((part) => isOwn(part) ? VERSION : part).join('')
  const others = parameters.filter((parameter) => {
    const [, value = ''] = parameter.split('=')
    return parameter !== '' && parameter !== 'charset=utf-8' && !isOwn(value.replaceAll('"', '').trim())
  })
  return [named, ...others.sort()].join(';')
}

/** Whether a parameter only specifies the version of the document. */
export function isVersionParameter (parameter: Item, document: Document): boolean {
  const schema = document.item(parameter.schema)
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : listOf(schema.enum)
  return document.version !== null && values.length === 1 && values[0] === document.version
}

/** The URLs of servers, without the version. The servers of the whole document are also without their host. */
export function serversKeyOf (servers: unknown, { version }: Document, isOfAll: boolean): string {
  const urls = listOf(servers).map((server) => String(isItem(server) ? server.url : '')).map((url) => {
    const named = url.split(/([/.])/).map((part) => version !== null && part === version ? VERSION : part).join('')
    return (isOfAll ? named.replace(/^(?:[a-z][\w+.-]*:)?\/\/[^/]*/i, '') : named).replace(/(?<!\/)\/+$/, '')
  })
  return [...new Set(urls.length > 0 ? urls : [''])].sort().join(' ')
}

/**
 * The headers of a response by their names in lower case. Headers about the end of a version are left out: they come
 * and go with its dates.
 */
export function headersOf (response: Item): Map<string, [string, unknown]> {
  const headers = Object.entries(itemOf(response.headers)).map(([name, header]) => (
    [name.toLowerCase(), [name, header] as [string, unknown]] as const
  ))
  const isEnding = headers.some(([key]) => key === 'deprecation' || key === 'sunset')
  const ignored = ['content-type', 'deprecation', 'sunset', ...isEnding ? ['link'] : []]
  return new Map(headers.filter(([key]) => !ignored.includes(key)))
}
