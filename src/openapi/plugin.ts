import fp from 'fastify-plugin'

import { findContext, schemeOf } from '../context.ts'
import { VersioningConflictError } from '../errors.ts'
import { findRegistry } from '../links/scope.ts'
import { labelOf } from '../routes.ts'
import { documentsOf } from './documents.ts'
import { toOptions } from './options.ts'
import { serveDocuments } from './ui.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'
import type { OpenapiDocuments, OpenapiOptions } from '../../types/openapi.d.ts'

async function openapi (server: FastifyInstance, given: OpenapiOptions): Promise<void> {
  if (findContext(server) === undefined) {
    throw new VersioningConflictError('Register fastify-versioning before fastify-versioning/openapi.')
  }
  if (server.hasDecorator('openapi')) {
    throw new VersioningConflictError('There is a decorator "openapi" already, in this context or around it: ' +
      'register fastify-versioning/openapi once, and give a decorator of the app another name.')
  }
  const early = findRegistry(server)?.routes.list.find((route) => isMissed(route, server))
  if (early !== undefined) {
    throw new VersioningConflictError(`Register fastify-versioning/openapi before declaring ${labelOf(early)}.`)
  }
  const options = toOptions(given, server)
  const makeDocument = documentsOf(server, options)
  if (options.ui !== null) await serveDocuments(server, makeDocument, options, options.ui)

  const documents = (version: string, { yaml = false }: { yaml?: boolean } = {}) => makeDocument(version, yaml)
  const names = Object.freeze([...options.versions])
  server.decorate('openapi', Object.assign(documents, { names }) as OpenapiDocuments)
}

/** Whether a route that is declared already belongs into the documents of a context. */
function isMissed (route: Route, context: object): boolean {
  const { options, server } = route
  const isWithin = server === context || Object.prototype.isPrototypeOf.call(context, server)
  return isWithin && schemeOf(route) !== null && !(options?.schema as { hide?: boolean } | undefined)?.hide
}

export default fp(openapi, { name: 'fastify-versioning/openapi', fastify: '5.x || 6.x' })
