import versioning from '../plugin.ts'
import { findContext } from '../context.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { Documents } from './documents.ts'
import type { Options } from './options.ts'
import type { SwaggerUi } from './peers.ts'

/** A document as it is served. */
interface File {
  readonly version: string
  /** Its path from outside, as JSON. */
  readonly url: string
  /** Its name in the UI's directory, without what tells the format. */
  readonly name: string
}

/** Where the documents are. */
export function filesOf ({ versions, routePrefix, ui }: Options, server: FastifyInstance): File[] {
  const outside = ui?.indexPrefix ?? findContext(server)?.baseUrl?.path ?? ''
  const names = new Set<string>()
  return versions.map((version) => {
    const plain = version.replace(/[^\w.-]/g, '-')
    let name = plain
    for (let i = 2; names.has(name); i++) name = `${plain}-${i}`
    names.add(name)
    return { version, name, url: `${outside}${server.prefix}${routePrefix}/${name}.json` }
  })
}

/** Serves the documents, and Swagger UI to show them: no version is asked for here. */
export async function serveDocuments (
  server: FastifyInstance, documents: Documents, options: Options, files: readonly File[],
  swaggerUi: SwaggerUi
): Promise<void> {
  const { routePrefix, ui } = options
  const latest = files.at(-1) as File
  const urls = files.map(({ url, version }) => ({ url, name: version }))
  const uiConfig = { urls, 'urls.primaryName': latest.version, layout: 'StandaloneLayout', ...ui?.uiConfig }

  await server.register(async function documentation (child) {
    await child.register(versioning, { scheme: null })
    // Of the app's own @fastify/swagger nothing is seen here.
    child.decorate('swagger', function swagger (given?: { yaml?: boolean }) {
      return documents.read(latest.version, given?.yaml === true)
    } as never)
    await child.register(swaggerUi, { ...ui, routePrefix, uiConfig } as FastifySwaggerUiOptions)
    for (const { name, version } of files) {
      const route: RouteShorthandOptions = { schema: { hide: true }, ...ui?.uiHooks }
      child.get(`${routePrefix}/${name}.json`, route, function asJson (_request, reply) {
        reply.type('application/json').send(JSON.stringify(documents.read(version, false)))
      })
      child.get(`${routePrefix}/${name}.yaml`, route, function asYaml (_request, reply) {
        reply.type('application/yaml').send(documents.read(version, true))
      })
    }
  })
}
