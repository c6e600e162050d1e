import t from 'tap'

import { hasSyntaxOf, withParameter } from '../../src/http/media-type.ts'

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

interface Syntax { vendorType: string, mediaType: string, has: boolean }

const syntaxes: Syntax[] = [
  { vendorType: 'application/vnd.acme.v2+json', mediaType: 'application/json', has: true },
  { vendorType: 'application/vnd.acme.v2+JSON', mediaType: 'Application/Json', has: true },
  { vendorType: 'application/vnd.acme.v2+xml', mediaType: 'text/xml', has: true },
  { vendorType: 'application/vnd.acme.v2+json', mediaType: 'application/xml', has: false },
  { vendorType: 'application/vnd.acme.v2json', mediaType: 'application/json', has: false },
  { vendorType: 'application/vnd.acme+json.v2', mediaType: 'application/json', has: false },
  { vendorType: 'application/vnd.acme.v2+json', mediaType: 'application/son', has: false }
]

for (const { vendorType, mediaType, has } of syntaxes) {
  t.test(`${vendorType} ${has ? 'has' : 'does not have'} the syntax of ${mediaType}`, async (t) => {
    t.equal(hasSyntaxOf(vendorType, mediaType), has)
  })
}
