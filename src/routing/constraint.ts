import { slot } from '../context.ts'
import { VersionStore } from './store.ts'

import type { Candidate } from './candidates.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

/** What a route is where versions choose; none at a URL where they do not. */
export const candidateOf = slot<Candidate>('candidate')

/**
 * A constraint of Fastify's router that chooses among the routes of a URL by the version that their scheme reads. Its
 * values are candidates. What it derives is the raw request itself: only a store whose routes have versions reads it.
 */
export const versionConstraint = {
  name: CONSTRAINT,
  storage: (): VersionStore => new VersionStore(),
  deriveConstraint: (raw: RawRequest): RawRequest => raw
}
