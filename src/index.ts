import { VersionChangeOptionError } from './errors.ts'

export type * from '../types/index.d.ts'
export { default } from './plugin.ts'
export { defineChange } from './changes/define.ts'
export { VersionError } from './errors.ts'
export { byDate } from './options/instant.ts'
export { routeTypes } from './links/route-types.ts'
export { AcceptHeaderVersioning } from './schemes/accept-header.ts'
export { BaseVersioning } from './schemes/base.ts'
export { ContentTypeVersioning } from './schemes/content-type.ts'
export { HeaderVersioning } from './schemes/header.ts'
export { HostNameVersioning } from './schemes/host-name.ts'
export { NamespaceVersioning } from './schemes/namespace.ts'
export { QueryParameterVersioning } from './schemes/query-parameter.ts'
export { URLPathVersioning } from './schemes/url-path.ts'

/** @deprecated Import it from `fastify-versioning/testing`. */
export function checkChanges (..._given: unknown[]): never {
  throw new VersionChangeOptionError("Import checkChanges from 'fastify-versioning/testing': servers do not load it.")
}
