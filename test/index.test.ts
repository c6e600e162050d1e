import t from 'tap'

import * as api from '../src/index.ts'

t.test('the package exports the plugin, the base, the five schemes and the errors of a refusal', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning',
    'BaseVersioning',
    'HostNameVersioning',
    'NamespaceVersioning',
    'QueryParameterVersioning',
    'URLPathVersioning',
    'VersionNotAcceptableError',
    'VersionNotFoundError',
    'default'
  ])
})
