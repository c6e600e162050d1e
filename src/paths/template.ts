import FindMyWay from 'find-my-way'

import { show } from '../messages.ts'
import { endsSegment, parsePath } from './pattern.ts'

import type { HTTPVersion, Instance } from 'find-my-way'
import type { ParsedPath, RouterOptions } from './pattern.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

type Router = Instance<HTTPVersion.V1>

/** A dot segment as a client sees it, or a server that decodes once more, or that takes a backslash for a slash. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i

/** What the router may read in another way than it looks: some characters end a path, or are near an escape. */
const DOUBTFUL = /[?#;%]|\/\//

/** A path that can be filled: `/bookings/:id` with `{ id: 7 }` is `/bookings/7`. */
export class Template {
  readonly path: string
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  readonly #texts: readonly string[]
  readonly #encoded: readonly string[]
  readonly #maxLength: number
  /** Has this path alone, and tells whether values come back; null if they do so in any case. */
  readonly #router: Router | null

  /** @param path a path as Fastify registers it, optional parameters expanded */
  constructor (path: string, options: RouterOptions) {
    const parsed = parsePath(path)
    this.path = path
    this.names = parsed.params.map(({ name }) => name)
    this.#texts = parsed.texts
    this.#encoded = parsed.texts.map((text) => encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent))
    this.#maxLength = options.maxParamLength
    this.#router = isPlain(parsed, options) && !DOUBTFUL.test(path) ? null : FindMyWay({ ...options, allowUnsafeRegex: true })
    this.#router?.on('GET', path, Function.prototype as () => void)
  }

  /** The URL, or null if the parameters are not exactly the path's, or would not come back as they are. */
  fill (kwargs: ReverseKwargs): string | null {
    const { names } = this
    let url = this.#encoded[0]
    let text = this.#texts[0]
    for (let i = 0; i < names.length; i++) {
      const name = names[i]
      const value = toText(kwargs[name])
      const encoded = this.#encode(name, value, kwargs)
      if (encoded === null) return null
      url += encoded + this.#encoded[i + 1]
      text += value + this.#texts[i + 1]
    }
    for (const name of Object.keys(kwargs)) {
      if (!names.includes(name) && isGiven(kwargs[name])) return null
    }
    // Two slashes at its start would name a host (RFC 3986, section 4.2).
    if (!url.startsWith('/') || url.startsWith('//') || DOT_SEGMENT.test(text)) return null
    return this.#router === null || this.#comesBack(this.#router, url, kwargs) ? url : null
  }

  /**
   * Values by the names of the parameters that `kwargs` leaves open, or null if there are too many.
   *
   * @param args the values, in the order of the path
   * @param versionParam a parameter that takes none of them, or null
   */
  toKwargs (args: ReverseArgs, kwargs: ReverseKwargs, versionParam: string | null): ReverseKwargs | null {
    const open = new Set(this.names.filter((name) => name !== versionParam && !Object.hasOwn(kwargs, name)))
    if (args.slice(open.size).some(isGiven)) return null
    return { ...Object.fromEntries([...open].map((name, i) => [name, args[i]])), ...kwargs }
  }

  /** Why there is no URL: the parameters that are missing, unknown, or have a value that does not fit. */
  explain (args: ReverseArgs, some: ReverseKwargs, versionParam: string | null): string {
    const { names, path } = this
    const kwargs = this.toKwargs(args, some, versionParam)
    if (kwargs === null) {
      const open = new Set(names.filter((name) => name !== versionParam && !Object.hasOwn(some, name)))
      return `${path} takes ${listOf(names)}: ${args.slice(open.size).filter(isGiven).length} positional too many`
    }
    const given = Object.keys(kwargs).filter((name) => isGiven(kwargs[name]))
    const missing = names.filter((name) => !given.includes(name))
    const unknown = given.filter((name) => !names.includes(name))
    const reasons = [
      ...missing.length > 0 ? [`${quoted(missing)} missing`] : [], ...unknown.length > 0 ? [`${quoted(unknown)} unknown`] : []
    ]
    if (reasons.length === 0) {
      const alone = names.filter((name) => this.#encode(name, toText(kwargs[name]), kwargs) === null)
      const misfits = alone.length > 0 ? alone : names
      reasons.push(...misfits.map((name) => `"${name}" cannot be ${show(kwargs[name])}`))
    }
    return `${path} takes ${listOf(names)}: ${reasons.join(', ')}`
  }

  /** Whether the parameters with a text are exactly the path's, even if a value does not fit. */
  takes (kwargs: ReverseKwargs): boolean {
    const given = Object.keys(kwargs).filter((name) => kwargs[name] !== undefined && typeof kwargs[name] !== 'object')
    return given.length === new Set(this.names).size && given.every((name) => this.names.includes(name))
  }

  /** Null for a value that never fits. A wildcard may be empty, and keeps its slashes. */
  #encode (name: string, value: string, kwargs: ReverseKwargs): string | null {
    if (name === '*') {
      if (value === '' && kwargs[name] !== '') return null
      return value.isWellFormed() ? encodeURIComponent(value).replaceAll('%2F', '/') : null
    }
    return value === '' || value.length > this.#maxLength || !value.isWellFormed() ? null : encodeURIComponent(value)
  }

  #comesBack (router: Router, url: string, kwargs: ReverseKwargs): boolean {
    const found = router.find('GET', url)
    return found !== null && this.names.every((name) => found.params[name] === toText(kwargs[name]))
  }
}

/** Whether each parameter takes its segment as it is, whatever the value. */
function isPlain (parsed: ParsedPath, { caseSensitive, ignoreDuplicateSlashes, ignoreTrailingSlash }: RouterOptions): boolean {
  // Where case is ignored, the router loses its place behind `İ`, the one letter that is two in lower case.
  return caseSensitive && parsed.params.every(({ name, pattern }, i) => (
    name === '*' ? !ignoreDuplicateSlashes && !ignoreTrailingSlash : pattern === null && endsSegment(parsed, i)
  ))
}

/** Whether a value is there to be used: null, undefined and the empty string fill no parameter. */
export function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A value as text; `''` for one that fills no parameter. */
export function toText (value: unknown): string {
  switch (typeof value) {
    case 'string': return value
    case 'number': return Number.isFinite(value) ? String(value) : ''
    case 'bigint':
    case 'boolean': return String(value)
    default: return ''
  }
}

function listOf (names: readonly string[]): string {
  return names.length === 0 ? 'no parameters' : quoted(names)
}

function quoted (names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}
