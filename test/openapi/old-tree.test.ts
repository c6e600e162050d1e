import t from 'tap'

import { shapeOf } from '../../src/openapi/old-pattern.ts'
import { PathTree } from '../../src/openapi/tree.ts'

const options = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 100,
  useSemicolonDelimiter: false
}

interface Neighbourhood {
  path: string
  /** Whether a parameter of another path may take an empty segment of this one. */
  hasEmpty?: boolean
  near: string[]
  far: string[]
}

const table: Neighbourhood[] = [
  { path: '/', near: ['/', '*', '/*'], far: ['/users', '/:id', '/users/*'] },
  { path: '/', hasEmpty: true, near: ['/', '/*', '/:id', '/:a/:b'], far: ['/users', '/:id/x'] },
  {
    path: '/users',
    near: ['/users', '/users/', '//users', '/*', '/users/*', '/:id', '/users-:id', '/room-:id'],
    far: ['/', '/rooms', '/users/me', '/users/:id', '/:a/:b', '/rooms/*']
  },
  {
    path: '/users/:id',
    near: ['/users/:name', '/users/me', '/users/me/', '/:a/:b', '/:a/me', '/users/*', '/*', '/users/:id/*', '/:a/me/*'],
    far: ['/users', '/rooms/:id', '/rooms/me', '/users/me/x', '/users/:id/x', '/:a', '/:a/:b/:c', '/rooms/*']
  },
  {
    path: '/users/room-:id',
    near: ['/users/room-7', '/users/:id', '/users/me'],
    far: ['/users', '/room-:id', '/rooms/room-7']
  },
  {
    path: '/users/:id/posts',
    near: ['/users/:id/posts', '/users/me/posts', '/:a/:b/:c', '/users/*', '/users/:id/*', '/:a/:b/posts'],
    far: ['/users/:id/rooms', '/users/posts', '/users/me/:id/posts', '/users/:id', '/users/:id/posts/:post']
  },
  {
    path: '/users/*',
    near: ['/users', '/users/', '/users/me', '/users/:id', '/users/:id/posts', '/:a', '/:a/:b', '/*', '/users/me/*'],
    far: ['/', '/rooms', '/rooms/:id', '/rooms/me/*']
  },
  { path: '*', near: ['/', '/users', '/users/:id', '/:a/:b/c', '/*', '/users/*'], far: [] },
  { path: '/a//b', near: ['/a/b', '/a//b', '/a/*'], far: ['/a/:x/b', '/a/b/c'] },
  { path: '/a//b', hasEmpty: true, near: ['/a/b', '/a/:x/b', '/:x/a/b'], far: ['/a/x/b', '/a/b/c', '/b/a'] },
  { path: '/a/', hasEmpty: true, near: ['/a', '/a/', '/a/:x', '/:x/:y'], far: ['/a/x', '/b/:x', '/a/:x/b'] }
]

for (const { path, hasEmpty = false, near, far } of table) {
  const empty = hasEmpty ? ', where parameters take empty segments,' : ''
  t.test(`the path ${path} may share URLs${empty} only with ${near.join(' and ')}`, async (t) => {
    const tree = new PathTree<string>()
    for (const other of [...far, ...near]) tree.add(shapeOf(other, options), other)
    t.same([...tree.near(shapeOf(path, options), hasEmpty)].sort(), [...near].sort())
  })
}

t.test('several items of a tree may have one path', async (t) => {
  const tree = new PathTree<number>()
  for (const item of [1, 2, 3]) tree.add(['/users/', ':'], item)
  t.same([...tree.near(['/users/me'], false)], [1, 2, 3])
})
