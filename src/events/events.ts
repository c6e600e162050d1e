import { formsOf } from '../changes/forms.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { contextOf } from '../context.ts'
import { VersionEventError, VersioningOptionError, must } from '../errors.ts'
import { serializerCompilerOf } from '../fastify/serializer-compiler.ts'
import { inherited } from '../instances.ts'
import { show, suggestionFor } from '../messages.ts'
import { resolve } from '../schemes/reading.ts'

import type { FastifyInstance } from 'fastify'
import type { OlderVersions } from '../changes/forms.ts'
import type { ReadChange } from '../changes/read.ts'
import type { Compiled } from '../fastify/compilers.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** A value that the app sends outside of responses, in the words of a route that has it as its response 200. */
export interface AppEvent {
  readonly server: FastifyInstance
  readonly name: string
  readonly schema: { readonly response: { readonly 200: unknown } }
  /** How older versions have it. Known when the app is ready. */
  older: OlderVersions
  /** Writes the newest version. Made for the first event, when all schemas are known. */
  serialize: Compiled | null
}

const NEWEST: OlderVersions = Object.freeze({ byVersion: null, tags: null })

/** The events of one registration of the plugin. */
export class Events {
  readonly list: readonly AppEvent[]
  /** The context of the registration. */
  readonly server: FastifyInstance
  readonly #scheme: Scheme
  #isSettled = false

  /**
   * @param schemas by the names of events, as the option `events` has them
   * @throws FST_ERR_VERSIONING_OPTION naming the event and the value
   */
  constructor (server: FastifyInstance, schemas: object) {
    const { scheme } = contextOf(server)
    if (scheme === null) {
      throw new VersioningOptionError('Remove "events", or set "scheme": without a scheme, there are no versions.')
    }
    this.server = server
    this.#scheme = scheme
    this.list = Object.entries(schemas).map(([name, schema]) => {
      // Media types are of responses: an event is JSON.
      const isSchema = typeof schema === 'object' && schema !== null && !('content' in schema)
      must(isSchema, `events.${name}`, 'the schema of the value itself', schema)
      return { server, name, schema: { response: { 200: schema } }, older: NEWEST, serialize: null }
    })
  }

  /** Notes the schemas of all events, which changes may be about. Call it before `settle`. */
  note (): void {
    const { changes } = contextOf(this.server)
    for (const { name, schema } of this.list) changes?.note([schema.response[200]], `the event ${show(name)}`)
  }

  /**
   * At onReady: finds how older versions have each event.
   *
   * @returns the changes that apply to events
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the event and what is wrong
   */
  settle (): ReadChange[] {
    const { changes } = contextOf(this.server)
    this.#isSettled = true
    if (changes === null) return []
    const { versions } = changes
    return this.list.flatMap((event) => {
      const forms = formsOf({
        name: null,
        label: `the event ${show(event.name)}`,
        methods: ['POST'],
        schema: event.schema,
        served: [...versions.keys()],
        spoken: versions.length - 1,
        compile: (schema) => this.#compile(event, openSerializer(schema))
      }, changes.editionsIn(this.server).stages)
      const byVersion = new Map(forms.flatMap((form) => form.versions.map((index) => [versions[index], form])))
      event.older = { ...NEWEST, byVersion }
      return forms.flatMap((form) => form.changes)
    })
  }

  /**
   * `app.event`.
   *
   * @throws FST_ERR_VERSION_EVENT for an unknown event or version, and for what JSON does not have
   */
  write (name: string, value: unknown, version: string): string {
    if (!this.#isSettled) throw new VersionEventError('Await app.ready() before app.event(): schemas may be missing.')
    const event = this.list.find((declared) => declared.name === name)
    if (event === undefined) throw unknown('event', name, this.list.map(({ name }) => name))
    const text = value === undefined ? undefined : this.#text(event, value, version)
    if (typeof text === 'string') return text
    throw new VersionEventError(`The event ${show(name)} needs a value that JSON has, got ${show(value)}.`)
  }

  /** In the older version, or else in the newest. */
  #text (event: AppEvent, value: unknown, version: string): unknown {
    const resolved = this.#resolved(version)
    const conversion = event.older.byVersion?.get(resolved)?.parts.get('response 200')?.get(null)?.conversion
    if (conversion !== undefined) return conversion.compiled(conversion.convert(value))
    event.serialize ??= this.#compile(event, event.schema.response[200])
    return event.serialize(value)
  }

  /** The version that a request for this one gets. */
  #resolved (version: string): string {
    const scheme = this.#scheme
    const readings = [version, ...scheme.members.map(({ author }) => resolve(author, String(version), scheme))]
    const resolved = readings.find((reading) => reading !== null && scheme.allows(reading))
    if (typeof resolved !== 'string') throw unknown('version', version, scheme.listedVersions)
    return resolved
  }

  #compile ({ name }: AppEvent, schema: unknown): Compiled {
    const definition = { schema, httpStatus: '200', method: 'POST', url: name }
    return serializerCompilerOf(this.server)(definition as never) as Compiled
  }
}

function unknown (what: string, name: unknown, known: readonly string[]): Error {
  const hint = suggestionFor(String(name), known)
  return new VersionEventError(`Unknown ${what} ${show(name)}.${hint} There are ${known.map(show).join(', ')}.`)
}

const registrations = inherited<Events>('events')

/** The events that a context has, or inherits. */
export const eventsOf = registrations.of
export const setEvents = registrations.set

/** `app.event`. It is decorated where the option `events` is given. */
export function writeEvent (this: FastifyInstance, name: string, value: unknown, version: string): string {
  return (eventsOf(this) as Events).write(name, value, version)
}
