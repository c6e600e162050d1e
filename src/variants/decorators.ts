import { changesIn } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'

import type { FastifyInstance } from 'fastify'
import type { Changes } from '../changes/changes.ts'
import type { AppChange } from '../../types/index.d.ts'
import type { OlderRoutes } from './older-routes.ts'

/** `app.changes`: the changes of the context, newest first, and the routes that each of them touches. */
export function changesGetter (olderRoutes: OlderRoutes): (this: FastifyInstance) => readonly AppChange[] {
  return function appChanges () {
    const changes = changesIn(this)
    return changes === null ? [] : olderRoutes.describe(changes)
  }
}

/** `app.downgrade` and `app.upgrade`: a value of a shared schema between its newest version and another one. */
export function converterOf (olderRoutes: OlderRoutes, direction: 'downgrade' | 'upgrade') {
  return function convertValue (this: FastifyInstance, id: string, value: unknown, version: string): unknown {
    const changes = requireChanges(this)
    return changes[direction](id, value, version, olderRoutes.schemasFor(this, changes, id))
  }
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION where a context has none */
export function requireChanges (server: FastifyInstance): Changes {
  const changes = changesIn(server)
  if (changes !== null) return changes
  throw new VersionChangeOptionError('There are no changes in this context: give the plugin the option "changes".')
}
