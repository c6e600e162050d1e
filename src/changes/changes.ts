import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { toConvert } from './convert.ts'
import { Schemas, byId, namesIn, normalId } from './documents.ts'
import { Lineage } from './lineage.ts'
import { olderSchema } from './older.ts'
import { prepare } from './prepare.ts'
import { readList, stepsOf, versionsOf } from './read.ts'
import { RouteHistory } from './route.ts'
import { isZod } from './zod.ts'

import type { Direction, Move } from './convert.ts'
import type { Located } from './documents.ts'
import type { Stage } from './lineage.ts'
import type { ReadChange, Step } from './steps.ts'
import type { Convert, HandledRoute, SharedSchemas, Variant, Variants } from './variant.ts'
import type { AllowedVersions, Change } from '../../types/index.d.ts'

/**
 * The changes of a context: which variants they make of a route, and what they make of a value outside requests. It
 * remembers which of them have been used, for `checkUsed`.
 */
export class Changes {
  /** Newest first. Changes of one version are in the order in which they were given. */
  readonly list: readonly Change[]
  readonly #read: readonly ReadChange[]
  /** Newest first. */
  readonly #steps: readonly Step[]
  /** Oldest first. */
  readonly #versions: readonly string[]
  readonly #touching = new Set<Change>()
  /** By `$id`, schemas that are inside schemas of routes. */
  readonly #inline = new Map<string, unknown>()
  #contexts = new WeakMap<SharedSchemas, ContextSchemas>()

