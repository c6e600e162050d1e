import swagger from '@fastify/swagger'
import { createClient } from '@hey-api/openapi-ts'
import { validate } from '@readme/openapi-parser'
import Fastify from 'fastify'
import {
  jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler, validatorCompiler
} from 'fastify-type-provider-zod'
import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, URLPathVersioning, defineChange } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { typeErrorsOf } from '../fixtures/type-errors.ts'

import type { FastifyInstance } from 'fastify'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

const SCRATCH = new URL('../../.tap/consumers/', import.meta.url)
const REDOCLY = join(createRequire(import.meta.url).resolve('@redocly/cli/package.json'), '..', 'bin', 'cli.js')

const info = { title: 'Bookings', version: '1.0.0', license: { name: 'MIT', url: 'https://example.com/license' } }
const servers = [{ url: 'https://api.acme.io' }]
const text = { type: 'string' }
const object = (properties: Record<string, object>) => ({
  type: 'object', properties, required: Object.keys(properties), additionalProperties: false
})
const BOOKINGS = {
  v1: { $id: 'Booking', ...object({ guest: text }) },
  v2: { $id: 'Booking', ...object({ guests: { type: 'array', items: text } }) }
}
const ANSWERS = { v1: { guest: 'Ada' }, v2: { guests: ['Ada', 'Grace'] } }
const params = object({ id: { type: 'integer' } })
const described = { operationId: 'getBooking', summary: 'One booking', tags: ['bookings'] }
const schema = { ...described, params, response: { 200: { $ref: 'Booking#' } } }
const sent = { operationId: 'makeBooking', summary: 'A new booking', body: { $ref: 'Booking#' } }

const VERSIONS = ['v1', 'v2'] as const

/** Apps whose clients specify the version in the path, or in a header. */
const APPS: { what: string, inPath?: true, build: (app: FastifyInstance) => Promise<void> }[] = [
  {
    what: 'the path',
    inPath: true,
    async build (app) {
      await app.register(versioning, {
        scheme: URLPathVersioning,
        allowedVersions: ['v1', 'v2'],
        reportVersions: true,
        enforceSunset: true,
        lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2999-12-31', info: 'https://docs.acme.io/v1' } }
      })
      await install(app)
      for (const version of VERSIONS) {
        app.register(async (api) => {
          api.addSchema(BOOKINGS[version])
          const own = { version, schema: { ...schema, params: object({ version: text, id: { type: 'integer' } }) } }
          api.get('/:version/bookings/:id', own, async () => ANSWERS[version])
          const made = { version, schema: { ...sent, response: { 201: { $ref: 'Booking#' } } } }
          api.post('/:version/bookings', made, async ({ body }, reply) => reply.code(201).send(body))
        })
      }
    }
  },
  {
    what: 'a header, with changes',
    async build (app) {
      await app.register(versioning, {
        scheme: HeaderVersioning,
        allowedVersions: ['v1', 'v2'],
        changes: [defineChange({
          version: 'v2',
          description: 'A booking has several guests.',
          schemas: {
            Booking: {
              older: { type: 'object', properties: { guest: text }, required: ['guest'], additionalProperties: false },
              upgrade: ({ guest }) => ({ guests: [guest] }),
              downgrade: ({ guests }) => ({ guest: guests[0] })
            }
          }
        })]
      })
      await install(app)
      app.addSchema(BOOKINGS.v2)
      app.get('/bookings/:id', { schema }, async () => ANSWERS.v2)
      const made = { schema: { ...sent, response: { 201: { $ref: 'Booking#' } } } }
      app.post('/bookings', made, async ({ body }, reply) => reply.code(201).send(body))
    }
  },
  {
    what: 'a header, with Zod',
    async build (app) {
      app.setValidatorCompiler(validatorCompiler)
      app.setSerializerCompiler(serializerCompiler)
      await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
      await install(app, { transform: jsonSchemaTransform, transformObject: jsonSchemaTransformObject })
      const bookings = { v1: z.object({ guest: z.string() }), v2: z.object({ guests: z.array(z.string()) }) }
      const id = z.coerce.number()
      for (const version of VERSIONS) {
        z.globalRegistry.add(bookings[version], { id: `Booking${version.toUpperCase()}` })
        const own = { ...described, params: z.object({ id }), response: { 200: bookings[version] } }
        app.get('/bookings/:id', { version, schema: own }, async () => ANSWERS[version])
        const made = { ...sent, body: bookings[version], response: { 201: bookings[version] } }
        app.post('/bookings', { version, schema: made }, async ({ body }, reply) => reply.code(201).send(body))
      }
    }
  }
]

/** The plugin for documents, and @fastify/swagger by itself. */
async function install (app: FastifyInstance, options: Pick<OpenapiOptions, 'transform' | 'transformObject'> = {}) {
  await app.register(swagger, { openapi: { info, servers }, ...options })
  await app.register(openapi, { openapi: { info, servers }, ui: false, ...options })
}

