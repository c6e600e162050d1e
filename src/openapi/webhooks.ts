import { appOf } from '../boot/app.ts'
import { eventsOf } from '../events/events.ts'
import { isWithin } from '../instances.ts'
import { minorOf } from './options.ts'

import type { FastifyInstance } from 'fastify'
import type { AppEvent } from '../events/events.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { DocumentOptions } from '../../types/openapi.d.ts'
import type { Item } from './document.ts'
import type { Operation } from './operations.ts'

/** The events that a context has, and those of contexts below. Where they share a name, it is the context's own. */
export function eventsShownIn (server: FastifyInstance): AppEvent[] {
  const below = appOf(server).events.filter((event) => event.server !== server && isWithin(event.server, server))
  return [...new Map([...below, ...eventsOf(server) ?? []].map((event) => [event.name, event])).values()]
}

/**
 * These events as operations, which OpenAPI has from 3.1 on: of routes whose response they are, because
 * @fastify/swagger knows paths only.
 */
export function eventOperationsOf (server: FastifyInstance, options: DocumentOptions): Operation[] {
  if (minorOf(options) === 0) return []
  return eventsShownIn(server).map(({ name, older, schema, server }, i) => {
    const method = 'POST'
    const url = `/x-fastify-versioning-event/${i}`
    const declared = { method, url, config: {}, schema } as unknown as DeclaredOptions
    const route = { server, older, url, ownScheme: undefined } as unknown as Route
    return { declared, method, record: route, route, event: name, versionParam: null, suffix: '' }
  })
}

/** Such an operation as a webhook (OpenAPI 3.1), of which a transform may say nothing. */
export function webhookOf ({ responses }: Item): object {
  const content = responses['200']?.content
  const requestBody = content && { requestBody: { required: true, content } }
  return { post: { ...requestBody, responses: { 200: { description: 'The event has been received.' } } } }
}
