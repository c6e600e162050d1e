import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
  homepage: string
}
const PAGES = manifest.homepage.replace('#readme', '/blob/main/')
const handler = async () => ''
const scheme = QueryParameterVersioning

interface Mistake { what: string, where: string, page: string, make (app: FastifyInstance): unknown }

const mistakes: Mistake[] = [
  {
    what: 'an option of the root',
    where: 'The context is the root.',
    page: 'options.md',
    make: (app) => app.register(versioning, { logVersion: 1 as never })
  },
  {
    what: 'an option with a near name',
    where: "Did you mean 'versionParam'? The context is the root.",
    page: 'options.md',
    make: (app) => app.register(versioning, { versionParm: 'v' } as VersioningOptions)
  },
  {
    what: 'an option of a context with a prefix',
    where: "The context has the prefix '/api'.",
    page: 'options.md',
    make: (app) => app.register(async (api) => {
      await api.register(versioning, { defaultVersion: 1 as never })
    }, { prefix: '/api' })
  },
  {
    what: 'a namespace',
    where: 'The context is partners.',
    page: 'options.md',
    make (app) {
      app.register(versioning)
      app.register(async function partners () {}, { namespace: ':' })
    }
  },
  {
    what: 'an option that does not go with an earlier route',
    where: 'The route is GET /a.',
    page: 'options.md',
    make (app) {
      app.register(versioning)
      app.register(async (api) => {
        api.get('/a', { versioning: new QueryParameterVersioning({ allowedVersions: ['a,b'] }) }, handler)
        await api.register(versioning, { reportVersions: true })
      })
    }
  },
  {
    what: 'an option of a route',
    where: 'The route is GET /a.',
    page: 'options.md',
    async make (app) {
      await app.register(versioning, { scheme: NamespaceVersioning })
      app.get('/a', { version: 'v1' }, handler)
    }
  },
  {
    what: 'two routes that claim a version',
    where: "Two routes GET /cats claim version '1'.",
    page: 'errors.md#conflicts-at-boot',
    async make (app) {
      await app.register(versioning, { scheme: AcceptHeaderVersioning })
      for (let i = 0; i < 2; i++) app.get('/cats', { version: '1' }, handler)
    }
  },
  {
    what: 'two registrations',
    where: 'The context is the root.',
    page: 'errors.md#conflicts-at-boot',
    make: (app) => app.register(versioning, { scheme }).register(versioning)
  }
]

for (const { what, where, page, make } of mistakes) {
  t.test(`an error at boot about ${what} ends with where it occurred and a page`, async (t) => {
    const app = bareApp(t)
    const error = await (async () => {
      await make(app)
      await app.ready()
    })().then(() => t.fail('no error'), (error: Error) => error) as Error
    t.ok(error.message.endsWith(`${where} See ${PAGES}docs/${page}`), error.message)
    t.ok(error.stack?.includes(error.message), 'the stack as well')
    t.equal(error.message.split(' See ').length, 2, 'once')
  })
}

t.test('the pages that errors at boot link to exist', async (t) => {
  for (const page of new Set(mistakes.map(({ page }) => page).concat('openapi.md'))) {
    const [file, anchor] = page.split('#')
    const url = new URL(`../../docs/${file}`, import.meta.url)
    if (!t.ok(existsSync(url), file) || anchor === undefined) continue
    const headings = (await readFile(url, 'utf8')).matchAll(/^#+ (.*)$/gm)
    t.ok([...headings].some(([, text]) => text.toLowerCase().replaceAll(' ', '-') === anchor), page)
  }
})

t.test('an error that other code throws at boot is not changed', async (t) => {
  const own = new Error('no')
  const allowedVersions = { * [Symbol.iterator] () { throw own } }
  await t.rejects(async () => appWith(t, { scheme, allowedVersions: allowedVersions as Iterable<string> }), own)
  const app = await appWith(t, { scheme })
  class Failing extends QueryParameterVersioning { override label = (() => { throw own })() }
  t.throws(() => app.get('/', { versioning: Failing }, handler), own)
  t.equal(own.message, 'no')
})