t.before(() => mkdir(SCRATCH, { recursive: true }))
t.after(() => rm(SCRATCH, { recursive: true, force: true }))

for (const [i, { what, inPath, build }] of APPS.entries()) {
  t.test(`documents of versions in ${what}`, async (t) => {
    const app = Fastify({ ajv: { customOptions: { strict: false } } })
    await build(app)
    const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => app.close())
    const documents = { own: app.swagger(), v1: app.openapi('v1'), v2: app.openapi('v2') }
    const file = (name: string) => fileURLToPath(new URL(`${i}-${name}`, SCRATCH))
    for (const [name, document] of Object.entries(documents)) {
      await writeFile(file(`${name}.json`), JSON.stringify(document))
    }

    await t.test('Redocly finds nothing that it does not find in the document of @fastify/swagger', async (t) => {
      const own = lint(file('own.json'))
      t.ok(own !== null)
      for (const version of VERSIONS) {
        t.same(lint(file(`${version}.json`))?.filter((rule) => !own?.includes(rule)), [], version)
      }
    })

    await t.test('the parser of ReadMe finds nothing', async (t) => {
      for (const version of VERSIONS) {
        const result = await validate(JSON.parse(JSON.stringify(documents[version])))
        t.ok(result.valid, JSON.stringify(result))
        t.same(result.warnings, [])
      }
    })

    const path = (version: string) => inPath ? `/${version}/bookings` : '/bookings'
    const header = (version: string) => inPath ? '{}' : `{ 'API-Version': '${version}' }`
    const clients = [{
      what: 'openapi-typescript types',
      name: 'fetch.ts',
      make: async (version: 'v1' | 'v2') => (
        writeFile(file(`${version}.ts`), astToString(await openapiTS(JSON.stringify(documents[version]))))
      ),
      imports: `import createClient from 'openapi-fetch'
        import type { paths as V1 } from './${i}-v1.ts'
        import type { paths as V2 } from './${i}-v2.ts'`,
      ask: (version: string, body: string) => `
        const ${version} = createClient<${version.toUpperCase()}>({ baseUrl })
        const read${version} = await ${version}.GET('${path(version)}/{id}', {
          params: { path: { id: 7 }${inPath ? '' : `, header: ${header(version)}`} }
        })
        const made${version} = await ${version}.POST('${path(version)}', {
          body: ${body}${inPath ? '' : `, params: { header: ${header(version)} }`}
        })`
    }, {
      what: 'Hey API makes',
      name: 'hey.ts',
      make: (version: string) => createClient({
        input: file(`${version}.json`),
        output: { path: file(version), module: { extension: '.ts' } },
        logs: { level: 'silent' },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk']
      }),
      imports: VERSIONS.map((version) => `
        import { createClient as create${version} } from './${i}-${version}/client/index.ts'
        import * as ${version} from './${i}-${version}/sdk.gen.ts'`).join(''),
      ask: (version: string, body: string) => `
        const client${version} = create${version}({ baseUrl })
        const read${version} = await ${version}.getBooking({
          client: client${version}, path: { id: 7 }, headers: ${header(version)}
        })
        const made${version} = await ${version}.makeBooking({
          client: client${version}, body: ${body}, headers: ${header(version)}
        })`
    }]

    for (const { what, name, make, imports, ask } of clients) {
      await t.test(`a client that ${what} compiles, and gets what it asks for`, async (t) => {
        for (const version of VERSIONS) await make(version)
        await writeFile(file(name), `
          ${imports}
          export async function ask (baseUrl: string) {
            ${VERSIONS.map((version) => ask(version, JSON.stringify(ANSWERS[version]))).join('')}
            const guest: string | undefined = readv1.data?.guest
            const guests: string[] | undefined = readv2.data?.guests
            // @ts-expect-error: a field of the other version
            void readv1.data?.guests
            // @ts-expect-error: a field of the other version
            void readv2.data?.guest
            return { guest, guests, made: [madev1.data?.guest, madev2.data?.guests] }
          }`)
        t.equal(typeErrorsOf([file(name)]), '')
        const { ask: answers } = await import(file(name)) as { ask: (baseUrl: string) => Promise<unknown> }
        t.same(await answers(baseUrl), { guest: 'Ada', guests: ['Ada', 'Grace'], made: ['Ada', ['Ada', 'Grace']] })
      })
    }
  })
}

/** What is wrong with a document by the recommended rules: the rules, or null without an answer. */
function lint (file: string): string[] | null {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = [REDOCLY, 'lint', file, '--extends=recommended', '--format=json', '--max-problems=1000']
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env, cwd: fileURLToPath(SCRATCH) })
  const start = stdout.indexOf('{')
  if (start === -1) return null
  const { problems } = JSON.parse(stdout.slice(start)) as { problems: { ruleId: string }[] }
  return problems.map(({ ruleId }) => ruleId)
}
