import { isItem, itemOf, listOf, show } from './json.ts'

import type { Item } from './json.ts'

/** Deeper documents are refused, so that every recursion over a value ends. */
const DEEPEST = 500

/** A document of OpenAPI 3.0 or 3.1, and what is known about its schemas. */
export class Document {
  readonly root: Item
  /** The version that clients specify, or null if the document does not have it. */
  version: string | null
  readonly #ids = new Map<unknown, number>()
  readonly #joined = new Map<string, object>()

  /**
   * @param name what the document is called in errors
   * @throws TypeError if it is not such a document
   */
  constructor (value: unknown, name: string) {
    const { openapi } = itemOf(value)
    if (typeof openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(openapi)) {
      const found = !isItem(value) ? show(value) : openapi !== undefined ? `openapi: ${show(openapi)}` : 'no openapi'
      throw new TypeError(`Expected ${name} to be a document of OpenAPI 3.0 or 3.1, got ${found}`)
    }
    if (isTooDeep(value)) throw new TypeError(`Expected ${name} to be nested less than ${DEEPEST} levels deep`)
    this.root = value as Item
    this.version = versionOf(this.root)
  }

  /** What a reference to this document leads to, or undefined. */
  target (ref: unknown): unknown {
    if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
    let target: unknown = this.root
    for (const part of ref.split('/').slice(1)) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
      target = (target as Item)[name]
    }
    return target
  }

  /** An object, or what its reference leads to in the end; a reference that leads nowhere stays. */
  item (value: unknown): Item {
    return this.way(value).at(-1) as Item
  }

  /** An object, and the objects that references lead to, one after the other. */
  way (value: unknown): readonly Item[] {
    const way = new Set<Item>()
    let item: unknown = itemOf(value)
    while (isItem(item) && !way.has(item)) {
      way.add(item)
      item = item.$ref === undefined ? undefined : this.target(item.$ref)
    }
    return [...way]
  }

  /** A number for a schema, the same whenever it is met. */
  idOf (schema: unknown): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  /** One schema in place of several, all of which must be met. The same schemas give the same one. */
  all (schemas: readonly unknown[]): unknown {
    const unique = [...new Set(schemas)]
    if (unique.length <= 1) return unique[0] ?? true
    const key = unique.map((schema) => this.idOf(schema)).sort().join()
    const joined = this.#joined.get(key) ?? { allOf: unique }
    this.#joined.set(key, joined)
    return joined
  }
}

function decoded (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Not recursive. An object that contains itself is too deep as well. */
function isTooDeep (root: unknown): boolean {
  const deepest = new Map<unknown, number>()
  const open: [unknown, number][] = [[root, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (typeof value !== 'object' || value === null || (deepest.get(value) ?? -1) >= depth) continue
    if (depth > DEEPEST) return true
    deepest.set(value, depth)
    for (const member of Object.values(value)) open.push([member, depth + 1])
  }
  return false
}

/** `x-api-version`, or the one version that paths and servers have in a segment or a label. */
function versionOf ({ info, paths, servers }: Item): string | null {
  const { 'x-api-version': named } = itemOf(info)
  if (typeof named === 'string') return named
  const urls = listOf(servers).map((server) => String(itemOf(server).url))
  const segments = [...Object.keys(itemOf(paths)), ...urls].flatMap((path) => path.split(/[/.]/))
  const [version, ...others] = new Set(segments.filter((segment) => /^v\d+$/i.test(segment)))
  return others.length === 0 ? version ?? null : null
}
