export { default } from './plugin.ts'
export { checkChanges } from './changes/check.ts'
export { defineChange } from './changes/define.ts'
export {
  VersionAmbiguousError, VersionBrownoutError, VersionGoneError, VersionNotAcceptableError, VersionNotFoundError,
  VersionNotSupportedError, VersionUnsupportedMediaTypeError
} from './errors.ts'
export { byDate } from './options/resolve-version.ts'
export { routeTypes } from './links/route-types.ts'
export { AcceptHeaderVersioning } from './schemes/accept-header.ts'
export { BaseVersioning } from './schemes/base.ts'
export { ContentTypeVersioning } from './schemes/content-type.ts'
export { HeaderVersioning } from './schemes/header.ts'
export { HostNameVersioning } from './schemes/host-name.ts'
export { NamespaceVersioning } from './schemes/namespace.ts'
export { QueryParameterVersioning } from './schemes/query-parameter.ts'
export { URLPathVersioning } from './schemes/url-path.ts'
