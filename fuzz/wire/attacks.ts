import fc from 'fast-check'

const targets = [
  '/accept/', '/body/', '/header/', '/host/', '/query/', '/list/', '/accept/7', '/header/7', '/host/7', '/query/7',
  '/path/v1/7', '/path/v2/7', '/path/', '/list/7', '/any/', '/any/7', '/client/', '/client/7'
]

/** What may become a header, a log line, a field of it, or an error. */
const hostile = fc.constantFrom(
  'v1', 'v2', 'v9', '"', '\\', '\\"', ';', ',', '=', '&', '?', '#', '/', '//', '..', '%', '%0d%0aInjected:%201', '%00',
  '%E6%97', '%zz', '"}\n{"injected":1}', '","injected":"1', '\x85', '\u2028', '\x7f', '\t', ' ', '\xff\xfe', '\r', '\n',
  '__proto__', 'constructor', 'version', 'version=v2', ';version=v2', 'a/b;version="', 'q=0.5', '*/*', '[::1]', ':80',
  'example.com', '2025-09-31', '2025-12-24', 'V1', '@', '<', '>', '\r\nInjected: 1', '$1', 'a',
  '%F0%9F%98%80'.repeat(40)
)
const text = fc.array(hostile, { maxLength: 6, size: 'max' }).map((parts) => parts.join(''))
/** What Node takes for the value of a header. */
const inHeader = text.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''))
/** What Node takes for a part of the target. */
const inTarget = text.map((value) => value.replace(/[^\x21-\x7e]/g, ''))

const target = fc.tuple(fc.constantFrom(...targets), fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('?', '?version=', '?version=v2&'), inTarget).map((all) => all.join(''))
  },
  { weight: 2, arbitrary: inTarget.map((value) => encodeURIComponent(value)) },
  { weight: 1, arbitrary: inTarget },
  { weight: 1, arbitrary: text }
)).map((parts) => parts.join(''))

const readNames = fc.constantFrom(
  'Accept', 'Content-Type', 'API-Version', 'Host', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Injected', 'Constructor'
)
const otherNames = fc.constantFrom(
  'Origin', 'Access-Control-Request-Method', 'Accept-Version', 'Content-Length', 'Transfer-Encoding', 'Expect',
  'Upgrade'
)
const names = fc.oneof({ weight: 8, arbitrary: readNames }, { weight: 1, arbitrary: otherNames })

/** A request that is nearly one of HTTP/1.1, and now and then cut off. */
export const messages: fc.Arbitrary<Buffer> = fc.record({
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('GET', 'GET', 'POST', 'OPTIONS', 'PUT', 'QUERY') },
    { weight: 1, arbitrary: text }
  ),
  target,
  protocol: fc.oneof(
    { weight: 19, arbitrary: fc.constant('HTTP/1.1') },
    { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/9', '') }
  ),
  headers: fc.array(fc.tuple(names, fc.oneof(
    { weight: 9, arbitrary: inHeader }, { weight: 1, arbitrary: text }
  )), { maxLength: 5, size: 'max' }),
  body: fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.constantFrom('{}', '{"note":"\\ud800"}') },
    { weight: 1, arbitrary: text }
  ),
  cut: fc.oneof(
    { weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) }
  )
}).map(({ method, target, protocol, headers, body, cut }) => {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  if (!headers.some(([name]) => name === 'Host')) lines.push('Host: localhost')
  if (body.startsWith('{')) lines.push('Content-Type: application/json')
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body, 'latin1')}`)
  const all = [`${method} ${target} ${protocol}`, ...lines, 'Connection: close', '', body]
  const bytes = Buffer.from(all.join('\r\n'), 'latin1')
  return bytes.subarray(0, Math.ceil(bytes.length * cut))
})

/** The frames of a connection of HTTP/2: some as they should be, some not. */
export const frames: fc.Arbitrary<Buffer> = fc.array(fc.oneof(
  fc.record({
    stream: fc.constantFrom(1, 3, 5),
    path: fc.tuple(fc.constantFrom(...targets), text).map((parts) => parts.join('')),
    fields: fc.array(fc.tuple(fc.oneof(names, text, fc.constant(':authority')), text), { maxLength: 4 })
  }).map(({ stream, path, fields }) => headersFrame(stream, [
    [':method', 'GET'], [':scheme', 'http'], [':path', path], ...fields
  ])),
  fc.record({
    type: fc.nat(12), flags: fc.nat(255), stream: fc.constantFrom(0, 1, 3), payload: fc.uint8Array({ maxLength: 40 })
  }).map(({ type, flags, stream, payload }) => frame(type, flags, stream, Buffer.from(payload)))
), { minLength: 1, maxLength: 6 }).map((all) => Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.alloc(0)), ...all]))

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** RFC 9113, section 4.1. */
function frame (type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** END_STREAM and END_HEADERS; fields are literals of 126 bytes at most, not indexed (RFC 7541, section 6.2.2). */
function headersFrame (stream: number, fields: readonly (readonly [string, string])[]): Buffer {
  const texts = fields.flatMap(([name, value]) => [Buffer.of(0), literal(name.toLowerCase()), literal(value)])
  return frame(1, 0x5, stream, Buffer.concat(texts))
}

function literal (value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1').subarray(0, 126)
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}
