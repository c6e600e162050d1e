import t from 'tap'

import * as api from '../src/index.ts'

t.test('the package exports the plugin, its schemes, the errors of a refusal, and functions', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning',
    'BaseVersioning',
    'ContentTypeVersioning',
    'HeaderVersioning',
    'HostNameVersioning',
    'NamespaceVersioning',
    'QueryParameterVersioning',
    'URLPathVersioning',
    'VersionAmbiguousError',
    'VersionBrownoutError',
    'VersionGoneError',
    'VersionNotAcceptableError',
    'VersionNotFoundError',
    'VersionNotSupportedError',
    'VersionUnsupportedMediaTypeError',
    'byDate',
    'checkChanges',
    'default',
    'defineChange',
    'routeTypes'
  ])
})
