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

/** What a forgotten `await` looks like where there are changes. */
const UNSEEN = ' Add the $id to the schema. If it is there, declare the routes after ' +
  '"await register(versioning, …)", in the same context.'

/** The changes of a context. */
export class Changes {
  /** All versions, the oldest first. */
  readonly versions: readonly string[]
  /** Newest first. */
  readonly list: readonly ReadChange[]
  readonly steps: readonly Step[]
  /** The contexts that have them; null until the forms of every route are known. */
  servers: readonly FastifyInstance[] | null = null
  /** The declared routes that serve older versions, with their contexts. Known when the app is ready. */
  readonly routes: (HandledRoute & { readonly server: FastifyInstance })[] = []
  /** By `$id`, the first schema in a schema of a route that has it, and the route. */
  readonly #inline = new Map<string, { readonly schema: unknown, readonly label: string, isAlone: boolean }>()
  /** The schemas with an `$id` in a shared schema, which contexts share. */
  readonly #inside = new WeakMap<object, ReadonlyMap<string, unknown>>()
  #editions: Editions[] = []
  /** Those of contexts that get no more schemas; null until none does. */
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
   * Call it for all routes when these are known: schemas may refer to those inside other ones.
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
      const first = this.#inline.get(id) ?? { schema, label, isAlone: true }
      const difference = differenceOf(first.schema, schema)
      if (!this.#inline.has(id) || (first.isAlone && difference !== null)) this.#editions = []
      this.#inline.set(id, first)
      first.isAlone &&= difference === null
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
   * Call it when the forms of every route are known.
   *
   * @param names the names of all routes
   * @param servers the contexts that have these changes
   * @param used the changes that apply to schemas of routes
   * @throws FST_ERR_VERSION_CHANGE_OPTION for a change of something that does not exist, or that touches no route
   */
  checkUsed (names: readonly string[], servers: readonly FastifyInstance[], used: ReadonlySet<ReadChange>): void {
    this.servers = servers
    const schemas = new Set(servers.flatMap((server) => Object.values(server.getSchemas())))
    const ids = [...new Set([...this.#inline.keys(), ...this.#idsIn([...schemas]).keys()])]
    for (const step of this.steps) {
      for (const [id, { change }] of step.schemas) {
        if (!ids.includes(id)) throw unknown(change, 'route uses a schema with the $id', id, ids, UNSEEN)
      }
      const named = [...step.routes].map(([name, parts]) => [name, [...parts.values()][0].change] as const)
      const sentences = [...step.sentences].map(([name, [change]]) => [name, change] as const)
      for (const [name, change] of [...named, ...sentences]) {
        const advice = ` Write { name: ${show(name)} } into the options of the route.`
        if (!names.includes(name)) throw unknown(change, 'route is named', name, names, advice)
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

  /** @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown version */
  indexOf (version: string): number {
    const index = this.versions.indexOf(version)
    if (index !== -1) return index
    const hint = suggestionFor(String(version), this.versions) ||
      ` Pass one of ${show(this.versions)}, such as request.version.`
    throw new VersionChangeOptionError(`${show(version)} is not one of allowedVersions.${hint}`)
  }

  /** The schemas that a context has now, in all versions. Contexts with the same schemas share them. */
  editionsIn (server: FastifyInstance): Editions {
    const ofServer = this.#byServer?.get(server)
    if (ofServer !== undefined) return ofServer
    const schemas = server.getSchemas()
    let editions = this.#editions.findLast((candidate) => candidate.isOf(schemas))
    if (editions === undefined) this.#editions.push(editions = this.#editionsOf(schemas, this.steps))
    this.#byServer?.set(server, editions)
    return editions
  }

  /** Call it when the schemas of all contexts and routes are known. */
  closeSchemas (): void {
    this.#byServer ??= new WeakMap()
  }

  /** Like `editionsIn`, with other functions: a test of an app watches them. */
  editionsWith (server: FastifyInstance, replace: (step: ValueStep) => ValueStep): Editions {
    const steps = this.steps.map((step): Step => {
      const routes = mapValues(step.routes, (parts) => mapValues(parts, replace))
      return { ...step, schemas: mapValues(step.schemas, replace), routes }
    })
    return this.#editionsOf(server.getSchemas(), steps)
  }

  #editionsOf (schemas: SharedSchemas, steps: readonly Step[]): Editions {
    // Nothing can refer to an `$id` that different schemas have.
    const inline = mapValues(this.#inline, ({ schema, isAlone }) => isAlone ? schema : null)
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
  /** Newest first. */
  readonly stages: readonly Stage[]
  readonly #schemas: SharedSchemas
  #findCopy: FindCopy | null = null
  #renamingBy: RenamingBy | null = null
  /** By the compiler of validators, which contexts with the same schemas may have for themselves. */
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

  /** Finds copies of the changed schemas. */
  get findCopy (): FindCopy {
    const ids = () => this.stages.flatMap(({ step: { schemas } }) => [...schemas.keys()])
    return (this.#findCopy ??= copyFinder(ids(), this.newest, this.stages.map(({ older }) => older)))
  }

  /** What a step has renamed. */
  get renamingBy (): RenamingBy {
    return (this.#renamingBy ??= renamingReader(this.stages))
  }

  isOf (schemas: SharedSchemas): boolean {
    const ids = Object.keys(this.#schemas)
    // Contexts differ by what was added last.
    return ids.length === Object.keys(schemas).length &&
      ids.findLast((id) => this.#schemas[id] !== schemas[id]) === undefined
  }

  /** The schemas as they were in a version, by its index. */
  editionIn (index: number): Edition {
    return this.stages.findLast(({ step }) => step.index > index)?.older ?? this.newest
  }

  /** The stages that undo something of a schema, or in it, for the versions from an index on. */
  stagesOf (schema: unknown, index = 0): readonly Stage[] {
    return this.stages.filter((stage) => stage.step.index > index && stage.shapeOf(schema).isAlive)
  }

  /**
   * What converts values of a shared schema between the newest version and another one. A value itself stays as it is.
   *
   * @param compile makes the validator of a schema, by which members are found that the schema removes
   * @param compiler what it asks for validators
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

function unknown (
  { label }: ReadChange, what: string, name: string, names: readonly string[], advice = ''
): Error {
  // Routes are named without the namespace that is their version.
  const bareName = name.slice(name.lastIndexOf(':') + 1)
  const hint = suggestionFor(name, names, names.includes(bareName) ? [bareName] : [])
  return new VersionChangeOptionError(`Change ${label}: no ${what} ${show(name)}.${hint || advice}`)
}
