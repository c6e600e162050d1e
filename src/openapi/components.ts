import { isDeepStrictEqual } from 'node:util'

import type { Document } from './document.ts'

const SCHEMAS = '#/components/schemas/'

/** A text as a name, in which what OpenAPI does not take becomes `-`; with a number if that is taken: `v1-2`. */
export function nameFor (text: string, isTaken: (name: string) => boolean): string {
  const plain = text.replace(/[^\w.-]/g, '-')
  let name = plain
  for (let i = 2; isTaken(name); i++) name = `${plain}-${i}`
  return name
}

/** Refers to components, each of which is added once. The user's goes first; one that differs gets a number. */
export function referencesIn ({ components }: Document) {
  const references = new Map<object, { $ref: string }>()
  return function refer (kind: 'headers' | 'responses', text: string, value: object): { $ref: string } {
    let reference = references.get(value)
    if (reference === undefined) {
      const all = components[kind] ??= {}
      const name = nameFor(text, (key) => references.has(all[key]) && !isDeepStrictEqual(all[key], value))
      if (!Object.hasOwn(all, name)) all[name] = value
      reference = { $ref: `#/components/${kind}/${name}` }
      references.set(value, reference)
    }
    return { ...reference }
  }
}

/** Removes the schemas to which nothing in a document refers, unless their names are among the kept ones. */
export function removeUnused (document: Document, kept: ReadonlySet<string>): void {
  // A `transformObject` of the user may have removed all.
  const { schemas = {}, ...others } = document.components ?? {}
  const unused = new Set(Object.keys(schemas).filter((name) => !kept.has(name)))
  const reach = (part: unknown): void => {
    if (typeof part === 'string') {
      // A reference, also in the mapping of a discriminator.
      const [name] = part.startsWith(SCHEMAS) ? part.slice(SCHEMAS.length).split('/') : []
      if (unused.delete(name)) reach(schemas[name])
    } else if (typeof part === 'object' && part !== null && unused.size > 0) {
      Object.values(part).forEach(reach)
      const { mapping } = part as { mapping?: unknown }
      for (const name of Object.values(Object(mapping))) if (typeof name === 'string') reach(SCHEMAS + name)
    }
  }
  for (const name of kept) reach(schemas[name])
  reach({ ...document, components: others })
  for (const name of unused) delete schemas[name]
}

/** The references in a document to schemas that it does not have, such as those of Zod without a `transformObject`. */
export function referencesToNothing (document: Document): string[] {
  const schemas = document.components?.schemas ?? {}
  const missing = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const reference = String((part as { $ref?: unknown }).$ref)
    const isKnown = reference.startsWith(SCHEMAS)
      ? Object.hasOwn(schemas, reference.slice(SCHEMAS.length).split('/', 1)[0])
      // A document has none of its own. @fastify/swagger leaves those of a route where they are.
      : !/^#\/(?:definitions|\$defs)\//.test(reference)
    if (!isKnown) missing.add(reference)
    Object.values(part).forEach(visit)
  }
  visit(document)
  return [...missing]
}
