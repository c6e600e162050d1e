import swagger from '@fastify/swagger'
import {
  jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler, validatorCompiler
} from 'fastify-type-provider-zod'
import fp from 'fastify-plugin'
import t from 'tap'
import { z } from 'zod'

import plugin, { HeaderVersioning, NamespaceVersioning, defineChange } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { documentOf, documented, header, object, ok, query, refer, text } from './app.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Test } from 'tap'
import type { OpenapiOptions } from '../../types/openapi.d.ts'
import type { Doc } from './app.ts'

type Schemas = Record<string, { properties: object, items: { $ref: string } }>

const booking = { response: { 200: { $ref: 'Booking#' } } }

const schemasIn = (app: FastifyInstance, version: string) => documentOf(app, version).components.schemas as Schemas

/** The schema that a route answers with. */
function schemaAt ({ paths, components }: Doc, path: string) {
  const { $ref = '' } = Object.values(paths[path].get.responses[200].content ?? {})[0].schema as { $ref?: string }
  return (components.schemas as Schemas)[$ref.replace('#/components/schemas/', '')]
}

const byId: OpenapiOptions = { refResolver: { buildLocalReference: (json) => `The${json.$id}` } }
for (const [what, options, name] of [['their $id', {}, 'Booking'], ['a refResolver', byId, 'TheBooking']] as const) {
  t.test(`a document has only the schemas of its own version, which are called by ${what}`, async (t) => {
    for (const scheme of [HeaderVersioning, NamespaceVersioning]) {
      const app = await documented(t, { scheme }, (app) => {
        for (const version of ['v1', 'v2']) {
          const isChosen = scheme === HeaderVersioning
          app.register(async (context) => {
            context.addSchema({ $id: 'Booking', ...object(version) })
            context.addSchema({ $id: `Only${version}`, ...object() })
            context.get('/b', isChosen ? { schema: booking, version } : { schema: booking }, ok)
            context.get(`/health/${version}`, { versioning: false }, ok)
          }, isChosen ? {} : { prefix: version, namespace: version })
        }
      }, { ui: false, ...options })
      for (const version of ['v1', 'v2']) t.strictSame(schemasIn(app, version), { [name]: object(version) })
    }
  })
}

t.test('a route refers to the schemas of its own context, whatever others have under their names', async (t) => {
  const app = await documented(t, { ...header, defaultVersion: 'v2' }, (app) => {
    for (const [version, field, paths] of [
      ['v1', 'first', ['/a', '/old']], ['v2', 'third', ['/third']], ['v2', 'second', ['/a']],
      ['v2', 'first', ['/first']]
    ] as const) {
      app.register(async (context) => {
        context.addSchema({ $id: 'Booking', ...object(field) })
        context.addSchema({ $id: 'List', type: 'array', items: { $ref: 'Booking#' } })
        const schema = { response: { 200: { $ref: 'List#' }, 201: { type: 'string', enum: ['one', new Date(0)] } } }
        for (const path of paths) context.get(path, path === '/a' ? { schema, version } : { schema }, ok)
      })
    }
  })
  const document = documentOf(app, 'v2')
  const schemas = document.components.schemas as Schemas
  for (const [path, field] of [['/old', 'first'], ['/third', 'third'], ['/a', 'second'], ['/first', 'first']]) {
    const name = schemaAt(document, path).items.$ref.replace('#/components/schemas/', '')
    t.strictSame(schemas[name].properties, { [field]: text }, path)
  }
  t.strictSame(Object.keys(schemas).filter((one) => one.startsWith('Booking')), ['Booking', 'Booking-2', 'Booking-3'])
})

