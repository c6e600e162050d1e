import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

export type Version = 'v1' | 'v2'
export type Place = 'header' | 'accept' | 'query' | 'path'

export const VERSIONS = ['v1', 'v2'] as const
export const PLACES = ['header', 'accept', 'query', 'path'] as const

/** A document as a consumer gets it, and the app that it describes. */
export interface Subject {
  readonly version: Version
  /** Where requests specify the version, or null for the document that @fastify/swagger makes without versions. */
  readonly place: Place | null
  readonly document: object
  readonly file: string
  readonly url: string
  /** `/bookings`, or `/v2/bookings`. */
  readonly path: string
  /** What the app has answered since the last call: `GET v2`, `DELETE 400`. */
  readonly answers: () => string[]
}

const text = { type: 'string' }
const object = (properties: Record<string, object>) => ({
  type: 'object', properties, required: Object.keys(properties), additionalProperties: false
})
const BOOKINGS = {
  v1: { $id: 'Booking', ...object({ guest: { ...text, example: 'Ada' } }) },
  v2: { $id: 'Booking', ...object({ guests: { type: 'array', items: text, example: ['Ada', 'Grace'] } }) }
}
/** What a client sends, and gets. */
export const BODIES = { v1: { guest: 'Ada' }, v2: { guests: ['Ada', 'Grace'] } }

const SCHEMES: Record<Place, VersioningOptions['scheme']> = {
  header: HeaderVersioning, accept: AcceptHeaderVersioning, query: QueryParameterVersioning, path: URLPathVersioning
}

/** The documents of both versions under each place, and those of the same routes without versions. */
export async function subjectsIn (t: Test, folder: string): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const place of PLACES) {
    const app = bookings()
    await app.register(versioning, { scheme: SCHEMES[place], allowedVersions: ['v1', 'v2'] })
    await app.register(openapi, { ui: false })
    const prefix = place === 'path' ? '/:version' : ''
    for (const version of VERSIONS) app.register(async (api) => declare(api, version, prefix, { version }))
    const { url, answers } = await listen(t, app)
    for (const version of VERSIONS) {
      const path = place === 'path' ? `/${version}/bookings` : '/bookings'
      subjects.push(await write({ version, place, document: app.openapi(version), url, path, answers }, folder))
    }
  }
  for (const version of VERSIONS) {
    const app = bookings()
    await app.register(swagger, { openapi: { openapi: '3.0.3' }, refResolver: { buildLocalReference: nameOf } })
    app.register(async (api) => declare(api, version))
    const { url, answers } = await listen(t, app)
    const subject = { version, place: null, document: app.swagger(), url, path: '/bookings', answers }
    subjects.push(await write(subject, folder))
  }
  return subjects
}

function bookings (): FastifyInstance {
  return Fastify({ ajv: { customOptions: { strict: false } } })
}

/** The routes of a version. Their `config` says of which one. */
function declare (app: FastifyInstance, version: Version, prefix = '', options: { version?: Version } = {}) {
  app.addSchema(BOOKINGS[version])
  const params = object({ ...prefix && { version: text }, id: { ...text, examples: ['7'] } })
  const answer = { $ref: 'Booking#' }
  const config = { madeFor: version }
  const named = (operationId: string, schema: object) => ({ ...options, config, schema: { operationId, ...schema } })
  app.get(`${prefix}/bookings/:id`, named('getBooking', { params, response: { 200: answer } }), async () => (
    BODIES[version]
  ))
  const made = named('makeBooking', { body: answer, response: { 201: answer } })
  app.post(`${prefix}/bookings`, made, async ({ body }, reply) => reply.code(201).send(body))
  const removed = named('cancelBooking', { params, response: { 204: { type: 'null', description: 'Cancelled' } } })
  app.delete(`${prefix}/bookings/:id`, removed, async (_request, reply) => reply.code(204).send())
}

/** Without it components would be `def-0`. */
function nameOf ({ $id }: { $id?: unknown }): string {
  return String($id)
}

async function listen (t: Test, app: FastifyInstance) {
  let seen: string[] = []
  app.addHook('onResponse', async function remember ({ method, routeOptions }, { statusCode }) {
    const { madeFor } = routeOptions.config as { madeFor?: Version }
    seen.push(`${method} ${statusCode < 400 ? madeFor : statusCode}`)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const answers = () => {
    const answered = seen
    seen = []
    return answered
  }
  return { url, answers }
}

async function write (subject: Omit<Subject, 'file'>, folder: string): Promise<Subject> {
  const { document, place, version, url } = subject
  const file = join(folder, `${place ?? 'plain'}-${version}.json`)
  const served = { ...document, servers: [{ url }] }
  await writeFile(file, JSON.stringify(served))
  return { ...subject, document: served, file }
}
