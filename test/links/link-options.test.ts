import Fastify from 'fastify'
import t from 'tap'

import versioning, { BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { schemeNames, schemes } from '../fixtures/schemes.ts'

import type { LinkOptions, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

t.test('a typo in the options of a link is reported', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.get('/', { name: 'root' }, async () => '')
  t.throws(() => app.reverse('root', null, { verison: 'v2', absolut: true } as LinkOptions), {
    code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message: /\bverison\b.*\bversion\b|\babsolut\b.*\babsolute\b/
  })
})

/** An app with a route that links to itself, and another that links to that one, both in the version v1. */
async function appFor (scheme: VersioningOptions['scheme'], linkOptions: LinkOptions = {}) {
  const app = Fastify()
  await app.register(versioning, { scheme, defaultVersion: 'v1', baseUrl: 'https://v1.example.com' })
  app.get('/self', { name: 'root' }, async (_request, reply) => reply.reverse(null, null, linkOptions))
  app.get('/other', async (_request, reply) => reply.reverse('root', null, linkOptions))
  await app.ready()
  return app
}

interface Typo { options: object, near: string }

const typos: Typo[] = [
  { options: { verison: 'v2' }, near: 'version' },
  { options: { absolut: true }, near: 'absolute' },
  { options: { qurey: { a: 1 } }, near: 'query' },
  { options: { hsah: 'top' }, near: 'hash' },
  { options: { formt: 'json' }, near: 'format' }
]

for (const name of schemeNames) {
  const scheme = schemes[name]
  for (const { options, near } of typos) {
    const [typo] = Object.keys(options)
    const message = new RegExp(`\\b${typo}\\b.*\\b${near}\\b`)
    const error = { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message }

    t.test(`${scheme.name} refuses the link option ${typo} and suggests ${near}`, async (t) => {
      const app = await appFor(scheme, options as LinkOptions)
      t.throws(() => app.reverse('root', null, options as LinkOptions), error, 'outside a request')
      t.match((await app.inject('/self')).json(), error, 'to the current route')
      t.match((await app.inject('/other')).json(), error, 'to a route by its name')
    })
  }

  t.test(`${scheme.name} refuses a link option that resembles no other, without a suggestion`, async (t) => {
    const app = await appFor(scheme)
    t.throws(() => app.reverse('root', null, { colour: 'red' } as LinkOptions), {
      code: 'FST_ERR_REVERSE_OPTION',
      statusCode: 500,
      message: "Unknown link option 'colour'. " +
        'The options are args, kwargs, request, server, version, query, hash, absolute, format.'
    })
  })

  t.test(`${scheme.name} accepts every link option`, async (t) => {
    const options = { query: { a: 1 }, hash: 'top', absolute: true, format: null }
    const app = await appFor(scheme, options)
    for (const version of [undefined, null, 'v1'] as const) {
      const url = app.reverse('root', null, version === undefined ? options : { ...options, version })
      t.match(url, /^https:\/\/v1\.example\.com\/self\?a=1(?:&version=v1)?#top$/)
    }
    for (const url of ['/self', '/other']) t.equal((await app.inject(url)).statusCode, 200, url)
  })

  t.test(`reverse() of ${scheme.name} takes args, kwargs, request and server, and refuses unknown options`, (t) => {
    const app = Fastify()
    const own = new schemes[name]()
    app.register(versioning, { scheme: own })
    app.after(() => { app.get('/:a/:b', { name: 'root' }, async () => '') })
    app.ready(() => {
      t.equal(own.reverse('root', { args: [1], kwargs: { b: 2 }, request: null, server: app }), '/1/2')
      t.throws(() => own.reverse('root', { kwarg: { a: 1, b: 2 } } as ReverseOptions), {
        code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message: /\bkwarg\b.*\bkwargs\b/
      })
      t.end()
    })
  })
}

class Localized extends BaseVersioning {
  override readonly linkOptions = ['lang']

  override determineVersion () { return null }

  override reverse (viewName: string | null, options: ReverseOptions & { lang?: string } = {}) {
    return `${super.reverse(viewName, options)}#${options.lang}`
  }
}

class Plain extends BaseVersioning {
  override determineVersion () { return null }
}

t.test('a custom scheme takes its own link options and the common ones', async (t) => {
  const app = await appFor(Localized, { lang: 'en', query: { a: 1 } } as LinkOptions)
  t.equal(app.reverse('root', null, { lang: 'en' } as LinkOptions), '/self#en')
  t.equal((await app.inject('/self')).body, '/self?a=1#en')
  t.equal((await app.inject('/other')).body, '/self?a=1#en')
})

t.test('a link option that only the active scheme knows is not passed to another scheme', async (t) => {
  class Elsewhere extends Localized {
    override reverse (): string {
      throw Object.assign(new Error('no link here'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    }
  }
  const app = Fastify()
  await app.register(versioning, { scheme: Elsewhere })
  app.get('/there', { name: 'there', versioning: QueryParameterVersioning }, async () => '')
  t.equal(app.reverse('there', null, { version: 'v2', lang: 'en' } as LinkOptions), '/there?version=v2')
})

t.test('a custom scheme refuses unknown link options, and suggests one that it knows', async (t) => {
  const app = await appFor(Localized)
  t.throws(() => app.reverse('root', null, { lnag: 'en' } as LinkOptions), {
    code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message: /\blnag\b.*\blang\b/
  })
  t.throws(() => app.reverse('root', null, { verison: 'v2' } as LinkOptions), {
    code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message: /\bverison\b.*\bversion\b/
  })
})

t.test('an unknown link option is refused without a scheme as well', async (t) => {
  const app = await appFor(null)
  t.throws(() => app.reverse('root', null, { lang: 'en' } as LinkOptions), {
    code: 'FST_ERR_REVERSE_OPTION', message: /'lang'\. The options are args, .*, absolute, format\.$/
  })
})

t.test('the error about an unknown link option suggests only the nearest one', async (t) => {
  const app = await appFor(null)
  t.throws(() => app.reverse('root', null, { verison: 'v2' } as LinkOptions), {
    message: /^Unknown link option 'verison'\. Did you mean 'version'\?$/
  })
})

t.test('a custom scheme without linkOptions takes only the common ones', async (t) => {
  const app = await appFor(Plain)
  t.same((new Plain() as { linkOptions?: unknown }).linkOptions, [])
  t.throws(() => app.reverse('root', null, { lang: 'en' } as LinkOptions), {
    code: 'FST_ERR_REVERSE_OPTION', statusCode: 500, message: /\blang\b/
  })
})