t.test('components are called by their $id, in characters of OpenAPI, with a number if that is taken', async (t) => {
  const NAMES = [
    ['http://example.com/Room.json', 'http---example.com-Room.json'], ['the+guest', 'the-guest'],
    ['the@guest', 'the-guest-2'], ['Mine', 'Mine-2']
  ]
  const app = await documented(t, query, (app) => {
    for (const [$id] of NAMES) app.addSchema({ $id, ...object($id) })
    const properties = Object.fromEntries(NAMES.map(([$id], i) => [i, { $ref: `${$id}#` }]))
    const one = { $ref: 'the@guest#/properties/the@guest' }
    app.get('/a', { schema: { response: { 200: { type: 'object', properties: { ...properties, one } } } } }, ok)
  }, { openapi: { components: { schemas: { Mine: { type: 'integer' } } } } })
  const { components, paths } = documentOf(app, 'v1')
  t.same(components.schemas, {
    Mine: { type: 'integer' }, ...Object.fromEntries(NAMES.map(([$id, name]) => [name, object($id)]))
  })
  t.match(paths['/a'].get.responses[200].content?.['application/json'].schema, {
    properties: { 0: refer(NAMES[0][1]), 3: refer('Mine-2'), one: refer('the-guest-2/properties/the@guest') }
  })
})

t.test('a document has only schemas to which its operations lead, and the schemas of the user', async (t) => {
  const app = await documented(t, query, (app) => {
    const leadsTo = (name: string) => ({ type: 'object', properties: { one: { $ref: `${name}#` } } })
    app.addSchema({ $id: 'Unused', ...leadsTo('Guest') })
    app.addSchema({ $id: 'Guest', ...leadsTo('Cat') })
    app.addSchema({ $id: 'Cat', ...leadsTo('Cat') })
    app.addSchema({ $id: 'Hidden', ...object() })
    app.get('/a', { version: 'v2', schema: { response: { 200: { $ref: 'Guest#' } } } }, ok)
    app.get('/c', { schema: { hide: true, response: { 200: { $ref: 'Hidden#' } } } as object }, ok)
  }, { openapi: { components: { schemas: { Own: { $ref: '#/components/schemas/Other' }, Other: {} } } } })
  t.strictSame(Object.keys(schemasIn(app, 'v1')), ['Own', 'Other'])
  t.strictSame(Object.keys(schemasIn(app, 'v2')), ['Own', 'Other', 'Guest', 'Cat'])
})

t.test('a schema that only a discriminator names stays', async (t) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }
  const mapping = { cat: '#/components/schemas/Cat', fox: 'Fox', dog: '#/components/schemas/None' }
  const app = await documented(t, query, (app) => app.get('/a', ok), {
    openapi: { components: { responses: { Pet: { description: 'A pet', content } } } },
    transformObject (made) {
      const { openapiObject } = made as unknown as { openapiObject: { components: { schemas: object } } }
      const Pet = { discriminator: { propertyName: 'kind', mapping } }
      Object.assign(openapiObject.components.schemas, { Pet, Cat: {}, Dog: {}, Fox: {} })
      return openapiObject as object
    }
  })
  t.strictSame(Object.keys(schemasIn(app, 'v1')), ['Pet', 'Cat', 'Fox'])
})

const guests = defineChange({
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    Booking: {
      older: {
        $id: 'Booking',
        type: 'object',
        additionalProperties: false,
        properties: { guest: { type: 'string' } },
        examples: [{ guest: 'Ada' }]
      },
      upgrade: ({ guest }) => ({ guests: [guest] }),
      downgrade: ({ guests }) => ({ guest: guests[0] })
    }
  }
})
const versioning = { ...header, allowedVersions: ['v1', 'v2'], changes: [guests] }

function declare (app: FastifyInstance): void {
  app.addSchema({
    $id: 'Booking', type: 'object', properties: { guests: { type: 'array', items: { type: 'string' } } }
  })
  app.get('/bookings', { schema: { ...booking, summary: 'shown' } as FastifySchema }, async () => ({ guests: ['Ada'] }))
  app.get('/hidden', { schema: { ...booking, hide: true } as FastifySchema }, async () => ({ guests: ['Ada'] }))
}

/** The properties of the response of each operation: `{ '/bookings': ['guest'] }`. */
function propertiesIn (document: Doc): Record<string, string[]> {
  const paths = Object.keys(document.paths)
  return Object.fromEntries(paths.map((path) => [path, Object.keys(schemaAt(document, path).properties)]))
}

