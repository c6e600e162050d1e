import { ReverseOptionError, UnknownLinkOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'

import type { Scheme } from '../scheme.ts'
import type {
  LinkOptions, LinkQuery, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest
} from '../../types/index.d.ts'

const OPTIONS: ReadonlySet<string> = new Set([
  'args', 'kwargs', 'request', 'server', 'version', 'query', 'hash', 'absolute', 'format'
])
const NONE: readonly string[] = Object.freeze([])

export const NO_ARGS: ReverseArgs = Object.freeze([])
export const NO_KWARGS: ReverseKwargs = Object.freeze({})

/** The options of a link that `reply.reverse` or `app.reverse` has checked. */
export class CheckedOptions implements ReverseOptions {
  // Declared only: a field that is defined first and set later costs V8 both.
  declare readonly args: ReverseArgs | null | undefined
  declare readonly kwargs: ReverseKwargs | null | undefined
  declare readonly request: ReversingRequest | undefined
  declare readonly server: object | undefined
  declare readonly version: string | null | undefined
  declare readonly query: LinkQuery | null | undefined
  declare readonly hash: string | null | undefined
  declare readonly absolute: boolean | undefined
  declare readonly format: string | null | undefined;
  [own: string]: unknown

  /**
   * @param given the options of the caller
   * @param scheme the scheme that makes the link, for its own options, or null
   * @throws FST_ERR_REVERSE_OPTION for an option that is not known
   */
  constructor (
    params: ReverseArgs | ReverseKwargs | null | undefined, given: LinkOptions | null | undefined,
    request: ReversingRequest | undefined, server: object | undefined, scheme: Scheme | null
  ) {
    const isList = Array.isArray(params)
    this.args = isList ? params as ReverseArgs : undefined
    this.kwargs = isList ? undefined : params as ReverseKwargs | null | undefined
    this.request = request
    this.server = server
    // Most links have no options: a small object serves them.
    if (given === undefined || given === null) return
    if (typeof given !== 'object') throw new ReverseOptionError('options', 'an object', show(given))
    const { args, kwargs } = given as ReverseOptions
    this.args ??= args
    this.kwargs ??= kwargs
    this.version = given.version
    this.query = given.query
    this.hash = given.hash
    this.absolute = given.absolute
    this.format = given.format
    for (const option in given) {
      if (OPTIONS.has(option)) continue
      checkOwn(scheme, option)
      this[option] = Reflect.get(given, option)
    }
  }
}

/**
 * Checks the options of a link that a scheme makes.
 *
 * @throws FST_ERR_REVERSE_OPTION for one that is not known
 */
export function checkLinkOptions (scheme: Scheme, options: ReverseOptions): void {
  if (options instanceof CheckedOptions) return
  for (const option in options) {
    if (!OPTIONS.has(option)) checkOwn(scheme, option)
  }
}

/** The app, or the context in it, whose names are looked up. */
export function serverOf (scheme: Scheme | null, { request, server }: ReverseOptions): object | undefined {
  return request?.server ?? server ?? scheme?.defaultServer
}

/** The list whose link is made, in the options of its members, and in the copies that their own `reverse` makes. */
export const kList: unique symbol = Symbol('fastify-versioning.list')

/** A copy of the options of a link with some of them changed. */
export function optionsWith<Options extends ReverseOptions> (
  options: Options, changes: Partial<ReverseOptions> & { readonly [kList]?: Scheme | null | undefined }
): Options {
  return Object.assign(Object.create(Object.getPrototypeOf(options)), options, changes)
}

function checkOwn (scheme: Scheme | null, option: string): void {
  const own = scheme === null ? NONE : scheme.linkOptions
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
