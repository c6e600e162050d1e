import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { refuseChange, toConvert } from './convert.ts'
import { copyFinder } from './copies.ts'
import { Edition, differenceOf } from './edition.ts'
import { moveOf } from './plan.ts'
import { renamingReader } from './renamed.ts'
import { changesOf, readSteps, versionsOf } from './read-changes.ts'
import { idOf, idsIn, isObject, keptIn, mapValues, normalId, schemasIn } from './schema.ts'
import { Stage } from './stage.ts'
import { SentBeyondSchema, upgradeOf, upgraded } from './upgrade.ts'
import { isZod, lostIdOf } from './zod.ts'

import type { FastifyInstance } from 'fastify'
import type { AllowedVersions } from '../../types/index.d.ts'
import type { FindCopy } from './copies.ts'
import type { RenamingBy } from './renamed.ts'
import type { HandledRoute } from './route-forms.ts'
import type { ChangeFunction, Direction, ReadChange, Step, ValueStep } from './read-changes.ts'
import type { Compile } from './upgrade.ts'

/** The schemas that a context shares, by their `$id`, as `server.getSchemas()` returns them. */
export type SharedSchemas = Readonly<Record<string, unknown>>

/** The advice for an unknown `$id`: if the `await` was forgotten, changes do not see the schemas of routes. */
const UNSEEN = ' Add the $id to the schema. If it is there, declare the routes after ' +
  '"await register(versioning, …)", in the same context.'

/** The changes of a context. */
export class Changes {
  /** All versions, the oldest first. */
  readonly versions: readonly string[]
  /** All changes, the newest first. */
  readonly list: readonly ReadChange[]
  readonly steps: readonly Step[]
  /** The contexts that have these changes; null until the forms of every route are known. */
  servers: readonly FastifyInstance[] | null = null
  /** The declared routes that serve versions of these changes, with their contexts. Known when the app is ready. */
  readonly routes: (HandledRoute & { readonly server: FastifyInstance })[] = []
  /** By `$id`: the first schema with it in a route, this route, and whether all schemas with the `$id` are equal. */
  readonly #inline = new Map<string, { readonly schema: unknown, readonly label: string, isUnique: boolean }>()
  /** The schemas with an `$id` in each shared schema. Contexts share these schemas, so each is searched only once. */
  readonly #inside = new WeakMap<object, ReadonlyMap<string, unknown>>()
  #editions: Editions[] = []
  /** The editions of each context; null as long as contexts may get more schemas. */
  #byServer: WeakMap<FastifyInstance, Editions> | null = null

  /**
   * @param option the option `changes`, as the user wrote it
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
   */
  constructor (option: unknown, allowedVersions: AllowedVersions | null) {
    this.steps = readSteps(option, allowedVersions)
    this.list = this.steps.flatMap(({ changes }) => changes)
    this.versions = versionsOf(allowedVersions)
  }