t.test('a document shows a schema that changes in the form of its version, @fastify/swagger the newest', async (t) => {
  const app = await appWith(t, versioning)
  await app.register(swagger, { openapi: {} })
  const seen: unknown[] = []
  await app.register(openapi, {
    transform ({ schema, url }) {
      seen.push(schema.hide)
      return { schema, url }
    }
  })
  declare(app)
  const response = { 200: { isFluentSchema: true, valueOf: () => ({ $ref: 'Booking#' }) } }
  app.get('/old', { version: { to: 'v1' }, schema: { response } }, async () => ({ guest: 'Ada' }))
  await app.ready()
  t.strictSame(propertiesIn(documentOf(app, 'v1')), { '/bookings': ['guest'], '/old': ['guest'] })
  t.strictSame(propertiesIn(documentOf(app, 'v2')), { '/bookings': ['guests'] })
  for (const version of ['v1', 'v2']) {
    t.strictSame(Object.keys(documentOf(app, version).components.schemas), ['Booking'])
  }
  t.notOk(seen.includes('older'))
  const { paths, ...others } = app.swagger() as unknown as Doc
  t.strictSame(propertiesIn({ ...others, paths: { '/bookings': paths['/bookings'] } }), { '/bookings': ['guests'] })
})

t.test('a body that only older versions had is in their documents alone', async (t) => {
  const older = { body: { ...object('guest'), additionalProperties: false } }
  const routes = { create: { older, body: { upgrade: (body: unknown) => body } } }
  const changes = [{ version: 'v2', description: 'No body.', routes }]
  const app = await documented(t, { ...versioning, changes }, (app) => {
    app.post('/bookings', { name: 'create', schema: { response: { 204: {} } } }, ok)
  })
  const bodies = ['v1', 'v2'].map((version) => documentOf(app, version).paths['/bookings'].post.requestBody)
  t.match(bodies[0]?.content['application/json'].schema, object('guest'))
  t.equal(bodies[1], undefined)
})

t.test('what no change has altered stays as it is, next to media types and bodies that are older', async (t) => {
  const app = await appWith(t, { ...versioning, defaultVersion: 'v0' })
  await app.register(openapi, { versions: ['v0', 'v1', 'v2'] })
  const guests = { $id: 'Guests', type: 'array', items: { type: 'string' } }
  app.addSchema({ $id: 'Booking', type: 'object', properties: { guests } })
  const content = { 'application/json': { schema: { $ref: 'Booking#' }, example: { guests: ['Ada'] } } }
  const none = { type: 'object', properties: { error: { type: 'string' } } }
  const said = { description: 'A booking', headers: { etag: text } }
  const missing = { content: { 'application/json': { schema: none, example: {} } } }
  const response = { 200: { ...said, content }, 404: missing }
  app.get('/bookings', { schema: { response } }, async () => ({ guests: ['Ada'] }))
  const properties = { booking: { $ref: 'Booking#' } }
  const body = { type: 'object', additionalProperties: false, properties, examples: [{ booking: {} }] }
  app.post('/check', { schema: { body, response: { 200: {} } } }, ok)
  await app.ready()
  // A default version that no list has shows the newest schemas.
  for (const [version, names] of [['v0', ['guests']], ['v1', ['guest']], ['v2', ['guests']]] as const) {
    const { paths: { '/bookings': bookings, '/check': check }, ...others } = documentOf(app, version)
    t.strictSame(propertiesIn({ ...others, paths: { '/bookings': bookings } }), { '/bookings': names })
    const { 200: found, 404: missing } = bookings.get.responses
    t.match(found, { description: 'A booking', headers: { etag: { schema: text } } })
    // An example of the newest schema is none of the older one.
    t.equal('example' in (found.content?.['application/json'] ?? {}), version !== 'v1')
    t.match(missing.content?.['application/json'], { schema: none, example: {} })
    t.equal(JSON.stringify(others.components.schemas).includes('example'), version === 'v1')
    t.match(JSON.stringify(check.post.requestBody), '#/components/schemas/Booking')
    t.equal(JSON.stringify(check.post.requestBody).includes('example'), version !== 'v1')
  }
})

