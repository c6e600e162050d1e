import versioning from '../plugin.ts'
import { contextOf } from '../context.ts'
import { forbid } from '../errors.ts'
import { standInForSwagger } from '../fastify/swagger-ui.ts'
import { show } from '../messages.ts'
import { nameFor } from './components.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { MakeDocument } from './documents.ts'
import type { Options } from './options.ts'

/** Serves the documents, and Swagger UI to show them. These routes need no version. */
export async function serveDocuments (
  server: FastifyInstance, makeDocument: MakeDocument, { versions, routePrefix, ui }: Options
): Promise<void> {
  if (ui === null) return
  // A bundler takes a package that is not installed if its failure is handled.
  const { default: swaggerUi } = await import('@fastify/swagger-ui').catch((error: unknown) => { throw error })
  const prefix = server.prefix.replace(/\/$/, '')
  // Swagger UI throws what nobody catches.
  if (server.hasRoute({ method: 'GET', url: prefix + routePrefix })) {
    const why = 'this URL has a route already, such as that of another Swagger UI'
    forbid('routePrefix', `Change "routePrefix" from ${show(routePrefix)}: ${why}.`)
  }
  const { baseUrl, lifecycle, now } = contextOf(server)
  // A gateway that removes the path of `baseUrl` adds it to nothing that the page requests.
  const { indexPrefix = `${baseUrl?.path ?? ''}${prefix}` } = ui
  const labelOf = (version: string): string => {
    const { isPreview = false, deprecatedAt = Infinity } = lifecycle?.get(version) ?? {}
    if (isPreview) return `${version} (preview)`
    return deprecatedAt <= now() ? `${version} (deprecated)` : version
  }
  const files = new Map<string, string>()
  for (const version of versions) files.set(nameFor(version, (file) => files.has(file)), version)
  const urls = [...files].map(([file, version]) => (
    { url: `${indexPrefix.replace(/\/$/, '')}${routePrefix}/${file}.json`, name: labelOf(version) }
  ))
  // A preview comes first only if there is nothing else.
  const released = versions.filter((version) => lifecycle?.get(version)?.isPreview !== true)
  const latest = (released.length > 0 ? released : versions).at(-1) as string
  const uiConfig = {
    urls, 'urls.primaryName': labelOf(latest), layout: 'StandaloneLayout', ...ui.uiConfig
  }
  const send = (version: string, yaml: boolean) => {
    let body: Buffer | null = null
    return (_request: FastifyRequest, reply: FastifyReply) => {
      // Fastify would add a charset to the type of a text.
      body ??= Buffer.from(yaml ? makeDocument(version, true) as string : JSON.stringify(makeDocument(version, false)))
      return reply.type(yaml ? 'application/yaml' : 'application/json; charset=utf-8').send(body)
    }
  }

  await server.register(async function documentation (child) {
    await child.register(versioning, { scheme: null })
    await standInForSwagger(child, `${prefix}${routePrefix}`, (format) => send(latest, format === 'yaml'))
    for (const [file, version] of files) {
      const options = { schema: { hide: true } as object, ...ui.uiHooks }
      child.get(`${routePrefix}/${file}.json`, options, send(version, false))
      child.get(`${routePrefix}/${file}.yaml`, options, send(version, true))
    }
    await child.register(swaggerUi, { ...ui, routePrefix, indexPrefix, uiConfig } as FastifySwaggerUiOptions)
  })
}