  /**
   * Notes the schemas of a route. Call it for all routes before `editionsIn`, because a schema may refer to a schema
   * inside that of another route.
   *
   * @param label the route, for errors
   * @throws FST_ERR_VERSION_CHANGE_OPTION for different schemas with one `$id` that has changed
   */
  note (schemas: readonly unknown[], label: string): void {
    for (const schema of schemasIn(schemas)) {
      const id = idOf(schema)
      const lost = isZod(schema) ? lostIdOf(schema) : null
      const changed = lost === null ? undefined : this.steps.find(({ schemas }) => schemas.has(lost))
      if (changed !== undefined) {
        const reason = `a copy of the Zod schema ${show(lost)} has no id: describe or refine a schema around it`
        refuseChange(changed.changes, label, 'schema', reason)
      }
      if (id === null) continue
      const first = this.#inline.get(id) ?? { schema, label, isUnique: true }
      const difference = differenceOf(first.schema, schema)
      if (!this.#inline.has(id) || (first.isUnique && difference !== null)) this.#editions = []
      this.#inline.set(id, first)
      first.isUnique &&= difference === null
      const step = this.steps.find(({ schemas }) => schemas.has(id))
      if (step === undefined || difference === null) continue
      throw new VersionChangeOptionError(
        `Change ${(step.schemas.get(id) as ValueStep).change.label}: ${label} has another schema with the $id ` +
        `${show(id)} than ${first.label}${difference}. Call addSchema() once, and write { $ref: ` +
        `'${id}#' } in the routes.`
      )
    }
  }

  /**
   * Checks that routes use each change. Call it when the forms of every route are known.
   *
   * @param names the names of all routes
   * @param servers the contexts that have these changes
   * @param used the changes that apply to schemas of routes
   * @throws FST_ERR_VERSION_CHANGE_OPTION for a change of an unknown schema or route, or one that no route uses
   */
  checkUsed (names: readonly string[], servers: readonly FastifyInstance[], used: ReadonlySet<ReadChange>): void {
    this.servers = servers
    const schemas = new Set(servers.flatMap((server) => Object.values(server.getSchemas())))
    const ids = [...new Set([...this.#inline.keys(), ...this.#idsIn([...schemas]).keys()])]
    for (const step of this.steps) {
      for (const [id, { change }] of step.schemas) {
        if (!ids.includes(id)) throw unknownError(change, 'route uses a schema with the $id', id, ids, UNSEEN)
      }
      const named = [...step.routes].map(([name, parts]) => [name, [...parts.values()][0].change] as const)
      const sentences = [...step.sentences].map(([name, [change]]) => [name, change] as const)
      for (const [name, change] of [...named, ...sentences]) {
        const advice = ` Write { name: ${show(name)} } into the options of the route.`
        if (!names.includes(name)) throw unknownError(change, 'route is named', name, names, advice)
      }
    }
    const outside = this.steps.flatMap(({ schemas }) => [...schemas.values()]).filter(({ isOutside }) => isOutside)
    const usedChanges = new Set([...used, ...changesOf(outside)])
    const unused = this.list.find((change) => !usedChanges.has(change))
    if (unused === undefined) return
    throw new VersionChangeOptionError(
      `Change ${unused.label} is never used: no route of an older version has its schema or name. Causes: 1. No ` +
      'response schema refers to the $id. 2. Only webhooks or queues have it: write "outside": true. 3. Each route ' +
      'serves one version: set "writtenFor". 4. Older versions have other handlers: delete the change. 5. The ' +
      'context has no "scheme".'
    )
  }

  /** Returns the index of a version. @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown version */
  indexOf (version: string): number {
    const index = this.versions.indexOf(version)
    if (index !== -1) return index
    const hint = suggestionFor(String(version), this.versions) ||
      ` Pass one of ${show(this.versions)}, such as request.version.`
    throw new VersionChangeOptionError(`${show(version)} is not one of allowedVersions.${hint}`)
  }

  /** Returns the schemas that a context has now, in all versions. Contexts with the same schemas share the result. */
  editionsIn (server: FastifyInstance): Editions {
    const ofServer = this.#byServer?.get(server)
    if (ofServer !== undefined) return ofServer
    const schemas = server.getSchemas()
    let editions = this.#editions.findLast((candidate) => candidate.isOf(schemas))
    if (editions === undefined) this.#editions.push(editions = this.#editionsOf(schemas, this.steps))
    this.#byServer?.set(server, editions)
    return editions
  }

  /** Keeps the editions of each context from now on. Call it when the schemas of all contexts and routes are known. */
  closeSchemas (): void {
    this.#byServer ??= new WeakMap()
  }

  /** Returns the same as `editionsIn`, but with other functions in the steps: `checkChanges` watches the functions. */
  editionsWith (server: FastifyInstance, replace: (step: ValueStep) => ValueStep): Editions {
    const steps = this.steps.map((step): Step => {
      const routes = mapValues(step.routes, (parts) => mapValues(parts, replace))
      return { ...step, schemas: mapValues(step.schemas, replace), routes }
    })
    return this.#editionsOf(server.getSchemas(), steps)
  }

  #editionsOf (schemas: SharedSchemas, steps: readonly Step[]): Editions {
    // With null, no reference finds an `$id` that different schemas have, because it could mean any of them.
    const inline = mapValues(this.#inline, ({ schema, isUnique }) => isUnique ? schema : null)
    return new Editions(schemas, new Map([...inline, ...this.#idsIn(Object.values(schemas))]), steps)
  }

  #idsIn (schemas: readonly unknown[]): Map<string, unknown> {
    const all = new Map<string, unknown>()
    for (const schema of schemas.filter(isObject)) {
      const inside = keptIn(this.#inside, schema, () => idsIn([schema]))
      for (const [id, inner] of inside) if (!all.has(id)) all.set(id, inner)
    }
    return all
  }
}

/** The schemas of a context in all versions. */
export class Editions {
  readonly newest: Edition
  /** A stage for each step, the newest first. */
  readonly stages: readonly Stage[]
  readonly #schemas: SharedSchemas
  #findCopy: FindCopy | null = null
  #renamingBy: RenamingBy | null = null
  /** Converters by the compiler of validators, because contexts with the same schemas may have their own compilers. */
  readonly #converters = new Map<unknown, Map<string, ChangeFunction>>()

  /** @param inline schemas inside other schemas, by `$id` */
  constructor (schemas: SharedSchemas, inline: ReadonlyMap<string, unknown>, steps: readonly Step[]) {
    const shared = Object.entries(schemas).map(([id, schema]) => [normalId(id), schema] as const)
    this.#schemas = schemas
    this.newest = new Edition(new Map([...inline, ...shared]))
    let edition = this.newest
    this.stages = steps.map((step) => {
      const stage = new Stage(step, edition)
      edition = stage.older
      return stage
    })
  }

  /** The function that finds copies of the changed schemas. */
  get findCopy (): FindCopy {
    const ids = () => this.stages.flatMap(({ step: { schemas } }) => [...schemas.keys()])
    return (this.#findCopy ??= copyFinder(ids(), this.newest, this.stages.map(({ older }) => older)))
  }

  /** The function that tells what a step has renamed. */
  get renamingBy (): RenamingBy {
    return (this.#renamingBy ??= renamingReader(this.stages))
  }

  isOf (schemas: SharedSchemas): boolean {
    const ids = Object.keys(this.#schemas)
    // The search begins at the end, because contexts differ by the schemas that were added last.
    return ids.length === Object.keys(schemas).length &&
      ids.findLast((id) => this.#schemas[id] !== schemas[id]) === undefined
  }

  /** Returns the schemas as they were in a version, by the index of the version. */
  editionIn (index: number): Edition {
    return this.stages.findLast(({ step }) => step.index > index)?.older ?? this.newest
  }

  /** Returns the stages that undo something of a schema, or in it, down to the version with an index. */
  stagesOf (schema: unknown, index = 0): readonly Stage[] {
    return this.stages.filter((stage) => stage.step.index > index && stage.shapeOf(schema).isAlive)
  }

  /**
   * Returns the function that converts values of a shared schema between the newest version and another version. The
   * function does not modify the values.
   *
   * @param compile makes the validator of a schema, which shows the members that the schema removes
   * @param compiler the compiler that `compile` uses: converters are cached by it
   * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown schema, or one that cannot be converted
   */
  converter (
    direction: Direction, schemaId: string, index: number, compile: Compile, compiler: unknown
  ): ChangeFunction {
    const converters = keptIn(this.#converters, compiler, () => new Map<string, ChangeFunction>())
    return keptIn(converters, `${direction} ${index} ${schemaId}`, () => (
      this.#converter(direction, normalId(String(schemaId)), index, compile)
    ))
  }

  #converter (direction: Direction, id: string, index: number, compile: Compile): ChangeFunction {
    const schema = this.newest.find(id)?.schema
    if (schema === undefined) {
      const hint = suggestionFor(id, [...this.newest.schemas.keys()])
      throw new VersionChangeOptionError(`No shared schema has the $id ${show(id)}.${hint}`)
    }
    const subject = `the schema ${show(id)}`
    const undone = this.stagesOf(schema, index)
    for (const stage of undone) {
      const reason = stage.shapeOf(schema).check(direction)
      if (typeof reason === 'string') refuseChange(stage.changesOf(schema), subject, 'value', reason)
    }
    const moves = undone.map((stage) => moveOf(stage, schema))
    const changes = undone.flatMap((stage) => stage.changesOf(schema))
    const label = `${subject}, value`
    if (moves.length === 0) return (value) => value
    if (direction === 'downgrade') return toConvert(moves, direction, changes, label)
    const older = (undone.at(-1) as Stage).older.at(schema)
    const upgrade = upgradeOf(older, moves, changes, label, compile, false)
    return function upgradeValue (value) {
      try {
        return upgraded(value, upgrade, { newest: undefined, trace: null, toText: String })
      } catch (error) {
        throw error instanceof SentBeyondSchema ? error.cause : error
      }
    }
  }
}

function unknownError (
  { label }: ReadChange, what: string, name: string, names: readonly string[], advice = ''
): Error {
  // Changes name a route without the namespace that is its version.
  const bareName = name.slice(name.lastIndexOf(':') + 1)
  const hint = suggestionFor(name, names, names.includes(bareName) ? [bareName] : [])
  return new VersionChangeOptionError(`Change ${label}: no ${what} ${show(name)}.${hint || advice}`)
}