const Street = z.object({ street: z.string() }).meta({ id: 'Street' })
const Guest = z.object({ full: z.string(), street: Street }).meta({ id: 'Guest' })
const Booking = z.object({ guest: Guest }).meta({ id: 'Booking' })
const Tree = z.object({ guest: Guest, get nights () { return z.array(Tree) } }).meta({ id: 'Tree' })
const Room = z.object({ beds: z.number() }).meta({ id: 'Room' })
const zodChanges = [
  defineChange({
    version: 'v2',
    description: 'A guest has a full name.',
    schemas: {
      Guest: {
        older: z.object({ name: z.string(), street: Street }),
        upgrade: ({ name, street }) => ({ full: name, street }),
        downgrade: ({ full, street }) => ({ name: full, street })
      }
    }
  }),
  defineChange({
    version: 'v3',
    description: 'A street has a name of its own.',
    schemas: {
      Street: {
        older: z.object({ road: z.string() }),
        upgrade: ({ road }) => ({ street: road }),
        downgrade: ({ street }) => ({ road: street })
      }
    }
  })
]
const byZod = { transform: jsonSchemaTransform, transformObject: jsonSchemaTransformObject } as OpenapiOptions

async function zodApp (t: Test, options: OpenapiOptions, routes: (app: FastifyInstance) => void) {
  const app = bareApp(t)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(plugin, { ...versioning, allowedVersions: ['v1', 'v2', 'v3'], changes: zodChanges })
  await app.register(openapi, { ui: false, ...options })
  app.get('/trees', { schema: { response: { 200: Tree } } }, ok)
  routes(app)
  await app.ready()
  return app
}

t.test('a document shows Zod schemas that change under one name, also where they are recursive', async (t) => {
  const app = await zodApp(t, byZod, (app) => {
    app.post('/bookings', { schema: { body: Booking, response: { 200: z.array(Booking), 201: Room } } }, ok)
    app.get('/hidden', { versioning: false, schema: { hide: true, response: { 200: Guest } } as FastifySchema }, ok)
  })
  const components = ['StreetInput', 'GuestInput', 'BookingInput', 'Street', 'Guest', 'Booking', 'Tree', 'Room']
  for (const [version, guest, street] of [
    ['v1', 'name', 'road'], ['v2', 'full', 'road'], ['v3', 'full', 'street']
  ] as const) {
    const { components: { schemas }, paths } = documentOf(app, version)
    t.strictSame(Object.keys(schemas), components, version)
    for (const end of ['', 'Input']) {
      const names = Object.entries(schemas).filter(([name]) => ['Guest', 'Street'].some((one) => name === one + end))
      t.strictSame(names.map(([, { properties }]) => properties), [
        { [street]: { type: 'string' } }, { [guest]: { type: 'string' }, street: refer(`Street${end}`) }
      ], version)
    }
    t.match(schemas, { Tree: { properties: { guest: refer('Guest'), nights: { items: refer('Tree') } } } })
    const { requestBody, responses } = paths['/bookings'].post
    t.strictSame(requestBody?.content['application/json'].schema, refer('BookingInput'))
    t.strictSame(responses[200].content?.['application/json'].schema, { type: 'array', items: refer('Booking') })
    t.strictSame(paths['/trees'].get.responses[200].content?.['application/json'].schema, refer('Tree'))
  }
})

t.test('a Zod schema in an older version has no $id that the transform gives to schemas without an id', async (t) => {
  // As fastify-type-provider-zod 6 does for OpenAPI 3.1.
  const transform: OpenapiOptions['transform'] = (input) => {
    const { schema, url } = jsonSchemaTransform(input as never)
    const named = (part: object) => '$ref' in part ? part : { $id: 'placeholder', ...part }
    const { body, response } = schema as { body?: object, response: Record<string, object> }
    return { url, schema: { ...schema, ...body && { body: named(body) }, response: { 200: named(response[200]) } } }
  }
  const app = await zodApp(t, { ...byZod, transform }, () => {})
  for (const version of ['v1', 'v2', 'v3']) t.notMatch(JSON.stringify(documentOf(app, version)), 'placeholder', version)
})

