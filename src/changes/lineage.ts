import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { isTouched, toConvert } from './convert.ts'
import { Schemas, idsIn, normalId } from './documents.ts'
import { isStale, olderSchema } from './older.ts'
import { prepare } from './prepare.ts'
import { Shapes } from './shapes.ts'
import { isZod } from './zod.ts'

import type { Direction, Move } from './convert.ts'
import type { Document, Located } from './documents.ts'
import type { Edition, OlderSchema } from './older.ts'
import type { Step } from './steps.ts'
import type { Convert, SharedSchemas } from './variant.ts'

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
  readonly #shared: ReadonlyMap<string, unknown>
  /** The schemas of the routes of all contexts, by `$id`. */
  readonly #inline: ReadonlyMap<string, unknown>
  readonly #versions: readonly string[]
  /** By new `$id`. */
  readonly #copies = new Map<string, OlderSchema>()
  /** The `$id`s of schemas that `isComplete` has found complete: others may be anything. */
  readonly #complete = new Set<string>()
  readonly #converts = new Map<string, Convert>()

  /**
   * @param inline by `$id`, the schemas inside schemas of routes; more may be added
   * @param steps newest first
   * @param versions those allowed, oldest first
   */
  constructor (
    schemas: SharedSchemas, inline: ReadonlyMap<string, unknown>, steps: readonly Step[], versions: readonly string[]
  ) {
    const shared = new Map(Object.entries(schemas).map(([id, schema]) => [normalId(id), schema]))
    this.#shared = shared
    this.#inline = inline
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
  olderPart (schema: unknown, { step, edition, copies }: Stage, isOwn: boolean): OlderSchema {
    if (!isStale(schema, edition) && !(isOwn && idsIn([schema]).size > 0)) {
      return { schema, shared: new Set(), originalIds: new Map() }
    }
    const known = copies.get(schema)
    if (known !== undefined) return known
    const own = isOwn ? { ...edition, isStaleDefault: never } : edition
    const copy = olderSchema(edition.schemas.locate(schema), own, this.#versions[step.index - 1])
    copies.set(schema, copy)
    return copy
  }

  /** The shared schemas that copies need, and the schemas that these need. */
  sharedOf (copies: readonly OlderSchema[], { edition }: Stage): OlderSchema[] {
    const ids = new Set(copies.flatMap(({ shared }) => [...shared]))
    const found: OlderSchema[] = []
    for (const id of ids) {
      const version = edition.stamps.get(id) as string
      const name = edition.nameOf(id, version)
      const copy = this.#copies.get(name) ?? olderSchema(edition.schemas.find(id) as Located, edition, version)
      this.#copies.set(name, copy)
      found.push(copy)
      for (const one of copy.shared) ids.add(one)
    }
    return found
  }

  /**
   * A conversion of a shared schema between the newest version and another one.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown version or schema
   */
  convert (direction: Direction, given: string, version: string): Convert {
    const index = indexIn(this.#versions, version)
    const key = `${direction} ${index} ${given}`
    const known = this.#converts.get(key)
    if (known !== undefined) return known
    const id = normalId(String(given))
    const ids = new Set([...this.#shared.keys(), ...this.stages.flatMap(({ step }) => [...step.schemas.keys()])])
    if (typeof given !== 'string' || !ids.has(id)) {
      const shown = show(typeof given === 'string' ? id : given)
      throw new VersionChangeOptionError(`No shared schema has the $id ${shown}.${suggestionFor(id, [...ids])}`)
    }
    const moves: Move[] = []
    for (const { step, shapes } of this.stages) {
      const located = shapes.older.find(id)
      if (step.index <= index || located === null) continue
      const shape = shapes.at(located)
      prepare(shape, direction, shapes)
      if (shape.isAlive) moves.push(shape)
    }
    if (direction === 'upgrade') moves.reverse()
    const convert = toConvert(moves, direction, `the schema ${show(id)}`, 'value') ?? ((value) => value)
    this.#converts.set(key, convert)
    return convert
  }

  /** Whether the context has a schema, in every version, and everything that it refers to. */
  isComplete (id: string): boolean {
    if (this.#complete.has(id)) return true
    const versions = [this.#versions.length - 1, ...this.stages.map(({ step }) => step.index - 1)]
    if (!versions.every((version) => this.#schemasIn(version).isComplete(id))) return false
    this.#complete.add(id)
    return true
  }

  /** The versions in which a schema differs, newest first. Each is the newest version of its form of the schema. */
  versionsWith (id: string): readonly string[] {
    const stamps = this.stages.map(({ edition }) => edition.stamps.get(id)).filter((version) => version !== undefined)
    return [...new Set([this.#versions[this.#versions.length - 1], ...stamps])]
  }

  /**
   * The version of `versionsWith` that has the schema in the same form as the given version.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown version
   */
  formOf (id: string, version: string): string {
    const index = indexIn(this.#versions, version)
    return this.versionsWith(id).findLast((one) => this.#versions.indexOf(one) >= index) as string
  }

  /** Whether a value of an older version that is upgraded and downgraded again is the same again. */
  isLossless (id: string, version: string): boolean {
    const index = indexIn(this.#versions, version)
    return this.stages.every(({ step }) => step.index <= index || step.schemas.get(id)?.isLossless !== false)
  }

  /** The schema as it was given; undefined for one that nothing has, which is missed when the app is ready. */
  given (id: string, version: string): unknown {
    return this.#schemasIn(indexIn(this.#versions, version)).find(id)?.schema
  }

  /** A schema that can be compiled by itself: with everything that it refers to, by names that nothing else has. */
  bundle (id: string, version: string): unknown {
    const index = indexIn(this.#versions, version)
    const schemas = this.#schemasIn(index)
    const { isStaleDefault = never, stamps = new Map() } = this.after(index)?.edition ?? {}
    const nameOf = (one: string) => `${one}@${encodeURIComponent(version)}@check`
    const copyOf = (one: string, renamed: ReadonlyMap<string, string>) => (
      olderSchema(schemas.find(one) as Located, { schemas, stamps: renamed, nameOf, isStaleDefault }, version)
    )
    if (isZod(schemas.find(id)?.schema)) return copyOf(id, stamps).schema
    const all = new Map([...schemas.ids].map((one) => [one, '']))
    const bundled: [string, unknown][] = []
    const ids = new Set([id])
    for (const one of ids) {
      const { schema, shared } = copyOf(one, all)
      bundled.push([one, schema])
      for (const other of shared) ids.add(other)
    }
    return { $defs: Object.fromEntries(bundled), $ref: `${nameOf(id)}#` }
  }

  /** The schemas of a version, and the ones that shared schemas and routes have inside. */
  #schemasIn (version: number): Schemas {
    const { overrides = new Map(), extras = [] } = this.after(version)?.edition.schemas ?? {}
    const embedded = idsIn([...this.#shared.values()])
    return new Schemas(this.#shared, overrides, new Map([...embedded, ...this.#inline, ...extras]))
  }
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
export function indexIn (versions: readonly string[], version: string): number {
  const index = versions.indexOf(version)
  if (index !== -1) return index
  throw new VersionChangeOptionError(
    `${show(version)} is not one of allowedVersions.${suggestionFor(String(version), versions)}`
  )
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
  const referrers = new Map<string, string[]>()
  for (const id of schemas.ids) {
    const { schema, document } = schemas.find(id) as Located
    for (const target of schemas.usedBy(schema, document)) {
      const known = referrers.get(target)
      if (known === undefined) referrers.set(target, [id])
      else known.push(id)
    }
  }
  const brought = [...step.extras.keys()].filter((id) => !schemas.shared.has(id))
  const altered = new Set([...step.schemas.keys(), ...brought])
  for (const id of altered) for (const referrer of referrers.get(id) ?? []) altered.add(referrer)
  return new Map([...stamps, ...[...altered].map((id) => [id, version] as const)])
}

/** How many stages have passed when one of them brings a document, whose defaults are written for that stage. */
function broughtBy (document: Document | null, stages: readonly Stage[]): number {
  if (document === null) return 0
  const { id, root, parent } = document
  const index = id === null
    ? -1
    : stages.findLastIndex(({ step }) => step.schemas.get(id)?.older === root || step.extras.get(id) === root)
  return Math.max(index + 1, broughtBy(parent, stages))
}

function never (): boolean {
  return false
}
