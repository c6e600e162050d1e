import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf, refusalOf } from '../fixtures/places.ts'
import { connect } from '../wire/http1.ts'
import { schemeContract } from './contract.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersionParameter, VersioningOptions, VersioningSettings } from '../../types/index.d.ts'

const { header } = places
const { refusal } = header

schemeContract(t, {
  Scheme: HeaderVersioning,
  routes: (app, probe) => declareIn(app, [header], { ...probe, url: '/probe' }),
  naming: (version) => requestOf('/probe', header.naming(version)),
  unnamed: requestOf('/probe'),
  lookalikes: ['V1', 'v10', 'v', 'v1.0', 'v 1', '"v1"', 'v1;v=1', '__proto__', 'constructor'],
  refusal,
  isDefaultChecked: true,
  link: () => '/probe'
})

async function tell (request: FastifyRequest): Promise<object> {
  return { version: request.version }
}

async function reading (t: Test, options: VersioningOptions = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: HeaderVersioning, defaultVersion: 'the default', ...options })
  app.get('/probe', tell)
  return app
}

interface Reading { value: string | string[], version: string }

const readings: Reading[] = [
  { value: 'v1', version: 'v1' },
  { value: ' \tv1\t ', version: 'v1' },
  { value: 'a b', version: 'a b' },
  { value: 'v1\u00a0', version: 'v1\u00a0' },
  { value: '\u00a0 v1 ', version: '\u00a0 v1' },
  { value: 'v1\u00a0 , v1\u00a0', version: 'v1\u00a0' },
  { value: '', version: 'the default' },
  { value: ' ', version: 'the default' },
  { value: ',', version: 'the default' },
  { value: ' , \t,', version: 'the default' },
  { value: 'v1,', version: 'v1' },
  { value: ',v1', version: 'v1' },
  { value: 'v1,v1', version: 'v1' },
  { value: 'v1 ,\t v1, ,v1', version: 'v1' },
  { value: ['v1', 'v1'], version: 'v1' },
  { value: ['', 'v1'], version: 'v1' },
  { value: '__proto__', version: '__proto__' },
  { value: 'constructor', version: 'constructor' },
  { value: 'null', version: 'null' },
  { value: 'v'.repeat(10_000), version: 'v'.repeat(10_000) }
]

for (const { value, version } of readings) {
  t.test(`the header ${JSON.stringify(value).slice(0, 40)} has ${JSON.stringify(version).slice(0, 40)}`, async (t) => {
    const app = await reading(t)
    t.same((await app.inject({ url: '/probe', headers: { 'api-version': value } })).json(), { version })
  })
}

const contradictions = [
  'v1, v2', ['v1', 'v2'], 'v1,V1', 'v8, v9, v8', `${'x'.repeat(100)},${'y'.repeat(100)}`, '1,2,3,4,5,6,7,8',
  "it's, \u0085"
]

for (const value of contradictions) {
  t.test(`the header ${JSON.stringify(value).slice(0, 40)} is ambiguous`, async (t) => {
    const app = await reading(t, { allowedVersions: ['v1', 'v2'] })
    const response = await app.inject({ url: '/probe', headers: { 'api-version': value } })
    t.equal(response.statusCode, 400)
    t.same(response.json(), {
      statusCode: 400,
      code: 'FST_ERR_VERSION_AMBIGUOUS',
      error: 'Bad Request',
      message: 'The request specifies different versions in the "API-Version" header. Versions: v1, v2.'
    })
    t.equal(response.headers.vary, 'API-Version')
  })
}

for (const versionHeader of ['X-API-Version', 'x-api-version', 'VERSION', "!#$%&'*+.^_`|~-1", 'constructor', 'q']) {
  t.test(`the header may be named ${versionHeader}, in any case`, async (t) => {
    const app = await reading(t, { versionHeader, allowedVersions: ['v1'] })
    for (const name of [versionHeader, versionHeader.toLowerCase(), versionHeader.toUpperCase()]) {
      const response = await app.inject({ url: '/probe', headers: { [name]: 'v1' } })
      t.same(response.json(), { version: 'v1' })
      t.equal(response.headers.vary, versionHeader)
    }
    t.same((await app.inject({ url: '/probe', headers: { [versionHeader]: 'v9' } })).json(), {
      ...refusal, message: `Invalid version in "${versionHeader}" header. Versions: v1.`
    })
    t.same((await app.inject('/probe')).json(), { version: 'the default' })
    t.same((await app.inject({ url: '/probe', headers: { 'api-version': 'v1' } })).json(), { version: 'the default' })
  })
}

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
    const app = await appWith(t, { scheme, allowedVersions: ['v1'] })
    app.get('/', tell)
    const response = await app.inject({ url: '/', headers: { 'x-mine': 'v1' } })
    t.same(response.json(), { version: 'v1' })
    t.equal(response.headers.vary, 'X-Mine')
    t.same((await app.inject({ url: '/', headers: { 'x-mine': 'v9' } })).json(), {
      ...refusal, message: 'Invalid version in "X-Mine" header. Versions: v1.'
    })
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
    const app = await appWith(t, { scheme })
    app.get('/', tell)
    t.equal((await app.inject('/')).headers.vary, 'X-Mine, X-Own')
  }
})

t.test('what follows from the name of the header is not kept where a prototype is inspected', async (t) => {
  t.equal(HeaderVersioning.prototype.vary, undefined)
  t.equal(new HeaderVersioning({ versionHeader: 'X-Own' }).vary, 'X-Own')
})

t.test('a header named __proto__ is not read from the prototype of objects', async (t) => {
  const app = await reading(t, { versionHeader: '__proto__' })
  t.same((await app.inject('/probe')).json(), { version: 'the default' })
})

t.test('an instance without settings reads API-Version', async (t) => {
  const { versionHeader, vary, invalidVersionMessage, parameter } = new HeaderVersioning()
  t.same([versionHeader, vary, invalidVersionMessage], [
    'API-Version', 'API-Version', 'Invalid version in "API-Version" header.'
  ])
  t.same(parameter, { in: 'header', name: 'API-Version' })
})

interface Sent { says: string, lines: string[], answer: object }

const ambiguous = { statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS' }
const sent: Sent[] = [
  { says: 'one header', lines: ['v1'], answer: { version: 'v1' } },
  { says: 'two equal headers', lines: ['v1', 'v1'], answer: { version: 'v1' } },
  { says: 'an empty header and another', lines: ['', 'v1'], answer: { version: 'v1' } },
  { says: 'two different headers', lines: ['v1', 'v2'], answer: ambiguous },
  { says: 'an empty header', lines: [''], answer: { version: 'v2' } },
  { says: 'a version that is refused', lines: ['v9'], answer: refusalOf(refusal, 'v9', ['v1', 'v2']) }
]

const options = { scheme: HeaderVersioning, defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }

t.test('HeaderVersioning answers on a connection of HTTP/1.1', async (t) => {
  const app = await appWith(t, options)
  app.get('/', tell)
  const connection = await connect(t, app)
  for (const { says, lines, answer } of sent) {
    t.test(`a request with ${says} is answered`, async (t) => {
      const fields = lines.map((line, i) => `${i === 0 ? 'API-Version' : 'api-VERSION'}: ${line}\r\n`)
      connection.write(`GET / HTTP/1.1\r\nhost: a\r\n${fields.join('')}\r\n`)
      const { body, headers } = await connection.read('GET')
      t.match(JSON.parse(body), answer)
      t.equal(headers.vary, 'API-Version')
    })
  }
})
