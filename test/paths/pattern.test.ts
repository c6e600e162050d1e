import t from 'tap'

import { expandOptional, hasParam, namesOf, parsePath, segmentsOf, shapeOf } from '../../src/paths/pattern.ts'
import { strict } from '../fixtures/router-options.ts'

import type { RouterOptions } from '../../src/fastify/router-options.ts'

const folding: RouterOptions = { ...strict, caseSensitive: false }
const merging: RouterOptions = { ...strict, ignoreDuplicateSlashes: true }
const trimming: RouterOptions = { ...strict, ignoreTrailingSlash: true }

t.test('only a last parameter that is a segment can be optional', async (t) => {
  t.same(expandOptional('/bookings/:id?/'), ['/bookings/:id/', '/bookings/'])
  t.same(expandOptional('/:id?'), ['/:id', '/'])
  for (const path of ['/bookings?', '/:id?/bookings', '/:id(^a?$)']) t.same(expandOptional(path), [path])
})

t.test('a path has the parameters that the router reads', async (t) => {
  for (const path of ['/:a-:id', '/bookings/:id?', '/x/:id']) {
    t.ok(hasParam(path, 'id') && namesOf(path).includes('id'), path)
  }
  for (const path of ['/:i', '/bookings/id?', '/a::id', '/:b(/:id/)', '/*']) {
    t.notOk(hasParam(path, 'id') || namesOf(path).includes('id'), path)
  }
  t.notOk(hasParam('/:a-b/x', 'a-b'))
  t.throws(() => parsePath('/:id(\\d+'), new SyntaxError('Unterminated pattern in "/:id(\\d+"'))
})

const segments: [path: string, sources: string[], params: (string | null)[]][] = [
  ['/', ['/'], [null]],
  ['/a/:id/b/', ['/a', '/:id', '/b', '/'], [null, 'id', null, null]],
  ['/:id(^\\d+$)/*', ['/:id(^\\d+$)', '/*'], ['id', null]],
  ['/:id(a/b|c)/:version?', ['/:id(a/b|c)', '/:version?'], ['id', 'version']],
  ['/:a-:b/x:c/a::d/v*', ['/:a-:b', '/x:c', '/a::d', '/v*'], [null, null, null, null]],
  ['/a(b/c)', ['/a(b', '/c)'], [null, null]],
  ['*', ['*'], [null]]
]

for (const [path, sources, params] of segments) {
  t.test(`the path ${path} has ${sources.length} segments, and tells which are one parameter`, async (t) => {
    t.same(segmentsOf(path).map(({ source }) => source), sources)
    t.same(segmentsOf(path).map(({ param }) => param), params)
  })
}

const shapes: [path: string, options: RouterOptions, shape: string][] = [
  ['/Users/', strict, '/Users/'],
  ['/', trimming, '/'],
  ['/Users/', trimming, '/Users'],
  ['/a//b///c', merging, '/a/b/c'],
  ['/:id/', trimming, '/:'],
  ['/:ID/A', folding, '/:/a'],
  ['/:id(^A$)', folding, '/:^(A)$'],
  ['/files/*', trimming, '/files/*'],
  ['/a::b', strict, '/a::b']
]

for (const [path, options, shape] of shapes) {
  t.test(`the path ${path} has the shape ${shape} if the router has ${JSON.stringify(options)}`, async (t) => {
    t.equal(shapeOf(path, options), shape)
  })
}
