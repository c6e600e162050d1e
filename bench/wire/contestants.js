const ROOM = '/rooms/7'
const ROOM_OF_V1 = '/v1/rooms/7'

/** Fastify with a hook that does nothing, once for each kind of URL that a scheme has; they have no baseline. */
const baselines = [
  { key: 'hook', label: 'empty hook, /rooms/:id', url: ROOM, route: '/rooms/:id' },
  { key: 'hook-param', label: 'empty hook, /:version/rooms/:id', url: ROOM_OF_V1, route: '/:version/rooms/:id' },
  { key: 'hook-prefix', label: 'empty hook, /v1/rooms/:id', url: ROOM_OF_V1, route: '/v1/rooms/:id' },
  { key: 'hook-query', label: 'empty hook, ?version=v1', url: `${ROOM}?version=v1`, route: '/rooms/:id' }
]

const [hook, hookParam, hookPrefix, hookQuery] = baselines.map(({ key, url }) => ({ baseline: key, url }))

/**
 * The apps to measure on the wire: `file` in contestants/, the `url` to request, and the `baseline`, which gets the
 * same requests. With `isNew` no two requests have the same Accept header. `route` is passed to the file.
 */
export const contestants = [
  ...baselines.map((baseline) => ({ ...baseline, file: 'fastify-hook' })),
  { key: 'bare', label: 'Fastify without any hook', file: 'fastify', ...hook },
  { key: 'accept', label: 'AcceptHeaderVersioning', file: 'accept-header', ...hook },
  { key: 'accept-new', label: 'AcceptHeaderVersioning, new headers', file: 'accept-header', isNew: true, ...hook },
  { key: 'path', label: 'URLPathVersioning', file: 'url-path', ...hookParam },
  { key: 'namespace', label: 'NamespaceVersioning', file: 'namespace', ...hookPrefix },
  { key: 'host', label: 'HostNameVersioning', file: 'host-name', ...hook },
  { key: 'query', label: 'QueryParameterVersioning', file: 'query-parameter', ...hookQuery },
  { key: 'header', label: 'HeaderVersioning', file: 'header', ...hook },
  { key: 'two', label: 'HeaderVersioning and QueryParameterVersioning', file: 'two-places', ...hookQuery },
  { key: 'chosen', label: 'handlers chosen by version (Accept)', file: 'chosen', ...hook },
  { key: 'chosen-path', label: 'handlers chosen by version (URL path)', file: 'chosen-path', ...hookParam },
  { key: 'header-other', label: 'HeaderVersioning, another one ends', file: 'header-end', route: 'v2', ...hook },
  { key: 'header-end', label: 'HeaderVersioning, the version ends', file: 'header-end', route: 'v1', ...hook },
  { key: 'path-other', label: 'URLPathVersioning, another one ends', file: 'url-path-end', route: 'v2', ...hookParam },
  { key: 'path-end', label: 'URLPathVersioning, the version ends', file: 'url-path-end', route: 'v1', ...hookParam },
  { key: 'default-fixed', label: 'a fixed default version', file: 'default', route: 'fixed', ...hook },
  { key: 'default-pinned', label: 'a default version for each client', file: 'default', route: 'pinned', ...hook },
  { key: 'plain', label: 'a response schema', file: 'changes', route: 'plain', ...hook },
  { key: 'changes-newest', label: '… and changes, the newest version', file: 'changes', route: 'newest', ...hook },
  { key: 'by-hand', label: '… and an older version by hand', file: 'changes', route: 'by-hand', ...hook },
  { key: 'changes-older', label: '… and changes, an older version', file: 'changes', route: 'older', ...hook },
  { key: 'constraint', label: "Fastify's Accept-Version constraint", file: 'fastify-constraint', ...hook },
  { key: 'constraint-vary', label: '… with the Vary that it asks for', file: 'fastify-constraint-vary', ...hook },
  { key: 'nest-header', label: 'NestJS on Fastify, header', file: 'nest-header', ...hook },
  { key: 'nest-media', label: 'NestJS on Fastify, media type', file: 'nest-media-type', ...hook },
  { key: 'nest-uri', label: 'NestJS on Fastify, URI', file: 'nest-uri', ...hookParam },
  { key: 'hapi', label: 'hapi with hapi-api-version', file: 'hapi', ...hook },
  { key: 'express', label: 'Express with express-version-route', file: 'express', ...hook }
]

/** How many times the time of another a contestant may take at most. */
export const limits = [
  { key: 'accept', other: 'hook', limit: 1.03 },
  { key: 'accept-new', other: 'hook', limit: 1.10 },
  { key: 'path', other: 'hook-param', limit: 1.03 },
  { key: 'namespace', other: 'hook-prefix', limit: 1.03 },
  { key: 'host', other: 'hook', limit: 1.03 },
  { key: 'query', other: 'hook-query', limit: 1.03 },
  { key: 'header', other: 'hook', limit: 1.03 },
  { key: 'two', other: 'hook-query', limit: 1.05 },
  { key: 'chosen-path', other: 'path', limit: 1.03 },
  { key: 'header-end', other: 'header-other', limit: 1.08 },
  { key: 'path-end', other: 'path-other', limit: 1.15 },
  { key: 'default-pinned', other: 'default-fixed', limit: 1.03 },
  { key: 'changes-newest', other: 'plain', limit: 1.01 },
  { key: 'changes-older', other: 'by-hand', limit: 1.05 },
  { key: 'chosen', other: 'constraint', limit: 1.00 },
  { key: 'chosen', other: 'constraint-vary', limit: 1.00 },
  { key: 'chosen', other: 'nest-header', limit: 0.75 },
  { key: 'header', other: 'nest-header', limit: 0.75 },
  { key: 'two', other: 'nest-header', limit: 0.75 },
  { key: 'accept', other: 'nest-media', limit: 0.75 },
  { key: 'path', other: 'nest-uri', limit: 0.75 }
]
