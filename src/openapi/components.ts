import type { Document } from './document.ts'

const SCHEMAS = '#/components/schemas/'

/** A text as a name, in which what OpenAPI does not take becomes `-`; with a number if that is taken: `v1-2`. */
export function nameFor (text: string, isTaken: (name: string) => boolean): string {
  const plain = text.replace(/[^\w.-]/g, '-')
  let name = plain
  for (let i = 2; isTaken(name); i++) name = `${plain}-${i}`
  return name
}

/** The headers and responses that the operations of a document share. */
export class Components {
  readonly #components: Record<string, Record<string, object>>
  readonly #ours = new Set<object>()
  /** By the value of the component. */
  readonly #pointers = new Map<string, string>()

  constructor (components: Record<string, Record<string, object>>) {
    this.#components = components
  }

  /** Where a component is. The user's one of this name goes first. */
  refer (kind: 'headers' | 'responses', name: string, value: object): string {
    const id = `${kind} ${name} ${JSON.stringify(value)}`
    let pointer = this.#pointers.get(id)
    if (pointer === undefined) {
      const all = this.#components[kind] ??= {}
      const key = nameFor(name, (one) => this.#ours.has(all[one]))
      if (!Object.hasOwn(all, key)) this.#ours.add(all[key] = value)
      this.#pointers.set(id, pointer = `#/components/${kind}/${key}`)
    }
    return pointer
  }
}

/** Removes the schemas to which nothing in a document refers, unless their names are among the kept ones. */
export function removeUnused (document: Document, kept: ReadonlySet<string>): void {
  const { schemas = {}, ...others } = document.components ?? {}
  if (Object.keys(schemas).every((name) => kept.has(name))) return
  const reached = new Set(kept)
  collect({ ...document, components: others }, reached)
  // The loop goes on with what is added in it.
  for (const name of reached) collect(schemas[name], reached)
  for (const name of Object.keys(schemas)) if (!reached.has(name)) delete schemas[name]
}

/** Adds the names of the schemas that a part of a document refers to, also in the mapping of a discriminator. */
function collect (part: unknown, names: Set<string>): void {
  if (typeof part === 'string' && part.startsWith(SCHEMAS)) names.add(part.slice(SCHEMAS.length).split('/', 1)[0])
  if (typeof part === 'object' && part !== null) for (const one of Object.values(part)) collect(one, names)
}
