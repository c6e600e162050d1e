import versioning from '../plugin.ts'
import { schemeOf } from '../context.ts'
import { linkValue } from '../http/headers.ts'
import { keepLinks } from '../http/kept.ts'
import { toUriText } from '../http/uri.ts'
import { urlOf } from './addresses.ts'
import { isInUrl } from './naming.ts'
import { pathIn, toPathText } from './operations.ts'

import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { OpenapiDocument } from '../../types/openapi.d.ts'
import type { File, Place } from './addresses.ts'
import type { Documents } from './documents.ts'

const PATH = '/.well-known/api-catalog'
/** RFC 9727, section 4.2. */
const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The target of a link in a set of links (RFC 9264, section 4.2.3). */
interface Target {
  readonly href: string
}

/** Serves a catalog of the versions (RFC 9727), and links to it from the root of the app and from the documents. */
export async function serveCatalog (
  server: FastifyInstance, documents: Documents, status: readonly string[], place: Place
): Promise<void> {
  const base = urlOf(server) as string
  const members = [linkValue(base + PATH, 'api-catalog')]
  const paths = [`${place.page}/json`, ...place.files.map(({ path }) => path)]
  const linking = new Set(['/', PATH, ...paths, ...paths.map((path) => path.replace(/json$/, 'yaml'))])

  server.addHook('onSend', function linkToCatalog (
    { url }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: DoneFuncWithErrOrRes
  ): void {
    if (linking.has(url.split('?', 1)[0])) keepLinks(reply, members)
    done()
  })

  await server.register(async function catalog (child) {
    await child.register(versioning, { scheme: null })
    let body: Buffer | undefined
    child.route({
      method: ['GET', 'HEAD'],
      url: PATH,
      schema: { hide: true } as object,
      handler (_request, reply) {
        // Fastify would add a charset to a string.
        body ??= Buffer.from(JSON.stringify({ linkset: linkset() }, null, 2))
        reply.header('content-type', TYPE).send(body)
      }
    })
  })

  /** The links of all versions, each with its own anchor: the context of a link is there once. */
  function linkset (): object[] {
    const all = place.files.map(linksOf)
    return all.map((links, i) => {
      const isAlone = all.every(({ anchor }, j) => i === j || anchor !== links.anchor)
      return isAlone ? links : { ...links, anchor: `${links.anchor}#${encodeURIComponent(place.files[i].name)}` }
    })
  }

  /** The links of one version (RFC 8631; RFC 9745, section 3; RFC 8594, section 6). */
  function linksOf (file: File): { readonly anchor: string, readonly [relation: string]: unknown } {
    const { name, path } = file
    const { routes, ending } = documents.operations.of(file)
    const infos = typeof ending?.info === 'string' ? [targetOf(ending.info, base)] : []
    const outside = new URL(base).origin + place.outside
    const document = toUriText(outside + path.replace(/json$/, ''))
    const page = `${toUriText(outside + place.page)}?urls.primaryName=${encodeURIComponent(name)}`
    return {
      anchor: anchorOf(file, routes, documents.read(name, false) as OpenapiDocument, base),
      'service-desc': [
        { href: `${document}json`, type: 'application/openapi+json' },
        { href: `${document}yaml`, type: 'application/openapi+yaml' }
      ],
      'service-doc': [{ href: page, type: 'text/html', title: `Documentation of ${name}` }],
      ...status.length === 0 ? {} : { status: status.map((info) => targetOf(info, base)) },
      ...infos.length === 0 ? {} : { deprecation: infos },
      ...infos.length === 0 || ending?.sunsetAt === null ? {} : { sunset: infos }
    }
  }
}

function targetOf (href: string, base: string): Target {
  return { href: toUriText(new URL(href, `${base}/`).href) }
}

/** The URL of a version, if its host, path or query has the version. */
function anchorOf ({ version }: File, routes: readonly Route[], { servers }: OpenapiDocument, base: string): string {
  const server = servers?.[0]?.url ?? base
  // One with variables is a template.
  const root = new URL(server.includes('{') ? base : server, `${base}/`)
  const [prefix, ...others] = new Set(routes.filter(isInUrl).map((route) => {
    const segments = pathIn(version, route.url, route).split('/')
    return segments.slice(0, segments.indexOf(toPathText(version)) + 1).join('/')
  }))
  if (prefix && others.length === 0) return toUriText(root.href.replace(/\/$/, '') + prefix)
  const [parameter] = routes.map((route) => (schemeOf(route) as Scheme).parameter)
  if (parameter?.in === 'query') root.searchParams.set(parameter.name, version)
  return root.href
}
