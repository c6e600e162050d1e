import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { rootOf } from '../context.ts'

import type { FastifyInstance } from 'fastify'
import type { SharedSchemas, WrittenSchemas } from '../changes/variant.ts'

/** The shared schemas of the contexts of an app, and the ones that changes add. */
export class SharedSchemaStore {
  /** By new `$id`, the contexts that it was added to. */
  readonly #owners = new Map<string, FastifyInstance[]>()
  readonly #added = new WeakSet<object>()
  readonly #known: SharedSchemas[] = []
  /** Null before the app is ready. */
  #settled: WeakMap<FastifyInstance, SharedSchemas> | null = null

  /** The schemas of a context, without those added here. Contexts with the same schemas get the same object. */
  of (server: FastifyInstance): SharedSchemas {
    const settled = this.#settled?.get(server)
    if (settled !== undefined) return settled
    const schemas = this.#read(server)
    this.#settled?.set(server, schemas)
    return schemas
  }

  /** Reads the schemas of a context only once from now on. Call it when the app is ready. */
  settle (): void {
    this.#settled = new WeakMap()
  }

  #read (server: FastifyInstance): SharedSchemas {
    const schemas = Object.fromEntries(Object.entries(server.getSchemas()).filter(([id]) => !this.#isOwned(id, server)))
    const known = this.#known.find((one) => areSame(one, schemas))
    if (known !== undefined) return known
    this.#known.push(schemas)
    return schemas
  }

  /**
   * Adds the schemas that a route needs, each to the outermost context that has the original one, so that contexts
   * share them as before.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION where another context of the app makes another schema with the same `$id`
   */
  add (server: FastifyInstance, { sharedSchemas, originalIds }: WrittenSchemas): void {
    for (const schema of sharedSchemas) {
      if (this.#added.has(schema)) continue
      const owner = ownerOf(originalIds.get(schema.$id) as string, server)
      const present: unknown = owner.getSchema(schema.$id)
      if (present === undefined) {
        owner.addSchema(schema)
        this.#owners.set(schema.$id, [...this.#owners.get(schema.$id) ?? [], owner])
      } else if (JSON.stringify(present) !== JSON.stringify(schema)) {
        throw new VersionChangeOptionError(
          `Two contexts have changes that make different schemas ${show(schema.$id)}. Give the contexts one list of ` +
          'changes, or each its own schema.'
        )
      }
      this.#added.add(schema)
    }
  }

  #isOwned (id: string, server: FastifyInstance): boolean {
    return this.#owners.get(id)?.some((owner) => (
      owner === server || Object.prototype.isPrototypeOf.call(owner, server)
    )) === true
  }
}

function ownerOf (id: string, server: FastifyInstance): FastifyInstance {
  let owner = server
  const root = rootOf(server)
  for (let one: object = server; one !== root;) {
    one = Object.getPrototypeOf(one)
    if ((one as FastifyInstance).getSchema(id) !== undefined) owner = one as FastifyInstance
  }
  return owner
}

function areSame (a: SharedSchemas, b: SharedSchemas): boolean {
  const ids = Object.keys(a)
  return ids.length === Object.keys(b).length && ids.every((id) => a[id] === b[id])
}
