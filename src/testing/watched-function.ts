import { types } from 'node:util'

import { isPlain, objectsIn } from '../changes/json.ts'
import { pointerOf } from '../changes/schema.ts'
import { ignoreRejection } from '../promises.ts'

import type { ChangeFunction } from '../changes/read-changes.ts'

export type Path = readonly string[]

export type Watched = ReturnType<typeof watchedFunction>

/** Watches a function of a change, which is called a second time to see what it reads. */
export function watchedFunction (apply: ChangeFunction) {
  const watched = {
    /** By JSON pointer, the members that it reads of objects without them. All items of a list are the first. */
    absent: new Map<string, Path>(),
    /** All that it reads by their names. */
    named: new Set<string>(),
    /** Where it writes into an object inside of what it gets, also if it writes what is there already. */
    written: null as Path | null,
    /** Whether it returns the same each time. */
    isSteady: true,
    call (value: unknown): unknown {
      const copy = readBack(value)
      const result = apply(value)
      const text = textOf(result)
      try {
        const again = apply(watch(copy, []))
        // What is passed on is no promise, and must not be asked for its `then`.
        ignoreRejection([...objectsIn(again)].filter((object) => !types.isProxy(object)))
        watched.isSteady &&= textOf(again) === text
      } catch {
        // A Proxy cannot be cloned, for example.
      }
      return result
    }
  }

  function watch (value: unknown, path: Path): unknown {
    if (!isPlain(value)) return value
    const proxies = new Map<unknown, unknown>()
    const noteWritten = (key: string | symbol) => {
      if (path.length > 0) watched.written ??= [...path, String(key)]
    }
    let copied: unknown
    return new Proxy(value, {
      // A spread asks for the member before it reads it.
      getOwnPropertyDescriptor (target, key) {
        copied = key
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
      get (target, key) {
        const member: unknown = Reflect.get(target, key)
        if (typeof key !== 'string') return member
        const inner = [...path, Array.isArray(target) ? '0' : key]
        const pointer = pointerOf(inner)
        if (!(key in target) && !Array.isArray(target) && key !== 'toJSON') watched.absent.set(pointer, inner)
        if (key !== copied) watched.named.add(pointer)
        copied = undefined
        const proxy = proxies.get(member) ?? watch(member, inner)
        proxies.set(member, proxy)
        return proxy
      },
      set (target, key, member) {
        noteWritten(key)
        return Reflect.set(target, key, member)
      },
      deleteProperty (target, key) {
        noteWritten(key)
        return Reflect.deleteProperty(target, key)
      }
    })
  }

  return watched
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
