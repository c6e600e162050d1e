import fp from 'fastify-plugin'

import { inContext } from '../boot/error-context.ts'
import { findContext, inherited, schemeOf } from '../context.ts'
import { VersioningConflictError } from '../errors.ts'
import { findRegistry } from '../links/scope.ts'
import { labelOf } from '../routes.ts'
import { serveCatalog } from './catalog.ts'
import { Documents } from './documents.ts'
import { placeOf } from './files.ts'
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
  try {
    await install(fastify, given)
  } catch (error) {
    throw inContext(error, fastify)
  }
}

async function install (fastify: FastifyInstance, given: OpenapiOptions): Promise<void> {
  const context = findContext(fastify)
  if (context === undefined) throw tooEarly()
  const around = documentsOf.of(fastify)
  // In addition to the page of several teams, a team may have its own.
  if (around !== undefined && (!around.hasTeams || around.server === fastify)) throw registeredTwice()
  if (around === undefined && fastify.hasDecorator('openapi')) throw alreadyDecorated()
  const early = findRegistry(fastify)?.routes.list.find((route) => isMissed(route, fastify))
  if (early !== undefined) throw tooLate(early)
  const { settings: { allowedVersions }, baseUrl } = context
  const options = toOptions(given, { allowedVersions, baseUrl, prefix: fastify.prefix })
  const swagger = await loadSwagger()
  const swaggerUi = options.ui === null ? null : await loadSwaggerUi()
  const teams = new Teams(options.teams, fastify.prefix)
  const documents = await Documents.of(fastify, swagger, options, teams)
  const place = placeOf(options, fastify)
  if (swaggerUi !== null) await serveDocuments(fastify, documents, options, place, swaggerUi)
  if (options.serviceDesc) linkToDocuments(fastify, place, teams)
  if (options.catalog !== null) await serveCatalog(fastify, documents, options.catalog, place)

  function openapi (name: string, format: { yaml?: boolean } = {}) {
    const document = documents.read(name, format.yaml === true)
    // Changes of the copy do not change what is served.
    return typeof document === 'string' ? document : JSON.parse(JSON.stringify(document))
  }
  function transform (name: string) {
    return documents.transform(name)
  }
  const names = Object.freeze(options.subjects.map(({ name }) => name))
  documentsOf.set(fastify, documents)
  fastify.decorate('openapi', Object.assign(openapi, { names, transform }) as OpenapiDocuments)
}

/** Whether a route that is declared already belongs into the documents of a context. */
function isMissed (route: Route, context: FastifyInstance): boolean {
  const { options, server } = route
  const isWithin = server === context || Object.prototype.isPrototypeOf.call(context, server)
  return isWithin && schemeOf(route) !== null && !(options?.schema as { hide?: boolean } | undefined)?.hide
}

function tooLate (route: Route): Error {
  return new VersioningConflictError(`Register fastify-versioning/openapi before declaring ${labelOf(route)}.`)
}

function tooEarly (): Error {
  return new VersioningConflictError('Register fastify-versioning before fastify-versioning/openapi.')
}

function registeredTwice (): Error {
  return new VersioningConflictError('fastify-versioning/openapi is registered already, in this context or around it.')
}

function alreadyDecorated (): Error {
  return new VersioningConflictError(
    'The app has its own decorator "openapi", which is a decorator of fastify-versioning/openapi as well. Rename yours.'
  )
}

export default fp(openapi, { name: 'fastify-versioning/openapi', fastify: '5.x || 6.x' })
