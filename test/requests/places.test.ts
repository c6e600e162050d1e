import t from 'tap'

import {
  VersionAmbiguousError, VersionNotSupportedError, VersionUnsupportedMediaTypeError
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'

import type { VersioningOptions, VersionStatusCodes } from '../../types/index.d.ts'
import type { Naming, Place } from '../fixtures/places.ts'

const { header, contentType, query } = places

interface Kind {
  readonly kind: keyof VersionStatusCodes
  readonly Refusal:
    typeof VersionNotSupportedError | typeof VersionUnsupportedMediaTypeError | typeof VersionAmbiguousError
  readonly list: readonly Place[]
  readonly namings: readonly Naming[]
  readonly code: string
  readonly status: number
  readonly title: string
  readonly message: string
}

const kinds: Kind[] = [
  {
    kind: 'notSupported',
    Refusal: VersionNotSupportedError,
    list: [header],
    namings: [header.naming('v9')],
    code: 'FST_ERR_VERSION_NOT_SUPPORTED',
    status: 400,
    title: 'The version is not supported',
    message: 'Version \'v9\' in the "API-Version" header is not supported. Versions: v1, v2.'
  },
  {
    kind: 'unsupportedMediaType',
    Refusal: VersionUnsupportedMediaTypeError,
    list: [contentType],
    namings: [contentType.naming('v9')],
    code: 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    title: 'The version of the media type is not supported',
    message: 'Version \'v9\' in the "Content-Type" header is not supported. Versions: v1, v2.'
  },
  {
    kind: 'ambiguous',
    Refusal: VersionAmbiguousError,
    list: [header, query],
    namings: [header.naming('v1'), query.naming('v2')],
    code: 'FST_ERR_VERSION_AMBIGUOUS',
    status: 400,
    title: 'The request specifies different versions',
    message: "The request specifies different versions: 'v1' in the \"API-Version\" header, " +
      "'v2' in the query parameter."
  }
]

const PHRASES: Record<number, string> = { 400: 'Bad Request', 409: 'Conflict', 415: 'Unsupported Media Type' }

for (const { kind, Refusal, list, namings, code, status, title, message } of kinds) {
  const scheme = list.map(({ Scheme }) => Scheme)
  const request = requestOf('/', ...namings)
  const appOf = async (t: Parameters<typeof appWith>[0], options: VersioningOptions = {}) => {
    const app = await appWith(t, {
      scheme: scheme.length === 1 ? scheme[0] : scheme, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', ...options
    })
    app.get('/', async () => '')
    return app
  }

  t.test(`the refusal ${kind} has the status ${status}`, async (t) => {
    const response = await (await appOf(t)).inject(request)
    t.equal(response.statusCode, status)
    t.same(response.json(), { statusCode: status, code, error: PHRASES[status], message })
  })

  t.test(`the refusal ${kind} has the status that is configured for it`, async (t) => {
    const app = await appOf(t, { statusCodes: { [kind]: 409 } })
    const response = await app.inject(request)
    t.equal(response.statusCode, 409)
    t.same(response.json(), { statusCode: 409, code, error: 'Conflict', message })
  })

  t.test(`the refusal ${kind} does not have the status of another kind`, async (t) => {
    const others = { notFound: 409, notAcceptable: 409, gone: 409, notSupported: 409, unsupportedMediaType: 409 }
    const app = await appOf(t, { statusCodes: { ...others, ambiguous: 409, [kind]: undefined } })
    t.equal((await app.inject(request)).statusCode, status)
  })

  for (const wrong of [200, 399, 500, 400.5, '400', null]) {
    t.test(`the status of the refusal ${kind} cannot be ${JSON.stringify(wrong)}`, async (t) => {
      await t.rejects(appOf(t, { statusCodes: { [kind]: wrong as number } }), {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: new RegExp(`^Invalid "statusCodes.${kind}": expected an integer from 400 `)
      })
    })
  }

  t.test(`the refusal ${kind} may be a problem`, async (t) => {
    const reason = kind === 'ambiguous' ? kind : 'unsupported'
    const details = { detail: message, instance: '/', code, reason, allowedVersions: ['v1', 'v2'] }
    const plain = await (await appOf(t, { problemDetails: true })).inject(request)
    t.equal(plain.headers['content-type'], 'application/problem+json')
    t.same(plain.json(), { type: 'about:blank', title: PHRASES[status], status, ...details })
    const options = { problemDetails: { base: '/errors' }, statusCodes: { [kind]: 409 } }
    const based = await (await appOf(t, options)).inject(request)
    t.equal(based.statusCode, 409)
    t.same(based.json(), { type: `/errors#${code.toLowerCase()}`, title, status: 409, ...details })
  })

  t.test(`an app may make the refusal ${kind} from its class`, async (t) => {
    const error = new Refusal('no', ['v1'])
    t.match(error, { message: 'no', code, statusCode: status, allowedVersions: ['v1'] })
    t.equal(new Refusal('no').allowedVersions, null)
  })

  t.test(`an error handler gets the refusal ${kind} as an error of its class`, async (t) => {
    const app = await appWith(t, { scheme: scheme.length === 1 ? scheme[0] : scheme, allowedVersions: ['v1', 'v2'] })
    app.setErrorHandler(async (given, _request, reply) => {
      reply.code(200)
      return { isOfClass: given instanceof Refusal }
    })
    app.get('/', async () => '')
    t.same((await app.inject(request)).json(), { isOfClass: true })
  })
}
