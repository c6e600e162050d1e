import t from 'tap'

import { toPercent, toUriText } from '../../src/http/uri.ts'

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
const RESERVED = ":/?#[]@!$&'()*+,;="

const uris = [
  ['', ''],
  [UNRESERVED + RESERVED, UNRESERVED + RESERVED],
  ['%41%fF', '%41%fF'],
  ['%', '%25'],
  ['%4', '%254'],
  ['%g1%1g', '%25g1%251g'],
  ['%%41', '%25%41'],
  [' "<>\\^`{|}', '%20%22%3C%3E%5C%5E%60%7B%7C%7D'],
  ['\r\n\0\x7f', '%0D%0A%00%7F'],
  ['größe', 'gr%C3%B6%C3%9Fe'],
  ['😀', '%F0%9F%98%80'],
  ['\ud83d', '%EF%BF%BD']
]

for (const [text, uri] of uris) {
  t.test(`${JSON.stringify(text)} is encoded as ${JSON.stringify(uri)} in a URI`, async (t) => {
    t.equal(toUriText(text), uri)
  })
}

t.test('an escape has capital letters', async (t) => {
  t.equal(toPercent('*'), '%2A')
  t.equal(toPercent("'"), '%27')
})
