import {
  asText, flatten, isDisjoint, isOfAnyType, isRuled, isTighter, memberOf, propertyOf, withoutNull
} from './flat.ts'
import { below, keyOf, show } from './json.ts'
import { isSame } from './same.ts'

import type { Document } from './document.ts'
import type { Flat, Limit, Type } from './flat.ts'
import type { Documents } from './same.ts'
import type { Change, ChangeKind } from '../../types/check.d.ts'

/** Who sends a value: the client in a request, the server in a response. */
export type Direction = 'request' | 'response'

/**
 * How the set of allowed values has changed: more, fewer or other values; at least or at most as many; or unknown.
 */
export type Way = 'more' | 'fewer' | 'others' | 'notFewer' | 'notMore' | 'unclear'

/** What it means for a client whose requests were valid, and which could read every response. */
const KINDS: Readonly<Record<Direction, Readonly<Record<Way, ChangeKind>>>> = {
  request: {
    more: 'added', fewer: 'breaking', others: 'breaking', notFewer: 'added', notMore: 'unknown', unclear: 'unknown'
  },
  response: {
    more: 'breaking', fewer: 'added', others: 'breaking', notFewer: 'unknown', notMore: 'added', unclear: 'unknown'
  }
}

const PATTERNED = 'patternProperties'
/** Rules that depend on which properties are described. */
const OF_PROPERTIES = [PATTERNED, 'unevaluatedProperties']
/** Keywords of a whole schema that was not understood. */
const WHOLES = ['$ref', 'allOf', 'anyOf', 'oneOf']

/** More pairs of schemas than these are not compared for one message. */
const MOST_PAIRS = 20_000

/** Two schemas to compare. */
interface Pair {
  readonly before: unknown
  readonly after: unknown
  readonly at: string
  /** Whether a value that is not allowed here is not allowed at all, so that a breaking change is proven. */
  readonly isProven: boolean
}

/** One message or parameter whose schemas are compared. */
interface Subject {
  readonly documents: Documents
  readonly direction: Direction
  /** Whether the values are text, as in a query or a header. */
  readonly isText: boolean
}

type Report = (way: Way, at: string, message: string) => void

/**
 * Compares two schemas, and all in them. A schema in several places is compared, and reported, in the first of them.
 *
 * @param at where the schemas are
 */
export function compareSchemas (before: unknown, after: unknown, at: string, subject: Subject): Change[] {
  if (isSame(before, after, subject.documents)) return []
  const changes: Change[] = []
  const met = new Set<string>()
  const pairs: Pair[] = [{ before, after, at, isProven: true }]
  for (const pair of pairs) {
    const { before, after } = subject.documents
    const key = `${before.idOf(pair.before)}:${after.idOf(pair.after)}:${pair.isProven}`
    if (met.has(key)) continue
    met.add(key)
    if (met.size > MOST_PAIRS) {
      changes.push({ kind: 'unknown', at: pair.at, message: 'There is too much in this schema to compare it' })
      break
    }
    const comparison = new Comparison(pair, subject)
    comparison.compare()
    changes.push(...comparison.changes)
    pairs.push(...comparison.pairs)
  }
  return changes
}

/** The comparison of one pair of schemas, without the schemas in them. */
class Comparison {
  readonly changes: Change[] = []
  /** The schemas in them, which are compared next. */
  readonly pairs: Pair[] = []
  readonly #pair: Pair
  readonly #subject: Subject

  constructor (pair: Pair, subject: Subject) {
    this.#pair = pair
    this.#subject = subject
  }

