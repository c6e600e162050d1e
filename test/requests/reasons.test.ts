import t from 'tap'

import type {
  VersionError
} from '../../src/index.ts'
import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { FastifyRequest, InjectOptions } from 'fastify'
import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']

async function tell (request: FastifyRequest) {
  return String(request.version)
}

interface Refused { what: string, options: VersioningOptions, request: InjectOptions, reason: string }

const one = { scheme: QueryParameterVersioning, allowedVersions }
const refuseds: Refused[] = [
  { what: 'no version', options: one, request: { url: '/' }, reason: 'missing' },
  { what: 'a version that is not allowed', options: one, request: { url: '/?version=v9' }, reason: 'unsupported' },
  { what: 'an empty version', options: one, request: { url: '/?version=' }, reason: 'unsupported' },
  {
    what: 'different versions',
    options: { ...one, scheme: [QueryParameterVersioning, HeaderVersioning] },
    request: { url: '/?version=v1', headers: { 'api-version': 'v2' } },
    reason: 'ambiguous'
  },
  {
    what: 'different versions in one place',
    options: { ...one, scheme: HeaderVersioning },
    request: { url: '/', headers: { 'api-version': 'v1, v2' } },
    reason: 'ambiguous'
  },
  {
    what: 'a version that the URL does not serve',
    options: one,
    request: { url: '/some?version=v3' },
    reason: 'unserved'
  },
  {
    what: 'a default version that the URL does not serve',
    options: { ...one, defaultVersion: 'v3' },
    request: { url: '/some' },
    reason: 'unserved'
  },
  {
    what: 'no version where the URL only serves versions',
    options: { scheme: QueryParameterVersioning },
    request: { url: '/some' },
    reason: 'missing'
  },
  {
    what: 'a version that is gone',
    options: { ...one, lifecycle: { v1: { sunset: '2020-01-01' } }, enforceSunset: true },
    request: { url: '/?version=v1' },
    reason: 'gone'
  }
]

for (const { what, options, request, reason } of refuseds) {
  t.test(`the reason for refusing ${what} is ${reason} in errors and usage events`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, options)
    showRefusals(app)
    const seen: unknown[] = []
    app.addHook('onError', async (_request, _reply, error) => { seen.push((error as VersionError).reason) })
    app.get('/', tell)
    app.get('/some', { version: ['v1', 'v2'] }, tell)
    const response = await app.inject(request)
    t.equal(response.json().reason, reason)
    t.same(seen, [reason])
    t.equal(events[0].reason, reason)
  })
}

t.test('the default body of a refusal has no reason', async (t) => {
  const app = await appWith(t, one)
  app.get('/', tell)
  t.same((await app.inject('/')).json(), {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version in query parameter.'
  })
})

const CONTENT_TYPE = 'application/json; version='
const messages: [string, VersioningOptions, Record<string, string>, string][] = [
  ['header', {}, {}, 'The "API-Version" header is missing. Versions: v1, v2, v3.'],
  ['header', {}, { 'api-version': ' ' }, 'The "API-Version" header is missing. Versions: v1, v2, v3.'],
  [
    'header',
    {},
    { 'api-version': 'v9' },
    'Invalid version in "API-Version" header. Versions: v1, v2, v3.'
  ],
  [
    'header',
    { versionHeader: 'X-V' },
    { 'x-v': 'v9' },
    'Invalid version in "X-V" header. Versions: v1, v2, v3.'
  ],
  [
    'header',
    { allowedVersions: [null, 'v1'] },
    { 'api-version': 'a"\'b' },
    'Invalid version in "API-Version" header. Versions: v1.'
  ],
  [
    'header',
    {},
    { 'api-version': '\xe4\x80' },
    'Invalid version in "API-Version" header. Versions: v1, v2, v3.'
  ],
  [
    'header',
    {},
    { 'api-version': 'v'.repeat(90) },
    'Invalid version in "API-Version" header. Versions: v1, v2, v3.'
  ],
  ['content', {}, {}, 'The version in the "Content-Type" header is missing. Versions: v1, v2, v3.'],
  [
    'content',
    {},
    { 'content-type': `${CONTENT_TYPE}v9` },
    'Invalid version in "Content-Type" header. Versions: v1, v2, v3.'
  ]
]

