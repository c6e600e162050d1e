import t from 'tap'

import versioning, { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

const DEFAULT = /^Invalid "defaultVersion": expected a string, null or \{ header, version \}, got/

interface Refused { what: string, options: object, message: RegExp | string }

const refused: Refused[] = [
  { what: 'a scheme by name', options: { scheme: 'query' }, message: /^Invalid "scheme": .+, got 'query'\. See / },
  { what: 'a scheme that is a function', options: { scheme: () => {} }, message: /^Invalid "scheme"/ },
  {
    what: 'a scheme that is another class',
    options: { scheme: Map },
    message: /^Invalid "scheme": .+, got \[Function: Map\]\. See /
  },
  { what: 'a scheme that is a plain object', options: { scheme: { reverse () {} } }, message: /^Invalid "scheme"/ },
  {
    what: 'a defaultVersion that is a number',
    options: { defaultVersion: 1 },
    message: 'Invalid "defaultVersion": expected a string, null or { header, version }, got 1.'
  },
  { what: 'a function as defaultVersion', options: { defaultVersion: () => 'v1' }, message: DEFAULT },
  {
    what: 'a defaultVersion without a header',
    options: { defaultVersion: { version: () => 'v1' } },
    message: 'Invalid "defaultVersion.header": expected the name of a request header, got undefined.'
  },
  {
    what: 'a defaultVersion by anything else than one header',
    options: { defaultVersion: { vary: 'X-Key', version: () => 'v1' } },
    message: /^Invalid "defaultVersion\.vary": expected one of the fields header, version, got 'X-Key'\. /
  },
  {
    what: 'a defaultVersion without a function',
    options: { defaultVersion: { header: 'X-Key' } },
    message: 'Invalid "defaultVersion.version": expected a function that returns a version, got undefined.'
  },
  {
    what: 'a defaultVersion with a fixed version',
    options: { defaultVersion: { header: 'X-Key', version: 'v1' } },
    message: 'Invalid "defaultVersion.version": expected a function that returns a version, got \'v1\'.'
  },
  ...['', 'X Key', null, 7, ['X-Key']].map((header) => ({
    what: `a defaultVersion by the header ${JSON.stringify(header)}`,
    options: { defaultVersion: { header, version: () => 'v1' } },
    message: /^Invalid "defaultVersion\.header": expected the name of a request header, got /
  })),
  {
    what: 'a defaultVersion with another field',
    options: { defaultVersion: { heder: 'X-Key', version: () => 'v1' } },
    message: /^Invalid "defaultVersion\.heder": expected one of .+, got 'X-Key'\. Did you mean 'header'\?/
  },
  {
    what: 'a versionHeader that is not a name',
    options: { versionHeader: '' },
    message: 'Invalid "versionHeader": expected the name of a request header, got \'\'.'
  },
  { what: 'a short option that resembles none', options: { foo: 1 }, message: /^(?!.*Did you mean).+ got 1\. See / },
  { what: 'a short option with one letter wrong', options: { nom: 1 }, message: /got 1\. Did you mean 'now'\?/ },
  { what: 'an option with two letters swapped', options: { shceme: null }, message: /Did you mean 'scheme'\?/ },
  {
    what: 'a resolveVersion that is a text',
    options: { resolveVersion: 'byDate' },
    message: 'Invalid "resolveVersion": expected a function without a promise, or null, got \'byDate\'.'
  },
  { what: 'an async resolveVersion', options: { resolveVersion: async () => 'v1' }, message: /null, got \[AsyncFunc/ },
  {
    what: 'a string as allowedVersions',
    options: { allowedVersions: 'v1' },
    message: 'Invalid "allowedVersions": expected an iterable of strings and null, or null, got \'v1\'.'
  },
  {
    what: 'a number in allowedVersions',
    options: { allowedVersions: ['v1', 2] },
    message: /got \[ 'v1', 2 \]\. See /
  },
  { what: 'a plain object as allowedVersions', options: { allowedVersions: {} }, message: /got \{\}\. See / },
  {
    what: 'an empty versionParam',
    options: { versionParam: '' },
    message: 'Invalid "versionParam": expected a non-empty string, got \'\'.'
  },
  {
    what: 'a versionParam that is null',
    options: { versionParam: null },
    message: /^Invalid "versionParam".+got null\. See /
  },
  {
    what: 'a string as mediaTypes',
    options: { mediaTypes: 'application/json' },
    message: /^Invalid "mediaTypes"/
  },
  {
    what: 'a media type without a slash',
    options: { mediaTypes: ['json'] },
    message: /^Invalid "mediaTypes".+\[ 'json' \]\. See /
  },
  { what: 'a media type that is not a string', options: { mediaTypes: [1] }, message: /^Invalid "mediaTypes"/ },
  {
    what: 'an unknown option',
    options: { versions: ['v1'] },
    message: 'Invalid "versions": expected one of the options scheme, defaultVersion, allowedVersions, ' +
      'resolveVersion, versionParam, versionHeader, mediaTypes, baseUrl, changes, logVersion, lifecycle, ' +
      "reportVersions, enforceSunset, now, servedVersion, got [ 'v1' ]."
  },
  ...['problemDetails', 'statusCodes', 'brownouts'].map((option) => ({
    what: `the option ${option}, which is a recipe,`,
    options: { [option]: true },
    message: new RegExp(`^Invalid "${option}": expected one of the options scheme, .+, got true\\.`)
  })),
  { what: 'an option named like a method of objects', options: { toString: 1 }, message: /^Invalid "toString"/ },
  {
    what: 'a namespace, which belongs to a context with routes,',
    options: { namespace: 'v1' },
    message: 'Invalid "namespace": expected a namespace on the register() of a context with routes, got \'v1\'.'
  }
]

for (const { what, options, message } of refused) {
  t.test(`${what} is refused at boot`, async (t) => {
    await t.rejects(async () => appWith(t, options), { code: 'FST_ERR_VERSIONING_OPTION', statusCode: 500, message })
  })
}

t.test('a scheme refuses a setting that is not valid when it is made', async (t) => {
  t.throws(() => new BaseVersioning({ defaultVersion: 1 as never }), { code: 'FST_ERR_VERSIONING_OPTION' })
})

for (const name of ['', 'a:b', ':', 7, null]) {
  t.test(`a route cannot be named ${JSON.stringify(name)}`, async (t) => {
    const app = await appWith(t)
    t.throws(() => app.get('/', { name: name as never }, async () => ''), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "name": expected a non-empty string without ":", got /
    })
  })

  t.test(`a namespace cannot be ${JSON.stringify(name)}`, async (t) => {
    const app = await appWith(t)
    app.register(async () => {}, { namespace: name as never })
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "namespace": expected a non-empty string without ":", got /
    })
  })
}

