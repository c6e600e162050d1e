import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningSettings } from '../../types/index.d.ts'

schemeContract(t, {
  Scheme: AcceptHeaderVersioning,
  routes: (app, probe) => app.route({ ...probe, url: '/probe' }),
  naming: (version) => ({ url: '/probe', headers: { accept: `application/json; version="${version}"` } }),
  unnamed: { url: '/probe' },
  lookalikes: ['V1', 'v10', 'v', 'v1.0', ' v1', ''],
  refusal: {
    statusCode: 406,
    code: 'FST_ERR_VERSION_NOT_ACCEPTABLE',
    error: 'Not Acceptable',
    message: 'Invalid version in "Accept" header.'
  },
  isDefaultChecked: true,
  link: () => '/probe'
})

async function accepting (t: Test, settings: VersioningSettings = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning, ...settings })
  app.get('/probe', async (request: FastifyRequest) => ({ version: request.version }))
  return app
}

async function versionOf (app: FastifyInstance, accept: string): Promise<unknown> {
  return (await app.inject({ url: '/probe', headers: { accept } })).json().version
}

interface Reading { accept: string, version: string | null }

const readings: Reading[] = [
  { accept: '', version: null },
  { accept: 'text/html', version: null },
  { accept: 'text/html;versions=1;aversion=2', version: null },
  { accept: 'text/html;version', version: null },
  { accept: 'text/html;version=', version: null },
  { accept: 'text/html;version=1', version: '1' },
  { accept: 'text/html \t;\t version=1.0', version: '1.0' },
  { accept: '*/*;version=1', version: '1' },
  { accept: 'text/*;version=1', version: '1' },
  { accept: 'text/html;version="1"', version: '1' },
  { accept: 'text/html;version=""', version: '' },
  { accept: 'text/html;version="1, 2; 3"', version: '1, 2; 3' },
  { accept: 'text/html;version="\\"1\\" \\\\ \\2"', version: '"1" \\ 2' },
  { accept: 'text/html;x="version=1";version=2', version: '2' },
  { accept: 'text/html;x=",*/*;version=1";version=2', version: '2' },
  { accept: 'TEXT/HTML;VERSION=V1', version: 'V1' },
  { accept: 'text/html;version=1;version=2', version: '2' },
  { accept: 'text/html;version=1;Version="2"', version: '2' },
  { accept: 'text/html;version=__proto__', version: '__proto__' },
  { accept: 'text;version=1', version: null },
  { accept: 'text;version=1, text/html;version=2', version: '2' },
  { accept: 'text/html;version=1=2;version=3', version: '3' }
]

for (const { accept, version } of readings) {
  t.test(`the Accept header ${JSON.stringify(accept)} specifies ${JSON.stringify(version)}`, async (t) => {
    t.equal(await versionOf(await accepting(t), accept), version)
  })
}

interface Param { versionParam: string, accept: string }

const params: Param[] = [
  { versionParam: 'v', accept: 'text/html;version=1;v=2' },
  { versionParam: 'Version', accept: 'text/html;version=2' },
  { versionParam: 'Version', accept: 'text/html;VERSION=2' },
  { versionParam: '__proto__', accept: 'text/html;__proto__=2' },
  { versionParam: 'constructor', accept: 'text/html;constructor=2' },
  { versionParam: 'toString', accept: 'text/html;tostring=2' }
]

for (const { versionParam, accept } of params) {
  t.test(`the parameter ${versionParam} is found in the Accept header "${accept}"`, async (t) => {
    const app = await accepting(t, { versionParam, allowedVersions: ['2'] })
    t.equal(await versionOf(app, accept), '2')
  })

  t.test(`an Accept header without the parameter ${versionParam} specifies the default version`, async (t) => {
    const app = await accepting(t, { versionParam, defaultVersion: '1', allowedVersions: ['2'] })
    t.equal(await versionOf(app, 'text/html;other=2'), '1')
  })
}

t.test('a lower-ranked media range is not used if the version of the first is refused', async (t) => {
  const app = await accepting(t, { allowedVersions: ['2'] })
  const headers = { accept: 'text/html;version=1, text/html;version=2;q=0.9' }
  t.equal((await app.inject({ url: '/probe', headers })).statusCode, 406)
})

t.test('a lower-ranked media range is not used if the first specifies no version', async (t) => {
  const app = await accepting(t, { defaultVersion: '1' })
  t.equal(await versionOf(app, 'text/html, */*;version=2'), '1')
})

t.test('the same Accept header is answered in the same version again', async (t) => {
  const app = await accepting(t, { defaultVersion: '1', allowedVersions: ['2'] })
  const answers: Array<[accept: string, version: unknown]> = [
    ['*/*;version=2', '2'], ['*/*', '1'], ['*/*;version=3', undefined]
  ]
  for (const [accept, version] of [...answers, ...answers]) t.equal(await versionOf(app, accept), version)
})

t.test('each of more than a thousand Accept headers is answered in its own version, repeatedly', async (t) => {
  const app = await accepting(t)
  const expected = Array.from({ length: 1100 }, (_, i) => String(i))
  for (const round of ['first', 'later']) {
    const versions: unknown[] = []
    for (const version of expected) versions.push(await versionOf(app, `text/html;version=${version}`))
    t.same(versions, expected, round)
  }
})

for (const length of [511, 512, 513, 2000, 10_000]) {
  t.test(`Accept headers of ${length} characters that differ in the last one specify their versions`, async (t) => {
    const app = await accepting(t)
    const start = 'text/html;padding='
    const end = ';version=1'
    const accept = start + 'x'.repeat(length - start.length - end.length) + end
    t.equal(accept.length, length)
    for (const version of ['1', '2', '1', '2']) {
      t.equal(await versionOf(app, accept.replace(/1$/, version)), version)
    }
  })
}

t.test('instances of AcceptHeaderVersioning do not share the headers that they have read', async (t) => {
  const app = await accepting(t)
  app.register(async (other) => {
    const scheme = new AcceptHeaderVersioning({ versionParam: 'v' })
    other.get('/other', { versioning: scheme }, async (request) => ({ version: request.version }))
  })
  const headers = { accept: 'text/html;version=1;v=2' }
  t.same((await app.inject({ url: '/probe', headers })).json(), { version: '1' })
  t.same((await app.inject({ url: '/other', headers })).json(), { version: '2' })
})
