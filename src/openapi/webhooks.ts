import { appOf } from '../boot/app.ts'
import { eventsOf } from '../events/events.ts'
import { isWithin } from '../instances.ts'
import { MADE_OF } from './operations.ts'

import type { FastifyInstance } from 'fastify'
import type { AppEvent } from '../events/events.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Document, Item } from './document.ts'
import type { Operation } from './operations.ts'

/** Where events stand, by number, until they are webhooks: @fastify/swagger knows paths only. */
const PATH = '/x-fastify-versioning-event/'

/** The events that a context has, and those of contexts below. Where they share a name, it is the context's own. */
export function eventsShownIn (server: FastifyInstance): AppEvent[] {
  const below = appOf(server).events.filter((event) => event.server !== server && isWithin(event.server, server))
  return [...new Map([...below, ...eventsOf(server) ?? []].map((event) => [event.name, event])).values()]
}

/** These events as operations: of routes whose response they are. */
export function eventOperationsOf (server: FastifyInstance): Pick<Operation, 'declared' | 'route'>[] {
  return eventsShownIn(server).map(({ name, older, schema, server }, i) => {
    const url = `${PATH}${i}`
    const route = { server, older, url, ownScheme: undefined } as unknown as Route
    const operation = { route, event: name, transform: undefined, versionParam: null } as Partial<Operation>
    const marked = { ...schema, [MADE_OF]: () => operation }
    return { route, declared: { method: 'POST', url, config: {}, schema: marked } as unknown as DeclaredOptions }
  })
}

/** Moves events to `webhooks` (OpenAPI 3.1), where a webhook of the user stays as it is. */
export function moveEvents (document: Document): void {
  const { paths } = document
  for (const [path, { post }] of Object.entries(paths) as [string, { post?: Item }][]) {
    const event = (post?.[MADE_OF] as (() => Operation) | undefined)?.().event
    if (post === undefined || event === undefined) continue
    delete paths[path]
    // A transform may say nothing of it.
    const content = post.responses['200']?.content
    const requestBody = content && { requestBody: { required: true, content } }
    const responses = { 200: { description: 'The event has been received.' } }
    document.webhooks = { [event]: { post: { ...requestBody, responses } }, ...document.webhooks }
  }
}
