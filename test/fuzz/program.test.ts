import t from 'tap'

import { programOf, sourceOf, start } from '../../fuzz/program.ts'
import { Code, print } from '../../fuzz/source.ts'

import type { App } from '../../fuzz/program.ts'

const app: App = {
  server: { routerOptions: { caseSensitive: false } },
  plugin: { scheme: new Code('QueryParameterVersioning'), defaultVersion: null },
  children: [{
    register: { prefix: '/n' },
    plugin: { scheme: [new Code('HeaderVersioning')] },
    children: [{ method: 'GET,POST', url: '/a', options: { version: undefined }, handler: new Code('answer') }]
  }]
}
const helpers = { answer: 'const answer = async ({ version }) => ({ version })', unused: 'const unused = 1' }

t.test('an app is run as it is printed', async (t) => {
  const running = await start(sourceOf(app, helpers))
  t.teardown(() => running.close())
  const response = await running.inject({ method: 'POST', url: '/N/A', headers: { 'api-version': 'v2' } })
  t.same(response.json(), { version: 'v2' })
})

t.test('a failure prints a whole program', async (t) => {
  t.equal(programOf(sourceOf(app, helpers), { url: '/n/a' }), `import Fastify from 'fastify'
import versioning, { HeaderVersioning, QueryParameterVersioning } from 'fastify-versioning'

const answer = async ({ version }) => ({ version })

const app = Fastify({ routerOptions: { caseSensitive: false } })
await app.register(versioning, { scheme: QueryParameterVersioning, defaultVersion: null })
await app.register(async (api) => {
  await api.register(versioning, { scheme: [HeaderVersioning] })
  api.route({ method: ['GET', 'POST'], url: '/a', handler: answer })
}, { prefix: '/n' })
await app.ready()

for (const request of [{ url: '/n/a' }]) {
  const { statusCode, headers, body } = await app.inject(request)
  console.log(statusCode, headers, body)
}
await app.close()`)
})

const values = ["it's", '"', '\\', '\r\n', '\u2028', '\0', '\u{1f600}', '\ud800', 'é']
for (const value of [...values, { ['__proto__']: 1, 'a-b': [null, true, 1.5] }]) {
  t.test(`${print(value)} is printed as code that makes the same value`, async (t) => {
    t.same((0, eval)(`(${print(value)})`), value) // eslint-disable-line no-eval
    t.match(print(value), /^[ -~]*$/)
  })
}
