import { contextOf } from '../context.ts'

import type { Options, Subject } from './options.ts'

/** A document as it is served. */
export interface File extends Subject {
  /** The path of the document as JSON, without what a gateway removes. */
  readonly path: string
  /** Its name in the directory of Swagger UI, without the format. */
  readonly file: string
}

/** Where the documents and Swagger UI are. */
export interface Place {
  /** The path of Swagger UI, without what a gateway removes. */
  readonly page: string
  readonly files: readonly File[]
  /** The prefix that a gateway removes from paths, or null if the options do not have it. */
  readonly outside: string | null
}

export function placeOf ({ subjects, routePrefix, ui }: Options, server: { readonly prefix: string }): Place {
  const page = `${server.prefix}${routePrefix}`
  const names = new Set<string>()
  const files = subjects.map((subject) => {
    const plain = subject.name.replace(/[^\w.-]/g, '-')
    let file = plain
    for (let i = 2; names.has(file); i++) file = `${plain}-${i}`
    names.add(file)
    return { ...subject, file, path: `${page}/${file}.json` }
  })
  const { indexPrefix } = ui ?? {}
  const base = contextOf(server).baseUrl?.path ?? null
  // The option of @fastify/swagger-ui includes the prefix of the context.
  const outside = indexPrefix === undefined ? base : withoutEnd(indexPrefix.replace(/\/$/, ''), server.prefix)
  return { page, files, outside }
}

function withoutEnd (text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text
}

/**
 * The public address of an app: the option `baseUrl`, or null if it is not known.
 *
 * @param host instead of its own
 */
export function urlOf (server: object, host?: string): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : `${baseUrl.protocol}://${host ?? baseUrl.host}${baseUrl.path}`
}
