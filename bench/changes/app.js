import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'

const integer = { type: 'integer' }
const text = { type: 'string' }

/** An API whose things, and the parts in them, have other names in each version. */
class Api {
  constructor (count) {
    this.count = count
    this.versions = Array.from({ length: count }, (_, i) => `v${i + 1}`)
    this.things = this.versions.map((_, i) => renaming('title', i + 1))
    this.parts = this.versions.map((_, i) => renaming('name', i + 1))
    this.queries = this.versions.map((_, i) => renaming('cursor', i + 1))
  }

  thing (version, part) {
    const properties = { id: integer, [`title${version}`]: text, note: text, parts: { type: 'array', items: part } }
    return { type: 'object', required: [`title${version}`], properties }
  }

  part (version) {
    return { type: 'object', required: [`name${version}`], properties: { size: integer, [`name${version}`]: text } }
  }

  query (version) {
    return { type: 'object', properties: { [`cursor${version}`]: text } }
  }

  /** Two for each version after the first. */
  changes () {
    return this.versions.slice(1).flatMap((version, i) => [
      {
        version,
        description: `Things have other titles in ${version}.`,
        schemas: { Thing: { older: this.thing(i + 1, { $ref: 'Part#' }), ...this.things[i] } }
      },
      {
        version,
        description: `Parts, and the cursors of things, have other names in ${version}.`,
        schemas: { Part: { older: this.part(i + 1), ...this.parts[i] } },
        routes: { things: { older: { querystring: this.query(i + 1) }, query: this.queries[i] } }
      }
    ])
  }

  /** What the handler knows of a thing in a version. */
  upgraded (thing, version) {
    let newer = thing
    for (let i = version; i < this.count; i++) {
      newer = this.things[i - 1].upgrade({ ...newer, parts: newer.parts.map(this.parts[i - 1].upgrade) })
    }
    return newer
  }

  downgraded (thing, version) {
    let older = thing
    for (let i = this.count - 1; i >= version; i--) {
      const { parts, ...rest } = this.things[i - 1].downgrade(older)
      older = { ...rest, parts: parts.map(this.parts[i - 1].downgrade) }
    }
    return older
  }

  upgradedQuery (query, version) {
    let newer = query
    for (let i = version; i < this.count; i++) newer = this.queries[i - 1].upgrade(newer)
    return newer
  }
}

/** The two functions of a change that gives a field another number at its end. */
function renaming (field, version) {
  return { upgrade: renamed(field, version, version + 1), downgrade: renamed(field, version + 1, version) }
}

function renamed (field, from, to) {
  const [before, after] = [`${field}${from}`, `${field}${to}`]
  return ({ [before]: value, ...rest }) => ({ ...rest, [after]: value })
}

/** A thing in a version, as clients have it. */
export function exampleIn (version) {
  const part = (size) => ({ size, [`name${version}`]: 'a name' })
  return { id: 7, [`title${version}`]: 'a title', note: 'a note', parts: [part(1), part(2)] }
}

/**
 * An app with a route to get things, and others to post them.
 *
 * @param count how many routes
 * @param versions how many versions
 * @param mode `changes`: one handler for all versions. `hand`: a route for each version, with the same functions and a
 *   second validation. `newest`: one handler, without changes
 */
export async function appOf (count, versions, mode) {
  const api = new Api(versions)
  const app = Fastify()
  const changes = mode === 'changes' ? api.changes() : null
  const defaultVersion = api.versions.at(-1)
  await app.register(versioning, { scheme: HeaderVersioning, defaultVersion, allowedVersions: api.versions, changes })
  app.addSchema({ $id: 'Part', ...api.part(versions) })
  app.addSchema({ $id: 'Thing', ...api.thing(versions, { $ref: 'Part#' }) })
  declare(app, count, 'Thing', api.query(versions), () => ({}))
  const byHandUntil = mode === 'hand' ? versions : 1
  for (let version = 1; version < byHandUntil; version++) {
    app.addSchema({ $id: `Part.v${version}`, ...api.part(version) })
    app.addSchema({ $id: `Thing.v${version}`, ...api.thing(version, { $ref: `Part.v${version}#` }) })
    declare(app, count, `Thing.v${version}`, api.query(version), () => byHand(app, api, version))
  }
  await app.ready()
  return app
}

function declare (app, count, id, querystring, optionsFor) {
  const example = exampleIn(app.getSchema('Thing').required[0].slice('title'.length))
  const thing = () => ({ $ref: `${id}#` })
  const schema = { querystring, response: { 200: thing() } }
  app.get('/things', { name: 'things', ...optionsFor(), schema }, (_request, reply) => { reply.send(example) })
  for (let i = 1; i < count; i++) {
    app.post(`/things-${i}`, { ...optionsFor(), schema: { body: thing(), response: { 200: thing() } } }, answer)
  }
}

async function answer ({ body }) {
  return body
}

/** What serves an older version without changes. */
function byHand (app, api, version) {
  const validators = validatorsOf(app, api)
  return {
    version: `v${version}`,
    preHandler (request, _reply, done) {
      if (request.method === 'POST') request.body = checked(validators.body(), api.upgraded(request.body, version))
      else request.query = checked(validators.query(), api.upgradedQuery(request.query, version))
      done()
    },
    preSerialization (_request, _reply, payload, done) {
      done(null, api.downgraded(payload, version))
    }
  }
}

const known = new WeakMap()

/** Each is compiled once for an app, when it is first needed. */
function validatorsOf (app, api) {
  const compiled = new Map()
  const of = (httpPart, schema) => () => {
    const validate = compiled.get(httpPart) ?? app.validatorCompiler({ schema, method: 'GET', url: '/', httpPart })
    compiled.set(httpPart, validate)
    return validate
  }
  const validators = known.get(app) ??
    { body: of('body', { $ref: 'Thing#' }), query: of('querystring', api.query(api.count)) }
  known.set(app, validators)
  return validators
}

function checked (validate, value) {
  if (!validate(value)) throw new Error('What the upgrade has made is not valid.')
  return value
}
