import t from 'tap'

import { isFieldNames, isToken, linkValue, quoted } from '../../src/http/headers.ts'

for (const name of ['a', 'X-Version', "!#$%&'*+.^_`|~-9"]) {
  t.test(`${name} is a valid header name`, async (t) => {
    t.equal(isToken(name), true)
    t.equal(isFieldNames(name), true)
  })
}

for (const name of ['', ' ', ' a', 'a ', 'a b', 'a:', 'é', 'a\n', '\na', 'a/b', '"a"', 'a,b']) {
  t.test(`${JSON.stringify(name)} is not a valid header name`, async (t) => {
    t.equal(isToken(name), false)
  })
}

for (const value of [1, null, undefined, ['a'], { toString: () => 'a' }]) {
  t.test(`${JSON.stringify(value)}, which is not a string, is not a valid header name`, async (t) => {
    t.equal(isToken(value), false)
    t.equal(isFieldNames(value), false)
  })
}

for (const [names, areNames] of [['a,b', true], [' a , b ', true], ['a,', false], ['a,b c', false], ['', false]]) {
  t.test(`"${names}" ${areNames ? 'is' : 'is not'} a list of header names`, async (t) => {
    t.equal(isFieldNames(names), areNames)
  })
}

t.test('a link-value has its relation after its target', async (t) => {
  t.equal(linkValue('/a', 'next'), '</a>; rel="next"')
})

t.test('each quote and backslash of a quoted text is escaped', async (t) => {
  t.equal(quoted('a'), '"a"')
  t.equal(quoted('"a\\"\\b'), '"\\"a\\\\\\"\\\\b"')
})
