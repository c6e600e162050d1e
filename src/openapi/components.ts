import { isDeepStrictEqual } from 'node:util'

import type { Document, Reference } from './document.ts'

/** Refers to a component, which is added to the document when something first refers to it. */
export type Refer = () => Reference

/** A text as a name, in which what OpenAPI does not take becomes `-`; with a number if that is taken: `v1-2`. */
export function nameFor (text: string, isTaken: (name: string) => boolean): string {
  const plain = text.replace(/[^\w.-]/g, '-')
  let name = plain
  for (let i = 2; isTaken(name); i++) name = `${plain}-${i}`
  return name
}

/** The headers and responses that the operations of a document share. The user's one of a name goes first. */
export function componentsOf (document: Document) {
  const ours = new Set<object>()
  return (kind: 'headers' | 'responses', text: string, describe: () => object): Refer => {
    let $ref: string | null = null
    return () => {
      if ($ref === null) {
        const all = (document.components ??= {})[kind] ??= {}
        const value = describe()
        const name = nameFor(text, (one) => ours.has(all[one]) && !isDeepStrictEqual(all[one], value))
        if (!Object.hasOwn(all, name)) ours.add(all[name] = value)
        $ref = `#/components/${kind}/${name}`
      }
      return { $ref }
    }
  }
}

/** Removes the schemas to which nothing in a document refers, unless their names are among the kept ones. */
export function removeUnused (document: Document, kept: ReadonlySet<string>): void {
  const { schemas = {}, ...others } = document.components ?? {}
  if (Object.keys(schemas).every((name) => kept.has(name))) return
  const reached = new Set(kept)
  // A reference, also in the mapping of a discriminator. A loop over a set goes on with what is added in it.
  const reach = (part: object | undefined) => {
    const references = (JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/([^"/]+)/g)
    for (const [, name] of references) reached.add(name)
  }
  reach({ ...document, components: others })
  for (const name of reached) reach(schemas[name])
  for (const name of Object.keys(schemas)) if (!reached.has(name)) delete schemas[name]
}
