import t from 'tap'

import { isFieldNames, isToken, withParameter } from '../../src/http/headers.ts'
import { originText, requestOrigin } from '../../src/http/origin.ts'
import { isPreflight } from '../../src/http/preflight.ts'
import { toPercent, toUriText } from '../../src/http/uri.ts'

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

const parameters = [
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

const hosts = [
  'example.com', 'localhost:3000', 'a_b-c.example', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:65535', '[::FFFF]',
  'EXAMPLE.com', 'example.com:', 'a:0'
]

for (const host of hosts) {
  t.test(`a request to ${host} has an origin`, async (t) => {
    for (const protocol of ['http', 'https'] as const) {
      const origin = requestOrigin({ host, protocol } as never, 'absolute')
      t.same(origin, { protocol, host })
      t.equal(originText(origin), `${protocol}://${host}`)
    }
  })
}

const wrongHosts = [
  undefined, '', 'a/b', 'a?b', 'a#b', 'a@b', 'a b', 'a\\b', 'é', 'x[::1]', '[::1]x', '[::g]', '[]', '::1', 'a:b',
  'a:1x', 'a:123456', 'a:65536', '999.999.999.999', '[1]', ':80', 'a\n'
]

for (const host of wrongHosts) {
  t.test(`a request to the host ${JSON.stringify(host)} has no origin`, async (t) => {
    t.throws(() => requestOrigin({ host, protocol: 'http' } as never, 'absolute'), {
      code: 'FST_ERR_REVERSE_HOST', statusCode: 400, message: host ? /a host/ : /a host, got ''/
    })
  })
}

for (const protocol of ['', 'ftp', 'HTTP', 'httpss', undefined]) {
  t.test(`a request by the protocol ${JSON.stringify(protocol)} has no origin`, async (t) => {
    t.throws(() => requestOrigin({ host: 'example.com', protocol } as never, 'version'), {
      code: 'FST_ERR_REVERSE_HOST', statusCode: 400, message: /http or https/
    })
  })
}

t.test('there is no origin without a request', async (t) => {
  for (const option of ['absolute', 'version'] as const) {
    t.throws(() => requestOrigin(null, option), { code: 'FST_ERR_REVERSE_OPTION', message: new RegExp(`"${option}"`) })
  }
})

const METHOD = 'access-control-request-method'

const questions = [
  { method: 'OPTIONS', headers: { origin: 'https://a.example', [METHOD]: 'GET' }, is: true },
  { method: 'OPTIONS', headers: { origin: '', [METHOD]: '' }, is: true },
  { method: 'GET', headers: { origin: 'https://a.example', [METHOD]: 'GET' }, is: false },
  { method: 'OPTIONS', headers: { origin: 'https://a.example' }, is: false },
  { method: 'OPTIONS', headers: { [METHOD]: 'GET' }, is: false },
  { method: 'OPTIONS', headers: {}, is: false }
]

for (const { method, headers, is } of questions) {
  t.test(`${method} with ${JSON.stringify(headers)} ${is ? 'is' : 'is not'} a preflight`, async (t) => {
    t.equal(isPreflight({ method, headers }), is)
  })
}
