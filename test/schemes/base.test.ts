import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningSettings } from '../../types/index.d.ts'

/** A scheme as a user writes one. */
class HeaderVersioning extends BaseVersioning {
  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(request.headers['x-api-version'] as string | undefined)
  }
}

schemeContract(t, {
  Scheme: HeaderVersioning,
  routes: (app, probe) => app.route({ ...probe, url: '/probe' }),
  naming: (version) => ({ url: '/probe', headers: { 'x-api-version': version } }),
  unnamed: { url: '/probe' },
  lookalikes: ['V1', 'v10', 'v', 'v1.0', ''],
  refusal: {
    statusCode: 404,
    code: 'FST_ERR_VERSION_NOT_FOUND',
    error: 'Not Found',
    message: 'Invalid version.'
  },
  isDefaultChecked: true,
  link: () => '/probe'
})

interface Permission { settings: VersioningSettings, permitted: Array<string | null>, refused: Array<string | null> }

const permissions: Permission[] = [
  { settings: {}, permitted: ['v1', '', null], refused: [] },
  { settings: { allowedVersions: null, defaultVersion: 'v1' }, permitted: ['v1', 'v2', '', null], refused: [] },
  { settings: { allowedVersions: [], defaultVersion: 'v1' }, permitted: ['v1', 'v2', '', null], refused: [] },
  { settings: { allowedVersions: ['v1'] }, permitted: ['v1'], refused: ['v2', 'V1', 'v', '', 'null', null] },
  { settings: { allowedVersions: ['v1'], defaultVersion: 'v2' }, permitted: ['v1', 'v2'], refused: ['v3', '', null] },
  { settings: { allowedVersions: ['v1'], defaultVersion: '' }, permitted: ['v1', ''], refused: ['v2', null] },
  { settings: { allowedVersions: ['v1', null] }, permitted: ['v1', null], refused: ['v2', '', 'null'] },
  { settings: { allowedVersions: [''] }, permitted: [''], refused: ['v1', null] },
  { settings: { allowedVersions: ['1'] }, permitted: ['1'], refused: ['1.0', '01', ' 1', '1 '] },
  { settings: { allowedVersions: new Set(['v1', 'v2']) }, permitted: ['v1', 'v2'], refused: ['v3'] }
]

for (const { settings, permitted, refused } of permissions) {
  const { allowedVersions, defaultVersion } = settings
  const listed = JSON.stringify(allowedVersions && [...allowedVersions])
  t.test(`the list ${listed} and the default ${JSON.stringify(defaultVersion)} are permitted, no other`, async (t) => {
    const scheme = new BaseVersioning(settings)
    for (const version of permitted) t.equal(scheme.isAllowedVersion(version), true, JSON.stringify(version))
    for (const version of refused) t.equal(scheme.isAllowedVersion(version), false, JSON.stringify(version))
  })
}

t.test('a scheme without settings has the defaults', async (t) => {
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  t.same({ defaultVersion, allowedVersions, versionParam }, {
    defaultVersion: null, allowedVersions: null, versionParam: 'version'
  })
})

for (const requested of [null, undefined]) {
  t.test(`${requested} asks for the default version`, async (t) => {
    t.equal(new BaseVersioning({ defaultVersion: 'v1', allowedVersions: ['v2'] }).permit(requested), 'v1')
    const refusing = new BaseVersioning({ allowedVersions: ['v2'] })
    t.throws(() => refusing.permit(requested), { code: 'FST_ERR_VERSION_NOT_FOUND' })
  })
}

t.test('an empty string asks for the version that is empty', async (t) => {
  t.equal(new BaseVersioning({ defaultVersion: 'v1' }).permit(''), '')
})

t.test('the refusal of a scheme that permits every version lists none', async (t) => {
  t.match(new BaseVersioning().refusal(), { code: 'FST_ERR_VERSION_NOT_FOUND', allowedVersions: null })
})

class HalfDone extends BaseVersioning {}

for (const scheme of [BaseVersioning, HalfDone, new HalfDone()]) {
  const { name } = typeof scheme === 'function' ? scheme : scheme.constructor
  t.test(`${typeof scheme === 'function' ? 'the class' : 'an instance of'} ${name} has no version`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'v1' })
    app.get('/probe', async () => '')
    const response = await app.inject('/probe')
    t.equal(response.statusCode, 501)
    t.same(response.json(), {
      statusCode: 501,
      code: 'FST_ERR_VERSION_NOT_IMPLEMENTED',
      error: 'Not Implemented',
      message: `${name}.determine_version() must be implemented.`
    })
  })
}

t.test('BaseVersioning ignores the version of the request when it reverses', async (t) => {
  const scheme = new BaseVersioning()
  const server = await appWith(t, { scheme })
  server.get('/items/:id', { name: 'item' }, async () => '')
  await server.ready()
  const request = { version: 'v1', server }
  t.equal(scheme.reverse('item', { args: [7], request }), '/items/7')
  t.equal(scheme.reverse('item', { kwargs: { id: 7 }, request }), '/items/7')
})

t.test('reverse uses the app of the request, then that of the options, then its own', async (t) => {
  const scheme = new BaseVersioning()
  const [own, named, asked] = await Promise.all(['/own', '/named', '/asked'].map(async (url) => {
    const app = await appWith(t, url === '/own' ? { scheme } : {})
    app.get(url, { name: 'probe' }, async () => '')
    await app.ready()
    return app
  }))
  t.equal(scheme.reverse('probe', { request: { version: null, server: asked }, server: named }), '/asked')
  t.equal(scheme.reverse('probe', { request: null, server: named }), '/named')
  t.equal(scheme.reverse('probe', { server: own }), '/own')
  t.equal(scheme.reverse('probe'), '/own')
})

t.test('a scheme that no app has registered cannot reverse', async (t) => {
  t.throws(() => new BaseVersioning().reverse('probe'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})