  compare (): void {
    const { documents: { before, after }, isText } = this.#subject
    const { at } = this.#pair
    let [some, others] = [flatten(this.#pair.before, before), flatten(this.#pair.after, after)]
    if (isText) [some, others] = [some.map(asText), others.map(asText)]
    if (some.length === 0 || others.length === 0) {
      if (others.length > 0) this.#report('more', at, 'Values are allowed here, where there were none')
      if (some.length > 0) this.#report('fewer', at, 'No value is allowed here any more')
      return
    }
    ;[some, others] = this.#compareNull(some, others)
    const [first, second] = [some[0], others[0]]
    if (some.length === 1 && others.length === 1) return this.#compareFlats(first as Flat, second as Flat, true)
    this.#compareAlternatives(some, others)
  }

  /** Null is compared by itself, because it is written in many ways. Returns the alternatives without it. */
  #compareNull (some: readonly Flat[], others: readonly Flat[]): [readonly Flat[], readonly Flat[]] {
    const isPlain = [...some, ...others].every(({ opaque }) => opaque.length === 0)
    if (!isPlain || isAnything(some) || isAnything(others)) return [some, others]
    const [left, right] = [withoutNull(some), withoutNull(others)]
    if (left.length === 0 || right.length === 0) return [some, others]
    const [was, is] = [some, others].map((flats) => flats.some(({ types }) => types.has('null')))
    if (was !== is) {
      const message = is ? 'Null is allowed now' : 'Null is not allowed any more'
      this.#report(is ? 'more' : 'fewer', this.#pair.at, message)
    }
    return [left, right]
  }

  /** Each alternative is compared with the one that is most like it. */
  #compareAlternatives (some: readonly Flat[], others: readonly Flat[]): void {
    const { documents: { before, after } } = this.#subject
    const meet = (one: Flat, other: Flat) => !isDisjoint(one, other, before, after)
    const free = new Set(others)
    for (const one of some) {
      const named = [...free].find(({ name }) => name !== null && name === one.name)
      const candidates = named ? [named] : [...free].filter((other) => meet(one, other))
      const [match] = candidates
        .map((other) => ({ other, differences: candidates.length === 1 ? 0 : this.#differences(one, other) }))
        .sort((a, b) => a.differences - b.differences)
      const met = others.filter((other) => meet(one, other))
      if (match === undefined) {
        this.#report(met.length > 0 ? 'notMore' : 'fewer', this.#pair.at, `${nameOf(one)} is not allowed any more`)
        continue
      }
      const { other } = match
      free.delete(other)
      const isAlone = met.length <= 1 && some.every((candidate) => candidate === one || !meet(candidate, other))
      this.#compareFlats(one, other, isAlone)
    }
    for (const other of free) {
      const isNew = !some.some((one) => meet(one, other))
      this.#report(isNew ? 'more' : 'notFewer', this.#pair.at, `${nameOf(other)} is allowed now`)
    }
  }

  /** How many things differ, so that alternatives of one kind are compared with each other. */
  #differences (one: Flat, other: Flat): number {
    const comparison = new Comparison(this.#pair, this.#subject)
    comparison.#compareFlats(one, other, false)
    return comparison.changes.length
  }

  #compareFlats (one: Flat, other: Flat, isAlone: boolean): void {
    if (!this.#compareOpaque(one, other)) return
    const isProven = isAlone && this.#pair.isProven && one.opaque.length === 0 && other.opaque.length === 0
    const report: Report = (way, at, message) => this.#report(way, at, message, isProven)
    this.#compareTypes(one, other, report)
    this.#compareValues(one, other, report)
    // It is not checked which values of a list meet further rules.
    const isRuleProven = isProven && one.values === null && other.values === null
    this.#compareRules(one, other, (way, at, message) => this.#report(way, at, message, isRuleProven))
    if (one.types.has('array') && other.types.has('array')) this.#compareLists(one, other, isRuleProven)
    if (one.types.has('object') && other.types.has('object')) this.#compareObjects(one, other, isRuleProven)
  }

  #compareTypes (one: Flat, other: Flat, report: Report): void {
    const way = wayOfSets(one.types, other.types)
    const isImplied = (one.values !== null && way === 'more') || (other.values !== null && way === 'fewer')
    if (way === null || isImplied || (one.values !== null && other.values !== null)) return
    report(way, this.#pair.at, `The type is ${typesOf(other)}, and was ${typesOf(one)}`)
  }

  #compareValues (one: Flat, other: Flat, report: Report): void {
    const { at } = this.#pair
    if (one.values === null && other.values === null) return
    if (one.values === null || other.values === null) {
      const [values, flat] = [one.values ?? other.values, one.values === null ? one : other]
      const known = listed([...(values as ReadonlyMap<string, unknown>).values()])
      if (one.values === null) report(isRuled(flat) ? 'notMore' : 'fewer', at, `Nothing but ${known} is allowed now`)
      else report(isRuled(flat) ? 'notFewer' : 'more', at, `More than ${known} is allowed now`)
      return
    }
    const [removed, added] = [missing(one.values, other.values), missing(other.values, one.values)]
    if (removed.length > 0) report('fewer', at, `${listed(removed)} is not allowed any more`)
    // A client may or may not be ready for further values. It is not ready for a list of only other values.
    const isOther = removed.length === one.values.size
    if (added.length > 0) report(isOther ? 'more' : 'notFewer', at, `${listed(added)} is allowed now`)
  }

  /** Bounds, formats and similar rules. */
  #compareRules (one: Flat, other: Flat, report: Report): void {
    const { at } = this.#pair
    const types = new Set([...one.types].filter((type) => other.types.has(type)))
    const isNumeric = types.has('integer') || types.has('fraction')
    for (const name of new Set([...one.limits.keys(), ...other.limits.keys()])) {
      const [was, is] = [one.limits.get(name), other.limits.get(name)]
      if (!isAbout(name, types) || keyOf(was) === keyOf(is)) continue
      const isFewer = was === undefined || (is !== undefined && isTighter(name, is, was))
      report(isFewer ? 'fewer' : 'more', below(at, name), `The ${name} is ${limitOf(is)}, and was ${limitOf(was)}`)
    }
    const sets = [
      ['pattern', types.has('string'), wayOfRules, one.patterns, other.patterns],
      ['format', types.has('string') || isNumeric, wayOfFormats, one.formats, other.formats],
      ['multipleOf', isNumeric, wayOfDivisors, one.divisors, other.divisors]
    ] as const
    for (const [name, isRelevant, wayOf, was, is] of sets) {
      const way = isRelevant ? wayOf(was as ReadonlySet<never>, is as ReadonlySet<never>) : null
      if (way !== null) report(way, below(at, name), `The ${name} is ${membersOf(is)}, and was ${membersOf(was)}`)
    }
    if (types.has('array') && one.isUnique !== other.isUnique) {
      const message = other.isUnique ? 'Members must be unique now' : 'Members need not be unique any more'
      report(other.isUnique ? 'fewer' : 'more', below(at, 'uniqueItems'), message)
    }
    for (const name of new Set([...one.remarks.keys(), ...other.remarks.keys()])) {
      // A default replaces what the client leaves out.
      const isRead = name !== 'default' || this.#subject.direction === 'request'
      if (!isRead || one.remarks.get(name) === other.remarks.get(name)) continue
      report('unclear', below(at, name), `The keyword ${show(name)} has changed`)
    }
  }

  #compareLists (one: Flat, other: Flat, isProven: boolean): void {
    const length = Math.max(one.members.length, other.members.length)
    for (let i = 0; i < length; i++) {
      this.#next(memberOf(one, i), memberOf(other, i), below(this.#pair.at, 'prefixItems', i), isProven)
    }
    this.#next(one.items, other.items, below(this.#pair.at, 'items'), isProven)
  }

