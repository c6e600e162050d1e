import type { Document } from './document.ts'

const SCHEMAS = '#/components/schemas/'

/** Returns a text as a name. Characters that OpenAPI refuses become `-`, and a name that is taken gets a number. */
export function nameFor (text: string, isTaken: (name: string) => boolean): string {
  return numbered(text.replace(/[^\w.-]/g, '-'), isTaken)
}

/** Returns a text, with a number if it is taken: `v1-2`. */
export function numbered (text: string, isTaken: (name: string) => boolean): string {
  let name = text
  for (let i = 2; isTaken(name); i++) name = `${text}-${i}`
  return name
}

/** Returns a function that adds components and refers to them. The user's stay, and a different one is numbered. */
export function referencesIn ({ components }: Document) {
  const references = new Map<string, { $ref: string }>()
  const added = new Set<object>()
  return function refer (kind: 'headers' | 'responses', text: string, value: object): { $ref: string } {
    const key = `${kind}/${text} ${JSON.stringify(value)}`
    let reference = references.get(key)
    if (reference === undefined) {
      const all = components[kind] ??= {}
      const name = nameFor(text, (taken) => added.has(all[taken]))
      if (!Object.hasOwn(all, name)) added.add(all[name] = value)
      references.set(key, reference = { $ref: `#/components/${kind}/${name}` })
    }
    return { ...reference }
  }
}

/**
 * Removes the schemas to which nothing in a document refers, unless their names are among the kept ones.
 *
 * @returns the references to schemas that the document lacks, such as those of Zod without a `transformObject`
 */
export function removeUnused (document: Document, kept: ReadonlySet<string>): string[] {
  // A `transformObject` of the user may have removed all components.
  const { schemas = {}, ...others } = document.components ?? {}
  const unused = new Set<unknown>(Object.keys(schemas).filter((name) => !kept.has(name)))
  const missing = new Set<string>()
  const nameIn = (text: string) => text.startsWith(SCHEMAS) ? text.slice(SCHEMAS.length).split('/', 1)[0] : null
  const use = (name: unknown) => { if (unused.delete(name)) visit(schemas[name as string]) }
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { $ref, mapping } = part as { readonly $ref?: unknown, readonly mapping?: unknown }
    if (typeof $ref === 'string') {
      const name = nameIn($ref)
      // A document has no definitions at its root. @fastify/swagger leaves the definitions of a route in its schema.
      const isLost = name === null ? /^#\/(?:definitions|\$defs)\//.test($ref) : !Object.hasOwn(schemas, name)
      if (isLost) missing.add($ref)
    }
    // The mapping of a discriminator has references, or names of schemas alone.
    for (const value of Object.values(part)) {
      if (typeof value === 'string') use(nameIn(value))
      else visit(value)
    }
    if (mapping !== undefined) Object.values(Object(mapping)).forEach(use)
  }
  for (const name of kept) visit(schemas[name])
  visit({ ...document, components: others })
  for (const name of unused) delete schemas[name as string]
  return [...missing]
}
