import NamedRoutes from 'named-routes'
import assert from 'node:assert/strict'
import { compile } from 'path-to-regexp'

import {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../dist/index.js'
import { median, range, ratiosOf } from '../statistics.js'
import { exchangeUnder } from './exchange.js'
import { timeInTurns } from './timing.js'

const PAIR = '/rooms/:room/:seat'

/** How a link comes about under each scheme, by name: what makes it, and others who make the same. */
const makers = {
  async URLPathVersioning () {
    const { reply } = await roomOfV1()
    return [(room) => reply.reverse('room', { room: String(room) }), ...peersInPath('v1')]
  },
  async '… into another version' () {
    const { reply } = await roomOfV1()
    const options = { version: 'v2' }
    return [(room) => reply.reverse('room', { room: String(room) }, options), ...peersInPath('v2')]
  },
  async '… of the current route' () {
    const { reply } = await roomOfV1()
    return [(room) => reply.reverse(null, { room: String(room) }), ...peersInPath('v1')]
  },
  NamespaceVersioning: () => (
    makersOf(NamespaceVersioning, `/v1${PAIR}`, { url: '/v1/rooms/7/b2' }, { namespace: 'v1' })
  ),
  QueryParameterVersioning: () => makersOf(QueryParameterVersioning, PAIR, { url: '/rooms/7/b2?version=v1' }),
  AcceptHeaderVersioning: () => makersOf(AcceptHeaderVersioning, PAIR, {
    url: '/rooms/7/b2', headers: { accept: 'application/json;version=v1' }
  }),
  HostNameVersioning: () => makersOf(HostNameVersioning, PAIR, {
    url: '/rooms/7/b2', headers: { host: 'v1.example.com' }
  })
}

export const linkNames = Object.keys(makers)

/**
 * Nanoseconds of `reply.reverse` for a path of two parameters, or of a version and a parameter.
 *
 * @param name one of `linkNames`, each in its own process: an app has one scheme, and is compiled for it
 * @returns the name, the time, and how many times the time of path-to-regexp, of named-routes and of concatenation
 */
export async function timeLink (name, sizes) {
  const [ours, ...peers] = await makers[name]()
  for (const peer of peers) assert.equal(ours(7).replace('?version=v1', ''), peer(7))
  const [own, ...others] = timeInTurns([ours, ...peers].map((call) => ({ call })), sizes)
  return [name, median(own), ...others.map((times) => range(ratiosOf(own, times)))]
}

function roomOfV1 () {
  return exchangeUnder(URLPathVersioning, '/:version/rooms/:room', '/v1/rooms/7')
}

function peersInPath (version) {
  const paramsOf = (room) => ({ version, room: String(room) })
  return peersOf('/:version/rooms/:room', paramsOf, (room) => `/${version}/rooms/${room}`)
}

async function makersOf (scheme, path, request, options) {
  const { reply } = await exchangeUnder(scheme, path, request, options)
  const start = path.slice(0, path.indexOf(':'))
  const paramsOf = (room) => ({ room: String(room), seat: 'b2' })
  return [
    (room) => reply.reverse('room', paramsOf(room)),
    ...peersOf(path, paramsOf, (room) => `${start}${room}/b2`)
  ]
}

/** Others who make the URL; none of them has a version to add to a query. */
function peersOf (path, paramsOf, concatenate) {
  const router = new NamedRoutes()
  router.add('get', path, () => {}, { name: 'room' })
  const fill = compile(path)
  return [(room) => fill(paramsOf(room)), (room) => router.build('room', paramsOf(room), 'get'), concatenate]
}
