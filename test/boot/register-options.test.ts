import Fastify from 'fastify'
import t from 'tap'

import versioning from '../../src/index.ts'

t.test('the error about an unknown option of the plugin names it and the nearest one', async (t) => {
  const app = Fastify()
  app.register(versioning, { default_version: 'v1' } as object)
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /default_version.*did you mean\W+defaultVersion\W*\?/is
  })
})

/** What boot fails with, or null if it does not. */
async function failureOf (options: object): Promise<{ code?: string, message?: string } | null> {
  const app = Fastify()
  app.register(versioning, options)
  try {
    await app.ready()
    return null
  } catch (error) {
    return error as Error
  }
}

const typos = {
  default_version: 'defaultVersion',
  allowed_versions: 'allowedVersions',
  version_param: 'versionParam',
  allowedVersion: 'allowedVersions',
  defaultVerison: 'defaultVersion',
  schema: 'scheme',
  mediaType: 'mediaTypes',
  baseURL: 'baseUrl',
  lifeCycle: 'lifecycle',
  reportVersion: 'reportVersions',
  enforceSunsets: 'enforceSunset',
  logversion: 'logVersion'
}

for (const [typo, near] of Object.entries(typos)) {
  t.test(`the error about the unknown option ${typo} suggests ${near}`, async (t) => {
    const failure = await failureOf({ [typo]: 'v1' })
    t.match(failure, { code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`\\b${typo}\\b`) })
    t.match(failure?.message, new RegExp(`did you mean\\W+${near}\\W*\\?`, 'i'))
  })
}

t.test('the error about an unknown option that resembles no other suggests none', async (t) => {
  const failure = await failureOf({ colour: 'red' })
  t.match(failure, { code: 'FST_ERR_VERSIONING_OPTION', message: /\bcolour\b/ })
  t.notMatch(failure?.message, /did you mean/i)
})

t.test('a typo in the options of a child context is reported as well', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.register(async (context) => { await context.register(versioning, { allowed_versions: ['v1'] } as object) })
  await t.rejects(async () => app.ready(), { message: /did you mean\W+allowedVersions\W*\?/i })
})

const nearOnes = { versions: 'version', Version: 'version', name_space: 'namespace', writtenfor: 'writtenFor' }

for (const [option, near] of Object.entries(nearOnes)) {
  t.test(`the option ${option} of a context is refused, because ${near} is meant`, async (t) => {
    const app = Fastify()
    await app.register(versioning)
    app.register(async () => {}, { [option]: 'v1' })
    const message = `Invalid "${option}": expected the register option "${near}" instead, got 'v1'.`
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('other options of a context are its own', async (t) => {
  const app = Fastify()
  await app.register(versioning)
  app.register(async () => {}, { verbose: true, conversion: 'v1', names: ['a'], prefix: '/a' })
  await t.resolves(async () => app.ready())
})
