import versioning from '../plugin.ts'
import { contextOf } from '../context.ts'
import { forbid } from '../errors.ts'
import { standInForSwagger } from '../fastify/swagger-ui.ts'
import { registryOf } from '../links/registry.ts'
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
  // A bundler accepts a missing package if the failure of its import is handled.
  const { default: swaggerUi } = await import('@fastify/swagger-ui').catch((error: unknown) => { throw error })
  const prefix = server.prefix.replace(/\/$/, '')
  // For a second route at this URL, @fastify/swagger-ui throws an error that nobody catches.
  if (server.hasRoute({ method: 'GET', url: prefix + routePrefix })) {
    const why = 'this URL has a route already, such as that of another Swagger UI'
    forbid('routePrefix', `Change "routePrefix" from ${show(routePrefix)}: ${why}.`)
  }
  const { baseUrl, lifecycle, now } = contextOf(server)
  // A gateway that removes the path of `baseUrl` does not add it to what the page requests.
  const { indexPrefix = `${baseUrl?.path ?? ''}${prefix}` } = ui
  const labelOf = (version: string): string => {
    const { isPreview = false, deprecatedAt = Infinity } = lifecycle?.get(version) ?? {}
    if (isPreview) return `${version} (preview)`
    return deprecatedAt <= now() ? `${version} (deprecated)` : version
  }
  const files = new Map<string, string>()
  for (const version of versions) files.set(nameFor(version, (file) => files.has(file)), version)
  // The page begins with a preview only if all versions are previews.
  const released = versions.filter((version) => lifecycle?.get(version)?.isPreview !== true)
  const latest = (released.length > 0 ? released : versions).at(-1) as string
  const menuOf = () => {
    const urls = [...files].map(([file, version]) => (
      { url: `${indexPrefix.replace(/\/$/, '')}${routePrefix}/${file}.json`, name: labelOf(version) }
    ))
    return { urls, 'urls.primaryName': labelOf(latest) }
  }
  const menu = menuOf()
  const uiConfig = { ...menu, layout: 'StandaloneLayout', ...ui.uiConfig }
  // @fastify/swagger-ui writes its options in this form. If the user has set other URLs, the menu is not among them.
  const fieldsOf = (options: object) => JSON.stringify(options).slice(1, -1)
  const toScript = (script: string) => script.replace(fieldsOf(menu), () => fieldsOf(menuOf()))
  const send = (version: string, yaml: boolean) => {
    let body: { readonly from: number, readonly until: number, readonly bytes: Buffer } | null = null
    return (_request: FastifyRequest, reply: FastifyReply) => {
      const time = now()
      if (body === null || !(time >= body.from && time < body.until)) {
        const text = yaml ? makeDocument(version, true) as string : JSON.stringify(makeDocument(version, false))
        // Fastify would add a charset to the content type of a text.
        body = { from: time, until: nextDate(server, time), bytes: Buffer.from(text) }
      }
      return reply.type(yaml ? 'application/yaml' : 'application/json; charset=utf-8').send(body.bytes)
    }
  }

  await server.register(async function documentation (child) {
    await child.register(versioning, { scheme: null })
    await standInForSwagger(child, `${prefix}${routePrefix}`, (format) => send(latest, format === 'yaml'), toScript)
    for (const [file, version] of files) {
      const options = { schema: { hide: true } as object, ...ui.uiHooks }
      child.get(`${routePrefix}/${file}.json`, options, send(version, false))
      child.get(`${routePrefix}/${file}.yaml`, options, send(version, true))
    }
    await child.register(swaggerUi, { ...ui, routePrefix, indexPrefix, uiConfig } as FastifySwaggerUiOptions)
  })
}

/** Returns the next instant at which something of an app becomes deprecated or ends, in milliseconds, or Infinity. */
function nextDate (server: object, now: number): number {
  const { list } = registryOf(server).routes
  const contexts = new Set([server, ...list.map((route) => route.server)].map(contextOf))
  const ofVersions = [...contexts].flatMap(({ lifecycle }) => [...lifecycle?.values() ?? []])
  const retirements = [...new Set([...ofVersions, ...list.flatMap(({ retirement }) => retirement ?? [])])]
  const instants = retirements.flatMap(({ deprecatedAt, sunsetAt }) => [deprecatedAt, sunsetAt ?? Infinity])
  return instants.filter((instant) => instant > now).reduce((next, instant) => Math.min(next, instant), Infinity)
}
