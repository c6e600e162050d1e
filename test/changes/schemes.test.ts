import t from 'tap'

import { places, requestOf } from '../fixtures/places.ts'
import { EXAMPLES, VERSIONS, appWithChanges, guests, room } from './bookings.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Place } from '../fixtures/places.ts'

const { accept, contentType, header, host, path, query } = places
const LISTS: readonly (readonly Place[])[] = [
  [accept], [contentType], [header], [host], [path], [query], [header, query], [path, accept], [host, header]
]
const route: RouteOptions = {
  method: 'POST',
  url: '/bookings',
  schema: { body: { $ref: 'Booking#' }, response: { 200: { $ref: 'Booking#' } } },
  handler: async (request) => ({ ...request.body as object, secret: true })
}

function declare (app: FastifyInstance, list: readonly Place[]): void {
  for (const url of list.map((place) => place === path ? '/:version/bookings' : '/bookings')) {
    if (!app.hasRoute({ method: 'POST', url })) app.route({ ...route, url })
  }
}

async function send (app: FastifyInstance, place: Place, version: string, payload: object) {
  const { url, headers, query } = requestOf('/bookings', place.naming(version))
  const type = { 'content-type': 'application/json', ...headers }
  return await app.inject({ method: 'POST', url: url as string, headers: type, payload, ...query && { query } })
}

for (const list of LISTS) {
  const label = list.map(({ place }) => place).join(' and ')

  t.test(`a handler serves older versions that are specified by ${label}`, async (t) => {
    const scheme = list.map(({ Scheme }) => Scheme)
    const app = await appWithChanges(t, { scheme, changes: [guests, room] })
    declare(app, list)
    for (const place of list) {
      for (const version of VERSIONS) {
        const response = await send(app, place, version, EXAMPLES[version])
        t.same(response.json(), EXAMPLES[version], `${place.place} ${version}`)
      }
    }
  })
}
