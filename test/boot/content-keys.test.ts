import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

const schema = { type: 'object', properties: {} }
const content = (...keys: string[]) => ({ content: Object.fromEntries(keys.map((key) => [key, { schema }])) })
const allowedVersions = ['v1', 'v2']
const CHARSET = 'application/json; charset=utf-8'
const JSON_V2 = 'application/json; version=v2'

const refused: [what: string, options: VersioningOptions, schema: object, message: RegExp][] = [
  ['the body under ContentTypeVersioning', { scheme: ContentTypeVersioning }, { body: content(JSON_V2) },
    /^Write 'application\/json' instead of 'application\/json; version=v2' in the schema of POST \/a, body: Fastify /],
  ['a response under AcceptHeaderVersioning', { scheme: AcceptHeaderVersioning },
    { response: { '2xx': content('application/json', 'application/JSON;Version=v2') } }, /POST \/a, response 2xx: /],
  ['a list', { scheme: [HeaderVersioning, AcceptHeaderVersioning] }, { response: { 200: content(JSON_V2) } },
    /response 200: /],
  ['a parameter of another name', { scheme: ContentTypeVersioning, versionParam: 'v' },
    { body: content('text/csv; v=v2') }, /^Write 'text\/csv' instead of /],
  ['a schema that is made by a builder', { scheme: ContentTypeVersioning },
    { body: { isFluentSchema: true, valueOf: () => content(JSON_V2) } }, /POST \/a, body: /]
]

for (const [what, options, schema, message] of refused) {
  t.test(`a media type with the version is an error at boot in ${what}`, async (t) => {
    const app = await appWith(t, { allowedVersions, ...options })
    app.post('/a', { schema }, ok)
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

const Guest = {
  $id: 'Guest',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string' } }
}
const older = { type: 'object', additionalProperties: false, required: ['n'], properties: { n: { type: 'string' } } }
const functions = {
  upgrade: ({ n, ...rest }: Record<string, unknown>) => ({ ...rest, name: n }),
  downgrade: ({ name, ...rest }: Record<string, unknown>) => ({ ...rest, n: name })
}
const media = (key: string, schema: object = { $ref: 'Guest#' }) => ({ content: { [key]: { schema } } })

const changed: [what: string, change: object, schema: object, part: string][] = [
  ['of a schema applies to the body', { schemas: { Guest: { older, ...functions } } },
    { body: media('Application/JSON') }, 'body'],
  ['of a schema applies to a response', { schemas: { Guest: { older, ...functions } } },
    { response: { 200: { content: { ...content('text/csv').content, ...media(CHARSET).content } } } }, 'response 200'],
  ['of the route has it in its older schema',
    { routes: { guests: { body: { ...functions }, older: { body: media(CHARSET, older) } } } },
    { body: media('application/json', { ...Guest, $id: undefined }) }, 'body'],
  ['of the route applies to the body',
    { routes: { guests: { body: { ...functions }, older: { body: media('Application/JSON', older) } } } },
    { body: media('Application/JSON', { ...Guest, $id: undefined }) }, 'body']
]

for (const [what, change, schema, part] of changed) {
  t.test(`a media type that Fastify does not find is an error at boot where a change ${what}`, async (t) => {
    const changes = [{ version: 'v2', description: 'n is called name', ...change }] as never
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions, changes })
    app.addSchema(Guest)
    app.post('/a', { name: 'guests', schema: { response: { 200: {} }, ...schema } }, ok)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: new RegExp(`^Write 'application/json' instead of .* of POST /a, ${part}: a change applies`)
    })
  })
}

t.test('one warning names the media types that Fastify does not find', async (t) => {
  const warnings = await warningsDuring(t, async () => {
    const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
    app.post('/a', { schema: { body: content(JSON_V2, 'application/json') } }, ok)
    app.get('/b', { versioning: false, schema: { response: { 200: content('Text/CSV', '*/*'), 404: schema } } }, ok)
    app.get('/c', { schema: { querystring: schema } }, ok)
    await app.ready()
  })
  t.strictSame(warnings, [
    'FST_WARN_VERSION_CONTENT: Fastify ignores these schemas, because it looks for a media type in lower case and ' +
    "without parameters: 'application/json; version=v2' (POST /a, body), 'Text/CSV' (GET /b, response 200). Write " +
    'only the type.'
  ])
})

t.test('a warning names five media types, and counts the others', async (t) => {
  const [warning] = await warningsDuring(t, async () => {
    const app = await appWith(t, { scheme: AcceptHeaderVersioning, allowedVersions })
    const keys = [...'ABCDEFG'].map((letter) => `a/${letter}`)
    app.get('/', { schema: { response: { 200: content(...keys) } } }, ok)
    await app.ready()
  })
  t.match(warning, /'a\/E' \(GET \/, response 200\) and 2 more\./)
})

t.test('Fastify does not find a schema by a media type with a parameter', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions })
  const body = media(CHARSET, { type: 'object', required: ['a'] })
  await warningsDuring(t, async () => {
    app.post('/a', { schema: { body } }, ok)
    await app.ready()
  })
  const headers = { 'api-version': 'v1', 'content-type': 'application/json; charset=utf-8' }
  t.equal((await app.inject({ method: 'POST', url: '/a', headers, payload: '{}' })).statusCode, 200)
})
