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
import type { VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3']

async function tell (request: FastifyRequest) {
  return String(request.version)
}

const one = { scheme: QueryParameterVersioning, allowedVersions }
const refuseds: [what: string, options: VersioningOptions, request: InjectOptions, reason: string][] = [
  ['no version', one, { url: '/' }, 'missing'],
  ['a version that is not allowed', one, { url: '/?version=v9' }, 'unsupported'],
  ['an empty version', one, { url: '/?version=' }, 'unsupported'],
  ['different versions', { ...one, scheme: [QueryParameterVersioning, HeaderVersioning] }, {
    url: '/?version=v1', headers: { 'api-version': 'v2' }
  }, 'ambiguous'],
  ['different versions in one place', { ...one, scheme: HeaderVersioning }, {
    url: '/', headers: { 'api-version': 'v1, v2' }
  }, 'ambiguous'],
  ['a version that the URL does not serve', one, { url: '/some?version=v3' }, 'unserved'],
  ['a default version that the URL does not serve', { ...one, defaultVersion: 'v3' }, { url: '/some' }, 'unserved'],
  ['no version where the URL only serves versions', { scheme: QueryParameterVersioning }, { url: '/some' }, 'missing'],
  ['a version that is gone', { ...one, lifecycle: { v1: { sunset: '2020-01-01' } }, enforceSunset: true }, {
    url: '/?version=v1'
  }, 'gone']
]

for (const [what, options, request, reason] of refuseds) {
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
    t.equal(events[0].isDefault, what.startsWith('a default version'))
  })
}

const LISTED = 'Versions: v1, v2, v3.'
const messages: [string, VersioningOptions, Record<string, string>, string][] = [
  ['header', {}, {}, `The "API-Version" header is missing. ${LISTED}`],
  ['header', {}, { 'api-version': ' ' }, `The "API-Version" header is missing. ${LISTED}`],
  ['header', {}, { 'api-version': 'a"\'b' }, `Invalid version in "API-Version" header. ${LISTED}`],
  ['header', { versionHeader: 'X-V' }, { 'x-v': 'v9' }, `Invalid version in "X-V" header. ${LISTED}`],
  ['header', { allowedVersions: [null, 'v1'] }, { 'api-version': 'v9' }, 'Invalid version in "API-Version" header. ' +
    'Versions: v1.'],
  ['content', {}, { 'content-type': 'a/b; version=v9' }, `Invalid version in "Content-Type" header. ${LISTED}`],
  ['content', {}, {}, `The version in the "Content-Type" header is missing. ${LISTED}`]
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
    [Own, 'Ours.'], [Slow, `The "API-Version" header is missing. ${LISTED}`],
    [AcceptHeaderVersioning, 'Invalid version in "Accept" header.']
  ] as const) {
    const app = await appWith(t, { scheme, allowedVersions })
    app.get('/', tell)
    t.equal((await app.inject('/')).json().message, message)
  }
})

t.test('a URL that answers only requests without a version says so', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', null] })
  app.get('/', { version: [null] as never }, async () => 'ok')
  t.equal((await app.inject('/')).body, 'ok')
  const { message } = (await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).json()
  t.equal(message, 'This URL answers GET without a version.')
})
