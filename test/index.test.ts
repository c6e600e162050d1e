import t from 'tap'

import * as api from '../src/index.ts'

t.test('the package exports the plugin, its schemes, the error of a refusal, and functions', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning',
    'BaseVersioning',
    'ContentTypeVersioning',
    'HeaderVersioning',
    'HostNameVersioning',
    'NamespaceVersioning',
    'QueryParameterVersioning',
    'URLPathVersioning',
    'VersionError',
    'byDate',
    'checkChanges',
    'default',
    'defineChange',
    'routeTypes'
  ])
})
