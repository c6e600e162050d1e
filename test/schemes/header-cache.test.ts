import t from 'tap'

import { HeaderCache } from '../../src/schemes/header-cache.ts'

t.test('a header is kept once it has come twice', async (t) => {
  const cache = new HeaderCache<number>()
  cache.set('a', 1)
  t.equal(cache.get('a'), undefined)
  cache.set('a', 1)
  t.equal(cache.get('a'), 1)
})

t.test('headers that come once do not replace those kept', async (t) => {
  const cache = new HeaderCache<number>()
  for (let i = 0; i < 2; i++) cache.set('a', 1)
  for (let i = 0; i < 5000; i++) cache.set(`header ${i}`, i)
  t.equal(cache.get('a'), 1)
  t.equal(cache.get('header 4999'), undefined)
})

t.test('a long header is not kept', async (t) => {
  const cache = new HeaderCache<number>()
  for (let i = 0; i < 3; i++) cache.set('a'.repeat(513), 1)
  t.equal(cache.get('a'.repeat(513)), undefined)
})

t.test('of many repeated headers the last ones are kept', async (t) => {
  const cache = new HeaderCache<number>()
  for (let i = 0; i <= 1000; i++) for (let j = 0; j < 2; j++) cache.set(`header ${i}`, i)
  t.equal(cache.get('header 0'), undefined)
  t.equal(cache.get('header 1000'), 1000)
})
