import Fastify from 'fastify'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { readingApp, readings, versionIn } from './readings.ts'

const scheme = QueryParameterVersioning

readings(t, { scheme }, (query) => `/${query}`, [
  ['', 'the default'],
  ['?version=v1', 'v1'],
  ['?version=v1&version=v2', 'v2'],
  ['?version=v1&page=2&version=v2&version=v3', 'v3'],
  ['?version=v1&version', ''],
  ['?version', ''],
  ['?Version=v1', 'the default'],
  ['?versions=v1&aversion=v2', 'the default'],
  ['?version[]=v1&version[a]=v2', 'the default'],
  ['?v%65rsion=v1', 'v1'],
  ['?version=v%2531', 'v%31'],
  ['?version=1+0', '1 0'],
  ['?version=1%2B0', '1+0'],
  ['?version=%E6%97%A5', '日'],
  ['?__proto__=v1&toString=v2', 'the default'],
  ['?__proto__[version]=v1', 'the default']
])

for (const [value, version] of [
  ['v1', 'v1'],
  [['v1', 'v2'], 'v2'],
  [[], 'the default'],
  [{ major: '1' }, 'the default'],
  [['v1', { major: '1' }], 'the default'],
  [null, 'the default']
]) {
  t.test(`the parsed query value ${JSON.stringify(value)} specifies "${version}"`, async (t) => {
    const querystringParser = () => ({ version: value })
    const app = await readingApp(t, { scheme, defaultVersion: 'the default' }, { routerOptions: { querystringParser } })
    t.equal(await versionIn(app, '/?version=v1'), version)
  })
}

const names = ['v', 'api version', '日&=', '__proto__', 'constructor', 'toString']

for (const [name, version, query] of [
  ...names.map((name) => [name, 'v2', `${encodeURIComponent(name)}=v2`]),
  ['version', '1.0', 'version=1.0'],
  ['version', '', 'version='],
  ['version', '1 + 1', 'version=1%20%2B%201'],
  ['version', 'a&b=c#d?e', 'version=a%26b%3Dc%23d%3Fe'],
  ['version', '日', 'version=%E6%97%A5']
]) {
  t.test(`a link in the ${name} "${version}" ends in "${query}" and leads back to it`, async (t) => {
    const app = await appWith(t, { scheme, versionParam: name, allowedVersions: [version] })
    app.get('/', { name: 'probe' }, async (request, reply) => [request.version, reply.reverse('probe')])
    for (const text of [new URLSearchParams([[name, version]]), query]) {
      t.same((await app.inject(`/?${text}`)).json(), [version, `/?${query}`])
    }
    t.equal((await app.inject(`/?${query}9`)).statusCode, 404)
  })
}

t.test('documents have the parameter of the setting, or of a class field', async (t) => {
  class Own extends QueryParameterVersioning {
    override readonly versionParam = 'v'
  }
  t.same({ ...new QueryParameterVersioning().parameter }, { in: 'query', name: 'version' })
  t.same({ ...new QueryParameterVersioning({ versionParam: 'api' }).parameter }, { in: 'query', name: 'api' })
  t.same({ ...new Own().parameter }, { in: 'query', name: 'v' })
})

for (const [query, version, route = 'open'] of [
  ['version=%zz', '%zz'],
  ['version=%41%', '%41%'],
  ['version=v1%C3', 'v1%C3'],
  ['%zz%41=v1&version=%zz%41', '%zz%41', '%zz%41'],
  ['version=v2&version=%zz%41', '%zz%41', '%zz%41'],
  ['version=%zz&version=v1', 'v1', 'v1'],
  ['version=%761', 'v1', 'v1'],
  ['v%65rsion=v1', 'v1', 'v1'],
  ['&&version=v1&', 'v1', 'v1']
] as const) {
  t.test(`the query ${query} specifies ${JSON.stringify(version)} before routing and after`, async (t) => {
    const app = Fastify()
    app.get('/', async (request) => request.query)
    const expected = (await app.inject(`/?${query}`)).json()
    t.equal([expected.version].flat().at(-1), version, 'by the parser of Fastify')
    const choosing = await appWith(t, { scheme })
    for (const one of ['v1', '%zz%41', undefined]) {
      choosing.get('/', { version: one }, async (request) => [one ?? 'open', request.version, request.query])
    }
    t.same((await choosing.inject(`/?${query}`)).json(), [route, version, expected])
  })
}
