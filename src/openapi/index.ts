import fp from 'fastify-plugin'

import { isObject } from '../changes/schema.ts'
import { DocumentError, VersioningOptionError } from '../errors.ts'
import { isWithin } from '../instances.ts'
import { registryOf } from '../links/registry.ts'
import { show, unknownName } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { documentsOf } from './documents.ts'
import { toOptions } from './options.ts'
import { serveDocuments } from './ui.ts'

import type { FastifyInstance } from 'fastify'
import type { OpenapiDocuments, OpenapiOptions } from '../../types/openapi.d.ts'

async function openapi (server: FastifyInstance, openapiOptions: OpenapiOptions): Promise<void> {
  const early = registryOf(server).routes.list.find((route) => (
    isWithin(route.server, server) && route.scheme !== null && !route.options.schema?.hide
  ))
  if (early !== undefined) {
    const advice = `Register fastify-versioning/openapi before declaring ${labelOf(early)}, and await it.`
    throw new VersioningOptionError(advice)
  }
  const options = toOptions(openapiOptions, server)
  const makeDocument = documentsOf(server, options)
  const documents = (version: string, documentOptions: { yaml?: boolean } = {}) => {
    if (!isObject(documentOptions)) {
      throw new DocumentError(`Invalid options: expected an object { yaml: true }, got ${show(documentOptions)}.`)
    }
    const { yaml = false, ...others } = documentOptions
    const [option] = Object.keys(others)
    if (option !== undefined) throw new DocumentError(unknownName('option', option, ['yaml']))
    return makeDocument(version, yaml)
  }
  const names = Object.freeze([...options.versions])
  server.decorate('openapi', Object.assign(documents, { names }) as OpenapiDocuments)
  await serveDocuments(server, makeDocument, options)
}

export default fp(openapi, {
  name: 'fastify-versioning/openapi', fastify: '5.x || 6.x', dependencies: ['fastify-versioning']
})
