import { inspect as show } from 'node:util'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { differing, places } from '../fixtures/places.ts'
import { connect } from '../wire/http1.ts'
import { readingApp, readings, versionIn } from './readings.ts'

import type { VersionParameter, VersioningSettings } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const { header: { refusal } } = places
const sending = (value: string | string[]) => ({ url: '/', headers: { 'api-version': value } })

readings(t, { scheme }, sending, [
  ['v1', 'v1'],
  [' \tv1\t ', 'v1'],
  ['a b', 'a b'],
  ['\u00a0 v1 ', '\u00a0 v1'],
  ['v1\u00a0 , v1\u00a0', 'v1\u00a0'],
  [' ', 'the default'],
  [' , \t,', 'the default'],
  ['v1 ,\t v1, ,v1', 'v1'],
  [['', 'v1'], 'v1'],
  ['constructor', 'constructor'],
  ['v'.repeat(10_000), 'v'.repeat(10_000)]
])

for (const value of [
  'v1, v2', ['v1', 'v2'], 'v1,V1', 'v8, v9, v8', "it's, \u0085"
]) {
  t.test(`the header ${JSON.stringify(value).slice(0, 40)} is ambiguous`, async (t) => {
    const app = await readingApp(t, { scheme, allowedVersions: ['v1', 'v2'] })
    const response = await app.inject(sending(value))
    t.same(response.json(), {
      statusCode: 400,
      code: 'FST_ERR_VERSION_AMBIGUOUS',
      error: 'Bad Request',
      message: differing(['the "API-Version" header'], ['v1', 'v2'])
    })
    t.equal(response.headers.vary, 'API-Version')
  })
}

for (const versionHeader of ['X-API-Version', 'x-api-version', 'VERSION', "!#$%&'*+.^_`|~-1", 'constructor', 'q']) {
  t.test(`the header may be named ${versionHeader}, in any case`, async (t) => {
    const app = await readingApp(t, { scheme, versionHeader, defaultVersion: 'the default', allowedVersions: ['v1'] })
    for (const name of [versionHeader, versionHeader.toLowerCase(), versionHeader.toUpperCase()]) {
      const response = await app.inject({ url: '/', headers: { [name]: 'v1' } })
      t.same(response.json(), { version: 'v1' })
      t.equal(response.headers.vary, versionHeader)
    }
    t.same((await app.inject({ url: '/', headers: { [versionHeader]: 'v9' } })).json(), {
      ...refusal, message: `Invalid version in "${versionHeader}" header. Versions: v1.`
    })
    for (const request of ['/', sending('v1')]) t.equal(await versionIn(app, request), 'the default')
  })
}

// It is not read from the prototype of objects.
readings(t, { scheme, versionHeader: '__proto__' }, sending, [['v1', 'the default']])

class Mine extends HeaderVersioning {
  override readonly versionHeader = 'X-Mine'
}
class Assigning extends HeaderVersioning {
  constructor (settings: VersioningSettings) {
    super(settings)
    Object.assign(this, { versionHeader: 'X-Mine' })
  }
}

for (const scheme of [Mine, Assigning]) {
  t.test(`a subclass may name the header by ${scheme === Mine ? 'a field' : 'an assignment'}`, async (t) => {
    // Somebody has looked at the prototype, which has no settings.
    t.equal(HeaderVersioning.prototype.vary, undefined)
    const app = await readingApp(t, { scheme, allowedVersions: ['v1'] })
    const response = await app.inject({ url: '/', headers: { 'x-mine': 'v1' } })
    t.same(response.json(), { version: 'v1' })
    t.equal(response.headers.vary, 'X-Mine')
    t.match((await app.inject('/')).json(), { message: 'The "X-Mine" header is missing. Versions: v1.' })
    t.same(new Mine().parameter, { in: 'header', name: 'X-Mine' })
  })
}

t.test('what follows from the name of the header may be a field or an assignment, too', async (t) => {
  const own = {
    placeText: 'own place', invalidVersionMessage: 'Own.', vary: 'X-Mine, X-Own', parameter: { in: 'cookie', name: 'v' }
  }
  class Fields extends Mine {
    override readonly placeText = own.placeText
    override readonly invalidVersionMessage = own.invalidVersionMessage
    override readonly vary = own.vary
    override readonly parameter = own.parameter as VersionParameter
  }
  for (const scheme of [new Fields(), Object.assign(new Mine(), own)]) {
    const { placeText, invalidVersionMessage, vary, parameter } = scheme
    t.same({ placeText, invalidVersionMessage, vary, parameter }, own)
    const app = await readingApp(t, { scheme })
    t.equal((await app.inject('/')).headers.vary, 'X-Mine, X-Own')
  }
})

t.test('HeaderVersioning answers on a connection of HTTP/1.1', async (t) => {
  const app = await readingApp(t, { scheme, defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] })
  const connection = await connect(t, app)
  for (const [lines, answer] of [
    [['', 'v1'], { version: 'v1' }],
    [['v1', 'v2'], { statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS' }],
    [[''], { version: 'v2' }]
  ] as const) {
    const fields = lines.map((line, i) => `${i === 0 ? 'API-Version' : 'api-VERSION'}: ${line}\r\n`)
    connection.write(`GET / HTTP/1.1\r\nhost: a\r\n${fields.join('')}\r\n`)
    t.match(JSON.parse((await connection.read('GET')).body), answer, show(lines))
  }
})
