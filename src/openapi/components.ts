import type { Document } from './document.ts'

const SCHEMAS = '#/components/schemas/'

/** A text as a name, in which what OpenAPI does not take becomes `-`; with a number if that is taken: `v1-2`. */
export function nameFor (text: string, isTaken: (name: string) => boolean = () => false): string {
  const plain = text.replace(/[^\w.-]/g, '-')
  let name = plain
  for (let i = 2; isTaken(name); i++) name = `${plain}-${i}`
  return name
}

/** Removes the schemas to which nothing in a document refers, unless their names are among the kept ones. */
export function removeUnused (document: Document, kept: ReadonlySet<string>): void {
  // A `transformObject` of the user may have removed all.
  const { schemas = {}, ...others } = document.components ?? {}
  const reached = new Set(kept)
  // A reference, also in the mapping of a discriminator.
  const reach = (part: unknown) => {
    if (typeof part === 'string' && part.startsWith(SCHEMAS)) reached.add(part.slice(SCHEMAS.length).split('/')[0])
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(reach)
  }
  reach({ ...document, components: others })
  // The loop goes on with what is added in it.
  for (const name of reached) reach(schemas[name])
  for (const name of Object.keys(schemas)) if (!reached.has(name)) delete schemas[name]
}
