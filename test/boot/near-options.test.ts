import t from 'tap'

import versioning from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'

import type { RouteShorthandOptions } from 'fastify'

const CODE = 'FST_ERR_VERSIONING_OPTION'

for (const [option, near] of [
  ['default_version', 'defaultVersion'], ['allowedVersion', 'allowedVersions'], ['defaultVerison', 'defaultVersion'],
  ['schema', 'scheme'], ['mediaType', 'mediaTypes'], ['baseURL', 'baseUrl'], ['lifeCycle', 'lifecycle'],
  ['logversion', 'logVersion'], ['versions'], ['Version'], ['colour']
]) {
  t.test(`the option ${option} of the plugin is refused, and ${near ?? 'no other'} suggested`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning)
    const hint = near === undefined ? '' : ` Did you mean '${near}'\\?`
    const message = new RegExp(`^Invalid "${option}": expected one of the options [^.]*, got 'v1'\\.${hint} See `)
    await t.rejects(appWith(t, { [option]: 'v1' }), { code: CODE, message })
    const inContext = app.register(async (context) => context.register(versioning, { [option]: 'v1' }))
    await t.rejects(async () => inContext, { code: CODE, message })
  })
}

const near: [where: 'route' | 'register', option: string, own: string][] = [
  ['route', 'versions', 'version'],
  ['route', 'Version', 'version'],
  ['route', 'deprecation', 'deprecated'],
  ['route', 'writtenfor', 'writtenFor'],
  ['route', 'Name', 'name'],
  ['route', 'versoin', 'version'],
  ['route', 'versionning', 'versioning'],
  ['register', 'Version', 'version'],
  ['register', 'Namespace', 'namespace'],
  ['register', 'writtenfor', 'writtenFor']
]

for (const [where, option, own] of near) {
  t.test(`the ${where} option ${option} is refused, because it is nearly ${own}`, async (t) => {
    const app = await appWith(t)
    const message = `Invalid "${option}": expected the ${where} option "${own}" instead, got 'v1'.`
    const options = { [option]: 'v1' }
    const error = { code: CODE, message }
    if (where === 'route') t.throws(() => app.get('/a', options as RouteShorthandOptions, ok), error)
    else await t.rejects(async () => app.register(async () => {}, options), error)
  })
}

t.test('options of contexts are refused at a route and at the plugin', async (t) => {
  const app = await appWith(t)
  const message = /^Invalid "(?:namespace|version)": expected a \w+ on the register\(\) of a context with routes/
  const error = { code: CODE, message }
  t.throws(() => app.get('/a', { namespace: 'v1' } as RouteShorthandOptions, ok), error)
  for (const option of ['namespace', 'version']) await t.rejects(appWith(t, { [option]: 'v1' }), error)
})

t.test('options of other plugins are left alone', async (t) => {
  const app = await appWith(t)
  const others = { game: 1, names: 1, session: 1, websocket: false, preParsed: 1, public: true, tags: ['a'], verify: 1 }
  app.get('/a', others as RouteShorthandOptions, ok)
  app.register(async () => {}, { ...others, conversion: 'v1', versions: ['v1'], namespaces: ['a'], prefix: '/a' })
  await t.resolves(async () => app.ready())
})
