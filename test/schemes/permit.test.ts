import t from 'tap'

import { BaseVersioning, HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

/** Hands to permit() what readVersion() returns, which is a list where the header has a comma. */
class Permitting extends HeaderVersioning {
  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(this.readVersion(request))
  }
}

interface Permission { header?: string, version?: string, statusCode?: number, code?: string }

const permissions: Permission[] = [
  { version: 'v1' },
  { header: 'v2', version: 'v2' },
  { header: 'v2, v2', version: 'v2' },
  { header: ',', version: 'v1' },
  { header: 'v1,v2', statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS' },
  { header: 'v9,v9', statusCode: 400, code: 'FST_ERR_VERSION_NOT_SUPPORTED' }
]

for (const { header, version, ...refusal } of permissions) {
  t.test(`permit() makes ${version ?? refusal.code} of ${header ?? 'a missing header'}`, async (t) => {
    const app = await appWith(t, { scheme: Permitting, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    app.get('/', async (request) => ({ version: request.version }))
    const headers = header === undefined ? {} : { 'api-version': header }
    t.match((await app.inject({ url: '/', headers })).json(), version === undefined ? refusal : { version })
  })
}

/** Goes on with the method of BaseVersioning, so that the plugin calls it. */
class Continuing extends HeaderVersioning {
  override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}

/** Passes BaseVersioning a request that takes no properties. */
class Freezing extends HeaderVersioning {
  override determineVersion ({ headers }: FastifyRequest) {
    return super.determineVersion(Object.freeze({ headers }) as FastifyRequest)
  }
}

t.test('super.determineVersion() takes a request that is frozen', async (t) => {
  const app = await appWith(t, { scheme: Freezing, allowedVersions: ['v1', 'v2'] })
  app.get('/', async (request) => ({ version: request.version }))
  t.same((await app.inject({ url: '/', headers: { 'api-version': 'v2' } })).json(), { version: 'v2' })
})

for (const { pinned, answer } of [
  { pinned: 'v2', answer: { version: 'v2' } },
  { pinned: null, answer: { code: 'FST_ERR_VERSION_NOT_SUPPORTED' } }
]) {
  t.test(`super.determineVersion() waits for the default version of a client, which is ${pinned}`, async (t) => {
    const app = await appWith(t, {
      scheme: Continuing,
      defaultVersion: { header: 'X-Key', version: async () => pinned },
      allowedVersions: ['v1', 'v2']
    })
    app.get('/', async (request) => ({ version: request.version }))
    t.match((await app.inject('/')).json(), answer)
  })
}

t.test('a version that is refused by resolveVersion never gets the default version', async (t) => {
  const settings = {
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    resolveVersion: (version: string) => version === 'v2' ? 'v2' : null
  }
  for (const scheme of [HeaderVersioning, Permitting, [HeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    app.get('/', async (request) => ({ version: request.version }))
    app.get('/chosen', { version: ['v1', 'v2'] }, async (request) => ({ version: request.version }))
    for (const url of ['/', '/chosen']) {
      const ask = async (version: string) => (await app.inject({ url, headers: { 'api-version': version } })).json()
      t.match(await ask('v1'), { code: 'FST_ERR_VERSION_NOT_SUPPORTED' })
      t.match(await ask('v1, v1'), { code: 'FST_ERR_VERSION_NOT_SUPPORTED' })
      t.same(await ask('v2, v2'), { version: 'v2' })
    }
  }
})

t.test('permit() does not mistake a promise for a version', async (t) => {
  t.throws(() => new BaseVersioning().permit(Promise.resolve('v1') as never), { code: 'FST_ERR_VERSION_INVALID' })
})

/** Each reads `v1` from everywhere, and overrides determineVersion() in its own way. */
class Read extends BaseVersioning {
  override readVersion (_request: RawRequest | FastifyRequest) { return 'v1' }
}
class Overridden extends Read {
  override determineVersion () { return this.permit('v1') }
}
class Further extends Overridden {}
class ReadAgain extends Overridden {
  override readVersion () { return 'v1' }
}
class Both extends BaseVersioning {
  override readVersion () { return 'v1' }
  override determineVersion () { return this.permit('v1') }
}

for (const scheme of [Overridden, Further, [HeaderVersioning, Overridden]]) {
  const label = Array.isArray(scheme) ? `a list with ${Overridden.name}` : scheme.name
  t.test(`${label}, which only overrides determineVersion(), is served by the route of its version`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
    app.get('/', { version: 'v1' }, async (request) => request.version)
    app.get('/', { version: 'v2' }, async (request) => request.version)
    t.equal((await app.inject('/')).body, 'v1')
  })
}

for (const scheme of [Read, ReadAgain, Both, new Read()]) {
  t.test(`${scheme instanceof Read ? 'an instance' : scheme.name} with readVersion() chooses a handler`, async (t) => {
    const app = await appWith(t, { scheme })
    app.get('/', { version: 'v1' }, async (request) => request.version)
    t.equal((await app.inject('/')).body, 'v1')
  })
}