for (const [which, options, headers, message] of messages) {
  t.test(`the message for the ${which} scheme with ${JSON.stringify(headers)} is ${message}`, async (t) => {
    const scheme = which === 'header' ? HeaderVersioning : ContentTypeVersioning
    const app = await appWith(t, { scheme, allowedVersions, ...options })
    app.get('/', tell)
    t.equal((await app.inject({ url: '/', headers })).json().message, message)
  })
}

t.test('a refusal lists as many versions as fit into a header line', async (t) => {
  const many = Array.from({ length: 500 }, (_, i) => `version-${i}`)
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: many })
  app.get('/', tell)
  const { message } = (await app.inject('/')).json()
  t.match(message, / Versions: version-0, version-1, .+, version-\d+ and 47\d more\.$/)
  t.ok(message.length < 350)
})

t.test('a list of versions whose first one does not fit into a header line is left out', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v'.repeat(300), 'v2'] })
  app.get('/', tell)
  t.equal((await app.inject('/')).json().message, 'The "API-Version" header is missing.')
})

t.test('the message about a missing header lists the versions that routes claim', async (t) => {
  for (const [scheme, message] of [
    [HeaderVersioning, 'The "API-Version" header is missing. Versions: v1, v2.'],
    [[HeaderVersioning, QueryParameterVersioning], 'The "API-Version" header is missing. Versions: v1, v2.'],
    [[QueryParameterVersioning, HeaderVersioning], 'This URL answers GET in v1, v2.'],
    [AcceptHeaderVersioning, 'This URL answers GET in v1, v2.']
  ] as const) {
    const app = await appWith(t, { scheme })
    app.get('/', { version: ['v1', 'v2'] }, tell)
    t.equal((await app.inject('/')).json().message, message)
  }
})

t.test('the message of a refusal lists the versions that the URL serves', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
  app.get('/', { version: ['v1', 'v2'] }, tell)
  const { message } = (await app.inject({ url: '/', headers: { 'api-version': 'v9' } })).json()
  t.equal(message, 'Invalid version in "API-Version" header. Versions: v1, v2.')
})

t.test('a subclass with its own message keeps it, and an asynchronous one has the usual message', async (t) => {
  class Own extends HeaderVersioning {
    override readonly invalidVersionMessage = 'Ours.'
  }
  class Slow extends HeaderVersioning {
    override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
  }
  for (const [scheme, message] of [
    [Own, 'Ours.'], [Slow, 'The "API-Version" header is missing. Versions: v1, v2, v3.'],
    [AcceptHeaderVersioning, 'Invalid version in "Accept" header.']
  ] as const) {
    const app = await appWith(t, { scheme, allowedVersions })
    app.get('/', tell)
    t.equal((await app.inject('/')).json().message, message)
  }
})

class Twofold extends HeaderVersioning {
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>) { return String(headers.read ?? 'v1') }
  override determineVersion ({ headers }: FastifyRequest) { return String(headers.determined ?? 'v1') }
}

t.test('where the two methods of a scheme disagree, the route of the version answers, or none', async (t) => {
  for (const scheme of [Twofold, [Twofold, QueryParameterVersioning]]) {
    const app = await appWith(t, { scheme, allowedVersions })
    app.get('/', { version: 'v1' }, tell)
    app.get('/', { version: 'v2' }, tell)
    app.get('/open', tell)
    const ask = (url: string, read: string, determined: string) => app.inject({ url, headers: { read, determined } })
    t.equal((await ask('/', 'v2', 'v2')).body, 'v2')
    const refused = await ask('/', 'v1', 'v2')
    t.match(refused.json(), { statusCode: 400, code: 'FST_ERR_VERSION_NOT_SUPPORTED' })
    t.equal((await ask('/open', 'v1', 'v2')).body, 'v2')
  }
})
