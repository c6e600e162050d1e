import multipart from '@fastify/multipart'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { formIn } from '../fixtures/form.ts'
import { Booking, EXAMPLES, VERSIONS, guests, room } from '../changes/bookings.ts'
import { appInOrder, orders } from './orders.ts'

import type { FastifyMultipartAttachFieldsToBodyOptions, Multipart, MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { Change, SchemaChange } from '../../types/index.d.ts'
import type { Fields } from '../fixtures/form.ts'
import type { Order } from './orders.ts'

type Attach = FastifyMultipartAttachFieldsToBodyOptions['attachFieldsToBody']

/** The same booking as fields of a form. */
const FORMS: Readonly<Record<string, Fields>> = {
  v1: { guest: 'Ada', room: '7' },
  v2: { guests: 'Ada', room: '7' }
}
const FILE = { filename: 'a.txt', text: 'of Ada' }
const byReference = { $ref: 'Booking#' }
const response = { 200: byReference }

async function appWithForms (
  t: Test, order: Order, attachFieldsToBody: Attach | null, changes: readonly Change[] = [guests, room]
): Promise<FastifyInstance> {
  const options = { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: changes.map(opened) }
  const app = await appInOrder(t, order, options, (app) => (
    attachFieldsToBody === null ? app.register(multipart) : app.register(multipart, { attachFieldsToBody })
  ))
  app.addSchema(Booking)
  return app
}

/** Older bookings may have further fields. */
function opened (change: Change): Change {
  const { Booking: own } = change.schemas ?? {}
  if (own === undefined) return change
  return { ...change, schemas: { Booking: { ...own, older: { ...own.older as object, additionalProperties: true } } } }
}

/** What a handler reads of a form by itself. */
const READERS: Record<string, (request: FastifyRequest) => Promise<unknown>> = {
  'request.parts()': async (request) => {
    const seen: Record<string, unknown> = {}
    for await (const part of request.parts()) {
      seen[part.fieldname] = part.type === 'file' ? (await part.toBuffer()).toString() : part.value
    }
    return seen
  },
  'request.file()': async (request) => {
    const file = await request.file() as MultipartFile
    const values = Object.entries(file.fields).map(([name, part]) => [name, (part as { value?: unknown }).value])
    return { ...Object.fromEntries(values), [file.fieldname]: (await file.toBuffer()).toString() }
  }
}

for (const order of orders) {
  for (const [version, fields] of Object.entries(FORMS)) {
    for (const [name, read] of Object.entries(READERS)) {
      t.test(`${name} reads a form as a client of ${version} sent it, with multipart ${order}`, async (t) => {
        const app = await appWithForms(t, order, null)
        const body = { content: { 'application/json': { schema: byReference } } }
        app.post('/bookings', { schema: { body, response } }, async (request, reply) => {
          reply.header('x-seen', JSON.stringify([request.body ?? null, await read(request)]))
          return EXAMPLES.v3
        })
        const { headers } = await app.inject(formIn(version, '/bookings', { ...fields, note: FILE }))
        t.same(JSON.parse(headers['x-seen'] as string), [null, { ...fields, note: FILE.text }])
      })
    }

    t.test(`the response to a form that a handler reads is downgraded to ${version}, with multipart ${order}`,
      async (t) => {
        const app = await appWithForms(t, order, null)
        app.post('/bookings', { schema: { response } }, async (request) => {
          for await (const part of request.parts()) t.ok(part)
          return EXAMPLES.v3
        })
        t.same((await app.inject(formIn(version, '/bookings', fields))).json(), EXAMPLES[version])
      })

    t.test(`fields are upgraded from ${version} if they are values of the body, with multipart ${order}`, async (t) => {
      const app = await appWithForms(t, order, 'keyValues')
      app.post('/bookings', { schema: { body: byReference } }, async (request) => request.body)
      t.same((await app.inject(formIn(version, '/bookings', fields))).json(), EXAMPLES.v3)
    })

    t.test(`a file is a Buffer in the body that is upgraded from ${version}, with multipart ${order}`, async (t) => {
      const app = await appWithForms(t, order, 'keyValues')
      app.post('/bookings', { schema: { body: byReference } }, async (request) => {
        t.same(request.body, { ...EXAMPLES.v3, note: Buffer.from(FILE.text) })
      })
      t.equal((await app.inject(formIn(version, '/bookings', { ...fields, note: FILE }))).statusCode, 200)
    })
  }
}

/** Fields that are not valid in a version. */
const WRONG: [string, string, Fields, string][] = [
  ['that v2 introduced', 'v1', { guests: 'Ada', room: '7' }, "body must have required property 'guest'"],
  ['that v2 removed', 'v2', { guest: 'Ada', room: '7' }, "body must have required property 'guests'"],
  ['of a wrong form', 'v1', { guest: 'Ada', room: 'seven' }, 'body/room must match pattern "^[0-9]+$"']
]
for (const [what, version, fields, message] of WRONG) {
  t.test(`a field ${what} is refused in the words of ${version}`, async (t) => {
    const app = await appWithForms(t, orders[0], 'keyValues')
    app.post('/bookings', { schema: { body: byReference } }, async (request) => request.body)
    t.match((await app.inject(formIn(version, '/bookings', fields))).json(), { statusCode: 400, message })
  })
}

t.test('fields that the newest schema refuses after the upgrade are an error of the app', async (t) => {
  const unfinished = { ...room.schemas?.Booking, upgrade: ({ room: _room, ...rest }) => rest } as SchemaChange
  const broken: Change = { ...room, schemas: { Booking: unfinished } }
  const app = await appWithForms(t, orders[0], 'keyValues', [broken])
  app.post('/bookings', { schema: { body: byReference } }, async (request) => request.body)
  t.match((await app.inject(formIn('v2', '/bookings', FORMS.v2 as Fields))).json(), {
    statusCode: 500, code: 'FST_ERR_VERSION_CHANGE'
  })
})

const open = (properties: Record<string, unknown>, [name]: string[] = Object.keys(properties)) => (
  { type: 'object', required: [name], properties, additionalProperties: true }
)
const text = open({ value: { type: 'string', maxLength: 5 } })
const file = open({ filename: { type: 'string' } })
const formOf = (name: string) => open({ [name]: text, note: file })
const renamed: Change = {
  version: 'v2',
  description: 'A guest has a name.',
  routes: {
    guests: {
      older: { body: formOf('guest') },
      body: {
        upgrade: ({ guest, ...rest }) => ({ ...rest, name: guest })
      }
    }
  }
}

for (const order of orders) {
  t.test(`parts are upgraded if they are members of the body, with multipart ${order}`, async (t) => {
    const app = await appWithForms(t, order, true, [renamed])
    app.post('/guests', { name: 'guests', schema: { body: formOf('name') } }, async ({ body }) => {
      const { name, note } = body as Record<string, Multipart>
      return [name, (await (note as MultipartFile).toBuffer()).toString()].map((one) => Object(one).value ?? one)
    })
    for (const [version, name] of [['v1', 'guest'], ['v2', 'name']] as const) {
      const response = await app.inject(formIn(version, '/guests', { [name]: 'Ada', note: FILE }))
      t.same(response.json(), ['Ada', FILE.text], version)
    }
  })
}

t.test('a part is refused in the words of the older version', async (t) => {
  const app = await appWithForms(t, orders[0], true, [renamed])
  app.post('/guests', { name: 'guests', schema: { body: formOf('name') } }, async () => 'a guest')
  t.match((await app.inject(formIn('v1', '/guests', { guest: 'Adelaide' }))).json(), {
    statusCode: 400, message: 'body/guest/value must NOT have more than 5 characters'
  })
})
