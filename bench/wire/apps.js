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

/** An app with an empty hook has no version. */
async function room ({ params: { id }, version = 'v1' }) {
  return { id, version }
}

/** What usage has to watch, because it has not read the version so far. */
async function unversionedRoom ({ params: { id } }) {
  return { id, version: 'v1' }
}

/** The requests of all apps have these headers: reading them costs each the same. */
const HEADERS = [
  'Host: v1.example.com', 'Accept: application/json;version=v1', 'Accept-Version: 1.0.0', 'API-Version: v1',
  'X-Client: 1'
]

/** What a hook by hand reads, and the request headers by which the response varies. */
const read = {
  HeaderVersioning: [({ headers }) => headers['api-version'], 'API-Version'],
  AcceptHeaderVersioning: [({ headers }) => /; *version=([^;, ]+)/.exec(headers.accept)?.[1], 'Accept'],
  URLPathVersioning: [({ params }) => params.version],
  HostNameVersioning: [({ host }) => /^([a-z0-9]+)\.[a-z0-9]+\.[a-z0-9]+$/i.exec(host.split(':', 1)[0])?.[1]],
  QueryParameterVersioning: [({ query }) => query.version]
}

/** @param count of the requests before */
export function requestText ({ url, isNew }, count) {
  const text = [`GET ${url} HTTP/1.1`, ...HEADERS, '\r\n'].join('\r\n')
  return isNew ? text.replace('version=v1', `version=v1;n=${count}`) : text
}

/**
 * The apps that are measured, by what is measured: the URL that is asked, the body of the right answer, and the routes:
 * `without` the plugin, `byHand` with the hook that an app has instead, and `ours`. `isNew`: no two requests have the
 * same Accept header.
 */
export const apps = {
  HeaderVersioning: named('HeaderVersioning'),
  AcceptHeaderVersioning: named('AcceptHeaderVersioning'),
  'AcceptHeaderVersioning, with its type': named('AcceptHeaderVersioning', {
    hook: [...read.AcceptHeaderVersioning, 'application/json; version=v1; charset=utf-8']
  }),
  'AcceptHeaderVersioning, new headers': { ...named('AcceptHeaderVersioning'), isNew: true },
  URLPathVersioning: named('URLPathVersioning', { path: `/:version${ROOM}` }),
  HostNameVersioning: named('HostNameVersioning'),
  QueryParameterVersioning: named('QueryParameterVersioning', { query: '?version=v1' }),
  NamespaceVersioning: {
    ...plain('/v1/rooms/:id'),
    byHand (app) {
      for (const version of versions.allowedVersions) {
        app.register(async (api) => {
          addHook(api, () => version)
          api.get(ROOM, room)
        }, { prefix: `/${version}` })
      }
    },
    async ours (app, { default: versioning, NamespaceVersioning: scheme }) {
      await app.register(versioning, { scheme, ...versions })
      for (const name of versions.allowedVersions) {
        app.register(async (api) => { api.get(ROOM, room) }, { prefix: `/${name}`, namespace: name })
      }
    }
  },
  'a list of two schemes': named(['HeaderVersioning', 'QueryParameterVersioning'], {
    query: '?version=v1',
    hook: [({ headers, query }) => {
      const { 'api-version': version = query.version } = headers
      return query.version === undefined || query.version === version ? version : undefined
    }, 'API-Version']
  }),
  'a default version for each client': named('HeaderVersioning', {
    options: { versionHeader: 'X-Not-Sent', defaultVersion: { header: 'X-Client', version: () => 'v1' } },
    hook: [({ headers }) => headers['x-not-sent'] ?? (headers['x-client'] && 'v1'), 'X-Not-Sent, X-Client']
  }),
  'chosen by header': chosen('HeaderVersioning', ROOM, 'Accept-Version'),
  'chosen by path': chosen('URLPathVersioning', `/:version${ROOM}`),
  'retired soon, header': ended('HeaderVersioning', ROOM, 'API-Version', () => NOTICE),
  'retired soon, path, with links': ended('URLPathVersioning', `/:version${ROOM}`, '', ({ id }) => (
    `${NOTICE}, </v2/rooms/${encodeURIComponent(id)}>; rel="successor-version", ` +
    `</v3/rooms/${encodeURIComponent(id)}>; rel="latest-version"`
  )),
  usage: counted(room),
  'usage, while it is watched': counted(unversionedRoom),
  'changes, the newest version': current(),
  'changes, a list of 10': changed(10),
  'changes, a list of 200': changed(200)
}

