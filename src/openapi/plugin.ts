import fp from 'fastify-plugin'

import { inContext } from '../boot/place.ts'
import { findContext, schemeOf, slot } from '../context.ts'
import { VersioningConflictError } from '../errors.ts'
import { registryOf } from '../links/scope.ts'
import { labelOf } from '../routes.ts'
import { Documents } from './documents.ts'
import { toOptions } from './options.ts'
import { loadSwagger, loadSwaggerUi } from './peers.ts'
import { linkToDocuments } from './service-desc.ts'
import { filesOf, serveDocuments } from './ui.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'
import type { OpenapiDocuments, OpenapiOptions } from '../../types/openapi.d.ts'

const documentsOf = slot<Documents>('documents')

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
  if (documentsOf.of(fastify) !== undefined) throw registeredTwice()
  if (fastify.hasDecorator('openapi')) throw alreadyDecorated()
  const early = registryOf(fastify)?.routes.list.find((route) => isMissed(route, fastify))
  if (early !== undefined) throw tooLate(early)
  const options = toOptions(given, context.settings.allowedVersions)
  const swagger = await loadSwagger()
  const swaggerUi = options.ui === null ? null : await loadSwaggerUi()
  const documents = await Documents.of(fastify, swagger, options)
  const files = filesOf(options, fastify)
  if (swaggerUi !== null) await serveDocuments(fastify, documents, options, files, swaggerUi)
  if (options.serviceDesc) linkToDocuments(fastify, files)

  function openapi (version: string, format: { yaml?: boolean } = {}) {
    const document = documents.read(version, format.yaml === true)
    // What is done to it does not change what is served.
    return typeof document === 'string' ? document : JSON.parse(JSON.stringify(document))
  }
  function transform (version: string) {
    return documents.transform(version)
  }
  documentsOf.set(fastify, documents)
  fastify.decorate('openapi', Object.assign(openapi, { transform }) as OpenapiDocuments)
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
