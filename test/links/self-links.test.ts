import Fastify from 'fastify'
import LinkHeader from 'http-link-header'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'

import versioning, { QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'

import type {
  FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions, LightMyRequestResponse
} from 'fastify'
import type { ReverseKwargs } from '../../types/index.d.ts'

interface Refusal { readonly code: string, readonly statusCode: number }

/** What a route answers: itself, its parameters, and the link to itself or why there is none. */
interface Answer {
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly link?: string
  readonly refusal?: Refusal
  /** Why there is no link to the route by its name with the same parameters. */
  readonly refusalByName?: Refusal
}

interface Table {
  readonly paths: readonly string[]
  readonly options?: FastifyServerOptions
}

/** An app whose routes answer with an `Answer`; a path of which the router has an equal already is left out. */
async function appWith ({ paths, options = {} }: Table): Promise<FastifyInstance> {
  const app = Fastify(options)
  await app.register(versioning)
  for (const path of withoutDuplicates(paths, options)) {
    app.get(path, { name: path.replaceAll(':', '$') }, async (request, reply) => answerOf(path, request, reply))
  }
  await app.ready()
  return app
}

/** An app that refuses a path with an optional parameter as a duplicate keeps one half of it, without hooks. */
function withoutDuplicates (paths: readonly string[], options: FastifyServerOptions): string[] {
  const app = Fastify(options)
  return paths.filter((path) => {
    try {
      app.get(path, async () => '')
      return true
    } catch (error) {
      if ((error as { code?: string }).code === 'FST_ERR_DUPLICATED_ROUTE') return false
      throw error
    }
  })
}

function answerOf (route: string, request: FastifyRequest, reply: FastifyReply): Answer {
  const params = { ...request.params as Record<string, string> }
  const answer = { route, params }
  try {
    return { ...answer, link: reply.reverse() }
  } catch (error) {
    const { code, statusCode } = error as Refusal
    const byName = refusalOf(() => reply.reverse(route.replaceAll(':', '$'), params as ReverseKwargs))
    return { ...answer, refusal: { code, statusCode }, ...byName === undefined ? {} : { refusalByName: byName } }
  }
}

function refusalOf (link: () => string): Refusal | undefined {
  try {
    link()
  } catch (error) {
    const { code, statusCode } = error as Refusal
    return { code, statusCode }
  }
}

/** How the link of a route to itself goes astray, or null if it does not. */
async function faultOf (app: FastifyInstance, url: string, tally?: Tally): Promise<string | null> {
  const response = await app.inject(url)
  const answer = isJson(response) ? response.json<Answer>() : undefined
  // No route of the table: a 404, or an escape that the router does not read.
  if (answer?.route === undefined) return null
  const { route, params, link, refusal, refusalByName } = answer
  if (link === undefined) {
    if (tally !== undefined) tally.refused++
    if (refusal?.code !== 'FST_ERR_NO_REVERSE_MATCH' || refusal.statusCode !== 400) {
      return `${url}: refused with ${JSON.stringify(refusal)}`
    }
    return refusalByName === undefined ? `${url}: refused, but by its name the same link is not` : null
  }
  if (tally !== undefined) tally.followed++
  const back = await app.inject(link)
  const there = isJson(back) ? back.json<Answer>() : undefined
  // Which of the app's routes answers is not checked.
  const isOther = there?.route !== undefined && there.route !== route
  if (isOther || (there?.route === route && isDeepStrictEqual(there.params, params))) return null
  return `${url} is answered by ${route} with ${JSON.stringify(params)}, whose link ${link} is answered ${back.body}`
}

function isJson (response: LightMyRequestResponse): boolean {
  return String(response.headers['content-type']).startsWith('application/json')
}

const cases: (Table & { url: string })[] = [
  { paths: ['/b/:id', '*'], url: '/b/7/' },
  { paths: ['/:x/:last?', '/*'], url: '//' },
  { paths: ['/b/:id', '/*'], url: '/b/7/' },
  { paths: ['/w/*'], options: { routerOptions: { ignoreTrailingSlash: true } }, url: '/w//' },
  { paths: ['/w/*'], options: { routerOptions: { ignoreDuplicateSlashes: true } }, url: '/w//' },
  { paths: ['/w/*', '/w/'], options: { routerOptions: { ignoreTrailingSlash: true } }, url: '/w/a//' }
]

for (const { paths, options = {}, url } of cases) {
  const under = Object.keys(options.routerOptions ?? {}).map((name) => ` under ${name}`).join('')
  t.test(`the route that answers ${url} of ${paths.join(' and ')}${under} links to no other`, async (t) => {
    t.equal(await faultOf(await appWith({ paths, options }), url), null)
  })
}

for (const { paths, url } of cases.slice(0, 2)) {
  t.test(`the route that answers ${url} of ${paths.join(' and ')} has no other as its successor`, async (t) => {
    const app = Fastify()
    await app.register(versioning, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2'],
      lifecycle: { v1: { deprecated: '2026-01-01' } }
    })
    for (const path of paths) app.get(path, async ({ params }) => ({ path, params }))
    const response = await app.inject(`${url}?version=v1`)
    t.equal(response.headers.deprecation, '@1767225600')
    for (const { uri } of LinkHeader.parse(response.headers.link?.toString() ?? '').refs) {
      t.same((await app.inject(uri)).json(), response.json(), uri)
    }
  })
}

