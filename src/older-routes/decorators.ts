import { Description, writtenIn } from '../changes/description.ts'
import { merged } from '../changes/merge.ts'
import { normalId } from '../changes/schema.ts'
import { changesIn, contextOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { validatorFor } from '../fastify/compilers.ts'
import { show } from '../messages.ts'
import { isThenable } from '../promises.ts'

import type { FastifyInstance } from 'fastify'
import type { AppChange } from '../../types/index.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { Place } from '../changes/edition.ts'
import type { OlderRoutes } from './older-routes.ts'

/** Makes the getter `app.changes`. */
export function changesGetter (older: OlderRoutes): (this: FastifyInstance) => readonly AppChange[] {
  return function appChanges () {
    const { changes } = contextOf(this)
    return changes === null ? [] : older.describe(changes)
  }
}

/** Makes `app.downgrade` or `app.upgrade`. */
export function converterOf (direction: 'downgrade' | 'upgrade') {
  return function convertValue (this: FastifyInstance, id: string, value: unknown, version: string): unknown {
    const changes = requireChanges(this)
    let count = 0
    const compile = (schema: object) => validatorFor(this, schema, `/;${id};${version};${++count}`)
    const index = indexIn(this, version)
    const convert = changes.editionsIn(this).converter(direction, id, index, compile, this.validatorCompiler)
    const isOfObjects = Object(this.getSchema(id)).type === 'object'
    if (isOfObjects && (typeof value === 'string' || Array.isArray(value) || isThenable(value))) {
      const meant = Array.isArray(value) ? 'each item' : `an object, not a ${isThenable(value) ? 'promise' : 'text'},`
      throw new VersionChangeOptionError(
        `Pass ${meant} to ${direction}(): ${show(id)} is the schema of an object, got ${show(value)}.`
      )
    }
    return convert(value)
  }
}

/** Merges a value of an older version into the stored value: `app.merge`. */
export function mergeValue (
  this: FastifyInstance, id: string, current: unknown, value: unknown, version: string
): unknown {
  let description: Description | null = null
  return merged(current, value, (stored) => {
    const older = this.downgrade(id, stored, version)
    const edition = requireChanges(this).editionsIn(this).editionIn(indexIn(this, version))
    description ??= new Description([edition.find(normalId(id)) as Place])
    return this.upgrade(id, writtenIn(older, description), version)
  })
}

/** Returns the index of a version, resolved as in requests. @throws FST_ERR_VERSION_CHANGE_OPTION if it is unknown */
function indexIn (server: FastifyInstance, version: string): number {
  const resolved = typeof version === 'string' ? contextOf(server).scheme?.versionFor(version) : null
  return requireChanges(server).indexOf(resolved ?? version)
}

/** Returns the changes of a context. @throws FST_ERR_VERSION_CHANGE_OPTION if the context has no changes */
export function requireChanges (server: FastifyInstance): Changes {
  const changes = changesIn(server)
  if (changes !== null) return changes
  throw new VersionChangeOptionError(
    `${server instanceof Promise ? 'Await the app: a promise' : 'This instance'} has no changes. Call upgrade(), ` +
    'downgrade(), merge() or checkChanges() with the instance in which you registered fastify-versioning with ' +
    '"changes".'
  )
}
