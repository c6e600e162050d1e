import { Schemas, namesIn } from './documents.ts'
import { asItIs, isStale, olderSchema, targetOf } from './older.ts'
import { Shapes, isTouched } from './shapes.ts'

import type { Document, Located } from './documents.ts'
import type { Edition, OlderSchema } from './older.ts'
import type { Step } from './steps.ts'

/** The schemas of a context before one step. */
export interface Stage {
  readonly step: Step
  /** The schemas for conversions, as they were before the version of the step. */
  readonly shapes: Shapes
  readonly edition: Edition
  /** By the schema of a part, its copy. */
  readonly copies: Map<unknown, OlderSchema>
}

/** The schemas of a context in all versions. */
export class Lineage {
  /** Newest first. */
  readonly stages: readonly Stage[]
  readonly #versions: readonly string[]
  /** By new `$id`. */
  readonly #shared = new Map<string, OlderSchema>()

  /**
   * @param steps newest first
   * @param versions those allowed, oldest first
   */
  constructor (shared: ReadonlyMap<string, unknown>, steps: readonly Step[], versions: readonly string[]) {
    this.#versions = versions
    const nameOf = namesApart(shared)
    const stages: Stage[] = []
    let newer = new Schemas(shared, new Map(), new Map())
    let stamps: ReadonlyMap<string, string> = new Map()
    for (const step of steps) {
      const overrides = new Map(newer.overrides)
      for (const [id, { older }] of step.schemas) overrides.set(id, older)
      const older = new Schemas(shared, overrides, new Map([...newer.extras, ...step.extras]))
      stamps = stamped(step, older, stamps, versions[step.index - 1])
      const count = stages.length + 1
      const isStaleDefault = (located: Located, value: unknown) => (
        stages.slice(broughtBy(located.document, stages), count).some(({ shapes }) => (
          isTouched(shapes.at(located), value)
        ))
      )
      const edition = { schemas: older, stamps, nameOf, isStaleDefault }
      stages.push({ step, shapes: new Shapes(newer, older, step), edition, copies: new Map() })
      newer = older
    }
    this.stages = stages
  }

  /** The stage for the schemas of a version, or undefined if they are as the context has them. */
  after (version: number): Stage | undefined {
    return this.stages.findLast(({ step }) => step.index > version)
  }

  /**
   * The schema of a part as it was.
   *
   * @param isOwn whether a change brought it, so that its `$id`s may be the same as in the newer one
   */
  partOf (schema: unknown, { step, edition, copies }: Stage, isOwn: boolean): OlderSchema {
    if (!isStale(schema, edition) && !(isOwn && hasIds(schema))) return asItIs(schema)
    const known = copies.get(schema)
    if (known !== undefined) return known
    const own = isOwn ? { ...edition, isStaleDefault: never } : edition
    const copy = olderSchema(edition.schemas.locate(schema), own, this.#versions[step.index - 1])
    copies.set(schema, copy)
    return copy
  }

  /** The shared schemas that copies need, and the schemas that these need. */
  sharedOf (copies: readonly OlderSchema[], { edition }: Stage): Map<string, OlderSchema> {
    const found = new Map<string, OlderSchema>()
    const ids = new Set(copies.flatMap(({ shared }) => [...shared]))
    for (const id of ids) {
      const version = edition.stamps.get(id) as string
      const name = edition.nameOf(id, version)
      const copy = this.#shared.get(name) ?? olderSchema(edition.schemas.find(id) as Located, edition, version)
      this.#shared.set(name, copy)
      found.set(name, copy)
      for (const one of copy.shared) ids.add(one)
    }
    return found
  }
}

/** What older schemas are called: OpenAPI takes it as a name if it takes the `$id`. No two schemas have one name. */
function namesApart (shared: ReadonlyMap<string, unknown>): Edition['nameOf'] {
  const names = new Map<string, string>()
  const taken = new Set(shared.keys())
  return (id, version) => {
    const key = JSON.stringify([id, version])
    let name = names.get(key)
    if (name !== undefined) return name
    name = `${id}.${inName(version)}`
    while (taken.has(name)) name += '_'
    taken.add(name)
    names.set(key, name)
    return name
  }
}

/** A version as it may stand in a name: `v_20a` for `v a`. */
function inName (version: string): string {
  return version.replace(/[^\w.-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`)
}

/** The schemas that a step alters, or that refer to such a schema, are as they were in the version before it. */
function stamped (
  step: Step, schemas: Schemas, stamps: ReadonlyMap<string, string>, version: string
): ReadonlyMap<string, string> {
  const { shared, overrides, extras } = schemas
  const referrers = new Map<string, string[]>()
  for (const id of new Set([...shared.keys(), ...overrides.keys(), ...extras.keys()])) {
    const { schema, document } = schemas.find(id) as Located
    const { ids, references } = namesIn(schema)
    const targets = [...references].map((reference) => targetOf(reference, document, schemas)?.document.id)
    for (const target of [...ids.keys(), ...targets]) {
      if (target === undefined || target === null) continue
      const known = referrers.get(target)
      if (known === undefined) referrers.set(target, [id])
      else known.push(id)
    }
  }
  const brought = [...step.extras.keys()].filter((id) => !shared.has(id))
  const altered = new Set([...step.schemas.keys(), ...brought])
  for (const id of altered) for (const referrer of referrers.get(id) ?? []) altered.add(referrer)
  return new Map([...stamps, ...[...altered].map((id) => [id, version] as const)])
}

function hasIds (schema: unknown): boolean {
  return namesIn({ schema }).ids.size > 0
}

/** How many stages have passed when one of them brings a document, whose defaults are in the words of that stage. */
function broughtBy (document: Document, stages: readonly Stage[]): number {
  let count = 0
  for (let one: Document | null = document; one !== null; one = one.parent) {
    const { id, root } = one
    count = Math.max(count, stages.findLastIndex(({ step: { schemas, extras } }) => (
      id !== null && (schemas.get(id)?.older === root || extras.get(id) === root)
    )) + 1)
  }
  return count
}

function never (): boolean {
  return false
}
