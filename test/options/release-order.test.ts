import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const code = 'FST_ERR_VERSIONING_OPTION'
const newestFirst = ['v3', 'v2', 'v1']
const change: Change = { version: 'v3', description: 'A description.', routes: { b: {} } }
const dated = { v1: { deprecated: '2026-01-01' } }

const readers: [reader: string, options: VersioningOptions, declare?: (app: FastifyInstance) => unknown][] = [
  ["the range { from: 'v2' }", {}, (app) => app.get('/b', { version: { from: 'v2' } }, ok)],
  ["the range { to: 'v2' }", {}, (app) => (
    app.register(async (context) => { context.get('/b', ok) }, { version: { to: 'v2' } })
  )],
  ['"changes"', { changes: [change] }],
  ['"lifecycle"', { lifecycle: dated }],
  ['"lifecycle"', { lifecycle: { v1: { sunset: '2026-01-01' }, v3: { preview: true } } }],
  ['"deprecated"', {}, (app) => app.get('/a', { deprecated: { sunset: '2026-01-01' } }, ok)]
]

for (const [reader, options, declare] of readers) {
  t.test(`versions that are listed newest first are an error where ${reader} reads the order`, async (t) => {
    const boot = async () => {
      const app = bareApp(t)
      await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: newestFirst, ...options })
      declare?.(app)
      await app.ready()
    }
    await t.rejects(boot, {
      code,
      message: 'Invalid "allowedVersions": expected the oldest version first, such as [ \'v1\', \'v2\', \'v3\' ], ' +
        `because ${reader} reads the order, got [ 'v3', 'v2', 'v1' ].`
    })
  })
}

t.test('the versions of a route, or of a context below, are not listed newest first, either', async (t) => {
  const lifecycle = dated
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], lifecycle })
  const versioned = new HeaderVersioning({ allowedVersions: newestFirst })
  t.throws(() => app.get('/a', { versioning: versioned }, ok), { code, message: /oldest version first.*GET \/a/ })
  app.register(async (context) => { await context.register(versioning, { allowedVersions: newestFirst }) })
  await t.rejects(async () => app.ready(), { code, message: /oldest version first/ })
})

const lists: [versions: (string | null)[], isWrong: boolean][] = [
  [['v10', 'v9', 'v1'], true],
  [['v9', 'v10'], false],
  [['2026-01-01', '2025-06-30', '2025-06-01'], true],
  [['1.10', '1.9', '0.20'], true],
  [[null, '2', '1'], true],
  [['v1', 'v10', 'v2'], true],
  [['v1', 'v10', 'v2', 'v2-beta'], true],
  [['v2', 'v1', null], true],
  [['q1-2026', 'q4-2025'], true],
  [['q4-2025', 'q1-2026'], false],
  [['12-2025', '01-2026'], false],
  [['31-01-2026', '01-02-2026'], false],
  [['01-31-2026', '02-01-2026'], false],
  [['v3', 'v1', 'v2'], false],
  [['v1', 'v3', 'v2'], false],
  [['v2', 'v1', 'beta'], false],
  [['2026-01-01.oak', '2025-01-01'], false],
  [['2.0', '1'], false],
  [['beta', 'alpha'], false],
  [['v1'], false],
  [[], false]
]

for (const [allowedVersions, isWrong] of lists) {
  const says = `${JSON.stringify(allowedVersions)} ${isWrong ? 'is' : 'is not'} a wrong order`
  t.test(says, async (t) => {
    const [version = 'v1'] = allowedVersions.filter((one) => one !== null)
    const lifecycle = { [version]: { sunset: '2026-01-01' } }
    const boot = async () => appWith(t, { scheme: HeaderVersioning, allowedVersions, lifecycle })
    if (isWrong) await t.rejects(boot, { code, message: /^Invalid "allowedVersions"/ })
    else await t.resolves(boot)
  })
}

t.test('versions that are sorted as texts are an error that has the right order', async (t) => {
  const lifecycle = dated
  await t.rejects(appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v10', 'v2'], lifecycle }), {
    message: "Invalid \"allowedVersions\": expected the oldest version first, such as [ 'v1', 'v2', 'v10' ], because " +
      '"lifecycle" reads the order, got'
  })
})

t.test('newest first is fine where nothing reads the order', async (t) => {
  const lifecycle = { v3: { preview: true } }
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: newestFirst, lifecycle })
  app.get('/b', { version: ['v1', 'v2'] }, ok)
  await t.resolves(async () => app.ready())
})
