import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }

const invalidNames: [value: unknown, shown: string][] = [
  ['', "''"], ['a b', "'a b'"], ['API-Version:', "'API-Version:'"], ['a\r\nb', "'a\\r\\nb'"], ['ü', "'ü'"],
  [1, '1'], [true, 'true'], [false, 'false'], [['API-Version'], "[ 'API-Version' ]"], [{}, '{}'],
  ...[
    'Content-Type', 'content-length', 'Transfer-Encoding', 'Connection', 'Set-Cookie', 'Date', 'Link', 'vary'
  ].map((name): [string, string] => [name, `'${name}'`])
]

for (const [servedVersion, shown] of invalidNames) {
  t.test(`servedVersion: ${shown} is refused at boot`, async (t) => {
    await t.rejects(appWith(t, { ...settings, servedVersion: servedVersion as string }), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'Invalid "servedVersion": expected the name of a response header other than content-type, ' +
        'content-length, transfer-encoding, connection, set-cookie, date, link, vary, or null, ' +
        `got ${shown}`
    })
  })
}