for (const scheme of [true, null, 'query', Map]) {
  t.test(`a route cannot have the option versioning: ${String(scheme)}`, async (t) => {
    const app = await appWith(t)
    t.throws(() => app.get('/', { versioning: scheme as never }, async () => ''), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "versioning"/
    })
  })
}

class NumberedDefault extends QueryParameterVersioning {
  override readonly defaultVersion = 5 as never
}

class ListedInSet extends QueryParameterVersioning {
  override readonly allowedVersions = new Set(['v1']) as never
}

for (const [scheme, option] of [[NumberedDefault, 'defaultVersion'], [ListedInSet, 'allowedVersions']] as const) {
  t.test(`a class whose field ${option} is not valid is refused at boot`, async (t) => {
    await t.rejects(async () => appWith(t, { scheme }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`^Invalid "${option}"`)
    })
  })
}

class ClientDefaultField extends QueryParameterVersioning {
  override readonly defaultVersion = { header: 'X-Key', version: () => 'v1' } as never
}

t.test('a default version for each client is refused at boot as a class field', async (t) => {
  await t.rejects(async () => appWith(t, { scheme: ClientDefaultField }), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "defaultVersion": expected a string or null, because only the constructor of BaseVersioning/
  })
})

t.test('mediaTypes may be an iterable that can be read only once', async (t) => {
  t.same(new AcceptHeaderVersioning({ mediaTypes: ['a/b'].values() }).mediaTypes, ['a/b'])
})

t.test('the settings have the defaults null, null and version', async (t) => {
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  t.same({ defaultVersion, allowedVersions, versionParam }, {
    defaultVersion: null, allowedVersions: null, versionParam: 'version'
  })
})

t.test('an undefined setting is treated as absent', async (t) => {
  const app = await appWith(t, {
    scheme: QueryParameterVersioning,
    defaultVersion: undefined,
    allowedVersions: undefined,
    versionParam: undefined,
    mediaTypes: undefined
  })
  app.get('/', async (request) => ({ version: request.version }))
  t.same((await app.inject('/?version=x')).json(), { version: 'x' })
})

t.test('allowedVersions may be any iterable, and keeps its order', async (t) => {
  t.same(new BaseVersioning({ allowedVersions: new Set(['b', 'a', null]) }).allowedVersions, ['b', 'a', null])
  t.same(new BaseVersioning({ allowedVersions: ['a', 'b'].values() }).allowedVersions, ['a', 'b'])
})

t.test('a list of versions that is modified later does not change allowedVersions', async (t) => {
  const versions = ['a']
  const scheme = new BaseVersioning({ allowedVersions: versions })
  versions.push('b')
  t.equal(scheme.isAllowedVersion('b'), false)
})

t.test('options of Fastify\'s register() are accepted', async (t) => {
  const app = bareApp(t)
  app.register(versioning, { prefix: '/api', logLevel: 'warn', logSerializers: {} })
  await t.resolves(async () => app.ready())
})

t.test('the option that tests of `fastify generate` hand to every plugin is accepted', async (t) => {
  const app = bareApp(t)
  app.register(versioning, { skipOverride: true } as object)
  await t.resolves(async () => app.ready())
})
