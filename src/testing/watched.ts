import { isDeepStrictEqual } from 'node:util'

import { isPlain } from '../changes/json.ts'
import { isObject } from '../changes/schema.ts'
import { show, suggestionFor } from '../messages.ts'
import { isClosed, namesIn } from './schema-reader.ts'

import type { ChangeFunction, Direction } from '../changes/read.ts'
import type { Said, SchemaReader } from './schema-reader.ts'

/** What a text has of a value that was none. */
const NONSENSE = /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date/

type Members = Record<string, unknown>

/** A conversion that is going on. */
export class Trace {
  /** What its functions have done that they must not do. */
  readonly faults: string[] = []
  /** By name, members that a function has made and no older one has passed on, with the version of its change. */
  readonly made = new Map<string, number>()
}

/** What a function has read of the objects in one place. */
class Reads {
  readonly given = new Set<string>()
  /** By their names. */
  readonly named = new Set<string>()
  /** Whether it has taken all members, as in `...rest`. */
  hasAll = false
  readonly members = new Map<string, Reads>()

  /** An object or a list that notes what is read of it. */
  watch (value: object): object {
    const isList = Array.isArray(value)
    if (!isList) for (const key of Object.keys(value)) this.given.add(key)
    const proxies = new Map<object, object>()
    let copied: unknown
    return new Proxy(value, {
      // A spread asks for the member before it reads it.
      getOwnPropertyDescriptor: (target, key) => {
        copied = key
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        const isAdded = Object.hasOwn(target, key) && !this.given.has(String(key))
        const isMember = !isList && typeof key === 'string' && key !== 'toJSON' && !(key in Object.prototype)
        if (isMember && key !== copied && !isAdded) this.named.add(key)
        copied = undefined
        if (!isPlain(member) || typeof key !== 'string') return member
        const proxy = proxies.get(member) ?? this.#in(isList ? '' : key).watch(member)
        proxies.set(member, proxy)
        return proxy
      },
      ownKeys: (target) => {
        this.hasAll = true
        return Reflect.ownKeys(target)
      }
    })
  }

  #in (key: string): Reads {
    const reads = this.members.get(key) ?? new Reads()
    this.members.set(key, reads)
    return reads
  }
}

/** A function of a change: what it reads of the values that it gets, and does to them. */
export class Watched {
  readonly direction: Direction
  readonly #apply: ChangeFunction
  readonly #index: number
  readonly #reads = new Reads()
  readonly #returned = new Set<string>()
  /** Whether it cannot be told what it reads. */
  #isHidden = false

  /** @param index of the version of the change */
  constructor (apply: ChangeFunction, direction: Direction, index: number) {
    this.#apply = apply
    this.direction = direction
    this.#index = index
  }

  call (given: unknown, { faults, made }: Trace): unknown {
    const text = textOf(given)
    const members = Object.entries(Object(given))
    const result = this.#apply(given)
    const before: unknown = JSON.parse(text)
    const place = members.map(([key, member]) => differenceIn((before as Members)[key], member, `/${key}`))
      .find((one) => one !== null)
    if (place !== undefined) faults.push(`modifies what it is given, at ${show(place)}: copy objects inside of it`)
    const [nonsense] = NONSENSE.exec(textOf(result)) ?? []
    if (nonsense !== undefined && !text.includes(nonsense)) faults.push(`makes a text with ${show(nonsense)}`)
    if (!isObject(result) || !isPlain(before)) return result
    const again = this.#observe(before)
    if (again !== undefined && again !== textOf(result) && this.direction === 'downgrade') {
      faults.push('returns something else each time')
    }
    this.#noteMade(result, membersIn(JSON.parse(text)), made)
    return result
  }

  /** What is wrong with the function, by all that it has read. */
  faults (from: SchemaReader, to: SchemaReader): string[] {
    return this.#isHidden ? [] : this.#faultsAt(this.#reads, [from, from.root], [to, to.root], '')
  }

