import Fastify from 'fastify'
import { describe, expect, test } from 'tstyche'
import versioning, {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning, VersionError, byDate
} from 'fastify-versioning'

import type { FastifyError, FastifyRequest } from 'fastify'
import type {
  AllowedVersions, RawRequest, RefusalKind, RefusalReason, ReverseOptions, VersionErrorCode, VersionResolver,
  VersioningScheme, VersioningSchemeClass, VersioningSettings
} from 'fastify-versioning'

const app = Fastify()

describe('a scheme', () => {
  test('is made of settings', () => {
    expect(BaseVersioning).type.toBeConstructableWith()
    expect(AcceptHeaderVersioning).type.toBeConstructableWith({ mediaTypes: ['application/json'] })
    expect(URLPathVersioning).type.toBeConstructableWith({ defaultVersion: null, allowedVersions: new Set(['v1']) })
    expect(QueryParameterVersioning).type.toBeConstructableWith({} as VersioningSettings)
    expect(URLPathVersioning).type.not.toBeConstructableWith('v1')
    expect(URLPathVersioning).type.not.toBeConstructableWith({ defaultVersion: 1 })
    expect(URLPathVersioning).type.not.toBeConstructableWith({ scheme: URLPathVersioning })
  })

  test('has its settings as attributes that stay', () => {
    const scheme = new AcceptHeaderVersioning()
    expect(scheme.defaultVersion).type.toBe<string | null>()
    expect(scheme.allowedVersions).type.toBe<readonly (string | null)[] | null>()
    expect(scheme.versionParam).type.toBe<string>()
    expect(scheme.mediaTypes).type.toBe<readonly string[] | null>()
    expect(scheme.invalidVersionMessage).type.toBe<string>()
    expect(new HostNameVersioning().hostnameRegex).type.toBe<RegExp>()
    // @ts-expect-error Cannot assign to 'defaultVersion' because it is a read-only property.
    scheme.defaultVersion = 'v1'
  })

  test('determines, allows and refuses', () => {
    const scheme = new BaseVersioning()
    expect(scheme.determineVersion({} as FastifyRequest)).type.toBe<string | null | Promise<string | null>>()
    expect(scheme.isAllowedVersion(null)).type.toBe<boolean>()
    expect(scheme.permit(undefined)).type.toBe<string | null>()
    expect(scheme.refusal()).type.toBe<Error>()
    expect(scheme.linkVersion({ version: 'v1' })).type.toBe<string | null>()
    expect(scheme.determineVersion).type.not.toBeCallableWith({ headers: {} })
    expect(scheme.isAllowedVersion).type.not.toBeCallableWith(1)
    expect(scheme.permit).type.toBeCallableWith(['v1'])
  })

  test('reverses', () => {
    const { reverse } = new URLPathVersioning()
    expect(reverse).type.toBeCallableWith('booking')
    expect(reverse).type.toBeCallableWith(null, { request: {} as FastifyRequest })
    expect(reverse).type.toBeCallableWith('booking', { args: ['7'], kwargs: { id: 7 }, format: 'json' })
    expect(reverse).type.toBeCallableWith('booking', { args: ['7', 7] as const })
    expect(reverse).type.toBeCallableWith('booking', { args: null, kwargs: null, request: null, server: app })
    expect(reverse).type.toBeCallableWith('booking', { request: { version: 'v1', server: app } })
    expect(reverse('booking')).type.toBe<string>()
    expect(reverse).type.not.toBeCallableWith()
    expect(reverse).type.not.toBeCallableWith(7)
    expect(reverse).type.not.toBeCallableWith('booking', { kwargs: { id: 7 }, tenant: 'x' })
    expect(reverse).type.not.toBeCallableWith('booking', { args: { id: 7 } })
    expect(reverse).type.not.toBeCallableWith('booking', { kwargs: { id: {} } })
    expect(reverse).type.not.toBeCallableWith('booking', { request: {} })
    expect(reverse).type.not.toBeCallableWith('booking', { request: { version: 1, server: app } })
    expect(reverse).type.not.toBeCallableWith('booking', { server: '/' })
    expect(reverse).type.not.toBeCallableWith('booking', { query: { page: {} } })
  })
})

