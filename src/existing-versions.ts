import { readingOf } from './reading.ts'
import { choiceOf } from './route-config.ts'

import type { FastifyRequest } from 'fastify'
import type { AllowedVersions, VersioningScheme } from '../types/index.d.ts'

const NONE: AllowedVersions = Object.freeze([])

/**
 * The versions listed by the scheme of a request that the URL of its route is served in, in release order: the very
 * same list for the same route and method.
 */
export function existingVersions (request: FastifyRequest): AllowedVersions {
  const scheme = request.versioningScheme as VersioningScheme
  const all = scheme.allowedVersions?.length ? scheme.allowedVersions : NONE
  const reading = readingOf(request.raw, scheme)
  const choice = reading === undefined ? undefined : choiceOf(request)
  return choice === undefined ? all : reading?.store.listedBeside(choice) ?? all
}
