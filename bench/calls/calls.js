import Fastify from 'fastify'
import assert from 'node:assert/strict'

import { run } from '../child.js'
import { pluginOf, sides, sizes } from '../settings.js'
import { printSides } from '../table.js'
import { timeInTurns } from '../timing.js'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,' +
  'application/json;version=v1'

/** The path of a route under a scheme, and a request for its version v1. */
const cases = {
  HeaderVersioning: { path: '/rooms/:room', headers: { 'api-version': 'v1' } },
  AcceptHeaderVersioning: { path: '/rooms/:room', headers: { accept: 'application/json;version=v1' } },
  'AcceptHeaderVersioning, as long as of a browser': { path: '/rooms/:room', headers: { accept: browser } },
  URLPathVersioning: { path: '/:version/rooms/:room' },
  NamespaceVersioning: { path: '/v1/rooms/:room', options: { namespace: 'v1' } },
  HostNameVersioning: { path: '/rooms/:room', headers: { host: 'v1.example.com' } },
  QueryParameterVersioning: { path: '/rooms/:room', query: '?version=v1' }
}

/** Nanoseconds of `determineVersion`, and of `reply.reverse`. All sides of a case share a process, and take turns. */
export async function measureCalls () {
  const withPlugin = Object.entries(sides).filter(([name]) => name !== 'without')
  for (const what of ['determineVersion', 'reverse']) {
    const rows = []
    for (const label of Object.keys(cases)) {
      const starts = []
      for (let i = 0; i < sizes.starts; i++) {
        starts.push(await run('./calls/calls.js', what, label, ...withPlugin.map(([, directory]) => directory)))
      }
      const times = Object.fromEntries(withPlugin.map(([name], i) => [name, starts.map((start) => start[i])]))
      rows.push({ label, times })
    }
    printSides(what, 'ns', rows)
  }
}

/**
 * Nanoseconds of a call, a list for each of the sides.
 *
 * @param what `determineVersion`, or `reverse`
 * @param label of the case
 */
export async function measure (what, label, ...sides) {
  const calls = []
  for (const side of sides) {
    const { request, reply } = await exchange(label, await pluginOf(side))
    assert.equal(await request.versioningScheme.determineVersion(request), 'v1')
    calls.push(what === 'reverse'
      ? (room) => reply.reverse('room', { room: String(room) })
      : () => request.versioningScheme.determineVersion(request))
  }
  return timeInTurns(calls)
}

/** The request and the reply of an exchange in version v1. */
async function exchange (label, plugin) {
  const { path, query = '', headers, options } = cases[label]
  const [scheme] = label.split(',')
  const app = Fastify()
  await app.register(plugin.default, { scheme: plugin[scheme], allowedVersions: ['v1', 'v2'] })
  let seen
  app.register(async (api) => {
    api.get(path, { name: 'room' }, async (request, reply) => {
      seen = { request, reply }
      return ''
    })
  }, options)
  await app.inject({ url: path.replace(':version', 'v1').replace(':room', '7') + query, headers })
  return seen
}