describe('a scheme of the user', () => {
  test('extends BaseVersioning', () => {
    class HeaderVersioning extends BaseVersioning {
      override readonly invalidVersionMessage = 'Invalid version in header.'

      override determineVersion (request: FastifyRequest) {
        expect(this.versionParam).type.toBe<string>()
        return this.permit(request.headers['x-api-version']?.toString())
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: HeaderVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new HeaderVersioning() })
    app.get('/', { versioning: HeaderVersioning }, async () => 'ok')
    expect(new HeaderVersioning().determineVersion({} as FastifyRequest)).type.toBe<string | null>()
  })

  test('may only read the version', () => {
    class ApiVersionHeader extends BaseVersioning {
      override readonly vary = 'X-API-Version'
      override readVersion ({ headers }: RawRequest) { return headers['x-api-version'] }
    }
    class ClientVersion extends BaseVersioning {
      override readonly knownAfterRouting = 'the version is in the session'
      override readVersion ({ query }: FastifyRequest) { return String(query) }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: [ApiVersionHeader, new ClientVersion()] })
    expect(new ApiVersionHeader().readVersion({} as RawRequest)).type.toBe<string | string[] | undefined>()
    expect<VersioningScheme['readVersion']>().type.toBe<
      ((request: RawRequest | FastifyRequest) => string | readonly string[] | null | undefined) | undefined
    >()
  })

  test('must read a string, a list of strings, or nothing', () => {
    class Numbered extends BaseVersioning {
      // @ts-expect-error Property 'readVersion' in type 'Numbered' is not assignable to the same property in base type
      override readVersion () { return 1 }
    }
    class Late extends BaseVersioning {
      // @ts-expect-error Property 'readVersion' in type 'Late' is not assignable to the same property in base type
      override async readVersion () { return 'v1' }
    }
    class Bodily extends BaseVersioning {
      // @ts-expect-error Property 'readVersion' in type 'Bodily' is not assignable to the same property in base type
      override readVersion (body: { version: string }) { return body.version }
    }
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Numbered })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Late })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Bodily })
  })

  test('may determine the version asynchronously', () => {
    class TenantVersioning extends BaseVersioning {
      override async determineVersion (request: FastifyRequest) {
        return this.permit(await Promise.resolve(request.hostname))
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: TenantVersioning })
    expect(TenantVersioning).type.toBeAssignableTo<VersioningSchemeClass>()
  })

  test('may extend any scheme by an asynchronous method', () => {
    class Accept extends AcceptHeaderVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class ContentType extends ContentTypeVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class Header extends HeaderVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class HostName extends HostNameVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class Namespace extends NamespaceVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class QueryParameter extends QueryParameterVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    class URLPath extends URLPathVersioning {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    }
    const schemes = [Accept, ContentType, Header, HostName, Namespace, QueryParameter, URLPath]
    expect(app.register).type.toBeCallableWith(versioning, { scheme: schemes })
    expect(new Header().determineVersion({} as FastifyRequest)).type.toBe<Promise<string | null>>()
  })

  test('must determine a string or null', () => {
    class Numbered extends BaseVersioning {
      // @ts-expect-error Type 'number' is not assignable to type 'string | Promise<string | null> | null'.
      override determineVersion () { return 1 }
    }
    class Late extends BaseVersioning {
      // @ts-expect-error Type 'Promise<undefined>' is not assignable to type 'string | Promise<string | null> | null'.
      override async determineVersion () { return undefined }
    }
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Numbered })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Late })
  })

  test('refines a concrete scheme', () => {
    class SubdomainVersioning extends HostNameVersioning {
      override readonly hostnameRegex = /^(v\d+)\./
      override readonly invalidVersionMessage = 'No such version.'
      override readonly defaultVersion = 'v1'
      override readonly allowedVersions = ['v1', 'v2']
      override readonly versionParam = 'v'

      override isAllowedVersion (version: string | null) {
        return version !== 'v0' && super.isAllowedVersion(version)
      }

      override refusal () {
        return new VersionError('notFound', `${super.refusal().message} Try ${this.defaultVersion}.`)
      }

      override determineVersion (request: FastifyRequest) {
        const version = super.determineVersion(request)
        return typeof version === 'string' ? version.toLowerCase() : version
      }

      override reverse (viewName: string | null, options: ReverseOptions = {}) {
        expect(options).type.not.toHaveProperty('tenant')
        expect(options.format).type.toBe<string | null | undefined>()
        const url = super.reverse(viewName, { ...options, kwargs: { ...options.kwargs, tenant: 'x' } })
        expect(url).type.toBe<string>()
        return url.toLowerCase()
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: SubdomainVersioning })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new SubdomainVersioning({ mediaTypes: null }) })
  })

  test('may resolve versions by a method or by a field', () => {
    class LowerCase extends URLPathVersioning {
      override resolveVersion (named: string) { return named.toLowerCase() }
    }
    class ByDate extends URLPathVersioning {
      override readonly resolveVersion = byDate
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: LowerCase })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new ByDate() })
    expect<Parameters<NonNullable<BaseVersioning['resolveVersion']>>>().type.toBe<Parameters<VersionResolver>>()
    expect<NonNullable<BaseVersioning['resolveVersion']>>().type.toBeAssignableTo<VersionResolver>()
  })

  test('may name the options of its own, and need not care for the route of the request', () => {
    class TenantVersioning extends QueryParameterVersioning {
      override reverse (viewName: string, options: ReverseOptions & { tenant?: string } = {}) {
        return `/${options.tenant}${super.reverse(viewName, options)}`
      }
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: TenantVersioning })
  })

  test('refuses what its parent would not understand', () => {
    class Wrong extends HostNameVersioning {
      // @ts-expect-error Type 'string' is not assignable to type 'RegExp'.
      override readonly hostnameRegex = 'v1'
      // @ts-expect-error Type 'string' is not assignable to type 'readonly (string | null)[]'.
      override readonly allowedVersions = 'v1'
      // @ts-expect-error Type 'number' is not assignable to type 'string'.
      override readonly defaultVersion = 1
      // @ts-expect-error Type 'URL' is not assignable to type 'string'.
      override reverse () { return new URL('https://example.com') }
    }
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Wrong })
  })

  test('is constructed with settings only', () => {
    class Configured extends BaseVersioning {
      constructor (settings: VersioningSettings = {}, readerName = 'x') {
        super({ ...settings, versionParam: readerName })
      }
    }
    class Demanding extends BaseVersioning {
      constructor (settings: VersioningSettings, readerName: string) {
        super({ ...settings, versionParam: readerName })
      }
    }
    abstract class Unfinished extends BaseVersioning {}
    expect(app.register).type.toBeCallableWith(versioning, { scheme: Configured })
    expect(app.register).type.toBeCallableWith(versioning, { scheme: new Demanding({}, 'x') })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Demanding })
    expect(app.register).type.not.toBeCallableWith(versioning, { scheme: Unfinished })
  })

  test('must extend BaseVersioning', () => {
    // @ts-expect-error Class 'Fixed' incorrectly implements interface 'VersioningScheme'.
    class Fixed implements VersioningScheme {
      readonly defaultVersion = 'v1'
      readonly allowedVersions = ['v1']
      readonly versionParam = 'version'
      readonly invalidVersionMessage = 'Invalid version.'
      determineVersion () { return this.defaultVersion }
      isAllowedVersion (version: string | null) { return version === this.defaultVersion }
      reverse (viewName: string | null) { return `/${viewName}` }
    }
    for (const scheme of [Fixed, new Fixed(), { ...new Fixed() }]) {
      expect(app.register).type.not.toBeCallableWith(versioning, { scheme })
      expect(app.register).type.not.toBeCallableWith(versioning, { scheme: [scheme] })
      expect(app.get).type.not.toBeCallableWith('/', { versioning: scheme }, async () => 'ok')
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: {} as FastifyRequest['versioningScheme'] })
  })

  test('may name its header by a class field', () => {
    class Named extends HeaderVersioning {
      override readonly versionHeader = 'X-Version'
      override readonly placeText = 'own header'
      override readonly vary = 'X-Version, X-Tenant'
    }
    expect(app.register).type.toBeCallableWith(versioning, { scheme: Named })
  })

  test('has every method', () => {
    expect<Omit<VersioningScheme, 'isAllowedVersion'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<Omit<VersioningScheme, 'determineVersion'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<Omit<VersioningScheme, 'reverse'>>().type.not.toBeAssignableTo<VersioningScheme>()
    expect<VersioningScheme>().type.toBeAssignableFrom<BaseVersioning>()
    expect<VersioningScheme>().type.not.toBeAssignableTo<BaseVersioning>()
  })
})

