import t from 'tap'

import { IncompatibleError, assertCompatible, compare, toMarkdown } from '../../src/check/index.ts'

import type { Change } from '../../types/check.d.ts'

const operation = { responses: { 200: { description: '' } } }
const before = { openapi: '3.0.3', paths: { '/a': { get: operation, put: operation }, '/b': { get: operation } } }
const parameters = [{ in: 'query', name: 'page', required: true }]
const after = { openapi: '3.0.3', paths: { '/a': { get: { ...operation, parameters } }, '/b': { get: operation } } }

t.test('assertCompatible() throws an error with a table for a version that may have broken', async (t) => {
  const error = errorOf(() => assertCompatible(before, after))
  t.type(error, IncompatibleError)
  t.match(error, { name: 'IncompatibleError', code: 'FST_ERR_VERSION_INCOMPATIBLE', changes: compare(before, after) })
  t.equal(error.message, `Clients may fail because of 2 changes:

breaking  #/paths/~1a/get/parameters/query/page  The parameter is new, and required
breaking  #/paths/~1a/put                        The operation was removed
`)
})

t.test('assertCompatible() accepts a version that has grown', async (t) => {
  const grown = { ...before, paths: { ...before.paths, '/c': { get: operation } } }
  t.doesNotThrow(() => assertCompatible(before, before))
  t.doesNotThrow(() => assertCompatible(before, grown))
})

t.test('assertCompatible() ignores changes at an accepted location and below it', async (t) => {
  t.doesNotThrow(() => assertCompatible(before, after, { accept: ['#/paths/~1a'] }))
  t.doesNotThrow(() => assertCompatible(before, after, { accept: new Set(['#/paths/~1a/put', '#/paths/~1a/get']) }))
  t.match(errorOf(() => assertCompatible(before, after, { accept: ['#/paths/~1a/put'] })), {
    changes: [{ at: '#/paths/~1a/get/parameters/query/page' }]
  })
  t.throws(() => assertCompatible(before, after, { accept: ['#/paths/~1a/p'] }), IncompatibleError)
})

for (const accept of ['#/paths', 1, null, {}, [1], ['paths'], [undefined]]) {
  t.test(`assertCompatible() refuses accept: ${JSON.stringify(accept)}`, async (t) => {
    t.throws(() => assertCompatible(before, before, { accept: accept as never }), {
      name: 'TypeError', message: /^Expected "accept" to list locations that begin with "#\/", got /
    })
  })
}

t.test('the Markdown report lists breaking changes first, and additions last', async (t) => {
  const changes: Change[] = [
    { kind: 'added', at: '#/paths/~1a/get/responses/200', message: 'The property "b" is new' },
    { kind: 'unknown', at: '#/servers', message: 'The path of the server has changed' },
    { kind: 'breaking', at: '#/paths/~1a~1{id}/get', message: 'The operation was removed' }
  ]
  t.equal(toMarkdown(changes), `### Breaking changes

- \`GET /a/{id}\`: The operation was removed

### Changes that may break

- \`servers\`: The path of the server has changed

### Additions

- \`GET /a\` \`responses › 200\`: The property "b" is new
`)
  t.equal(toMarkdown([]), 'No changes.\n')
})

t.test('text of a document is neither read as Markdown nor obeyed by a terminal', async (t) => {
  const changes: Change[] = [{
    kind: 'breaking',
    at: '#/paths/~1a``b/get/`\u001b[2J\n\u202e',
    message: 'The property "<b>[x](y)*\u001b" was removed'
  }]
  t.equal(toMarkdown(changes).split('\n')[2], [
    '- ``` GET /a``b ``` `` `\\u001b[2J\\u000a\\u202e ``:',
    'The property "\\<b\\>\\[x\\](y)\\*\\\\u001b" was removed'
  ].join(' '))
  t.notMatch(new IncompatibleError(changes).message, '\u001b')
})

function errorOf (call: () => void): Error {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
