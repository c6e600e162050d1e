import fc from 'fast-check'

import { routesOf, versions } from './apps.ts'

import type { Generated } from '../fuzzer.ts'
import type { AppSpec } from './apps.ts'

const simple = fc.constantFrom('7', '42', 'x', 'Ab', 'me', 'sub')
const value = fc.oneof(
  { weight: 3, arbitrary: simple },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.constantFrom(
        '..', '.', 'a/b', 'a//b', '/', 'a b', 'a-b', '-', 'a.b', '%', '%2F', '%252e', 'ü', '\u{1f600}', '\ud800', '?',
        '#', 'a?b', ';', 'a;b', '\\', '\0', '\r\n', ':id', '*', '//evil.example', '__proto__', 'x'.repeat(101)
      ),
      fc.string({ maxLength: 5, unit: 'binary' })
    )
  }
)
const maybe = <Value> (one: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(one, { nil: undefined })

/** Requests to a route, whose handler makes a link. */
export const links = fc.record({
  /** Which of the routes, counted round. */
  route: fc.nat(20),
  /** The version that the request names, and for a list the scheme by which it does. */
  version: fc.constantFrom(null, ...versions),
  place: fc.nat(1),
  /** Whether it writes the version in capitals, if versions need not be exact. */
  isUpper: fc.boolean(),
  /** Values for the path of the request. */
  own: fc.array(value, { minLength: 2, maxLength: 2 }),
  /** The link: a name, or null for the current route. */
  name: fc.constantFrom(null, 'a', 'a', 'a', 'b', 'v1:a', 'none'),
  /** Values for the link, and which of the routes has the names for them, counted round. */
  values: fc.array(value, { minLength: 2, maxLength: 2 }),
  like: fc.nat(20),
  isList: fc.boolean(),
  into: fc.constantFrom(undefined, undefined, undefined, null, ...versions, 'v9'),
  query: maybe(fc.dictionary(fc.constantFrom('page', 'version', 'a b', '&', '__proto__'), value, { maxKeys: 2 })),
  hash: maybe(value),
  absolute: maybe(fc.boolean())
})

export type Asked = Generated<typeof links>

/** Values under the names of a route that may be the one that is meant. */
export function valuesFor ({ values, like, isList }: Asked, spec: AppSpec): Record<string, string> | string[] {
  const routes = routesOf(spec)
  const names = routes[like % routes.length]!.parameters.filter((name) => name !== 'version')
  if (isList && !spec.scheme.startsWith('path')) return names.map((_, i) => values[i]!)
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]))
}
