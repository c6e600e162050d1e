import { isPlain } from '../changes/json.ts'
import { isObject, keptIn, pointerOf } from '../changes/schema.ts'
import { ignoreRejection } from '../promises.ts'

import type { ChangeFunction } from '../changes/read-changes.ts'

export type Path = readonly string[]

export type Watched = ReturnType<typeof watchedFunction>

/** Watches a function of a change. Each call calls the function a second time, with proxies that see what it reads. */
export function watchedFunction (apply: ChangeFunction) {
  /** The objects behind proxies, which are read without notice. */
  const targets = new WeakMap<object, unknown>()
  const watched = {
    /** The members that it reads of objects without them, by JSON pointer. All items of a list count as the first. */
    absent: new Map<string, Path>(),
    /** The JSON pointers of all members that it reads by their names, not by a spread. */
    named: new Set<string>(),
    /** The path where it writes into an object inside its value, even if it writes the same value again. */
    written: null as Path | null,
    /** Whether it returns the same value each time. */
    isSteady: true,
    call (value: unknown): unknown {
      const copy = readBack(value)
      const result = apply(value)
      const text = textOf(result)
      try {
        const again = apply(watch(copy))
        watched.isSteady &&= textOf(again, (member) => {
          const target = targets.get(Object(member)) ?? member
          ignoreRejection(target)
          return target
        }) === text
      } catch {
        // A function may fail only with a proxy, which structuredClone() cannot clone, for example.
      }
      return result
    }
  }

  function watch (value: unknown, path: Path = [], pointer = ''): unknown {
    if (!isPlain(value)) return value
    const proxies = new Map<unknown, unknown>()
    const noteWritten = (key: string | symbol) => {
      if (path.length > 0) watched.written ??= [...path, String(key)]
    }
    let copied: unknown
    const proxy = new Proxy(value, {
      // A spread asks for the descriptor of a member before it reads the member.
      getOwnPropertyDescriptor (target, key) {
        copied = key
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
      get (target, key) {
        const member: unknown = Reflect.get(target, key)
        if (typeof key !== 'string') return member
        const name = Array.isArray(target) ? '0' : key
        const at = `${pointer}${pointerOf([name])}`
        if (!(key in target) && !Array.isArray(target) && key !== 'toJSON') watched.absent.set(at, [...path, name])
        if (key !== copied) watched.named.add(at)
        copied = undefined
        return isObject(member) ? keptIn(proxies, member, () => watch(member, [...path, name], at)) : member
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
    targets.set(proxy, value)
    return proxy
  }

  return watched
}

/** Returns a value as JSON. A BigInt is a number, as serializers write it. */
export function textOf (value: unknown, read = (member: unknown) => member): string {
  const toNumber = (_key: string, member: unknown) => typeof member === 'bigint' ? Number(member) : read(member)
  return JSON.stringify(value, toNumber) ?? 'null'
}

/** Returns a value as its receiver reads it from JSON. */
export function readBack (value: unknown): unknown {
  return JSON.parse(textOf(value))
}
