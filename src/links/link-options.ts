import { ReverseOptionError, UnknownLinkOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'

import type { Scheme } from '../schemes/base.ts'
import type { LinkOptions, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

const OPTIONS: readonly string[] = [
  'args', 'kwargs', 'request', 'server', 'version', 'query', 'hash', 'absolute', 'format'
]
/** What a caller names who names no parameters. */
export const NO_KWARGS: ReverseKwargs = Object.freeze({})

/** @throws FST_ERR_REVERSE_OPTION for an option of a link that neither we know nor the scheme that makes it */
export function checkLinkOptions (scheme: Scheme | null, options: object): void {
  for (const option in options) {
    if (OPTIONS.includes(option) || scheme?.linkOptions.includes(option)) continue
    const known = [...OPTIONS, ...scheme?.linkOptions ?? []]
    const near = suggestionFor(option, known) || ` The options are ${known.join(', ')}.`
    throw new UnknownLinkOptionError(show(option), near)
  }
}

/** What `reply.reverse` or `app.reverse` is given, as options of a scheme's `reverse`; throws as `checkLinkOptions`. */
export function toReverseOptions (
  scheme: Scheme | null, params: ReverseArgs | ReverseKwargs | null | undefined, given: LinkOptions | null | undefined,
  request: ReversingRequest | undefined, server: object | undefined
): ReverseOptions {
  const args = Array.isArray(params) ? params as ReverseArgs : undefined
  const kwargs = args === undefined ? params as ReverseKwargs | null | undefined : undefined
  if (given === undefined || given === null) return { args, kwargs, request, server }
  if (typeof given !== 'object') throw new ReverseOptionError('options', 'an object', show(given))
  checkLinkOptions(scheme, given)
  // Spread last: a property after it takes ten times as long.
  return { args, kwargs, request, server, ...given }
}
