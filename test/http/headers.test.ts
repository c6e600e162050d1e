import t from 'tap'

import {
  isFieldName, isFieldNames, isToken, linkValue, quoted, quotedAttribute, textAttribute
} from '../../src/http/headers.ts'

for (const name of ['a', 'X-Version', "!#$%&'*+.^_`|~-9"]) {
  t.test(`${name} is a valid header name`, async (t) => {
    t.equal(isFieldName(name), true)
    t.equal(isToken(name), true)
    t.equal(isFieldNames(name), true)
  })
}

for (const name of ['', ' ', ' a', 'a ', 'a b', 'a:', 'é', 'a\n', '\na', 'a/b', '"a"', 'a,b']) {
  t.test(`${JSON.stringify(name)} is not a valid header name`, async (t) => {
    t.equal(isFieldName(name), false)
    t.equal(isToken(name), false)
  })
}

for (const value of [1, null, undefined, ['a'], { toString: () => 'a' }]) {
  t.test(`${JSON.stringify(value)}, which is not a string, is not a valid header name`, async (t) => {
    t.equal(isFieldName(value), false)
    t.equal(isFieldNames(value), false)
  })
}

for (const [names, areNames] of [['a,b', true], [' a , b ', true], ['a,', false], ['a,b c', false], ['', false]]) {
  t.test(`"${names}" ${areNames ? 'is' : 'is not'} a list of header names`, async (t) => {
    t.equal(isFieldNames(names), areNames)
  })
}

t.test('a link-value has its attributes after its target', async (t) => {
  t.equal(linkValue('/a', 'next'), '</a>; rel="next"')
  t.equal(linkValue('/a', 'next', '; x="1"'), '</a>; rel="next"; x="1"')
})

t.test('each quote and backslash of a quoted text is escaped', async (t) => {
  t.equal(quoted('a'), '"a"')
  t.equal(quoted('"a\\"\\b'), '"\\"a\\\\\\"\\\\b"')
  t.equal(quotedAttribute('title', 'a "b"'), '; title="a \\"b\\""')
})

const texts = [
  ['', '; title=""'],
  [' a~', '; title=" a~"'],
  ['a "b" (c)', '; title="a \\"b\\" (c)"'],
  ['größe', "; title*=UTF-8''gr%C3%B6%C3%9Fe"],
  ['\x7f', "; title*=UTF-8''%7F"],
  ['\x1f', "; title*=UTF-8''%1F"],
  ["é'(*)'", "; title*=UTF-8''%C3%A9%27%28%2A%29%27"],
  ['é!~ \ud800', "; title*=UTF-8''%C3%A9!~%20%EF%BF%BD"]
]

for (const [text, attribute] of texts) {
  t.test(`the title attribute of ${JSON.stringify(text)} is ${attribute}`, async (t) => {
    t.equal(textAttribute('title', text), attribute)
  })
}
