import { VersionChangeOptionError, VersioningOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { idsIn } from './documents.ts'
import { Lineage, indexIn } from './lineage.ts'
import { readList, stepsOf, versionsOf } from './read.ts'
import { RouteHistory } from './route.ts'

import type { ReadChange, Step } from './steps.ts'
import type { HandledRoute, SharedSchemas, Variant, Variants } from './variant.ts'
import type { AllowedVersions, Change } from '../../types/index.d.ts'

/**
 * The changes of a context: which variants they make of a route, and what they make of a value outside requests. It
 * remembers which of them have been used, for `checkUsed`.
 */
export class Changes {
  /** Newest first. Changes of one version are in the order in which they were given. */
  readonly list: readonly Change[]
  /** All versions, the oldest first. */
  readonly versions: readonly string[]
  readonly #read: readonly ReadChange[]
  /** Newest first. */
  readonly #steps: readonly Step[]
  readonly #touching = new Set<Change>()
  /** By `$id`, schemas that are inside schemas of routes. */
  readonly #inline = new Map<string, unknown>()
  #lineages = new WeakMap<SharedSchemas, Lineage>()

  /**
   * @param given the option `changes`, as the user wrote it
   * @param allowedVersions of the context's scheme, in release order
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
   */
  constructor (given: unknown, allowedVersions: AllowedVersions | null) {
    this.#read = readList(given, allowedVersions)
    this.list = Object.freeze(this.#read.map(({ change }) => change))
    this.#steps = stepsOf(this.#read)
    this.versions = versionsOf(allowedVersions)
  }

  /**
   * What the changes make of a route.
   *
   * @param schemas what `server.getSchemas()` returns. Routes of one context should come with one object: it keeps what
   *   they share
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and the place
   * @throws FST_ERR_VERSIONING_OPTION if the handler was written for an older version than the route serves
   */
  variantsOf (route: HandledRoute, schemas: SharedSchemas): Variants {
    const { served, writtenFor } = this.#indexesOf(route)
    const { response, ...request } = route.schema ?? {}
    const inline = idsIn([...Object.values(request), ...Object.values(response ?? {})])
    for (const [id, schema] of inline) this.#inline.set(id, schema)
    if (served.length === 0) return { asDeclared: [], handled: null, older: [] }
    const lineage = this.lineageOf(schemas)
    const history = new RouteHistory(route, lineage, writtenFor)
    const older: Variant[] = []
    let rest = served.toSorted((a, b) => a - b)
    const [oldest] = rest
    let asDeclared: readonly string[] = []
    const group = (from: number) => {
      const versions = rest.filter((index) => index >= from).map((index) => this.versions[index])
      rest = rest.filter((index) => index < from)
      if (history.isAsDeclared) asDeclared = versions
      else if (versions.length > 0) older.push(history.variant(versions))
    }
    for (const stage of lineage.stages) {
      if (stage.step.index > writtenFor) continue
      if (stage.step.index <= oldest) break
      const undone = history.undoneBy(stage)
      if (undone === null) continue
      group(stage.step.index)
      history.undo(undone)
    }
    group(0)
    const handled = history.handled()
    // A route of a namespace serves one version, which need not be the version that its handler was written for.
    const touched = handled !== null && route.isChosen ? [handled, ...older] : older
    for (const { changes } of touched) for (const change of changes) this.#touching.add(change)
    return { asDeclared, handled, older }
  }

  /** The versions that a route serves, and the one that its handler speaks, as indexes. */
  #indexesOf ({ label, served, writtenFor }: HandledRoute): { served: readonly number[], writtenFor: number } {
    const indexes = served.map((version) => this.versions.indexOf(version))
    if (indexes.includes(-1)) {
      // The route has another scheme, or its context other versions, than where the changes were given.
      throw new VersionChangeOptionError(
        `${label} serves ${show(served[indexes.indexOf(-1)])}, but its changes are for the versions ` +
        `${show(this.versions)}. Give its context the option "changes" for its own versions, or null for none.`
      )
    }
    const newest = Math.max(...indexes)
    const handled = writtenFor === null ? newest : indexIn(this.versions, writtenFor)
    if (handled >= newest) return { served: indexes, writtenFor: handled }
    const expected = `no version before ${show(this.versions[newest])}, which ${label} serves`
    throw new VersioningOptionError('writtenFor', expected, show(writtenFor))
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
    this.#lineages = new WeakMap()
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
    return this.lineageOf(schemas).convert('downgrade', id, version)(value)
  }

  /** The reverse. */
  upgrade (id: string, value: unknown, version: string, schemas: SharedSchemas): unknown {
    return this.lineageOf(schemas).convert('upgrade', id, version)(value)
  }

  /** Whether a context has a schema, in every version, and everything that it refers to. */
  isComplete (id: string, schemas: SharedSchemas): boolean {
    return this.lineageOf(schemas).isComplete(id)
  }

  /** The `$id`s of the schemas that changes have. */
  ids (): readonly string[] {
    return [...new Set(this.#read.flatMap(({ schemas }) => [...schemas.keys()]))]
  }

  /** The schemas of a context in all versions. */
  lineageOf (schemas: SharedSchemas): Lineage {
    const known = this.#lineages.get(schemas) ?? new Lineage(schemas, this.#inline, this.#steps, this.versions)
    this.#lineages.set(schemas, known)
    return known
  }
}

/** @param like what a near name is looked for */
function unknown (label: string, what: string, name: string, known: readonly string[], like = name): Error {
  return new VersionChangeOptionError(
    `Change ${label}: no ${what} ${show(name)}.${suggestionFor(like, known)}`
  )
}
