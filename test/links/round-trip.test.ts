import { isDeepStrictEqual as isEqual } from 'node:util'
import t from 'tap'

import { appWith, bareApp } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'
import { noMatch } from './app.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'

const TABLES = tries(20)
const LINKS = 25

type Params = Readonly<Record<string, string>>

/** What a route answers: itself, its parameters, and the link to itself, or the status of the refusal. */
interface Answer { readonly path: string, readonly params: Params, readonly link: string | number }

/** Words that are often equal to each other or to values, and some that need escaping or look so. */
const word = fc.constantFrom('a', 'b', 'me', '7', 'A', 'grüße', 'İ', '100%', '%2F', 'x::y', '@;,=', '.a', 'a#b')

/** One segment of a path; `n` keeps the names of parameters in different segments apart. */
function segment (n: number): fc.Arbitrary<string> {
  return fc.oneof({ weight: 4, arbitrary: word }, { weight: 3, arbitrary: fc.constant(`:p${n}`) }, fc.constantFrom(
    `:p${n}(^\\d+)`, `:p${n}(^(?:v1|v2|a%2Fb)$)`, `:p${n}([^/]{2,})`, `:from${n}-:to${n}`, `:name${n}.:ext${n}`,
    `:h${n}(^\\d+)h:m${n}(^\\d+)m`, `room-:p${n}`, `.:p${n}`, `:p${n}((v)(\\d))`, `:p${n}(\\w+)::cancel`, ':__proto__'
  ))
}

const path = fc.tuple(
  fc.integer({ min: 0, max: 3 }).chain((length) => fc.tuple(...Array.from({ length }, (_, n) => segment(n)))),
  fc.constantFrom('', '', '', '/', '/*', '/:last?', '/:last?/', 'x*')
).map(([segments, end]) => `/${segments.join('/')}${end}`.replace(/^\/\//, '/'))

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'me', 'v1', '7', '12', 'a-b', 'a.b', '..', 'x') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom('%2F', '%25', '%2e%2e', '%', '/', '//h', '\\h', '?', '#', ';', '+', 'a/b') },
  fc.constantFrom('\r\n', '\0', '\ud800', 'İ', '🎉', '.', '__proto__', 'x'.repeat(100), 'x'.repeat(101))
)

const text = fc.constantFrom(
  'a', 'A', 'b', '7', '7', 'a-b', '%C3%A9', '', '%2F', 'a%2Fb', 'a%2F', '%2Fa', '%61', '%2e%2e%2F', '..%2Fa', '%252F',
  ';', '%5C', '+', 'x'.repeat(101)
)

const flag = fc.constantFrom(false, false, true)
const table = fc.record({
  routerOptions: fc.record({
    caseSensitive: fc.constantFrom(true, true, false),
    ignoreTrailingSlash: flag,
    ignoreDuplicateSlashes: flag,
    useSemicolonDelimiter: flag
  }),
  paths: fc.array(path, { minLength: 1, maxLength: 8 }),
  links: fc.array(fc.record({
    route: fc.nat(), values: fc.array(value, { minLength: 8, maxLength: 8 }), isPositional: fc.boolean()
  }), { minLength: LINKS, maxLength: LINKS }),
  urls: fc.array(fc.array(text, { minLength: 1, maxLength: 4 }).map((texts) => `/${texts.join('/')}`), {
    minLength: LINKS, maxLength: LINKS
  })
})

function nameOf (path: string): string {
  return path.replaceAll(':', '$')
}

/** An app whose routes answer with an `Answer`; a path of which the router has an equal already is left out. */
async function appOf (t: Test, paths: readonly string[], server: FastifyServerOptions): Promise<FastifyInstance> {
  const app = await appWith(t, {}, server)
  const twin = bareApp(t, server)
  for (const path of paths) {
    const answer = async ({ params }: FastifyRequest, reply: FastifyReply) => (
      { path, params: { ...params as Params }, link: attempt(() => reply.reverse()) }
    )
    // An app that refuses a path with an optional parameter as a duplicate keeps one half of it, without hooks.
    if (typeof attempt(() => twin.get(path, answer)) !== 'number') app.get(path, { name: nameOf(path) }, answer)
  }
  await app.ready()
  return app
}

/** The status of the error where there is no such link, or no such route. */
function attempt<Value> (make: () => Value): Value | number {
  try {
    return make()
  } catch (error) {
    const { code, statusCode = 0 } = error as { code?: string, statusCode?: number }
    if (code === noMatch.code || code === 'FST_ERR_DUPLICATED_ROUTE') return statusCode
    throw error
  }
}

/** The answer of a route of the table, or undefined. */
async function ask (app: FastifyInstance, url: string): Promise<Answer | undefined> {
  const { body } = await app.inject(url)
  const answer = body.startsWith('{') ? JSON.parse(body) : {}
  return answer.path === undefined ? undefined : answer
}

/** Follows a link: the route answers with the same parameters, or else another route of the table does. */
async function follow (app: FastifyInstance, url: string, path: string, isSame: (params: Params) => boolean) {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(url)) throw new Error(`${url} is not a path`)
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(url)) throw new Error(`${url} climbs`)
  const answer = await ask(app, url)
  const isOther = answer !== undefined && answer.path !== path
  if (isOther || (answer !== undefined && isSame(answer.params))) return
  throw new Error(`the link ${url} to ${path} is answered ${JSON.stringify(answer)}`)
}

t.test('the router resolves links by name and to the current route, or they are refused', async (t) => {
  const tally = { byName: 0, toItself: 0, refused: 0 }
  await fc.assert(fc.asyncProperty(table, async ({ routerOptions, paths, links, urls }) => {
    const app = await appOf(t, paths, { routerOptions })
    for (const { route, values, isPositional } of links) {
      const path = paths[route % paths.length] as string
      const names = [...path.matchAll(/:(\w+?)(?=[^\w:]|:(?!:)|$)/g)].map(([, name]) => name as string)
      if (path.endsWith('*')) names.push('*')
      const given = Object.fromEntries(names.map((name, i) => [name, values[i] as string]))
      const link = attempt(() => app.reverse(nameOf(path), isPositional ? Object.values(given) : given))
      if (typeof link === 'number') tally.refused++
      else await follow(app, link, path, (params) => isEqual(params, given))
      if (typeof link === 'string') tally.byName++
    }
    for (const url of urls) {
      const answer = await ask(app, url)
      if (answer === undefined) continue
      const { path, params, link } = answer
      if (typeof link === 'string') await follow(app, link, path, (others) => isEqual(others, params))
      else if (link !== 400) throw new Error(`${url}, the URL of ${path}, is refused with ${link}`)
      tally[typeof link === 'string' ? 'toItself' : 'refused']++
    }
    await app.close()
  }), { numRuns: TABLES })
  t.ok(tally.byName > 2.5 * TABLES && tally.toItself > 2.5 * TABLES && tally.refused > 0, JSON.stringify(tally))
  t.comment(tally)
})
