import { isItem, itemOf, show } from './json.ts'

import type { Item } from './json.ts'

/** What is for readers only. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'tags', 'operationId', 'xml',
  'discriminator', '$comment', '$id', '$schema', '$anchor', '$dynamicAnchor', '$defs', 'definitions'
])
/** A document of OpenAPI 3.0 or 3.1. */
export class Document {
  readonly root: Item
  /** The version that clients specify (`x-api-version`), or null if the document does not say it. */
  version: string | null
  readonly #ids = new Map<unknown, number>()

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document, or a reference in it leads only to itself
   */
  constructor (value: unknown, name: string) {
    const { openapi, info } = itemOf(value)
    if (typeof openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(openapi)) {
      const found = !isItem(value) ? show(value) : openapi !== undefined ? `openapi: ${show(openapi)}` : 'no openapi'
      throw new TypeError(`Expected ${name} to be a document of OpenAPI 3.0 or 3.1, got ${found}`)
    }
    const { 'x-api-version': version } = itemOf(info)
    this.root = value as Item
    this.version = typeof version === 'string' ? version : null
    const open: unknown[] = [value]
    const checked = new Set<unknown>()
    while (open.length > 0) {
      const next = open.pop()
      if (typeof next !== 'object' || next === null || checked.has(next)) continue
      this.#way(next, checked)
      checked.add(next)
      for (const member of Object.values(next)) open.push(member)
    }
  }

  /** What a reference to this document leads to, or undefined. */
  target (ref: unknown): unknown {
    if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
    let target: unknown = this.root
    for (const part of ref.replace(/(?:%[\da-f]{2})+/gi, decoded).split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
      target = (target as Item)[name]
    }
    return target
  }

  /**
   * A value, and what references lead to, one after the other.
   *
   * @param known values whose references are known to end
   */
  #way (value: unknown, known?: ReadonlySet<unknown>): unknown[] {
    const way = new Set<unknown>([value])
    for (let next = value; isItem(next) && next.$ref !== undefined && known?.has(next) !== true;) {
      const target = this.target(next.$ref)
      if (way.has(target)) throw new TypeError(`The reference ${show(next.$ref)} leads only to itself`)
      if (target === undefined) break
      way.add(target)
      next = target
    }
    return [...way]
  }

  /** An object, or what its reference leads to in the end; a reference that leads nowhere stays. */
  item (value: unknown): Item {
    return itemOf(this.#way(value).at(-1))
  }

  /** A schema, or what it leads to as long as it says nothing but a reference. */
  schema (value: unknown): unknown {
    const way = this.#way(value)
    const saysMore = (name: string) => name !== '$ref' && !ANNOTATIONS.has(name)
    return way.find((schema) => !isItem(schema) || Object.keys(schema).some(saysMore)) ?? way.at(-1)
  }

  /** A number for a schema, the same whenever it is met. */
  idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }
}

function decoded (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
