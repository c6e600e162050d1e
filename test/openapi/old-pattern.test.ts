import FindMyWay from 'find-my-way'
import t from 'tap'

import {
  expandOptional, fillParameter, hasParameter, mergeSlashes, parsePath, shapeOf, yieldsTo
} from '../../src/openapi/old-pattern.ts'
import { strict } from '../fixtures/router-options.ts'

import type { PathNode } from '../../src/openapi/old-pattern.ts'
import type { RouterOptions } from '../../src/paths/pattern.ts'

const folding: RouterOptions = { ...strict, caseSensitive: false }
const merging: RouterOptions = { ...strict, ignoreDuplicateSlashes: true }
const trimming: RouterOptions = { ...strict, ignoreTrailingSlash: true }

/** What a router with the paths answers: which of them, and the values of its parameters in their order. */
function answer (paths: readonly string[], url: string, options = strict): { path: string, values: unknown[] } | null {
  const router = FindMyWay({ ...options, allowUnsafeRegex: true })
  for (const path of paths) router.on('GET', path, () => {}, path)
  const found = router.find('GET', url)
  return found && { path: found.store as string, values: Object.values(found.params) }
}

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

function text (text: string): PathNode {
  return { kind: 'static', text }
}

function parameter (...names: string[]): PathNode {
  return { kind: 'parametric', names, texts: names.map(() => ''), pattern: null }
}

const wildcard: PathNode = { kind: 'wildcard' }

const parsed: Record<string, PathNode[]> = {
  '/bookings': [text('/bookings')],
  '/:id': [text('/'), parameter('id')],
  '/:id/meta': [text('/'), parameter('id'), text('/meta')],
  '/room-:id': [text('/room-'), parameter('id')],
  '/:a/:b': [text('/'), parameter('a'), text('/'), parameter('b')],
  '/files/*': [text('/files/'), wildcard],
  '*': [wildcard],
  '/name::verb': [text('/name:verb')],
  '/name:::id': [text('/name:'), parameter('id')],
  '/name::': [text('/name:')],
  '/:id::verb': [text('/'), parameter('id::verb')]
}

for (const [path, nodes] of Object.entries(parsed)) {
  t.test(`the path ${path} is parsed as ${nodes.map(({ kind }) => kind).join(', ')}`, async (t) => {
    t.same(parsePath(path), nodes)
  })
}

interface Division { path: string, segment: string, values: string[] | null }

const divisions: Division[] = [
  { path: '/:a-:b', segment: 'x-y', values: ['x', 'y'] },
  { path: '/:a-:b', segment: 'x-y-z', values: ['x-y', 'z'] },
  { path: '/:a-:b', segment: 'x--', values: ['x', '-'] },
  { path: '/:a-:b', segment: 'xy', values: null },
  { path: '/:a.:b', segment: 'x.y', values: ['x', 'y'] },
  { path: '/:a.:b', segment: 'xyz', values: null },
  { path: '/:a.', segment: 'x.', values: ['x'] },
  { path: '/:a.', segment: 'x', values: null },
  { path: '/:a-:b.:c', segment: 'x-y.z', values: ['x', 'y', 'z'] },
  { path: '/:a-:b.:c', segment: 'x-y-z.-', values: ['x-y', 'z', '-'] },
  { path: '/:a(\\d+):b', segment: '1x', values: ['1', 'x'] },
  { path: '/:a(\\d+)-:b-:c', segment: '1-x-y', values: ['1', 'x', 'y'] },
  { path: '/:a-:b(\\d)-:c', segment: 'x-1---', values: ['x', '1', '--'] },
  { path: '/:a(\\d+)::b', segment: '1:b', values: ['1'] },
  { path: '/:a(\\d+)::b', segment: '1', values: null },
  { path: '/:a(\\d+)::::b:c', segment: '1::bx', values: ['1', 'x'] },
  { path: '/:a(\\d+)+', segment: '1+', values: ['1'] },
  { path: '/:a(\\d+)+', segment: '11', values: null },
  { path: '/:a.%', segment: 'x.%25', values: ['x'] },
  { path: '/:a.%', segment: 'x.', values: null },
  { path: '/:a(^\\d+$)', segment: '1', values: ['1'] },
  { path: '/:a(^\\d+$)b', segment: '1b', values: ['1'] },
  { path: '/x/:a(^\\d+$)', segment: '1x', values: null },
  { path: '/:a(x(?:^y|z))', segment: 'xz', values: ['xz'] },
  { path: '/:a(x(^y|z))', segment: 'xy', values: null },
  { path: '/:a((?:y$|x)z)', segment: 'xz', values: ['xz'] },
  { path: '/:a((x|y$)z)', segment: 'yz', values: null },
  { path: '/:a(\\)|x)', segment: ')', values: [')'] }
]

for (const { path, segment, values } of divisions) {
  const title = values === null ? 'does not match' : `is ${values.join(' and ')} in`
  t.test(`the segment ${segment} ${title} ${path}, as the router reads it`, async (t) => {
    const [first, node] = parsePath(path)
    if (first.kind !== 'static' || node.kind !== 'parametric') throw new Error('The path has to begin with text.')
    t.same(node.pattern?.exec(segment)?.slice(1) ?? null, values)
    t.same(answer([path], first.text + encodeURIComponent(segment))?.values ?? null, values)
  })
}