  /** Calls the function once more, to see what it reads. Returns what it makes, as JSON; undefined if it cannot. */
  #observe (given: object): string | undefined {
    try {
      const text = textOf(this.#apply(this.#reads.watch(given)))
      for (const key of membersIn(JSON.parse(text)).keys()) this.#returned.add(key)
      return text
    } catch {
      // A Proxy cannot be cloned, for example.
      this.#isHidden = true
    }
  }

  #faultsAt (
    { named, given, hasAll, members }: Reads, [from, said]: readonly [SchemaReader, Said],
    [to, target]: readonly [SchemaReader, Said], pointer: string
  ): string[] {
    const isUpgrade = this.direction === 'upgrade'
    const unread = namesIn(said).filter((key) => !named.has(key))
    const reads = [...named].flatMap((key) => {
      if (given.has(key) || from.member(said, key).length > 0) return []
      const isSwapped = to.member(target, key).length > 0
      const hint = isSwapped ? ' Are the functions swapped?' : suggestionFor(key, unread)
      // Handlers may return more than a schema says.
      if (!(isUpgrade && isClosed(said)) && (isSwapped || hint === '')) return []
      const source = isUpgrade ? 'older' : 'newer'
      return [`reads ${show(`${pointer}/${key}`)}, which the ${source} schema does not have.${hint}`]
    })
    const isBlind = isUpgrade && pointer === '' && named.size === 0 && this.#returned.size === 0
    const lost = hasAll
      ? []
      : unread.filter((key) => (
        given.has(key) && !this.#returned.has(key) && (isBlind || to.member(target, key).length > 0)
      ))
    const left = lost.map((key) => show(`${pointer}/${key}`)).join(', ')
    const why = isBlind ? 'and returns nothing' : 'which both schemas have: pass it on, as in "...rest"'
    const inside = [...members].flatMap(([key, inner]) => {
      const [one, other] = ([[from, said], [to, target]] as const).map(([reader, said]) => (
        [reader, key === '' ? reader.items(said) : reader.member(said, key)] as const
      ))
      return this.#faultsAt(inner, one, other, key === '' ? pointer : `${pointer}/${key}`)
    })
    return [...reads, ...left === '' ? [] : [`does not read ${left}, ${why}.`], ...inside]
  }

  /** Notes what is not a member that the function was given, and has only passed on. */
  #noteMade (value: unknown, given: ReadonlyMap<string, readonly unknown[]>, made: Map<string, number>): void {
    if (!isPlain(value)) return
    for (const [key, member] of Object.entries(value)) {
      const isPassedOn = given.get(key)?.some((one) => isDeepStrictEqual(one, member)) === true
      if (!isPassedOn) {
        if (member !== undefined && !Array.isArray(value)) made.set(key, this.#index)
        this.#noteMade(member, given, made)
      } else if (this.#index < (made.get(key) ?? 0)) made.delete(key)
    }
  }
}

/** A value as JSON; serializers write a BigInt as a number. */
function textOf (value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => typeof one === 'bigint' ? Number(one) : one) ?? 'null'
}

/** By name, the members at any depth of a value. */
function membersIn (value: unknown, members = new Map<string, unknown[]>()): Map<string, unknown[]> {
  for (const [key, member] of isObject(value) ? Object.entries(value) : []) {
    members.set(key, [...members.get(key) ?? [], member])
    membersIn(member, members)
  }
  return members
}

/** The first place where an object differs from what it was, as a JSON pointer; or null. */
function differenceIn (before: unknown, after: unknown, pointer: string): string | null {
  if (!isObject(after) || isDeepStrictEqual(before, after)) return null
  const members = before as Members
  const keys = [...new Set([...Object.keys(members), ...Object.keys(after)])]
  const key = keys.find((key) => !isDeepStrictEqual(members[key], after[key])) as string
  return differenceIn(members[key], after[key], `${pointer}/${key}`) ?? `${pointer}/${key}`
}