  #compareObjects (one: Flat, other: Flat, isProven: boolean): void {
    const { documents: { before, after } } = this.#subject
    // Which properties these rules are about depends on the properties that are described.
    const isOpaque = [...one.opaque, ...other.opaque].some((schema) => OF_PROPERTIES.some((name) => name in schema))
    const report: Report = (way, at, message) => this.#report(isOpaque ? 'unclear' : way, at, message, isProven)
    const wasClosed = flatten(before.all(one.others), before).length === 0
    const isClosed = flatten(after.all(other.others), after).length === 0
    const described = [...one.properties.keys(), ...other.properties.keys()]
    for (const name of new Set([...described, ...one.required, ...other.required])) {
      const at = below(this.#pair.at, 'properties', name)
      const [was, is] = [one.properties.get(name), other.properties.get(name)]
      const [wasLeftOut, isLeftOut] = [this.#isLeftOut(was, before), this.#isLeftOut(is, after)]
      if (was && is && wasLeftOut !== isLeftOut) {
        report('unclear', at, `The property ${show(name)} is ${isLeftOut ? '' : 'not '}${this.#flag} now`)
      } else if (!wasLeftOut && !isLeftOut) {
        if (was && is) this.#next(was, is, at, isProven)
        else if (is) this.#compareAdded(one, other, name, wasClosed, report)
        else if (was) this.#compareRemoved(one, other, name, isClosed, report)
      }
      this.#compareRequired(one, other, name, wasLeftOut || isLeftOut, report)
    }
    const at = below(this.#pair.at, 'additionalProperties')
    if (isClosed && !wasClosed) report('fewer', at, 'Other properties are not allowed any more')
    if (wasClosed && !isClosed) report('notFewer', at, 'Other properties are allowed now')
    if (!wasClosed && !isClosed) this.#next(one.others, other.others, at, isProven)
  }

  /** The keyword of properties that are not part of the message. */
  get #flag (): 'readOnly' | 'writeOnly' {
    return this.#subject.direction === 'request' ? 'readOnly' : 'writeOnly'
  }

  #isLeftOut (schemas: readonly unknown[] = [], document: Document): boolean {
    return schemas.some((schema) => document.way(schema).some((item) => item[this.#flag] === true))
  }

  /** A new property. It was never sent before, unless it was one of the other properties. */
  #compareAdded (one: Flat, other: Flat, name: string, wasClosed: boolean, report: Report): void {
    const at = below(this.#pair.at, 'properties', name)
    const isRequest = this.#subject.direction === 'request'
    const isRequired = isRequest && other.required.has(name) && !one.required.has(name)
    if (isRequired) report('fewer', at, `The property ${show(name)} is new, and required`)
    else report(isRequest ? 'more' : 'fewer', at, `The property ${show(name)} is new`)
    if (!wasClosed && one.others.length > 0) this.#next(one.others, propertyOf(other, name), at, !isRequest)
  }

  /** A removed property. A client that sends it, or reads it, may or may not work without it. */
  #compareRemoved (one: Flat, other: Flat, name: string, isClosed: boolean, report: Report): void {
    const at = below(this.#pair.at, 'properties', name)
    const isRequest = this.#subject.direction === 'request'
    const isMissed = isRequest ? isClosed : one.required.has(name)
    report(isMissed ? 'others' : 'unclear', at, `The property ${show(name)} was removed`)
    if (!isClosed && other.others.length > 0) this.#next(propertyOf(one, name), other.others, at, false)
  }

  #compareRequired (one: Flat, other: Flat, name: string, isLeftOut: boolean, report: Report): void {
    const [was, is] = [one.required.has(name), other.required.has(name)]
    const isReported = one.properties.has(name) !== other.properties.has(name) && is === other.properties.has(name)
    if (was === is || (isReported && !isLeftOut)) return
    const message = `The property ${show(name)} is ${is ? 'required now' : 'not required any more'}`
    // Whether it is required of a message that leaves it out depends on who reads the schema.
    const ways = isLeftOut ? ['notMore', 'notFewer'] as const : ['fewer', 'more'] as const
    report(ways[is ? 0 : 1], below(this.#pair.at, 'properties', name), message)
  }

  /**
   * Rules that are compared as a whole: if one is removed, at least as many values are allowed.
   *
   * @returns whether the rest can be compared: it says little if references or alternatives are not understood
   */
  #compareOpaque (one: Flat, other: Flat): boolean {
    const added = [...other.opaque]
    const removed = one.opaque.filter((schema) => {
      const i = added.findIndex((candidate) => isSame(schema, candidate, this.#subject.documents))
      if (i !== -1) added.splice(i, 1)
      return i === -1
    })
    if ([...removed, ...added].some((schema) => WHOLES.some((name) => name in schema))) {
      this.#report('unclear', this.#pair.at, 'The schema has changed in a way that is not understood here')
      return false
    }
    for (const [way, schemas, what] of [['notFewer', removed, 'was removed'], ['notMore', added, 'is new']] as const) {
      for (const schema of schemas) {
        const [name = ''] = Object.keys(schema)
        this.#report(name === PATTERNED ? 'unclear' : way, below(this.#pair.at, name), `The rule ${show(name)} ${what}`)
      }
    }
    return true
  }

  /** Compares the schemas of a name, all of which must be met. */
  #next (before: readonly unknown[], after: readonly unknown[], at: string, isProven: boolean): void {
    const { documents } = this.#subject
    this.pairs.push({ before: documents.before.all(before), after: documents.after.all(after), at, isProven })
  }

  #report (way: Way, at: string, message: string, isProven = this.#pair.isProven): void {
    const kind = KINDS[this.#subject.direction][way]
    this.changes.push({ kind: kind === 'breaking' && !isProven ? 'unknown' : kind, at, message })
  }
}

/** Whether a single alternative has values of all types, so that null is not reported by itself. */
function isAnything ([flat, ...others]: readonly Flat[]): boolean {
  return flat !== undefined && others.length === 0 && isOfAnyType(flat)
}

/** Whether a bound is about values of one of the types. */
function isAbout (name: string, types: ReadonlySet<Type>): boolean {
  if (name.endsWith('Length')) return types.has('string')
  if (name.endsWith('Items')) return types.has('array')
  if (name.endsWith('Properties')) return types.has('object')
  return types.has('integer') || types.has('fraction')
}

/** What has become of a set; null if it is the same. */
function wayOfSets (one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): 'more' | 'fewer' | 'others' | null {
  const isKept = [...one].every((member) => other.has(member))
  const isKnown = [...other].every((member) => one.has(member))
  if (isKept) return isKnown ? null : 'more'
  return isKnown ? 'fewer' : 'others'
}

/** All rules must be met, so more rules allow fewer values. */
function wayOfRules (one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): Way | null {
  const way = wayOfSets(one, other)
  if (way === 'more') return one.size === 0 ? 'fewer' : 'notMore'
  if (way === 'fewer') return other.size === 0 ? 'more' : 'notFewer'
  return way === null ? null : 'unclear'
}

/** Formats that validators check. No text has two of them. */
const FORMATS = new Set([
  'date-time', 'date', 'time', 'duration', 'email', 'ipv4', 'ipv6', 'uri', 'uuid', 'int32', 'int64'
])
/** Formats, each with the formats that allow the same values and more. */
const WIDER_FORMATS = new Set(['int32 int64', 'float double', 'uri uri-reference'])

function wayOfFormats (one: ReadonlySet<string>, other: ReadonlySet<string>): Way | null {
  const way = wayOfRules(one, other)
  const all = [...one, ...other]
  const isKnown = all.every((format) => FORMATS.has(format))
  if (way === 'unclear' && all.length === 2) {
    if (WIDER_FORMATS.has(all.join(' '))) return 'more'
    if (WIDER_FORMATS.has(all.reverse().join(' '))) return 'fewer'
    return isKnown ? 'others' : 'unclear'
  }
  if (isKnown) return way
  return way === 'fewer' ? 'notMore' : way === 'more' ? 'notFewer' : way
}

function wayOfDivisors (one: ReadonlySet<number>, other: ReadonlySet<number>): Way | null {
  const way = wayOfRules(one, other)
  const [was, is] = [[...one], [...other]].map(([divisor = NaN]) => divisor) as [number, number]
  if (way !== 'unclear' || one.size + other.size > 2 || !Number.isInteger(was) || !Number.isInteger(is)) return way
  if (was % is === 0) return 'more'
  return is % was === 0 ? 'fewer' : 'others'
}

function missing (values: ReadonlyMap<string, unknown>, from: ReadonlyMap<string, unknown>): unknown[] {
  return [...values].filter(([key]) => !from.has(key)).map(([, value]) => value)
}

// Words.

function listed (values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map(show).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}

function membersOf (rules: ReadonlySet<unknown>): string {
  return rules.size === 0 ? 'none' : listed([...rules])
}

function limitOf (limit: Limit | undefined): string {
  if (limit === undefined) return 'none'
  return limit.isOpen ? `${limit.value} (exclusive)` : String(limit.value)
}

function typesOf (flat: Flat): string {
  if (isOfAnyType(flat)) return 'any'
  const { types } = flat
  // Where everything is text, text without further rules can be all of these.
  const isAnyText = types.has('boolean') && types.has('fraction') && types.has('string')
  const implied = isAnyText ? ['boolean', 'integer', 'fraction'] : types.has('fraction') ? ['integer'] : []
  const names = [...types].filter((type) => !implied.includes(type))
  return names.map((type) => type === 'fraction' ? 'number' : type).join(' or ')
}

function nameOf (flat: Flat): string {
  return flat.name === null ? `A value of type ${typesOf(flat)}` : `A value of ${flat.name}`
}
