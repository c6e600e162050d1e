import t from 'tap'

import { HeaderCache } from '../../src/schemes/header-cache.ts'

t.test('the cache keeps a header once it has come twice', async (t) => {
  const cache = new HeaderCache<number>()
  cache.set('a', 1)
  t.equal(cache.get('a'), undefined)
  cache.set('a', 1)
  t.equal(cache.get('a'), 1)
})

t.test('headers that come once do not replace kept ones', async (t) => {
  const cache = new HeaderCache<number>()
  for (let i = 0; i < 2; i++) cache.set('a', 1)
  for (let i = 0; i < 5000; i++) cache.set(`header ${i}`, i)
  t.equal(cache.get('a'), 1)
  t.equal(cache.get('header 4999'), undefined)
})

t.test('the cache does not keep a long header', async (t) => {
  const cache = new HeaderCache<number>()
  for (const length of [512, 513]) {
    for (let i = 0; i < 3; i++) cache.set('a'.repeat(length), length)
  }
  t.equal(cache.get('a'.repeat(512)), 512)
  t.equal(cache.get('a'.repeat(513)), undefined)
})

for (const { others, isKept } of [{ others: 63, isKept: true }, { others: 64, isKept: false }]) {
  t.test(`a header that comes again after ${others} others is ${isKept ? 'kept' : 'forgotten'}`, async (t) => {
    const cache = new HeaderCache<number>()
    cache.set('a', 1)
    for (let i = 0; i < others; i++) cache.set(`header ${i}`, i)
    cache.set('a', 1)
    t.equal(cache.get('a'), isKept ? 1 : undefined)
  })
}

t.test('the cache keeps a thousand headers, and the last ones of more', async (t) => {
  const cache = new HeaderCache<number>()
  const repeat = (i: number) => { for (let j = 0; j < 2; j++) cache.set(`header ${i}`, i) }
  const kept = () => Array.from({ length: 1001 }, (_, i) => cache.get(`header ${i}`)).filter((i) => i !== undefined)
  for (let i = 0; i < 1000; i++) repeat(i)
  t.same(kept(), Array.from({ length: 1000 }, (_, i) => i))
  repeat(1000)
  t.same(kept(), [1000])
})
