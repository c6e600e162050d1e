import t from 'tap'

import * as api from '../src/index.ts'

t.test('the package exports the plugin, its schemes, the errors of a refusal and routeTypes', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning',
    'BaseVersioning',
    'HostNameVersioning',
    'NamespaceVersioning',
    'QueryParameterVersioning',
    'URLPathVersioning',
    'VersionGoneError',
    'VersionNotAcceptableError',
    'VersionNotFoundError',
    'default',
    'routeTypes'
  ])
})
