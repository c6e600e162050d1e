import t from 'tap'

import { isFieldNames, isToken, withParameter } from '../../src/http/headers.ts'

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

interface Parameter { mediaType: string, value: string, result: string }

const parameters: Parameter[] = [
  { mediaType: 'a/b', value: 'v1', result: 'a/b; version=v1' },
  { mediaType: 'a/b; x=y', value: 'v1', result: 'a/b; x=y; version=v1' },
  { mediaType: 'a/b;', value: 'v1', result: 'a/b; version=v1' },
  { mediaType: 'a/b ; ;\t', value: 'v1', result: 'a/b; version=v1' },
  { mediaType: 'a/b;;x=y', value: 'v1', result: 'a/b;;x=y; version=v1' },
  { mediaType: 'a/b', value: '1 2', result: 'a/b; version="1 2"' },
  { mediaType: 'a/b', value: '', result: 'a/b; version=""' },
  { mediaType: 'a/b', value: 'a"b\\', result: 'a/b; version="a\\"b\\\\"' }
]

for (const { mediaType, value, result } of parameters) {
  t.test(`${JSON.stringify(mediaType)} with the version ${JSON.stringify(value)} is ${result}`, async (t) => {
    t.equal(withParameter(mediaType, 'version', value), result)
  })
}