t.test('the text that follows each parameter is in the parsed path', async (t) => {
  t.match(parsePath('/at/:hour(\\d+)h:minute(\\d+)m::s/x'), [
    text('/at/'),
    { kind: 'parametric', names: ['hour', 'minute'], texts: ['h', 'm:s'] },
    text('/x')
  ])
})

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

const filled: Record<string, string> = {
  '/:version/bookings': '/v1/bookings',
  '/:version': '/v1',
  '/bookings/:id/:version': '/bookings/:id/v1',
  '/:version(^v\\d$)/bookings': '/v1/bookings',
  '/:version((?:v|\\))\\d)-:id(\\d+)': '/v1-:id(\\d+)',
  '/:id(\\d+)/:version': '/:id(\\d+)/v1',
  '/:id(:version)/:version': '/:id(:version)/v1',
  '/:version-:id.:version': '/v1-:id.v1',
  '/version/:versions/:Version': '/version/:versions/:Version',
  '/a::version/:version': '/a::version/v1',
  '/a:::version': '/a::v1',
  '/a::::version': '/a::::version',
  '/:version/b::': '/v1/b::',
  '/:version/*': '/v1/*',
  '*': '*'
}

for (const [path, url] of Object.entries(filled)) {
  t.test(`the path ${path} with a version filled in is ${url}`, async (t) => {
    t.equal(fillParameter(path, 'version', 'v1'), url)
  })
}

const shapes: [path: string, options: RouterOptions, shape: string[]][] = [
  ['/', strict, ['/']],
  ['/', trimming, ['/']],
  ['/Users/', strict, ['/Users/']],
  ['/Users/', trimming, ['/Users']],
  ['/Users', trimming, ['/Users']],
  ['/Users/', folding, ['/users/']],
  ['/STRASSE', folding, ['/strasse']],
  ['/straße', folding, ['/straße']],
  ['/a//b///c', strict, ['/a//b///c']],
  ['/a//b///c', merging, ['/a/b/c']],
  ['//', { ...merging, ignoreTrailingSlash: true }, ['/']],
  ['/:id', strict, ['/', ':']],
  ['/:id/', trimming, ['/', ':']],
  ['/:ID/A', folding, ['/', ':', '/a']],
  ['/:id(^A$)', folding, ['/', ':^(A)$']],
  ['/files/*', strict, ['/files/', '*']],
  ['/files/*', trimming, ['/files/', '*']],
  ['/a::b', strict, ['/a::b']]
]

for (const [path, options, shape] of shapes) {
  const given = JSON.stringify(options)
  t.test(`the path ${path} has the shape ${shape.join(' ')} if the router has ${given}`, async (t) => {
    t.same(shapeOf(path, options), shape)
  })
}

t.test('a text with a colon at its end has another shape than a parameter', async (t) => {
  t.not(shapeOf('/users/::', strict).join(''), shapeOf('/users/:id', strict).join(''))
})

interface Rivalry {
  path: string
  other: string
  yields: boolean
  /** A URL that both match, where there is one. */
  url: string | null
}

const rivalries: Rivalry[] = [
  { path: '/users/:id', other: '/users/me', yields: true, url: '/users/me' },
  { path: '/users/me', other: '/users/:id', yields: false, url: '/users/me' },
  { path: '/users/me', other: '/users/me', yields: false, url: null },
  { path: '/users/:id', other: '/users/:name', yields: false, url: null },
  { path: '/users/:id', other: '/users/:id(\\d)', yields: true, url: '/users/7' },
  { path: '/users/:id(\\d)', other: '/users/:id', yields: false, url: '/users/7' },
  { path: '/users/:id/x', other: '/users/:id(\\d)/:x', yields: true, url: '/users/7/x' },
  { path: '/*', other: '/:id', yields: true, url: '/7' },
  { path: '/:id', other: '/*', yields: false, url: '/7' },
  { path: '/*', other: '/users/me', yields: true, url: '/users/me' },
  { path: '/users/me', other: '/*', yields: false, url: '/users/me' },
  { path: '/users/*', other: '/users/', yields: true, url: '/users/' },
  { path: '/users/', other: '/users/*', yields: false, url: '/users/' },
  { path: '*', other: '/users', yields: true, url: '/users' },
  { path: '/:a/x/:b', other: '/:a/x/y', yields: true, url: '/1/x/y' },
  { path: '/:a/x/y', other: '/:a/x/:b', yields: false, url: '/1/x/y' },
  { path: '/:a/x', other: '/:b', yields: false, url: null },
  { path: '/:a', other: '/:b/x', yields: false, url: null },
  { path: '/room-:id', other: '/room-7', yields: true, url: '/room-7' },
  { path: '/room-7', other: '/room-:id', yields: false, url: '/room-7' },
  { path: '/7-room', other: '/room', yields: false, url: null },
  { path: '/room', other: '/7/room', yields: false, url: null }
]

for (const { path, other, yields, url } of rivalries) {
  t.test(`the path ${path} ${yields ? 'yields' : 'does not yield'} to ${other}`, async (t) => {
    t.equal(yieldsTo(shapeOf(path, strict), shapeOf(other, strict)), yields)
    if (url === null) return
    for (const paths of [[path, other], [other, path]]) {
      t.equal(answer(paths, url)?.path, yields ? other : path)
    }
  })
}

t.test('several slashes in a row are merged, wherever they stand', async (t) => {
  t.equal(mergeSlashes('//a/b//c////'), '/a/b/c/')
})
