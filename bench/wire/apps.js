const ROOM = '/rooms/:id'
const versions = { allowedVersions: ['v1', 'v2'] }
const ending = {
  allowedVersions: ['v1', 'v2', 'v3'],
  reportVersions: true,
  lifecycle: { v1: { deprecated: '2025-01-01', sunset: '2036-01-01', info: 'https://docs.example.com/end' } }
}
const NOTICE = '<https://docs.example.com/end>; rel="deprecation", <https://docs.example.com/end>; rel="sunset"'
const text = { type: 'string' }
const older = { type: 'object', properties: { id: { type: 'integer' }, guest: text } }
const newest = { type: 'object', properties: { id: { type: 'integer' }, guests: { type: 'array', items: text } } }
const change = {
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: { Booking: { older, downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests[0] }) } }
}

/** Without the plugin there is no version. */
async function room ({ params: { id }, version = 'v1' }) {
  return { id, version }
}

/** The requests of all apps have these headers: reading them costs each the same. */
export const HEADERS = [
  'Host: v1.example.com', 'Accept: application/json;version=v1', 'Accept-Version: 1.0.0', 'API-Version: v1',
  'X-Client: 1'
]

/**
 * The apps that are measured on the wire, by what is measured: the URL that is asked, the body of the right answer, and
 * the routes, `without` the plugin and with it. `isNew`: no two requests have the same Accept header.
 */
export const apps = {
  HeaderVersioning: named('HeaderVersioning'),
  AcceptHeaderVersioning: named('AcceptHeaderVersioning'),
  'AcceptHeaderVersioning, new headers': { ...named('AcceptHeaderVersioning'), isNew: true },
  URLPathVersioning: named('URLPathVersioning', { path: `/:version${ROOM}` }),
  HostNameVersioning: named('HostNameVersioning'),
  QueryParameterVersioning: named('QueryParameterVersioning', { query: '?version=v1' }),
  NamespaceVersioning: {
    ...plain('/v1/rooms/:id'),
    async ours (app, { default: versioning, NamespaceVersioning: scheme }) {
      await app.register(versioning, { scheme, ...versions })
      for (const name of versions.allowedVersions) {
        app.register(async (api) => { api.get(ROOM, room) }, { prefix: `/${name}`, namespace: name })
      }
    }
  },
  'a list of two schemes': named(['HeaderVersioning', 'QueryParameterVersioning'], { query: '?version=v1' }),
  'a default version for each client': named('HeaderVersioning', {
    options: { versionHeader: 'X-Not-Sent', defaultVersion: { header: 'X-Client', version: () => 'v1' } }
  }),
  'chosen by header': chosen('HeaderVersioning', ROOM),
  'chosen by path': chosen('URLPathVersioning', `/:version${ROOM}`),
  'retired soon, header': ended('HeaderVersioning', ROOM, 'API-Version', () => NOTICE),
  'retired soon, path, with links': ended('URLPathVersioning', `/:version${ROOM}`, '', ({ id }) => (
    `${NOTICE}, </v2/rooms/${encodeURIComponent(id)}>; rel="successor-version", ` +
    `</v3/rooms/${encodeURIComponent(id)}>; rel="latest-version"`
  )),
  'changes, a list of 10': changed(10),
  'changes, a list of 200': changed(200)
}

function plain (path, query = '') {
  return {
    url: path.replace(':version', 'v1').replace(':id', '7') + query,
    body: '{"id":"7","version":"v1"}',
    without: (app) => app.get(path, room)
  }
}

/** @param schemes the name of one, or a list of names */
function named (schemes, { path = ROOM, query, options = versions } = {}) {
  return {
    ...plain(path, query),
    async ours (app, plugin) {
      const scheme = Array.isArray(schemes) ? schemes.map((name) => plugin[name]) : plugin[schemes]
      await app.register(plugin.default, { scheme, ...versions, ...options })
      app.get(path, room)
    }
  }
}

/** Two handlers at one URL, beside Fastify's own constraint. */
function chosen (scheme, path) {
  return {
    ...plain(path),
    without (app) {
      for (const version of ['1.0.0', '2.0.0']) app.get(path, { constraints: { version } }, room)
    },
    async ours (app, plugin) {
      await app.register(plugin.default, { scheme: plugin[scheme], ...versions })
      for (const version of versions.allowedVersions) app.get(path, { version }, room)
    }
  }
}

/** A version that ends, beside the same headers written by hand. */
function ended (scheme, path, vary, linkTo) {
  return {
    ...named(scheme, { path, options: ending }),
    without (app) {
      app.addHook('onRequest', function retire ({ params }, reply, done) {
        reply.header('deprecation', '@1735689600')
        reply.header('sunset', 'Tue, 01 Jan 2036 00:00:00 GMT')
        reply.header('api-supported-versions', 'v1, v2, v3')
        reply.header('api-deprecated-versions', 'v1')
        reply.header('link', linkTo(params))
        if (vary !== '') reply.header('vary', vary)
        done()
      })
      app.get(path, room)
    }
  }
}

/** One handler, and an older version of each item of its list, beside the same conversion by hand. */
function changed (length) {
  const list = Array.from({ length }, (_, id) => ({ id, guests: ['Ada', 'Grace'] }))
  const olderList = list.map(({ id, guests: [guest] }) => ({ id, guest }))
  return {
    url: '/bookings',
    body: JSON.stringify(olderList),
    without (app) {
      const preSerialization = async (_request, _reply, bookings) => bookings.map(change.schemas.Booking.downgrade)
      const schema = { response: { 200: { type: 'array', items: older } } }
      app.get('/bookings', { preSerialization, schema }, async () => list)
    },
    async ours (app, { default: versioning, HeaderVersioning: scheme }) {
      await app.register(versioning, { scheme, ...versions, changes: [change] })
      app.addSchema({ $id: 'Booking', ...newest })
      const schema = { response: { 200: { type: 'array', items: { $ref: 'Booking#' } } } }
      app.get('/bookings', { schema }, async () => list)
    }
  }
}
