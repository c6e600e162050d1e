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
    'VersionGoneError',
    'VersionNotAcceptableError',
    'VersionNotFoundError',
    'VersionNotSupportedError',
    'VersionUnsupportedMediaTypeError',
    'checkChanges',
    'default',
    'defineChange',
    'routeTypes'
  ])
})
