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
const toPair = (room) => `/rooms/${room}/b2`
const pairOf = (room) => ({ room: String(room), seat: 'b2' })

/**
 * Nanoseconds of `reply.reverse` for a path of two parameters or a version and a parameter.
 *
 * @returns rows of name, time, and how many times the time of path-to-regexp, of named-routes and of concatenation
 */
export async function timeLinks (sizes) {
  const path = await exchangeUnder(URLPathVersioning, '/:version/rooms/:room', '/v1/rooms/7')
  const namespace = await exchangeUnder(NamespaceVersioning, `/v1${PAIR}`, '/v1/rooms/7/b2', { namespace: 'v1' })
  const query = await exchangeUnder(QueryParameterVersioning, PAIR, '/rooms/7/b2?version=v1')
  const accept = await exchangeUnder(AcceptHeaderVersioning, PAIR, {
    url: '/rooms/7/b2', headers: { accept: 'application/json;version=v1' }
  })
  const host = await exchangeUnder(HostNameVersioning, PAIR, {
    url: '/rooms/7/b2', headers: { host: 'v1.example.com' }
  })
  const inPath = (version) => peersOf(
    '/:version/rooms/:room', (room) => ({ version, room: String(room) }), (room) => `/${version}/rooms/${room}`
  )
  const rows = [
    ['URLPathVersioning', inPath('v1'), (room) => path.reply.reverse('room', { room: String(room) })],
    ['… into another version', inPath('v2'), (room) => (
      path.reply.reverse('room', { room: String(room) }, { version: 'v2' })
    )],
    ['… of the current route', inPath('v1'), (room) => path.reply.reverse(null, { room: String(room) })],
    ['NamespaceVersioning', peersOf(`/v1${PAIR}`, pairOf, (room) => `/v1/rooms/${room}/b2`), linkOf(namespace)],
    ['QueryParameterVersioning', peersOf(PAIR, pairOf, toPair), linkOf(query)],
    ['AcceptHeaderVersioning', peersOf(PAIR, pairOf, toPair), linkOf(accept)],
    ['HostNameVersioning', peersOf(PAIR, pairOf, toPair), linkOf(host)]
  ]
  return rows.map(([name, peers, ours]) => timeRow(name, ours, peers, sizes))
}

function linkOf ({ reply }) {
  return (room) => reply.reverse('room', pairOf(room))
}

/** Others who make the URL; none of them has a version to add to a query. */
function peersOf (path, paramsOf, concatenate) {
  const router = new NamedRoutes()
  router.add('get', path, () => {}, { name: 'room' })
  const fill = compile(path)
  return [(room) => fill(paramsOf(room)), (room) => router.build('room', paramsOf(room), 'get'), concatenate]
}

function timeRow (name, ours, peers, sizes) {
  for (const peer of peers) assert.equal(ours(7).replace('?version=v1', ''), peer(7))
  const [own, ...others] = timeInTurns([ours, ...peers].map((call) => ({ call })), sizes)
  return [name, median(own), ...others.map((times) => range(ratiosOf(own, times)))]
}
