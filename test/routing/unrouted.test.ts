import FindMyWay from 'find-my-way'
import t from 'tap'

import { segmentAt } from '../../src/routing/unrouted.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { RouterOptions } from '../../src/paths/pattern.ts'

const part = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('v1', 'v%31', 'a', '%2F', '%2f', '%25', '%252F', '%3B', ';', '/', '//', '?', '#', '')
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%E6%97%A5', '%', '%zz', '%C3', '日', '+', ' ', '.', '..', ':', '@', '%3F', '%23')
  }
)
const target = fc.tuple(
  fc.constantFrom('/', '/', '/', '//', 'x', 'http://a.b/', 'HTTP://a.b', 'https://a:1//', 'ftp://a/', 'http://a.b?'),
  fc.array(part, { maxLength: 8 })
).map(([start, parts]) => start + parts.join(''))

const paths: [path: string, segment: number][] = [
  ['/:version', 0], ['/:version/a', 0], ['/:version/:b', 0], ['/:a/:version', 1], ['/:a/:version/:c', 1],
  ['/v1/:version', 1], ['/:a/:b/:version/*', 2], ['/:version(^v\\d$)/:b', 0], ['/:a-:b/:version', 1]
]

/** What the router makes of the parameter, or undefined if the target has another path, or none. */
function routed (path: string, url: string, options: RouterOptions): string | undefined {
  const router = FindMyWay({ ...options, allowUnsafeRegex: true })
  router.on('GET', path, () => {})
  return router.find('GET', url)?.params['version']
}

t.test('a segment of a target is read like the router reads the parameter', async (t) => {
  let found = 0
  const options = fc.record({
    caseSensitive: fc.boolean(),
    ignoreDuplicateSlashes: fc.boolean(),
    ignoreTrailingSlash: fc.boolean(),
    maxParamLength: fc.constant(100),
    useSemicolonDelimiter: fc.boolean()
  })
  fc.assert(fc.property(fc.constantFrom(...paths), target, options, ([path, segment], url, options) => {
    const version = routed(path, url, options)
    if (version === undefined) return
    found++
    const read = segmentAt(url, segment, options)
    if (read !== version) throw new Error(`${read}, not ${version}`)
  }), { numRuns: tries(20_000) })
  t.ok(found > 100)
})
