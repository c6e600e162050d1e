import { show } from '../errors.ts'
import { expandOptional, mergeSlashes, namesOf, parsePath } from './pattern.ts'
import { isPlain } from '../http/percent-encoding.ts'
import { encodeText, fits, toGroups, toPlaces } from './places.ts'

import type { Group, Place, RouterLimits } from './places.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/**
 * Compiles the path of a route into templates, one for each set of parameters that it takes:
 * `/bookings/:id?` has two.
 *
 * @param path a path as Fastify registers it, prefix included
 * @throws SyntaxError or TypeError for a pattern that is no regular expression
 */
export function compile (path: string, limits: RouterLimits): UrlTemplate[] {
  return expandOptional(path).map((one) => new UrlTemplate(one, limits))
}

/** A path that can be filled: `/bookings/:id` with `{ id: 7 }` is `/bookings/7`. */
export class UrlTemplate {
  readonly path: string
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  readonly #start: string
  readonly #places: readonly Place[]
  readonly #groups: readonly Group[]
  readonly #hasRepeated: boolean
  /** Whether two slashes stand in front, which would name a host, not a path. */
  readonly #isUnlinkable: boolean

  constructor (path: string, limits: RouterLimits) {
    const nodes = parsePath(limits.ignoreDuplicateSlashes ? mergeSlashes(path) : path)
    this.path = path
    this.names = nodes.flatMap(namesOf)
    this.#start = nodes[0].kind === 'static' ? encodeText(nodes[0].text) : ''
    this.#isUnlinkable = this.#start.startsWith('//')
    this.#places = toPlaces(nodes, limits)
    this.#groups = toGroups(nodes)
    this.#hasRepeated = this.#places.some(({ isRepeated }) => isRepeated)
  }

  /**
   * The URL, or null when the parameters are not exactly the path's, or a value does not fit its place.
   *
   * @param args fill, in order, what `kwargs` leaves open
   * @param kwargs values by name
   * @param impliedName a parameter of the path that has the value `implied` unless `kwargs` has one; null: none
   */
  fill (
    args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null = null, implied: string = ''
  ): string | null {
    if (this.#isUnlinkable || (this.#hasRepeated && args.length > 0)) return null
    const places = this.#places
    const values: string[] | null = this.#groups.length === 0 ? null : []
    let url = this.#start
    let isImpliedOpen = impliedName !== null
    let named = 0
    let positional = 0
    // An index, for an iterator costs as much as the rest of the loop.
    for (let i = 0; i < places.length; i++) {
      const { name, isRepeated, plainLength, write, text } = places[i]
      const isImplied = name === impliedName
      if (isImplied) isImpliedOpen = false
      // What any object inherits, such as `constructor`, is never text.
      let value = toText(kwargs[name])
      if (value !== '') named += isRepeated ? 0 : 1
      else if (isImplied && !isOwn(kwargs, name)) value = implied
      else value = toText(args[positional++])
      if (value === '') return null
      const written = value.length <= plainLength && isPlain(value) ? value : write(value)
      if (written === null) return null
      url += written + text
      values?.push(value)
    }
    const isExact = Object.keys(kwargs).length === named || givenIn(kwargs).length === named
    if (!isExact || isImpliedOpen || positional < args.length) return null
    return values === null || this.#groups.every((group) => fits(group, values)) ? url : null
  }

  /** Why `fill` answers null, for a developer to read. */
  explain (args: ReverseArgs, kwargs: ReverseKwargs): string {
    const given = givenIn(kwargs)
    const open = this.names.filter((name) => !given.includes(name))
    const missing = open.filter((_, i) => !isGiven(args[i]))
    const unknown = given.filter((name) => !this.names.includes(name))
    const reasons: string[] = []
    if (missing.length > 0) reasons.push(`${quoted(missing)} missing`)
    if (unknown.length > 0) reasons.push(`${quoted(unknown)} unknown`)
    if (args.length > open.length) reasons.push(`${args.length - open.length} positional too many`)
    if (this.#hasRepeated && args.length > 0) reasons.push('a name that stands twice takes no positional values')
    if (reasons.length === 0) {
      const values = this.names.map((name) => given.includes(name) ? kwargs[name] : args[open.indexOf(name)])
      reasons.push(...this.#misfits(values))
    }
    const takes = this.names.length === 0 ? 'no parameters' : quoted(this.names)
    return `${this.path} takes ${takes}: ${reasons.join(', ')}`
  }

  #misfits (values: readonly unknown[]): string[] {
    if (this.#isUnlinkable) return ['the URL would start with two slashes']
    const texts = values.map(toText)
    const misfits = this.#places.filter(({ write }, i) => texts[i] === '' || write(texts[i]) === null)
    const groups = misfits.length > 0 ? [] : this.#groups.filter((group) => !fits(group, texts))
    const names = [...misfits.map(({ name }) => name), ...groups.flatMap(({ node }) => node.names)]
    return names.map((name) => `"${name}" cannot be ${show(values[this.names.indexOf(name)])}`)
  }
}

/** Whether a value is there to be used: null, undefined and the empty string fill no parameter. */
function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A value as text; `''` for one that fills no parameter. */
function toText (value: unknown): string {
  switch (typeof value) {
    case 'string': return value
    case 'number': return Number.isFinite(value) ? String(value) : ''
    case 'bigint':
    case 'boolean': return String(value)
    default: return ''
  }
}

function isOwn (kwargs: ReverseKwargs, name: string): boolean {
  return kwargs[name] !== undefined && Object.hasOwn(kwargs, name)
}

/** The names that have a value. */
function givenIn (kwargs: ReverseKwargs): string[] {
  return Object.keys(kwargs).filter((name) => isGiven(kwargs[name]))
}

function quoted (names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}