const TABLES = tries(20)
const URLS_PER_TABLE = 25

interface Tally { followed: number, refused: number }

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'a', 'b', 'B', 'é') },
  { weight: 4, arbitrary: fc.constantFrom(':x', ':y', ':z', ':n(^\\d+$)', ':from-:to') }
)

/** Each parameter of a path once. */
function isPath (segments: readonly string[]): boolean {
  const names = segments.flatMap((one) => one.match(/:\w+/g) ?? [])
  return new Set(names).size === names.length
}

const pathBelowRoot = fc.tuple(
  fc.array(segment, { maxLength: 3 }).filter(isPath), fc.constantFrom('', '', '/', '/*', '/*', '/*', '/:last?')
).map(([segments, end]) => `/${segments.join('/')}${end}`.replace(/^\/\//, '/'))

const path = fc.oneof(
  { weight: 8, arbitrary: pathBelowRoot },
  { weight: 1, arbitrary: fc.constant('*') }
)

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'A', 'b', '7', 'a-b', '%C3%A9') },
  { weight: 3, arbitrary: fc.constantFrom('', '%2F', 'a%2Fb', 'a%2F7', 'a%2F', '%2Fa', '%61') },
  { weight: 1, arbitrary: fc.constantFrom('%2e%2e%2F', '..%2Fa', '%25', '%252F', ';', '%3B', '%5C', '+') },
  { weight: 1, arbitrary: fc.constant('x'.repeat(101)) }
)

const url = fc.array(text, { minLength: 1, maxLength: 4 }).map((texts) => `/${texts.join('/')}`)

const flag = fc.constantFrom(false, false, true)
const table = fc.record({
  options: fc.record({
    ignoreTrailingSlash: flag, ignoreDuplicateSlashes: flag, caseSensitive: fc.constantFrom(true, true, false)
  }).map((routerOptions) => ({ routerOptions })),
  paths: fc.array(path, { minLength: 2, maxLength: 7 }),
  urls: fc.array(url, { minLength: URLS_PER_TABLE, maxLength: URLS_PER_TABLE })
})

t.test(`links to the current route lead to a route or are refused for ${TABLES * URLS_PER_TABLE} URLs`, async (t) => {
  const tally: Tally = { followed: 0, refused: 0 }
  await fc.assert(fc.asyncProperty(table, async ({ options, paths, urls }) => {
    const app = await appWith({ paths, options })
    for (const one of urls) {
      const fault = await faultOf(app, one, tally)
      if (fault !== null) throw new Error(fault)
    }
    await app.close()
  }), { numRuns: TABLES })
  t.ok(tally.followed > 2.5 * TABLES, `${tally.followed} followed`)
  t.comment(tally)
})

t.test('a version from the developer that cannot be in the path is not the fault of the client', async (t) => {
  for (const [path, version] of [['/:version(^v\\d$)/b/:id', 'latest'], ['/:version/b/:id', '..']]) {
    const app = Fastify()
    await app.register(versioning, { scheme: URLPathVersioning })
    app.get(path, async (_request, reply) => reply.reverse(null, null, { version }))
    t.match((await app.inject('/v1/b/7')).json(), { statusCode: 500 }, version)
  }
})

t.test('a value from the client that cannot be in the path is the fault of the client', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: URLPathVersioning })
  app.get('/:version/b/:id', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
  t.match((await app.inject('/v1/b/..%2Fx')).json(), { statusCode: 400, code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a link spells a wildcard that ends with a slash, or has several, as in the request', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: URLPathVersioning })
  app.get('/:version/files/*', async (_request, reply) => [
    reply.reverse(), reply.reverse(null, { '*': 'a/' }), reply.reverse(null, null, { version: 'v2' })
  ])
  t.same((await app.inject('/v1/files/a/')).json(), ['/v1/files/a/', '/v1/files/a/', '/v2/files/a/'])
  t.same((await app.inject('/v1/files//a//b')).json()[0], '/v1/files//a//b')
})

t.test('a version-neutral route links to itself without a version', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: QueryParameterVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2']
  })
  app.get('/a', { versioning: false }, async (_request, reply) => [
    reply.reverse(), reply.reverse(null, null, { version: null }), reply.reverse(null, null, { version: 'v2' })
  ])
  t.same((await app.inject('/a?version=v2')).json(), ['/a', '/a', '/a'])
})