  constructor (given: unknown, allowedVersions: AllowedVersions | null) {
    this.#read = readList(given, allowedVersions)
    this.list = Object.freeze(this.#read.map(({ change }) => change))
    this.#steps = stepsOf(this.#read)
    this.#versions = versionsOf(allowedVersions)
  }

  /**
   * What the changes make of a route.
   *
   * @param schemas what `server.getSchemas()` returns. Routes of one context should come with one object: it keeps what
   *   they share
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and the place
   */
  variantsOf (route: HandledRoute, schemas: SharedSchemas): Variants {
    const served = route.served.map((version) => this.#versions.indexOf(version))
    if (served.includes(-1)) throw unlisted(route, this.#versions)
    const oldest = Math.min(...served)
    const newest = Math.max(...served)
    const writtenFor = route.writtenFor === undefined ? newest : this.#indexOf(route.writtenFor)
    if (writtenFor < newest) throw tooOld(route, this.#versions[newest])
    this.#noteIds(route)
    if (served.length === 0) return { asDeclared: [], handled: null, older: [] }
    const { lineage } = this.#context(schemas)
    const history = new RouteHistory(route, lineage, writtenFor)
    const older: Variant[] = []
    let rest = served.toSorted((a, b) => a - b)
    let asDeclared: readonly string[] = []
    const group = (from: number) => {
      const versions = rest.filter((index) => index >= from).map((index) => this.#versions[index])
      rest = rest.filter((index) => index < from)
      if (history.isAsDeclared) asDeclared = versions
      else if (versions.length > 0) older.push(history.variant(versions))
    }
    for (const stage of lineage.stages) {
      if (stage.step.index > writtenFor) continue
      if (stage.step.index <= oldest) break
      const undone = history.look(stage)
      if (undone === null) continue
      group(stage.step.index)
      history.undo(undone)
    }
    group(0)
    const handled = history.handled()
    // A route of a namespace serves one version anyway: nobody may have meant its handler to speak that.
    const touched = handled !== null && route.isChosen ? [handled, ...older] : older
    for (const { changes } of touched) for (const change of changes) this.#touching.add(change)
    return { asDeclared, handled, older }
  }

  /**
   * Call it when the app is ready and `variantsOf` has been called for every route.
   *
   * @param names the names of all routes, with their namespaces
   * @param schemas the schemas of every context that has the changes
   * @throws FST_ERR_VERSION_CHANGE_OPTION for a change of something that does not exist, or that touches no route
   */
  checkUsed (names: readonly string[], schemas: readonly SharedSchemas[]): void {
    const shared = schemas.flatMap((one) => [...idsIn(Object.values(one)).keys()])
    const ids = [...new Set([...this.#inline.keys(), ...shared])]
    for (const { change, label, schemas, routes } of this.#read) {
      for (const id of schemas.keys()) {
        if (!ids.includes(id)) throw unknown(label, 'schema has the $id', id, ids)
      }
      for (const name of routes.keys()) {
        if (names.includes(name)) continue
        // Names in a change are without the namespace that is the version.
        const short = name.slice(name.indexOf(':') + 1)
        throw unknown(label, 'route is named', name, names, names.includes(short) ? short : name)
      }
      if (this.#touching.has(change)) continue
      throw new VersionChangeOptionError(
        `Change ${label} touches no route: none that is served in an older version has its schemas or its names. ` +
        'Routes that serve one version only, as in a namespace, need "writtenFor". If separate handlers serve all ' +
        'older versions, leave the change out.'
      )
    }
  }

  /** Frees what was kept of the schemas of routes. Call it when the app is ready. */
  forget (): void {
    this.#contexts = new WeakMap()
  }

  /**
   * Converts a value of a shared schema from the newest of `allowedVersions` to another version. The value itself does
   * not change.
   *
   * @param id the `$id` of the schema
   * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown version or schema
   * @throws FST_ERR_VERSION_CHANGE as `Convert`
   */
  downgrade (id: string, value: unknown, version: string, schemas: SharedSchemas): unknown {
    return this.#context(schemas).convert('downgrade', id, this.#indexOf(version))(value)
  }

  /** The reverse. */
  upgrade (id: string, value: unknown, version: string, schemas: SharedSchemas): unknown {
    return this.#context(schemas).convert('upgrade', id, this.#indexOf(version))(value)
  }

  /** The `$id`s of the schemas that changes have. */
  ids (): readonly string[] {
    return [...new Set(this.#read.flatMap(({ schemas }) => [...schemas.keys()]))]
  }

  /** Whether a context shares a schema: by itself, or inside another one. */
  isShared (id: string, schemas: SharedSchemas): boolean {
    return idsIn(Object.values(schemas)).has(id)
  }

  /**
   * The versions in which a schema differs, newest first. Each is the newest version of its form of the schema.
   */
  versionsWith (id: string, schemas: SharedSchemas): readonly string[] {
    const newest = this.#versions[this.#versions.length - 1]
    return [newest, ...this.#context(schemas).versionsWith(id)]
  }

  /** The schema as it was given, for a version of `versionsWith`. */
  givenSchema (id: string, version: string, schemas: SharedSchemas): unknown {
    return this.#context(schemas).given(id, this.#indexOf(version))
  }

  /** A schema that can be compiled by itself in the context, for a version of `versionsWith`. */
  schemaOf (id: string, version: string, schemas: SharedSchemas): unknown {
    return this.#context(schemas).bundle(id, this.#indexOf(version))
  }

  /** Whether a value of an older version that is upgraded and downgraded again is the same again. */
  isLossless (id: string, version: string): boolean {
    const index = this.#indexOf(version)
    const steps = this.#steps.flatMap((step) => step.index > index ? [step.schemas.get(id)] : [])
    return steps.every((step) => step === undefined || step.isLossless)
  }

  #context (schemas: SharedSchemas): ContextSchemas {
    const known = this.#contexts.get(schemas) ?? new ContextSchemas(schemas, this.#inline, this.#steps, this.#versions)
    this.#contexts.set(schemas, known)
    return known
  }

  #noteIds ({ schema = {} }: HandledRoute): void {
    const { response, ...request } = schema
    const inline = idsIn([...Object.values(request), ...Object.values(response ?? {})])
    for (const [id, one] of inline) this.#inline.set(id, one)
  }

  /** @throws FST_ERR_VERSION_CHANGE_OPTION */
  #indexOf (version: string): number {
    const index = this.#versions.indexOf(version)
    if (index !== -1) return index
    throw new VersionChangeOptionError(
      `${show(version)} is not one of allowedVersions.${suggestionFor(String(version), this.#versions)}`
    )
  }
}

/** The shared schemas of one context, in every version. */
class ContextSchemas {
  readonly #shared: ReadonlyMap<string, unknown>
  /** The schemas of the routes of all contexts, by `$id`. */
  readonly #inline: ReadonlyMap<string, unknown>
  readonly #steps: readonly Step[]
  readonly #versions: readonly string[]
  #lineage: Lineage | null = null
  readonly #converts = new Map<string, Convert>()

  constructor (
    schemas: SharedSchemas, inline: ReadonlyMap<string, unknown>, steps: readonly Step[], versions: readonly string[]
  ) {
    this.#shared = byId(schemas)
    this.#inline = inline
    this.#steps = steps
    this.#versions = versions
  }

  get lineage (): Lineage {
    this.#lineage ??= new Lineage(this.#shared, this.#steps, this.#versions)
    return this.#lineage
  }

  /** A conversion between the newest version and another one. */
  convert (direction: Direction, given: string, version: number): Convert {
    const key = `${direction} ${version} ${given}`
    const known = this.#converts.get(key)
    if (known !== undefined) return known
    const id = normalId(String(given))
    this.#checkId(id, given)
    const moves: Move[] = []
    for (const { step, shapes } of this.lineage.stages) {
      const located = shapes.older.find(id)
      if (step.index <= version || located === null) continue
      const shape = shapes.at(located)
      prepare(shape, direction, shapes)
      if (shape.isAlive) moves.push(shape)
    }
    if (direction === 'upgrade') moves.reverse()
    const convert = toConvert(moves, direction, `the schema ${show(id)}`, 'value') ?? asItIs
    this.#converts.set(key, convert)
    return convert
  }

  versionsWith (id: string): readonly string[] {
    const { stages } = this.lineage
    const stamps = stages.map(({ edition }) => edition.stamps.get(id)).filter((version) => version !== undefined)
    return [...new Set(stamps)]
  }

  /** The schema as it is in the version; undefined for one that nothing has, which is missed when the app is ready. */
  given (id: string, version: number): unknown {
    return this.#schemasIn(version).find(id)?.schema
  }

  /** With everything that it refers to, by names that nothing else has: a compiler need not know the context. */
  bundle (id: string, version: number): unknown {
    const schemas = this.#schemasIn(version)
    const nameOf = (one: string) => `${one}@${encodeURIComponent(this.#versions[version])}@check`
    const isStaleDefault = this.#stageOf(version)?.edition.isStaleDefault ?? (() => false)
    const olderWith = (one: string, stamps: ReadonlyMap<string, string>) => (
      olderSchema(schemas.find(one) as Located, { schemas, stamps, nameOf, isStaleDefault }, this.#versions[version])
    )
    if (isZod(this.given(id, version))) return olderWith(id, this.#stageOf(version)?.edition.stamps ?? new Map()).schema
    const { shared, overrides, extras } = schemas
    const all = new Map([...shared.keys(), ...overrides.keys(), ...extras.keys()].map((one) => [one, '']))
    const bundled: [string, unknown][] = []
    const ids = new Set([id])
    for (const one of ids) {
      const { schema, shared } = olderWith(one, all)
      bundled.push([one, schema])
      for (const other of shared) ids.add(other)
    }
    return { $defs: Object.fromEntries(bundled), $ref: `${nameOf(id)}#` }
  }

  /** The schemas of a version, and the ones that shared schemas and routes have inside. */
  #schemasIn (version: number): Schemas {
    const { overrides = new Map(), extras = [] } = this.#stageOf(version)?.edition.schemas ?? {}
    const embedded = idsIn([...this.#shared.values()])
    return new Schemas(this.#shared, overrides, new Map([...embedded, ...this.#inline, ...extras]))
  }

  /** The oldest stage that comes after the schemas of a version. */
  #stageOf (version: number): Stage | undefined {
    return this.lineage.after(version)
  }

  #checkId (id: string, given: unknown): void {
    const ids = [...new Set([...this.#shared.keys(), ...this.#steps.flatMap(({ schemas }) => [...schemas.keys()])])]
    if (typeof given === 'string' && ids.includes(id)) return
    const shown = typeof given === 'string' ? id : given
    throw new VersionChangeOptionError(`No shared schema has the $id ${show(shown)}.${suggestionFor(id, ids)}`)
  }
}

/**
 * The option `changes`.
 *
 * @param given what the user wrote
 * @param allowedVersions of the context's scheme, in release order
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
 */
export function readChanges (given: unknown, allowedVersions: AllowedVersions | null): Changes {
  return new Changes(given, allowedVersions)
}

function asItIs (value: unknown): unknown {
  return value
}

function idsIn (schemas: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(schemas.flatMap((schema) => [...namesIn({ schema }).ids]))
}

/** @param like what a near name is looked for */
function unknown (label: string, what: string, name: string, known: readonly string[], like = name): Error {
  return new VersionChangeOptionError(
    `Change ${label}: no ${what} ${show(name)}.${suggestionFor(like, known)}`
  )
}

/** The route has another scheme, or its context other versions, than where the changes were given. */
function unlisted ({ label, served }: HandledRoute, versions: readonly string[]): Error {
  const [version] = served.filter((one) => !versions.includes(one))
  return new VersionChangeOptionError(
    `${label} serves ${show(version)}, but its changes are for the versions ${show(versions)}. Give its context the ` +
    'option "changes" for its own versions, or null for none.'
  )
}

function tooOld ({ label, writtenFor }: HandledRoute, newest: string): Error {
  return new VersionChangeOptionError(
    `${label} is written for ${show(writtenFor)}, but serves ${show(newest)}, which is newer.`
  )
}
