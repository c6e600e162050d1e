import fc from 'fast-check'

/** Text of the characters that headers, queries and hosts give a meaning, and of some that none should have. */
const tokens = [
  'a/b', 'text/html', 'application/json', '*/*', 'text/*', 'version', 'VERSION', 'v1', 'v2', 'v9', '1.0', 'q', '0.5',
  '1', '0', ';', ',', '=', '"', '\\', ' ', '\t', '&', '?', '%', '%76', '%zz', '%20', '+', '.', ':', '80', 'example',
  'com', '-', '[', ']', '::1', '@', '/', '#', '__proto__', 'constructor', 'é', '\u00ff', 'charset', 'utf-8', 'a', 'x'
]

export const soup = fc.array(fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...tokens) },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 3, unit: 'binary-ascii' }).map((text) => text.replace(/[^\t -~]/g, ''))
  }
), { maxLength: 14, size: 'max' }).map((parts) => parts.join(''))

const space = fc.constantFrom('', '', ' ', '\t', '  ')
const version = fc.constantFrom(
  'v1', 'v2', 'v9', '1.0', 'V1', '2024-01-01', 'a"b', 'a\\b', 'a b', 'a,b', 'a;b', '', 'é'
)
const other = fc.constantFrom('charset', 'level', 'v', 'versio', 'versions')

/** A media range as data: what it means is known before it is written. */
export interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly q: string | null
}

export interface Written<Value> { readonly meant: Value, readonly text: string }

const parameters = fc.uniqueArray(fc.oneof(
  fc.tuple(fc.constantFrom('version', 'Version'), version), fc.tuple(other, version)
), { maxLength: 3, selector: ([name]) => name.toLowerCase() })

function rangeWith (q: fc.Arbitrary<string | null>): fc.Arbitrary<Written<MediaRange>> {
  return fc.record({
    name: fc.constantFrom('*/*', 'text/*', 'text/html', 'application/json', 'application/vnd.acme+json', 'TEXT/HTML'),
    parameters,
    q,
    spaces: fc.array(space, { minLength: 8, maxLength: 8 }),
    quoted: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })
  }).map(({ name, parameters, q, spaces, quoted }) => {
    const [type, subtype] = name.split('/') as [string, string]
    const written = parameters.map(([name, value], i) => `;${spaces[i]}${name}=${valueOf(value, quoted[i]!)}`)
    if (q !== null) written.push(`${spaces[4]};${spaces[5]}q=${q}`)
    return { meant: { type, subtype, parameters, q }, text: `${spaces[6]}${name}${written.join('')}${spaces[7]}` }
  })
}

/** RFC 9110, section 5.6.6: a token, or a string in quotes, in which every character may be escaped. */
function valueOf (value: string, isQuoted: boolean): string {
  const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(value)
  return isToken && !isQuoted ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}

export const mediaRanges = fc.array(
  rangeWith(fc.constantFrom(null, null, '1', '0', '0.5', '0.51', '0.001', '1.000')), { minLength: 1, maxLength: 5 }
)
export const mediaType = rangeWith(fc.constant(null)).filter(({ meant }) => meant.type !== '*' && meant.subtype !== '*')

/** The members of a header that is a list. */
export const members = fc.array(fc.tuple(space, fc.constantFrom('v1', 'v1', 'v2', '1.0'), space), {
  minLength: 1, maxLength: 4
})

const character = fc.constantFrom(...'v12aZ ._-~*!%&=+;,/?#"\\\u00e9\u00ff\u20ac\u{1f600}\0'.match(/./gsu)!)
const text = fc.array(character, { maxLength: 4 }).map((all) => all.join(''))

/** Pairs of a query, as they are meant. */
export const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom('version', 'Version', 'page'), text), text), {
  maxLength: 5, size: 'max'
})

/** Labels of a host, and a port. */
export const host = fc.record({
  labels: fc.array(fc.constantFrom(
    'v1', 'v2', 'V9', 'example', 'com', '', 'a-b', 'a_b', 'é', '127', '[::1]', '__proto__'
  ), { maxLength: 5, size: 'max' }),
  port: fc.constantFrom('', ':80', ':', ':80:90', ':x.y.z')
}).map(({ labels, port }) => labels.join('.') + port)

/** A segment of a path, as it is meant. */
export const segment = fc.array(character, { minLength: 1, maxLength: 5 }).map((all) => all.join(''))