const inline: OpenapiOptions['transform'] = ({ schema, url }) => ({ schema: { ...schema, response: {} }, url })
const UNSHOWN: [string, OpenapiOptions, (app: FastifyInstance) => void, string][] = [
  ['in two forms', byZod, (app) => app.get('/new', { versioning: false, schema: { response: { 200: Guest } } }, ok),
    "The document of 'v1' needs two forms of the Zod schema 'Guest': /new has another one than the routes before it. " +
    'Give it a schema without an id.'],
  ['by a transform without references', { transform: inline }, () => {},
    "A transform must refer to the Zod schema 'Guest' as a component, because a change alters it, got ZodObject {"]
]

for (const [how, options, routes, message] of UNSHOWN) {
  t.test(`a document cannot show a Zod schema that changes ${how}`, async (t) => {
    const app = await zodApp(t, options, routes)
    const error = { code: 'FST_ERR_VERSION_DOCUMENT', message }
    t.throws(() => app.openapi('v1'), error)
    app.openapi('v3')
  })
}

t.test('changes of Zod schemas and the transform of fastify-zod-openapi are an error at boot', async (t) => {
  const appOf = async (changes: typeof zodChanges | null) => {
    const app = bareApp(t)
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    await app.register(fp(async () => {}, { name: 'fastify-zod-openapi' }))
    await app.register(plugin, { ...versioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
    await app.register(openapi, { ui: false, ...byZod })
    app.get('/trees', { schema: { response: { 200: Tree } } }, ok)
    return app
  }
  await t.rejects(async () => (await appOf(zodChanges)).ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^Use fastify-type-provider-zod for documents of Zod schemas with/
  })
  await (await appOf(null)).ready()
})

t.test('a schema of Zod is an error at boot if no transform makes JSON Schema of it', async (t) => {
  const response = { 200: { content: { 'application/json': { schema: Guest } } } }
  const declare = async (schema: object, config = {}) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1'] })
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    await app.register(openapi, { ui: false })
    app.get('/a', { schema, config }, ok)
    await app.ready()
  }
  const message = 'Set "transform", such as jsonSchemaTransform of fastify-type-provider-zod: GET /a has a schema of ' +
    "'zod', which @fastify/swagger cannot show."
  for (const schema of [{ querystring: z.object({ page: z.string() }) }, { response }]) {
    await t.rejects(declare(schema), { code: 'FST_ERR_VERSIONING_OPTION', message })
  }
  await declare({ response, hide: true })
  await declare({ response }, { swaggerTransform: jsonSchemaTransform })
})

const REFERENCES: [what: string, options: OpenapiOptions, schema: object, reference: string][] = [
  ['of Zod without transformObject', { transform: jsonSchemaTransform } as OpenapiOptions,
    { response: { 200: z.array(z.object({}).meta({ id: 'Lost' })) } }, '#/components/schemas/Lost'],
  ['to definitions of a route', { transform: ({ schema, url }) => ({ schema, url }) },
    { response: { 200: { $defs: { A: text }, type: 'array', items: { $ref: '#/$defs/A' } } } }, '#/$defs/A']
]

for (const [what, options, schema, reference] of REFERENCES) {
  t.test(`a warning says once that references ${what} lead nowhere`, async (t) => {
    const app = await appWith(t, { ...header, allowedVersions: ['v1', 'v2'] })
    if (what.includes('Zod')) app.setSerializerCompiler(serializerCompiler)
    await app.register(openapi, { ui: false, ...options })
    app.get('/a', { schema }, ok)
    await app.ready()
    const warnings = await warningsDuring(t, async () => { for (const version of ['v2', 'v1']) app.openapi(version) })
    t.strictSame(warnings, [
      `FST_WARN_VERSION_DOCUMENT: The document of 'v2' lacks ${reference}, to which it refers. Set "transformObject" ` +
      'next to the "transform" of Zod. Instead of "definitions" in a route, use app.addSchema().'
    ])
  })
}
