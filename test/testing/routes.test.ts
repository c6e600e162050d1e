import Fastify from 'fastify'
import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { integer, object, text } from '../changes/kernel.ts'

import type { Json } from '../changes/kernel.ts'
import type { Change, RouteChange } from '../../types/index.d.ts'

const optional = (properties: Record<string, unknown>) => object(properties, { required: [] })
const listOf = (items: object) => ({ type: 'array', items })
const schema = {
  querystring: optional({ cursor: text, limit: integer }),
  body: optional({ name: text }),
  response: {
    200: optional({ name: text }), 404: { content: { 'application/json': { schema: optional({ code: text }) } } }
  }
}

async function appWith (change: RouteChange, own: Json = schema) {
  const app = Fastify()
  const changes = [{ version: 'v2', description: 'It changed.', routes: { bookings: change } }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  app.post('/bookings', { name: 'bookings', schema: own }, async () => ({}))
  app.get('/other', async () => '')
  await app.ready()
  return app
}

const older = { querystring: optional({ page: integer, limit: integer }), body: optional({ title: text }) }
const rename = ({ title, ...rest }: Json) => ({ ...rest, name: title })

for (const [title, change, name, message] of [
  ['a function of the query that throws', {
    older: { query: older.querystring },
    query: { upgrade: ({ page, ...rest }) => ({ ...rest, cursor: page.toFixed() }) }
  }, 'bookings query',
  /^The example without '\/page' is valid, too\. Change 'v2' .*, POST \/bookings, querystring:.* threw/],
  ['a query of a link that is not valid', {
    older: { query: older.querystring },
    query: {
      upgrade: ({ page, ...rest }) => page === undefined ? rest : { ...rest, cursor: String(page) },
      downgrade: ({ cursor, ...rest }) => ({ ...rest, page: cursor })
    }
  }, 'bookings query', /is not valid in 'v1': \/page must be integer/],
  ['a typo in a query of a link', {
    older: { query: older.querystring },
    query: {
      upgrade: ({ page, ...rest }) => page === undefined ? rest : { ...rest, cursor: String(page) },
      downgrade: ({ cursor, ...rest }) => ({ ...rest, pgae: cursor && 1 })
    }
  }, 'bookings query', /^The function "downgrade" returned 'pgae', .* Did you mean 'page'\?$/],
  ['a typo in a body', { older: { body: older.body }, body: { upgrade: ({ title }) => ({ nmae: title }) } },
    'bookings body', /returned 'nmae', which the newer schema does not have\. Did you mean 'name'\?$/],
  ['a typo in what is read of a body',
    { older: { body: older.body }, body: { upgrade: ({ titel }) => ({ name: titel }) } },
    'bookings body', /^The upgrade reads '\/titel', .* Did you mean 'title'\?$/],
  ['a member that items of inner lists may lack', {
    older: { body: optional({ rooms: listOf(optional({ beds: listOf(optional({ size: text })) })) }) },
    body: {
      upgrade: ({ rooms = [] }) => (
        { name: rooms.flatMap(({ beds = [] }) => beds.map(({ size }: Json) => size.trim()))[0] }
      )
    }
  }, 'bookings body', /^The example without '\/rooms\/0\/beds\/0\/size' is valid, too\. .* threw/],
  ['a response that lacks a member', {
    response: { 200: { older: object({ title: text }), downgrade: ({ name, ...rest }) => ({ ...rest, title: name }) } }
  }, 'bookings response 200',
  /^The example without '\/name' is valid, too\. .* not valid in 'v1': "title" is required\.$/],
  ['a response by media type', {
    response: { 404: { downgrade: ({ code }) => ({ code: code.trim() }) } }
  }, 'bookings response 404', /^The example without '\/code' is valid, too\. .* threw/]
] as [string, RouteChange, string, RegExp][]) {
  t.test(`checkChanges() finds ${title}`, async (t) => {
    const problems = checkChanges(await appWith(change))
    t.match(problems, [{ schema: name, version: 'v1', message }])
    t.equal(problems.length, 1, JSON.stringify(problems))
  })
}

t.test('checkChanges() finds nothing in a route whose functions are right', async (t) => {
  const app = await appWith({
    older,
    body: { upgrade: rename },
    query: {
      upgrade: ({ page, ...rest }) => page === undefined ? rest : { ...rest, cursor: String(page) },
      downgrade: ({ cursor, ...rest }) => /^\d{1,9}$/.test(cursor) ? { ...rest, page: cursor } : rest
    },
    response: { 404: { older: optional({ code: integer }), downgrade: ({ code }) => ({ code: code?.length }) } }
  })
  t.same(checkChanges(app, { 'bookings body': { v1: [{ title: 'a' }] } }), [])
})

t.test('checkChanges() takes examples of a route', async (t) => {
  const upgrade = ({ title = '' }) => {
    if (title === 'Ada') throw new Error('No.')
    return { name: title }
  }
  const app = await appWith({ older: { body: older.body }, body: { upgrade } })
  t.same(checkChanges(app), [])
  const problems = checkChanges(app, { 'bookings body': { v1: [{ title: 'Ada' }] } })
  t.match(problems, [{ message: /"upgrade" threw "No\."\.$/ }])
  const message = /No change has the schema 'bookings bodi'\. Did you mean 'bookings body'\?/
  t.throws(() => checkChanges(app, { 'bookings bodi': [] }), { message })
})

t.test('checkChanges() says if no value of a part is known', async (t) => {
  const strange = object({ title: { ...text, pattern: '^(?=a)(.)\\1$' } })
  const app = await appWith({ older: { body: strange }, body: { upgrade: rename } })
  t.match(checkChanges(app), [{
    schema: 'bookings body',
    message: /^There is no example\. Write checkChanges\(app, { 'bookings body': { 'v1': \[an example\] } }\), or /
  }])
  t.same(checkChanges(app, { 'bookings body': { v1: [{ title: 'aa' }] } }), [])
})

for (const [direction, newer, older, example, wanted] of [
  ['upgrade', 'name', 'title', [{ name: 'b' }], "{ 'v1': \\[an example\\] }"],
  ['downgrade', 'title', 'name', { v1: [{ name: 'b' }] }, '\\[an example\\]']
] as const) {
  t.test(`checkChanges() asks for an example that ${direction} of a shared schema can convert`, async (t) => {
    const strange = (name: string) => object({ [name]: name === 'name' ? text : { ...text, pattern: '^(?=a)(.)\\1$' } })
    const Made = { older: strange(older), [direction]: () => { throw new Error('No.') } }
    const app = Fastify()
    const changes = [{ version: 'v2', description: 'It changed.', schemas: { Made } }]
    await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
    app.addSchema({ $id: 'Made', ...strange(newer) })
    const made = { $ref: 'Made#' }
    const schema = direction === 'upgrade' ? { body: made, response: { 200: {} } } : { response: { 200: made } }
    app.post('/made', { schema }, async () => ({}))
    await app.ready()
    const message = new RegExp(`^There is no example\\. Write checkChanges\\(app, { 'Made': ${wanted} }\\), or `)
    t.match(checkChanges(app, { Made: example }), [{ schema: 'Made', message }])
  })
}

t.test('checkChanges() takes a function that reads what only one of several media types has', async (t) => {
  const content = (json: object, csv: object) => (
    { content: { 'application/json': { schema: json }, 'text/csv': { schema: csv } } }
  )
  const body = content(optional({ name: text }), optional({ name: text }))
  const app = await appWith({
    older: { body: content(optional({ title: text }), optional({ column: text })) },
    body: { upgrade: ({ title, column }) => ({ name: title ?? column }) }
  }, { ...schema, body })
  t.same(checkChanges(app), [])
})

t.test('checkChanges() says once that a function modifies what no example shows', async (t) => {
  const app = await appWith({
    older: { body: object({ names: listOf(text) }) },
    body: { upgrade: ({ names }) => ({ name: names.reverse().join() }) }
  })
  t.equal(checkChanges(app).length, 1)
})

t.test('checkChanges() makes a tuple, whose items have schemas of their own', async (t) => {
  const pair = { type: 'array', items: [text, integer], minItems: 2, maxItems: 2 }
  const upgrade = ({ pair: [name] }: Json) => ({ name })
  const app = await appWith({ older: { body: object({ pair }) }, body: { upgrade } })
  t.same(checkChanges(app), [])
})

t.test('checkChanges() checks a body that only older versions have', async (t) => {
  const { body: _body, ...others } = schema
  const app = await appWith({ older: { body: older.body }, body: { upgrade: rename } }, others)
  t.same(checkChanges(app), [])
  const wrong = await appWith({ older: { body: older.body }, body: { upgrade: ({ title }) => title.trim() } }, others)
  t.match(checkChanges(wrong), [{ message: /without '\/title' is valid, too/ }])
})

t.test('checkChanges() checks what changed in different versions, and leaves responses without a body', async (t) => {
  const toTitle = { older: optional({ title: text }), downgrade: ({ name }: Json) => ({ title: name }) }
  const toLabel = { older: optional({ label: text }), downgrade: ({ title }: Json) => ({ label: title.trim() }) }
  const later = {
    older: { querystring: optional({ limit: integer }) },
    query: { upgrade: ({ limit }: Json) => ({ limit: limit && limit + 1 }) },
    response: { 200: toTitle, 202: { status: 204 } }
  }
  const earlier = {
    older: { body: older.body },
    body: { upgrade: ({ title }: Json) => ({ name: title.trim() }) },
    response: { 200: toLabel }
  }
  const changes = [
    { version: 'v3', description: 'Later.', routes: { bookings: later } },
    { version: 'v2', description: 'Earlier.', routes: { bookings: earlier } }
  ]
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  const response = { ...schema.response, 202: optional({ name: text }) }
  const { querystring } = schema
  app.post('/bookings', { name: 'bookings', schema: { querystring, response } }, async () => ({}))
  await app.ready()
  t.match(checkChanges(app), [
    { schema: 'bookings response 200', version: 'v1', message: /without '\/name' is valid, too/ },
    { schema: 'bookings body', version: 'v1', message: /without '\/title' is valid, too/ }
  ])
})

t.test('checkChanges() reports a route of several namespaces once', async (t) => {
  const app = Fastify()
  const change = { older: { body: older.body }, body: { upgrade: ({ title }: Json) => ({ name: title.trim() }) } }
  const changes = [{ version: 'v2', description: 'It changed.', routes: { bookings: change } }]
  await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v0', 'v1', 'v2'], changes })
  for (const namespace of ['v0', 'v1', 'v2']) {
    app.register(async (app) => {
      app.post('/bookings', { name: 'bookings', schema }, async () => ({}))
    }, { prefix: `/${namespace}`, namespace, writtenFor: 'v2' })
  }
  await app.ready()
  t.equal(checkChanges(app).length, 1)
})

t.test('checkChanges() takes a function of a route, in whose body a shared schema has changed before', async (t) => {
  const guest = { $ref: 'Guest#' }
  const app = Fastify()
  const changes: Change[] = [{
    version: 'v3',
    description: 'A title is a name.',
    routes: {
      bookings: {
        older: { body: optional({ title: text, guest }) },
        body: {
          upgrade: ({ title, guest }: Json) => ({ name: title, guest: guest && { full: guest.full } })
        }
      }
    }
  }, {
    version: 'v2',
    description: 'A guest has a full name.',
    schemas: {
      Guest: { older: optional({ first: text }), upgrade: ({ first }: Json) => ({ full: first }) }
    }
  }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  app.addSchema({ $id: 'Guest', ...optional({ full: text }) })
  const schema = { body: optional({ name: text, guest }), response: { 200: {} } }
  app.post('/bookings', { name: 'bookings', schema }, async () => ({}))
  await app.ready()
  t.same(checkChanges(app, { Guest: { v1: [{ first: 'Ada' }] } }), [])
})

t.test('checkChanges() finds what several changes of a route do, between the versions that it serves', async (t) => {
  const change = (version: string, older: string, newer: string): Change => ({
    version,
    description: 'It changed.',
    routes: {
      bookings: {
        older: { body: { ...optional({ [older]: text }), additionalProperties: false } },
        body: { upgrade: ({ [older]: name = '', ...rest }: Json) => ({ ...rest, [newer]: name.trim() }) }
      }
    }
  })
  const app = Fastify()
  const changes = [change('v3', 'title', 'name'), change('v2', 'label', 'titel')]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  app.post('/bookings', { name: 'bookings', version: ['v1', 'v3'], schema }, async () => ({}))
  await app.ready()
  const message = /returned 'titel', .* mean 'title'\?$/
  t.match(checkChanges(app), [{ schema: 'bookings body', version: 'v1', message }])
})
