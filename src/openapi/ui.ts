import versioning from '../plugin.ts'
import { parseAccept } from '../http/accept.ts'
import { forwardedPrefixOf } from '../http/forwarded.ts'
import { keepVary } from '../http/kept.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions, RouteShorthandOptions } from 'fastify'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { OpenapiDocument } from '../../types/openapi.d.ts'
import type { File, Place } from './addresses.ts'
import type { Documents } from './documents.ts'
import type { Options } from './options.ts'
import type { SwaggerUi } from './peers.ts'

const JSON_TYPES = ['application/json', 'application/openapi+json']
const YAML_TYPES = ['application/yaml', 'application/openapi+yaml']
/** What the URLs of JSON and of YAML answer, their own types first. */
const AS_JSON = [...JSON_TYPES, ...YAML_TYPES]
const AS_YAML = [...YAML_TYPES, ...JSON_TYPES]
const SCRIPT = 'documents.js'

/** Serves the documents, and Swagger UI to show them. These routes need no version. */
export async function serveDocuments (
  server: FastifyInstance, documents: Documents, { routePrefix, ui }: Options, { page, files, outside }: Place,
  swaggerUi: SwaggerUi
): Promise<void> {
  const first = files[0]
  const latest = files.findLast(({ team }) => team === first.team) as File
  const urls = files.map(({ path, name }) => ({ url: `${outside ?? ''}${path}`, name }))
  const uiConfig = { urls, 'urls.primaryName': latest.name, layout: 'StandaloneLayout', ...ui?.uiConfig }
  const script = { filename: SCRIPT, content: scriptFor(`${outside ?? ''}${page}/`) }
  const theme = { ...ui?.theme, js: [...ui?.theme?.js ?? [], script] }
  // From the page upwards, and down again: so a browser finds its files whatever a gateway has removed from the path.
  const indexPrefix = routePrefix.split('/').slice(2).fill('..').join('/') || '.'

  await server.register(async function documentation (child) {
    await child.register(versioning, { scheme: null })
    child.addHook('onRoute', (route) => {
      makeRelative(route, page)
      // The routes of Swagger UI answer as the others do.
      if (route.url === `${page}/json`) route.handler = handlerFor(documents, latest, AS_JSON)
      if (route.url === `${page}/yaml`) route.handler = handlerFor(documents, latest, AS_YAML)
    })
    await child.register(swaggerUi, { ...ui, routePrefix, indexPrefix, uiConfig, theme } as FastifySwaggerUiOptions)
    for (const one of files) {
      const route: RouteShorthandOptions = { schema: { hide: true }, ...ui?.uiHooks }
      child.get(`${routePrefix}/${one.file}.json`, route, handlerFor(documents, one, AS_JSON))
      child.get(`${routePrefix}/${one.file}.yaml`, route, handlerFor(documents, one, AS_YAML))
    }
  })
}

/**
 * Makes Swagger UI write its page for a URL without query. If the URL ends with a slash, the page requests files next
 * to it, otherwise files in `indexPrefix`.
 */
function makeRelative (route: RouteOptions, page: string): void {
  const { url, handler } = route
  if (url !== page && url !== `${page}/`) return
  route.handler = function relative (request, reply) {
    const path = request.url.split('?', 1)[0]
    return handler.call(this, Object.create(request, { url: { value: path } }), reply)
  }
}

/** A script that makes Swagger UI request the documents from where the page itself came. */
function scriptFor (directory: string): string {
  return `{
  const here = new URL('../..', document.currentScript.src)
  window.SwaggerUIBundle = new Proxy(window.SwaggerUIBundle, {
    apply (bundle, self, [config]) {
      const urls = config.urls.map((one) => one.url.startsWith(${JSON.stringify(directory)})
        ? { ...one, url: here.pathname + one.url.slice(${directory.length}) }
        : one)
      const oauth2RedirectUrl = new URL('static/oauth2-redirect.html', here).href
      return bundle.call(self, { ...config, urls, oauth2RedirectUrl })
    }
  })
}
`
}

function handlerFor (documents: Documents, { name }: File, types: readonly string[]) {
  return function sendDocument (request: FastifyRequest, reply: FastifyReply): void {
    const type = preferred(types, request.headers.accept)
    keepVary(reply, 'Accept')
    reply.type(type)
    const prefix = forwardedPrefixOf(request)
    const document = documents.read(name, false) as OpenapiDocument
    // Where the app does not know its address, the gateway does.
    const servers = prefix === '' || document.servers !== undefined ? null : [{ url: prefix }]
    const text = JSON_TYPES.includes(type)
      ? JSON.stringify(servers === null ? document : { ...document, servers })
      : documents.read(name, true) + (servers === null ? '' : `servers:\n  - url: ${JSON.stringify(prefix)}\n`)
    // Fastify adds a charset to the type of a text, which only `application/json` has always had here.
    reply.send(type === 'application/json' ? text : Buffer.from(text))
  }
}

/** The media type that the client prefers, or else the first (RFC 9110, section 12.5.1). */
function preferred (types: readonly string[], accept: string | undefined): string {
  if (accept === undefined) return types[0]
  const ranges = parseAccept(accept)
  const ranked = types.map((type) => {
    const wildcards = [type, `${type.split('/', 1)[0]}/*`, '*/*']
    const at = wildcards.findIndex((one) => ranges.some(({ mediaType }) => mediaType === one))
    const quality = ranges.find(({ mediaType }) => mediaType === wildcards[at])?.quality ?? 0
    return { type, quality, at }
  })
  // An exact type precedes a wildcard.
  const [best] = ranked.toSorted((a, b) => b.quality - a.quality || a.at - b.at)
  return best.quality === 0 ? types[0] : best.type
}
