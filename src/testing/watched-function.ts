import { types } from 'node:util'

import { isPlain, objectsIn } from '../changes/json.ts'
import { pointerOf } from '../changes/schema.ts'
import { ignoreRejection } from '../promises.ts'

import type { ChangeFunction } from '../changes/read-changes.ts'

export type Path = readonly string[]

/** A function of a change, which is called a second time to see what it reads. */
export class Watched {
  /** By JSON pointer, the members that it reads of objects that do not have them. All items of a list are the first. */
  readonly absent = new Map<string, Path>()
  /** All that it reads by their names. */
  readonly named = new Set<string>()
  /** Where it writes into an object inside of what it gets, also if it writes what is there already. */
  written: Path | null = null
  /** Whether it returns the same each time. */
  isSteady = true
  readonly #apply: ChangeFunction

  constructor (apply: ChangeFunction) {
    this.#apply = apply
  }

  readonly call: ChangeFunction = (value) => {
    const copy = readBack(value)
    const result = this.#apply(value)
    const text = textOf(result)
    try {
      const again = this.#apply(this.#watch(copy, []))
      // What is passed on is no promise, and must not be asked for its `then`.
      ignoreRejection([...objectsIn(again)].filter((object) => !types.isProxy(object)))
      this.isSteady &&= textOf(again) === text
    } catch {
      // A Proxy cannot be cloned, for example.
    }
    return result
  }

  #watch (value: unknown, path: Path): unknown {
    if (!isPlain(value)) return value
    const proxies = new Map<unknown, unknown>()
    let copied: unknown
    return new Proxy(value, {
      // A spread asks for the member before it reads it.
      getOwnPropertyDescriptor: (target, key) => {
        copied = key
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof key !== 'string') return member
        const inner = [...path, Array.isArray(target) ? '0' : key]
        if (!(key in target) && !Array.isArray(target) && key !== 'toJSON') this.absent.set(pointerOf(inner), inner)
        if (key !== copied) this.named.add(pointerOf(inner))
        copied = undefined
        const proxy = proxies.get(member) ?? this.#watch(member, inner)
        proxies.set(member, proxy)
        return proxy
      },
      set: (target, key, member) => {
        if (path.length > 0) this.written ??= [...path, String(key)]
        return Reflect.set(target, key, member)
      },
      deleteProperty: (target, key) => {
        if (path.length > 0) this.written ??= [...path, String(key)]
        return Reflect.deleteProperty(target, key)
      }
    })
  }
}

/** A value as JSON; serializers write a BigInt as a number. */
export function textOf (value: unknown): string {
  const toNumber = (_key: string, member: unknown) => typeof member === 'bigint' ? Number(member) : member
  return JSON.stringify(value, toNumber) ?? 'null'
}

/** A value as who gets it reads it. */
export function readBack (value: unknown): unknown {
  return JSON.parse(textOf(value))
}
