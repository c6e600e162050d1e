import { ReverseOptionError, UnknownLinkOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'

import type { Scheme } from '../scheme.ts'
import type { LinkOptions, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

const OPTIONS: readonly string[] = [
  'args', 'kwargs', 'request', 'server', 'version', 'query', 'hash', 'absolute', 'format'
]
const NO_KWARGS: ReverseKwargs = Object.freeze({})

/**
 * Checks the options of a link.
 *
 * @param scheme the scheme that makes the link and may have its own options, or null
 * @throws FST_ERR_REVERSE_OPTION for an option that is not known
 */
export function checkLinkOptions (scheme: Scheme | null, options: object): void {
  for (const option in options) {
    if (!OPTIONS.includes(option)) checkOwn(scheme, option)
  }
}

/**
 * What `reply.reverse` or `app.reverse` is given, as options of a scheme's `reverse`.
 *
 * @throws as `checkLinkOptions`
 */
export function toReverseOptions (
  scheme: Scheme | null, params: ReverseArgs | ReverseKwargs | null | undefined, given: LinkOptions | null | undefined,
  request: ReversingRequest | undefined, server: object | undefined
): ReverseOptions {
  const isList = Array.isArray(params)
  const args = isList ? params as ReverseArgs : undefined
  const kwargs = isList ? undefined : params as ReverseKwargs | null | undefined
  if (given === undefined || given === null) return { args, kwargs, request, server }
  if (typeof given !== 'object') throw new ReverseOptionError('options', 'an object', show(given))
  const { version, query, hash, absolute, format } = given
  const { args: moreArgs, kwargs: moreKwargs } = given as ReverseOptions
  const options: ReverseOptions = {
    args: args ?? moreArgs, kwargs: kwargs ?? moreKwargs, request, server, version, query, hash, absolute, format
  }
  for (const option in given) {
    if (OPTIONS.includes(option)) continue
    checkOwn(scheme, option)
    Object.assign(options, { [option]: Reflect.get(given, option) })
  }
  return options
}

function checkOwn (scheme: Scheme | null, option: string): void {
  const own = scheme?.linkOptions ?? []
  if (own.includes(option)) return
  const known = [...OPTIONS, ...own]
  const near = suggestionFor(option, known)
  throw new UnknownLinkOptionError(show(option), near === '' ? ` The options are ${known.join(', ')}.` : near)
}

/** The parameters that a caller names, with the format. */
export function kwargsOf ({ kwargs, format }: ReverseOptions): ReverseKwargs {
  const given = kwargs ?? NO_KWARGS
  return format === undefined || format === null ? given : { ...given, format }
}
