import t from 'tap'

import { VersionError } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'

import type { RefusalKind } from '../../types/index.d.ts'
import type { Naming, Place } from '../fixtures/places.ts'

const { header, contentType, query } = places

interface Kind {
  readonly kind: RefusalKind
  readonly list: readonly Place[]
  readonly namings: readonly Naming[]
  readonly code: string
  readonly status: number
  readonly message: string
}

const kinds: Kind[] = [
  {
    kind: 'notSupported',
    list: [header],
    namings: [header.naming('v9')],
    code: 'FST_ERR_VERSION_NOT_SUPPORTED',
    status: 400,
    message: 'Invalid version in "API-Version" header. Versions: v1, v2.'
  },
  {
    kind: 'unsupportedMediaType',
    list: [contentType],
    namings: [contentType.naming('v9')],
    code: 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    message: 'Invalid version in "Content-Type" header. Versions: v1, v2.'
  },
  {
    kind: 'ambiguous',
    list: [header, query],
    namings: [header.naming('v1'), query.naming('v2')],
    code: 'FST_ERR_VERSION_AMBIGUOUS',
    status: 400,
    message: 'The request specifies different versions in the "API-Version" header and the query parameter. ' +
      'Versions: v1, v2.'
  }
]

const PHRASES: Record<number, string> = { 400: 'Bad Request', 415: 'Unsupported Media Type' }

for (const { kind, list, namings, code, status, message } of kinds) {
  const scheme = list.map(({ Scheme }) => Scheme)
  const request = requestOf('/', ...namings)
  const appOf = async (t: Parameters<typeof appWith>[0]) => {
    const app = await appWith(t, {
      scheme: scheme.length === 1 ? scheme[0] : scheme, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
    })
    app.get('/', async () => '')
    return app
  }

  t.test(`the refusal ${kind} has the status ${status}`, async (t) => {
    const response = await (await appOf(t)).inject(request)
    t.equal(response.statusCode, status)
    t.same(response.json(), { statusCode: status, code, error: PHRASES[status], message })
  })

  t.test(`an app may make the refusal ${kind} from its kind`, async (t) => {
    const error = new VersionError(kind, 'no', ['v1'])
    t.match(error, { kind, message: 'no', code, statusCode: status, allowedVersions: ['v1'] })
    t.equal(new VersionError(kind, 'no').allowedVersions, null)
  })

  t.test(`an error handler gets the refusal ${kind} as an error of its kind`, async (t) => {
    const app = await appWith(t, { scheme: scheme.length === 1 ? scheme[0] : scheme, allowedVersions: ['v1', 'v2'] })
    app.setErrorHandler(async (given, _request, reply) => {
      reply.code(200)
      return { kind: given instanceof VersionError && given.kind }
    })
    app.get('/', async () => '')
    t.same((await app.inject(request)).json(), { kind })
  })
}
