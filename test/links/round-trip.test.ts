import Fastify from 'fastify'
import { isDeepStrictEqual as isEqual } from 'node:util'
import t from 'tap'

import versioning from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'

const TABLES = tries(20)
const LINKS_PER_TABLE = 30

interface Route { path: string, name: string, namespaces: string[] }
interface Link { route: number, values: string[], isPositional: boolean }
interface Answer { path: string, name: string, params: Record<string, string> }
interface Tally { built: number, refused: number }

/** Words that are often equal to each other or to values, and some that need escaping or look so. */
const word = fc.constantFrom(
  'a', 'b', 'me', 'v1', 'users', '7', 'A', 'grüße', 'İ', '100%', '%2F', 'x::y', '@;,=', "~!'()", '.a', 'a?b', 'a#b'
)

/** One segment of a path; `n` keeps the names of parameters in different segments apart. */
function segment (n: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: word },
    { weight: 3, arbitrary: fc.constant(`:p${n}`) },
    fc.constantFrom(
      `:p${n}(^\\d+)`, `:p${n}(^(?:v1|v2|a%2Fb)$)`, `:p${n}([^/]{2,})`, `:from${n}-:to${n}`, `:name${n}.:ext${n}`,
      `:h${n}(^\\d+)h:m${n}(^\\d+)m`, `:a${n}-:b${n}.:c${n}`, `room-:p${n}`, `.:p${n}`, `:p${n}((v)(\\d))`,
      `:p${n}(\\w+)::cancel`, ':__proto__'
    )
  )
}

const path = fc.tuple(
  fc.integer({ min: 0, max: 3 }).chain((length) => fc.tuple(...Array.from({ length }, (_, n) => segment(n)))),
  fc.constantFrom('', '', '', '/', '/*', '/:last?', '/:last?/', 'x*')
).map(([segments, end]) => `/${segments.join('/')}${end}`.replace(/^\/\//, '/'))

const route: fc.Arbitrary<Route> = fc.record({
  path,
  name: fc.constantFrom('one', 'two', 'three', 'four'),
  namespaces: fc.array(fc.constantFrom('v1', 'v2'), { maxLength: 2 })
})

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'me', 'v1', 'v2', 'users', '7', '12', 'a-b', 'a.b', '..', 'x') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom('%2F', '%25', '%2e%2e', '%zz', '%', '/', '//h', '\\h', '?', '#', ';', '+') },
  fc.constantFrom('\r\n', '\0', '\ud800', 'ü', 'İ', '日本', '🎉', 'a/b', '.', '__proto__'),
  fc.constantFrom('x'.repeat(100), 'x'.repeat(101), 'y'.repeat(5000))
)

const link: fc.Arbitrary<Link> = fc.record({
  route: fc.nat(), values: fc.array(value, { minLength: 8, maxLength: 8 }), isPositional: fc.boolean()
})

const options: fc.Arbitrary<FastifyServerOptions> = fc.record({
  caseSensitive: fc.boolean(),
  ignoreTrailingSlash: fc.boolean(),
  ignoreDuplicateSlashes: fc.boolean(),
  useSemicolonDelimiter: fc.boolean()
}).map((routerOptions) => ({ routerOptions }))

const table = fc.record({
  options: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, options),
  routes: fc.array(route, { minLength: 1, maxLength: 8 }),
  links: fc.array(link, { minLength: LINKS_PER_TABLE, maxLength: LINKS_PER_TABLE })
})

t.test(`the router resolves ${TABLES * LINKS_PER_TABLE} links to their routes, or to another one`, async (t) => {
  const tally: Tally = { built: 0, refused: 0 }
  await fc.assert(fc.asyncProperty(table, async ({ options, routes, links }) => {
    const app = await appOf(routes, options)
    for (const link of links) await follow(app, routes[link.route % routes.length], link, tally)
    await app.close()
  }), { numRuns: TABLES })
  t.equal(tally.built + tally.refused, TABLES * LINKS_PER_TABLE)
  t.ok(tally.built > 2.5 * TABLES, `${tally.built} built`)
  t.comment(tally)
})

/** An app in which every route answers with its full name and its parameters. */
async function appOf (routes: Route[], options: FastifyServerOptions): Promise<FastifyInstance> {
  const app = Fastify(options)
  await app.register(versioning)
  for (const { path, name, namespaces } of withoutDuplicates(routes, options)) declare(app, path, name, namespaces)
  await app.ready()
  return app
}

/** An app with two routes of one shape would not start. */
function withoutDuplicates (routes: Route[], options: FastifyServerOptions): Route[] {
  const app = Fastify(options)
  return routes.filter(({ path }) => {
    try {
      app.get(path, async () => '')
      return true
    } catch (error) {
      if ((error as { code?: string }).code === 'FST_ERR_DUPLICATED_ROUTE') return false
      throw error
    }
  })
}

function declare (app: FastifyInstance, path: string, name: string, namespaces: string[], outer: string[] = []): void {
  const [namespace, ...inner] = namespaces
  if (namespace === undefined) {
    const fullName = [...outer, name].join(':')
    app.get(path, { name }, async ({ params }) => ({ path, name: fullName, params: { ...params as object } }))
  } else {
    app.register(async (scope) => declare(scope, path, name, inner, [...outer, namespace]), { namespace })
  }
}

async function follow (app: FastifyInstance, { path, name, namespaces }: Route, link: Link, tally: Tally) {
  const { values, isPositional } = link
  const fullName = [...namespaces, name].join(':')
  const names = [...path.matchAll(/:(\w+?)(?=[^\w:]|:(?!:)|$)/g)].map(([, name]) => name)
  if (path.endsWith('*')) names.push('*')
  const given = Object.fromEntries(names.map((name, i) => [name, values[i]]))
  const url = attempt(() => app.reverse(fullName, isPositional ? names.map((_, i) => values[i]) : given))
  if (url === null) {
    tally.refused++
    return
  }
  tally.built++
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(url)) throw new Error(`${url} is not a path`)
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(url)) throw new Error(`${url} climbs`)
  const response = await app.inject({ url })
  const answer: Answer = response.json()
  // Positional values may fit another URL of the same name, with other parameters.
  const isSame = isPositional
    ? isEqual(Object.values(answer.params), names.map((_, i) => values[i]))
    : isEqual(answer.params, given)
  const isOther = answer.path !== undefined && answer.path !== path
  if (!isOther && (answer.name !== fullName || !isSame)) {
    throw new Error(`${fullName} with ${JSON.stringify(given)} is ${url}, which is answered ${response.body}`)
  }
}

/** Null where the link is refused. */
function attempt (reverse: () => string): string | null {
  try {
    return reverse()
  } catch (error) {
    if ((error as { code?: string }).code === 'FST_ERR_NO_REVERSE_MATCH') return null
    throw error
  }
}
