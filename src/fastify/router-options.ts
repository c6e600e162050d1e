import { symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'

/** The options of the router that decide which URLs reach a route, and how their query is read. */
export type RouterOptions = Readonly<Required<Pick<FastifyServerOptions,
  'caseSensitive' | 'ignoreDuplicateSlashes' | 'ignoreTrailingSlash' | 'maxParamLength' | 'useSemicolonDelimiter'
>>> & {
  /** The app's parser of queries; null for Fastify's own parser. */
  readonly querystringParser: ((query: string) => Record<string, unknown>) | null
}

interface Nested { readonly routerOptions?: Partial<RouterOptions> }

/**
 * Returns how the router of an app reads URLs.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/route.js): the options of the app have these at the top or, with
 * precedence, in `routerOptions`, whichever way the user has written them. `initialConfig` lacks the parser of queries.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have the symbol
 */
export function routerOptionsOf (server: FastifyInstance): RouterOptions {
  const options = valueOf(server, symbolIn(server, server, 'fastify.options')) as Partial<RouterOptions> & Nested
  const all = { ...options, ...options.routerOptions }
  return {
    caseSensitive: all.caseSensitive !== false,
    ignoreDuplicateSlashes: all.ignoreDuplicateSlashes === true,
    ignoreTrailingSlash: all.ignoreTrailingSlash === true,
    // The router treats a limit of 0 as absent.
    maxParamLength: all.maxParamLength || 100,
    querystringParser: all.querystringParser ?? null,
    useSemicolonDelimiter: all.useSemicolonDelimiter === true
  }
}
