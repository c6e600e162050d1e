import fp from 'fastify-plugin'

import { findContext, inherited, schemeOf } from '../context.ts'
import { VersioningConflictError } from '../errors.ts'
import { findRegistry } from '../links/scope.ts'
import { labelOf } from '../routes.ts'
import { placeOf } from './addresses.ts'
import { serveCatalog } from './catalog.ts'
import { Documents } from './documents.ts'
import { toOptions } from './options.ts'
import { loadSwagger, loadSwaggerUi } from './peers.ts'
import { linkToDocuments } from './service-desc.ts'
import { Teams } from './teams.ts'
import { serveDocuments } from './ui.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'
import type { OpenapiDocuments, OpenapiOptions } from '../../types/openapi.d.ts'

const documentsOf = inherited<Documents>('documents')

async function openapi (fastify: FastifyInstance, given: OpenapiOptions): Promise<void> {
  if (findContext(fastify) === undefined) {
    throw new VersioningConflictError('Register fastify-versioning before fastify-versioning/openapi.')
  }
  const around = documentsOf.of(fastify)
  // In addition to the page of several teams, a team may have its own.
  if (around !== undefined && (!around.hasTeams || around.server === fastify)) {
    throw new VersioningConflictError('fastify-versioning/openapi is registered already, in this context or around it.')
  }
  if (around === undefined && fastify.hasDecorator('openapi')) {
    throw new VersioningConflictError('The app has its own decorator "openapi", which is a decorator of ' +
      'fastify-versioning/openapi as well. Rename yours.')
  }
  const early = findRegistry(fastify)?.routes.list.find((route) => isMissed(route, fastify))
  if (early !== undefined) {
    throw new VersioningConflictError(`Register fastify-versioning/openapi before declaring ${labelOf(early)}.`)
  }
  const options = toOptions(given, fastify)
  const swagger = await loadSwagger()
  const swaggerUi = options.ui === null ? null : await loadSwaggerUi()
  const teams = new Teams(options.teams, fastify.prefix)
  const documents = new Documents(fastify, swagger, options, teams)
  // @fastify/swagger-ui requires a plugin of this name.
  await fastify.register(fp(async () => {}, { name: '@fastify/swagger' }))
  const place = placeOf(options, fastify)
  if (swaggerUi !== null) await serveDocuments(fastify, documents, options, place, swaggerUi)
  if (options.serviceDesc) linkToDocuments(fastify, place, teams)
  if (options.catalog !== null) await serveCatalog(fastify, documents, options.catalog, place)

  function openapi (name: string, format: { yaml?: boolean } = {}) {
    const document = documents.read(name, format.yaml === true)
    // Changes of the copy do not change what is served.
    return typeof document === 'string' ? document : JSON.parse(JSON.stringify(document))
  }
  const names = Object.freeze(options.subjects.map(({ name }) => name))
  const transform = documents.transform.bind(documents)
  documentsOf.set(fastify, documents)
  fastify.decorate('openapi', Object.assign(openapi, { names, transform }) as OpenapiDocuments)
}

/** Whether a route that is declared already belongs into the documents of a context. */
function isMissed (route: Route, context: FastifyInstance): boolean {
  const { options, server } = route
  const isWithin = server === context || Object.prototype.isPrototypeOf.call(context, server)
  return isWithin && schemeOf(route) !== null && !(options?.schema as { hide?: boolean } | undefined)?.hide
}

export default fp(openapi, { name: 'fastify-versioning/openapi', fastify: '5.x || 6.x' })
