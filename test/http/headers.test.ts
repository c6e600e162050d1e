import t from 'tap'

import { withParameter } from '../../src/http/headers.ts'
import { originText, requestOrigin } from '../../src/http/origin.ts'
import { toPercent, toUriText } from '../../src/http/uri.ts'

for (const [mediaType, value, result] of [
  ['a/b', 'v1', 'a/b; version=v1'], ['a/b; x=y', 'v1', 'a/b; x=y; version=v1'], ['a/b;', 'v1', 'a/b; version=v1'],
  ['a/b ; ;\t', 'v1', 'a/b; version=v1'], ['a/b;;x=y', 'v1', 'a/b;;x=y; version=v1'],
  ['a/b', '1 2', 'a/b; version="1 2"'], ['a/b', '', 'a/b; version=""'], ['a/b', 'a"b\\', 'a/b; version="a\\"b\\\\"']
] as const) {
  t.test(`${JSON.stringify(mediaType)} with the version ${JSON.stringify(value)} is ${result}`, async (t) => {
    t.equal(withParameter(mediaType, 'version', value), result)
  })
}

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
const RESERVED = ":/?#[]@!$&'()*+,;="

for (const [text, uri] of [
  ['', ''], [UNRESERVED + RESERVED, UNRESERVED + RESERVED], ['%41%fF', '%41%fF'], ['%', '%25'], ['%4', '%254'],
  ['%g1%1g', '%25g1%251g'], ['%%41', '%25%41'], [' "<>\\^`{|}', '%20%22%3C%3E%5C%5E%60%7B%7C%7D'],
  ['\r\n\0\x7f', '%0D%0A%00%7F'], ['größe', 'gr%C3%B6%C3%9Fe'], ['😀', '%F0%9F%98%80'], ['\ud83d', '%EF%BF%BD']
]) {
  t.test(`${JSON.stringify(text)} is encoded as ${JSON.stringify(uri)} in a URI`, async (t) => {
    t.equal(toUriText(text), uri)
  })
}

t.test('an escape has capital letters', async (t) => {
  t.same(['*', "'"].map(toPercent), ['%2A', '%27'])
})

for (const host of [
  'example.com', 'localhost:3000', 'a_b-c.example', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:65535', '[::FFFF]',
  'EXAMPLE.com', 'example.com:', 'a:0'
]) {
  t.test(`a request to ${host} has an origin`, async (t) => {
    for (const protocol of ['http', 'https'] as const) {
      const origin = requestOrigin({ host, protocol } as never)
      t.same(origin, { protocol, host })
      t.equal(originText(origin), `${protocol}://${host}`)
    }
  })
}

const wrongHosts = [
  undefined, '', 'a/b', 'a?b', 'a#b', 'a@b', 'a b', 'a\\b', 'é', 'x[::1]', '[::1]x', '[::g]', '[]', '::1', 'a:b',
  'a:1x', 'a:123456', 'a:65536', '999.999.999.999', '[1]', ':80', 'a\n'
]
const withoutOrigin = [
  ...wrongHosts.map((host) => ({ host, protocol: 'http', message: host ? /a host/ : /a host, got ''/ })),
  ...['', 'ftp', 'HTTP', 'httpss', undefined].map((protocol) => (
    { host: 'example.com', protocol, message: /http or https/ }
  ))
]

for (const { message, ...request } of withoutOrigin) {
  t.test(`a request of ${JSON.stringify(request)} has no origin`, async (t) => {
    const error = { code: 'FST_ERR_REVERSE_HOST', statusCode: 400, message }
    t.throws(() => requestOrigin(request as never), error)
  })
}

t.test('there is no origin without a request', async (t) => {
  t.throws(() => requestOrigin(null), { code: 'FST_ERR_REVERSE_OPTION', message: /^Set "baseUrl"/ })
})
