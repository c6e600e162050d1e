import t from 'tap'

import { expandOptional, hasParameter, parsePath, shapeOf } from '../../src/paths/pattern.ts'
import { strict } from '../fixtures/router-options.ts'

import type { RouterOptions } from '../../src/paths/pattern.ts'

const folding: RouterOptions = { ...strict, caseSensitive: false }
const merging: RouterOptions = { ...strict, ignoreDuplicateSlashes: true }
const trimming: RouterOptions = { ...strict, ignoreTrailingSlash: true }

const expanded: Record<string, string[]> = {
  '/bookings': ['/bookings'],
  '/bookings/:id?': ['/bookings/:id', '/bookings'],
  '/bookings/:id?/': ['/bookings/:id/', '/bookings/'],
  '/:id?': ['/:id', '/'],
  '/:a/:b?': ['/:a/:b', '/:a'],
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
  '/bookings': ['/bookings'],
  '/:id': ['/', ['id'], ''],
  '/:id/meta': ['/', ['id'], '/meta'],
  '/room-:id': ['/room-', ['id'], ''],
  '/:a/:b': ['/', ['a'], '/', ['b'], ''],
  '/:from-:to': ['/', ['from'], '-', ['to'], ''],
  '/at/:hour(^\\d+)h:minute(\\d+)m::s/x': ['/at/', ['hour', '^(\\d+)$'], 'h', ['minute', '^(\\d+)$'], 'm:s/x'],
  '/:id(^(?:a|b\\))$)': ['/', ['id', '^((?:a|b\\)))$'], ''],
  '/files/*': ['/files/', ['*'], ''],
  '*': ['', ['*'], ''],
  '/name::verb': ['/name:verb'],
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

const parameters: [path: string, name: string, isThere: boolean][] = [
  ['/:id', 'id', true],
  ['/:id', 'i', false],
  ['/:a-:b', 'b', true],
  ['/bookings/:id?', 'id', true],
  ['/bookings/:id?', 'bookings', false],
  ['/a::id', 'id', false],
  ['/files/*', '*', true],
  ['/files', '*', false]
]

for (const [path, name, isThere] of parameters) {
  t.test(`the path ${path} ${isThere ? 'has' : 'does not have'} a parameter ${name}`, async (t) => {
    t.equal(hasParameter(path, name), isThere)
  })
}

const shapes: [path: string, options: RouterOptions, shape: string][] = [
  ['/', strict, '/'],
  ['/', trimming, '/'],
  ['/Users/', strict, '/Users/'],
  ['/Users/', trimming, '/Users'],
  ['/Users', trimming, '/Users'],
  ['/Users/', folding, '/users/'],
  ['/STRASSE', folding, '/strasse'],
  ['/straße', folding, '/straße'],
  ['/a//b///c', strict, '/a//b///c'],
  ['/a//b///c', merging, '/a/b/c'],
  ['//', { ...merging, ignoreTrailingSlash: true }, '/'],
  ['/:id', strict, '/:'],
  ['/:id/', trimming, '/:'],
  ['/:ID/A', folding, '/:/a'],
  ['/:id(^A$)', folding, '/:^(A)$'],
  ['/files/*', strict, '/files/*'],
  ['/files/*', trimming, '/files/*'],
  ['/a::b', strict, '/a::b']
]

for (const [path, options, shape] of shapes) {
  const given = JSON.stringify(options)
  t.test(`the path ${path} has the shape ${shape} if the router has ${given}`, async (t) => {
    t.equal(shapeOf(path, options), shape)
  })
}

t.test('a text with a colon at its end has another shape than a parameter', async (t) => {
  t.not(shapeOf('/users/::', strict), shapeOf('/users/:id', strict))
})
