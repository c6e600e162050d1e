import t from 'tap'

import { expandOptional, hasParameter, parsePath, shapeOf } from '../../src/paths/pattern.ts'
import { strict } from '../fixtures/router-options.ts'

import type { RouterOptions } from '../../src/paths/pattern.ts'

const folding: RouterOptions = { ...strict, caseSensitive: false }
const merging: RouterOptions = { ...strict, ignoreDuplicateSlashes: true }
const trimming: RouterOptions = { ...strict, ignoreTrailingSlash: true }

const expanded: Record<string, string[]> = {
  '/bookings/:id?': ['/bookings/:id', '/bookings'],
  '/bookings/:id?/': ['/bookings/:id/', '/bookings/'],
  '/:id?': ['/:id', '/'],
  '/bookings?': ['/bookings?'],
  '/:id?/bookings': ['/:id?/bookings'],
  '/:id(^a?$)': ['/:id(^a?$)']
}

for (const [path, paths] of Object.entries(expanded)) {
  t.test(`the path ${path} is expanded to ${paths.join(' and ')}`, async (t) => {
    t.same(expandOptional(path), paths)
  })
}

/** Texts, and between each two of them the name of a parameter, and its pattern if it has one. */
const parsed: Record<string, (string | [name: string, pattern?: string])[]> = {
  '/:from-:to': ['/', ['from'], '-', ['to'], ''],
  '/at/:hour(^\\d+)h:minute(\\d+)m::s/x': ['/at/', ['hour', '^(\\d+)$'], 'h', ['minute', '^(\\d+)$'], 'm:s/x'],
  '/:id(^(?:a|b\\))$)': ['/', ['id', '^((?:a|b\\)))$'], ''],
  '*': ['', ['*'], ''],
  '/name:::id': ['/name:', ['id'], ''],
  '/:id::verb': ['/', ['id::verb'], '']
}

for (const [path, row] of Object.entries(parsed)) {
  t.test(`the path ${path} is parsed as ${row.flat().join(' ')}`, async (t) => {
    const { texts, params } = parsePath(path)
    t.same(texts, row.filter((one) => typeof one === 'string'))
    t.same(params.map(({ name, pattern }) => pattern === null ? [name] : [name, pattern.source]),
      row.filter((one) => typeof one !== 'string'))
  })
}

t.test('a pattern without a closing parenthesis is a syntax error', async (t) => {
  t.throws(() => parsePath('/:id(\\d+'), new SyntaxError('Unterminated pattern in "/:id(\\d+"'))
})

t.test('a path has the parameters that the router reads', async (t) => {
  for (const [path, name] of [['/:a-:b', 'b'], ['/bookings/:id?', 'id'], ['/files/*', '*']] as const) {
    t.equal(hasParameter(path, name), true, path)
  }
  for (const path of ['/:id', '/bookings/:id?', '/a::i']) t.equal(hasParameter(path, 'i'), false, path)
})

const shapes: [path: string, options: RouterOptions, shape: string][] = [
  ['/Users/', strict, '/Users/'],
  ['/', trimming, '/'],
  ['/Users/', trimming, '/Users'],
  ['/straße/', folding, '/straße/'],
  ['/a//b///c', merging, '/a/b/c'],
  ['//', { ...merging, ignoreTrailingSlash: true }, '/'],
  ['/:id/', trimming, '/:'],
  ['/:ID/A', folding, '/:/a'],
  ['/:id(^A$)', folding, '/:^(A)$'],
  ['/files/*', trimming, '/files/*'],
  ['/a::b', strict, '/a::b'],
  ['/users/::', strict, '/users/::']
]

for (const [path, options, shape] of shapes) {
  t.test(`the path ${path} has the shape ${shape} if the router has ${JSON.stringify(options)}`, async (t) => {
    t.equal(shapeOf(path, options), shape)
  })
}
