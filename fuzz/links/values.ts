import fc from 'fast-check'
import Fastify from 'fastify'
import FindMyWay from 'find-my-way'

import versioning, { URLPathVersioning } from 'fastify-versioning'
import { Mismatch } from '../fuzzer.ts'

import type { FastifyInstance } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'

interface Case {
  readonly options: Readonly<Record<string, boolean>>
  readonly paths: readonly string[]
  readonly seed: number
}

type Router = FindMyWay.Instance<FindMyWay.HTTPVersion.V1>
type Params = Readonly<Record<string, string>>

/** How many links each case makes of its paths. */
const LINKS = 1000

const PATHS = [
  '/:version/users/:id', '/:version/users/me', '/:version/files/*', '/:version/:a/:b', '/:version/:from-:to/x',
  '/:version/x.:ext', '/:version/n/:n(^\\d+$)', '/:version/at/:h(^\\d+)h:m(^\\d+)m', '/:version/y/:year/:month?',
  '/:version/.:id', '/:version/%:id', '/:version/:a.:b-:c', '/*', '/:version', '/', '/:version/é/:id',
  '/:version/u::v/:id'
]
/** Pieces of values: what is plain, and what may mean something in a URL. */
const PIECES = [
  'a', '7', 'me', 'x', 'Ab', '-', '.', '..', '/', '//', '\\', '%', '%2e', '%2F', '%252e', '?', '#', ';', ':', '*', '@',
  '&', '=', '+', ' ', '\t', '\r\n', '\0', 'ü', 'İ', '\u{1f600}', '\ud800', '\udc00', 'evil.example', '__proto__',
  'x'.repeat(99)
]
/** A URL that leads nowhere else, whatever reads it: on the same host, in ASCII, and without dot segments. */
const SAFE = /^\/(?![/\\])[\x21-\x7e]*$/
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\?#]|%2f|%5c)/i

/** A fast generator (xorshift), because fast-check makes a thousand times fewer values. */
function generator (seed: number): (below: number) => number {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** Links of hostile values: they are safe, and the router reads the values back, or another path answers. */
export const values: Fuzzer<Case> = {
  name: 'values',
  batch: 20,
  cases: fc.record({
    options: fc.record({
      caseSensitive: fc.boolean(),
      ignoreTrailingSlash: fc.boolean(),
      ignoreDuplicateSlashes: fc.boolean(),
      useSemicolonDelimiter: fc.boolean()
    }),
    paths: fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 6 }),
    seed: fc.integer()
  }),
  async check ({ options, paths, seed }) {
    const app = Fastify({ routerOptions: options })
    await app.register(versioning, { scheme: URLPathVersioning })
    const router = FindMyWay({ ...options, maxParamLength: 100 })
    const taken = paths.filter((path) => isTaken(app, router, path))
    await app.ready()
    const next = generator(seed)
    let compared = 0
    for (let i = 0; i < LINKS; i++) {
      const path = taken[next(taken.length)]
      if (path === undefined) break
      const found = [...path.matchAll(/:(\w+)(?!:)|\*/g)].map(([text, name]) => name ?? text)
      const names = found.filter((name) => name !== 'v')
      const params = Object.fromEntries(names.map((name) => [name, valueOf(next)]))
      compared += names.length
      follow(app, router, path, params, options)
    }
    await app.close()
    return compared
  }
}

function valueOf (next: (below: number) => number): string {
  let value = ''
  for (let length = next(4); length >= 0; length--) value += PIECES[next(PIECES.length)]
  return value
}

/** The router refuses some paths next to others. */
function isTaken (app: FastifyInstance, router: Router, path: string): boolean {
  try {
    router.on('GET', path, () => {}, path)
    app.get(path, { name: path.replaceAll(':', '$') }, async () => '')
    return true
  } catch {
    return false
  }
}

/** There may be no link. */
function follow (app: FastifyInstance, router: Router, path: string, params: Params, options: object): void {
  let url
  try {
    url = app.reverse(path.replaceAll(':', '$'), params)
  } catch (error) {
    if ((error as { code?: string }).code === 'FST_ERR_NO_REVERSE_MATCH') return
    throw error
  }
  const found = router.find('GET', url)
  const isSame = found?.store === path && Object.entries(params).every(([name, value]) => found.params[name] === value)
  const isOther = found !== null && found.store !== path
  if (SAFE.test(url) && !DOT_SEGMENT.test(url) && (isSame || isOther)) return
  throw new Mismatch({ path, given: params, options }, 'a safe link that comes back, or leads to another path', {
    url, found
  })
}