/** The hook of ten lines that an app without the plugin has: it reads the version, checks it, and sets it. */
function addHook (app, readVersion, vary, type) {
  app.decorateRequest('version', null)
  app.addHook('onRequest', function determineVersion (request, reply, done) {
    const version = readVersion(request)
    if (!versions.allowedVersions.includes(version)) {
      return done(Object.assign(new Error('Invalid version.'), { statusCode: 404 }))
    }
    request.version = version
    if (vary !== undefined) reply.header('vary', vary)
    if (type !== undefined) reply.header('content-type', type)
    done()
  })
}

function plain (path, query = '') {
  return {
    url: path.replace(':version', 'v1').replace(':id', '7') + query,
    body: '{"id":"7","version":"v1"}',
    without: (app) => app.get(path, room)
  }
}

/** @param schemes the name of one, or a list of names */
function named (schemes, { path = ROOM, query, options = versions, hook = read[schemes] } = {}) {
  return {
    ...plain(path, query),
    byHand (app) {
      addHook(app, ...hook)
      app.get(path, room)
    },
    async ours (app, plugin) {
      const scheme = Array.isArray(schemes) ? schemes.map((name) => plugin[name]) : plugin[schemes]
      await app.register(plugin.default, { scheme, ...versions, ...options })
      app.get(path, room)
    }
  }
}

/** Two handlers at one URL, beside Fastify's own constraint, with the same Vary by hand. */
function chosen (scheme, path, vary) {
  const without = (app) => {
    for (const version of ['1.0.0', '2.0.0']) app.get(path, { constraints: { version } }, room)
  }
  return {
    ...plain(path),
    without,
    byHand (app) {
      app.addHook('onRequest', function addVary (_request, reply, done) {
        if (vary !== undefined) reply.header('vary', vary)
        done()
      })
      without(app)
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
    byHand (app) {
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

/** What counting adds, beside the same app without it. */
function counted (handler) {
  const register = async (app, { default: versioning, HeaderVersioning: scheme }) => {
    await app.register(versioning, { scheme, ...versions })
  }
  return {
    ...plain(ROOM),
    without: (app) => app.get(ROOM, handler),
    async byHand (app, plugin) {
      await register(app, plugin)
      app.get(ROOM, handler)
    },
    async ours (app, plugin, { default: usage }) {
      await register(app, plugin)
      await app.register(usage, { client: ({ headers }) => headers['x-client'] })
      app.get(ROOM, handler)
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
    without: (app) => app.get('/bookings', async () => olderList),
    byHand (app) {
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

/** The newest version of a list that has changed, beside the same app without changes. */
function current () {
  const list = Array.from({ length: 10 }, (_, id) => ({ id, guests: ['Ada', 'Grace'] }))
  const schema = { response: { 200: { type: 'array', items: newest } } }
  const register = async (app, { default: versioning, HeaderVersioning: scheme }, options) => {
    const reading = { scheme, defaultVersion: 'v2', versionHeader: 'X-Not-Sent' }
    await app.register(versioning, { ...reading, ...versions, ...options })
  }
  return {
    url: '/bookings',
    body: JSON.stringify(list),
    without: (app) => app.get('/bookings', { schema }, async () => list),
    async byHand (app, plugin) {
      await register(app, plugin)
      app.get('/bookings', { schema }, async () => list)
    },
    async ours (app, plugin) {
      await register(app, plugin, { changes: [change] })
      app.addSchema({ $id: 'Booking', ...newest })
      const schema = { response: { 200: { type: 'array', items: { $ref: 'Booking#' } } } }
      app.get('/bookings', { schema }, async () => list)
    }
  }
}
