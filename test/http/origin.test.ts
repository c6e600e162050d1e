import t from 'tap'

import { originText, requestOrigin } from '../../src/http/origin.ts'

const hosts = [
  'example.com', 'localhost:3000', 'a_b-c.example', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:65535', '[::FFFF]',
  'EXAMPLE.com', 'example.com:', 'a:0'
]

for (const host of hosts) {
  for (const protocol of ['http', 'https'] as const) {
    t.test(`the origin of a request to ${host} by ${protocol} is ${protocol}://${host}`, async (t) => {
      const origin = requestOrigin({ host, protocol } as never, 'absolute')
      t.same(origin, { protocol, host })
      t.equal(originText(origin), `${protocol}://${host}`)
    })
  }
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

for (const request of [null, undefined]) {
  for (const option of ['absolute', 'version'] as const) {
    t.test(`the option ${option} has no origin where the request is ${request}`, async (t) => {
      t.throws(() => requestOrigin(request, option), {
        code: 'FST_ERR_REVERSE_OPTION',
        message: new RegExp(`"${option}".*the option baseUrl or a request to take the origin from.*neither`)
      })
    })
  }
}
