import { NOT_OLDER, byVersionOf, formsOf } from '../changes/route-forms.ts'
import { isObject } from '../changes/schema.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { contextOf } from '../context.ts'
import { VersionChangeError, VersionEventError, forbid, must } from '../errors.ts'
import { fitting } from '../fastify/compilers.ts'
import { serializerFor } from '../fastify/serializer-compiler.ts'
import { inherited } from '../instances.ts'
import { show, unknownName } from '../messages.ts'
import { isThenable } from '../promises.ts'

import type { FastifyInstance } from 'fastify'
import type { OlderVersions } from '../changes/route-forms.ts'
import type { ReadChange } from '../changes/read-changes.ts'

/** An event: a value that the app sends outside of responses, described like a route with it as the response 200. */
export interface AppEvent {
  readonly server: FastifyInstance
  readonly name: string
  readonly schema: { readonly response: { readonly 200: unknown } }
  /** The forms of the event in older versions. Known when the app is ready. */
  older: OlderVersions
  /** The serializers by version. The key null is for versions without a form. Empty until the app is ready. */
  readonly writers: Map<string | null, (value: unknown) => unknown>
}

/** The events that a context has, or inherits. */
export const { of: eventsOf, set: setEvents } = inherited<readonly AppEvent[]>('events')

/** Reads the option `events`. @throws FST_ERR_VERSIONING_OPTION naming the event and the value */
export function declareEvents (server: FastifyInstance, schemas: object): readonly AppEvent[] {
  const { changes, scheme } = contextOf(server)
  if (scheme === null) forbid('events', 'Remove "events", or set "scheme": without a scheme, there are no versions.')
  return setEvents(server, Object.entries(schemas).map(([name, schema]) => {
    // An event is JSON, so it has no `content` by media type. Changes say how versions differ, not a schema for each.
    const others = ['content', ...scheme.listedVersions]
    const isSchema = isObject(schema) && !others.some((key) => Object.hasOwn(schema, key))
    must(isSchema, `events.${name}`, 'the schema of the value itself', schema)
    changes?.note([schema], `the event ${show(name)}`)
    return { server, name, schema: { response: { 200: schema } }, older: NOT_OLDER, writers: new Map() }
  }))
}

/**
 * Finds the form of an event in each version, at onReady.
 *
 * @param copies gets the name of the event for a warning, if it has a changed schema without its `$id`
 * @returns the changes that apply to the event
 * @throws FST_ERR_VERSIONING_OPTION or FST_ERR_VERSION_CHANGE_OPTION naming the event and what is wrong
 */
export function settleEvent (event: AppEvent, copies: string[]): ReadChange[] {
  const { name, schema, server } = event
  const { changes } = contextOf(server)
  try {
    event.writers.set(null, fitting(serializerFor(server, schema.response[200], name)))
  } catch (error) {
    forbid('events', `Correct the schema of the event ${show(name)}: ${(error as Error).message.replace(/\.$/, '')}.`)
  }
  if (changes === null) return []
  const editions = changes.editionsIn(server)
  let count = 0
  const forms = formsOf({
    name: null,
    label: `the event ${show(name)}`,
    methods: ['POST'],
    schema,
    served: [...changes.versions.keys()],
    writtenFor: changes.versions.length - 1,
    compile: (older) => serializerFor(server, openSerializer(older), `${name};older-${++count}`)
  }, editions.stages)
  const id = forms.length > 0 ? null : editions.findCopy([schema.response[200]])
  if (id !== null) copies.push(`the event ${show(name)} (${show(id)})`)
  event.older = { ...NOT_OLDER, byVersion: byVersionOf(forms, changes.versions) }
  for (const [version, { parts }] of event.older.byVersion!) {
    const { compiled, convert } = parts.get('response 200')!.get(null)!.conversion!
    event.writers.set(version, (value) => compiled(convert(value)))
  }
  return forms.flatMap((form) => form.changes)
}

/** Makes `app.event` for a context with the option `events`. The function does not need `this`. */
export function eventWriter (events: readonly AppEvent[]): FastifyInstance['event'] {
  return function writeEvent (name: string, value: unknown, version: string): string {
    const event = events.find((declared) => declared.name === name)
    if (event === undefined) throw new VersionEventError(unknownName('event', name, events.map((each) => each.name)))
    const scheme = contextOf(event.server).scheme!
    const served = typeof version === 'string' ? scheme.versionFor(version) : null
    if (served === null) throw new VersionEventError(unknownName('version', version, scheme.listedVersions))
    const write = event.writers.get(served) ?? event.writers.get(null)
    if (!write) throw new VersionEventError('Await app.ready() before app.event(): schemas may be missing.')
    try {
      const text = value === undefined || isThenable(value) ? undefined : write(value)
      // With an empty schema, a serializer writes a function as "undefined". With the schema of an object, it writes a
      // text, a list or null as an object.
      const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (typeof text === 'string' && text !== 'undefined' && (isRecord || !text.startsWith('{'))) return text
    } catch (cause) {
      if (cause instanceof VersionChangeError) throw cause
      const [reason] = String(Object(cause).message).split('\n')
      throw new VersionEventError(`Cannot write the event ${show(name)} in ${show(served)}: ${reason}`, { cause })
    }
    const got = isThenable(value) ? 'a promise: await it' : show(value)
    throw new VersionEventError(`The event ${show(name)} needs a value that fits its schema, got ${got}.`)
  }
}