describe('the errors', () => {
  test('have a kind, a code, a status, the allowed versions and a reason', () => {
    const error = new VersionError('notFound', 'Invalid version.', ['v1', null])
    expect(error).type.toBeAssignableTo<FastifyError>()
    expect(error.kind).type.toBe<RefusalKind>()
    expect(error.code).type.toBe<VersionErrorCode>()
    expect(error.statusCode).type.toBe<number>()
    expect(error.allowedVersions).type.toBe<AllowedVersions | null>()
    expect(error.reason).type.toBe<RefusalReason | null>()
  })

  test('are made of a kind and a message', () => {
    for (const kind of [
      'notFound', 'notAcceptable', 'notSupported', 'unsupportedMediaType', 'ambiguous', 'gone'
    ] as const) {
      expect(VersionError).type.toBeConstructableWith(kind, 'Invalid version.')
    }
    expect(VersionError).type.toBeConstructableWith('notFound', 'Invalid version.', null)
    expect(VersionError).type.toBeConstructableWith('gone', 'Invalid version.', ['v1'])
    expect(VersionError).type.not.toBeConstructableWith('Invalid version.')
    expect(VersionError).type.not.toBeConstructableWith('brownout', 'Invalid version.')
    expect(VersionError).type.toBeConstructableWith('notFound')
    expect(VersionError).type.not.toBeConstructableWith('notFound', 'Invalid version.', 'v1')
    expect(VersionError).type.not.toBeConstructableWith('notFound', 'Invalid version.', [1])
  })

  test('can be distinguished in an error handler', () => {
    app.setErrorHandler((error, _request, reply) => {
      if (error instanceof VersionError) {
        expect(error.statusCode).type.toBe<number>()
        reply.send({ versions: error.allowedVersions })
      }
    })
  })
})
