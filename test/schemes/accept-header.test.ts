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
  { accept: 'text/html;version', version: null },
  { accept: 'text/html;version=1', version: '1' },
  { accept: 'text/html \t;\t version=1.0', version: '1.0' },
  { accept: '*/*;version=1', version: '1' },
  { accept: 'text/*;version=1', version: '1' },
  { accept: 'text/html;version="1"', version: '1' },
  { accept: 'text/html;version="1, 2; 3"', version: '1, 2; 3' },
  { accept: 'text/html;version="\\"1\\" \\\\ \\2"', version: '"1" \\ 2' },
  { accept: 'text/html;x=",*/*;version=1";version=2', version: '2' },
  { accept: 'TEXT/HTML;VERSION=V1', version: 'V1' },
  { accept: 'text/html;version=1;version=2', version: '2' },
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
  { versionParam: '__proto__', accept: 'text/html;__proto__=2' },
  { versionParam: 'constructor', accept: 'text/html;constructor=2' }
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

t.test('each of many Accept headers is answered in its own version, repeatedly', async (t) => {
  const app = await accepting(t)
  const padding = 'x'.repeat(300)
  for (const round of ['first', 'later']) {
    for (let i = 0; i < 150; i++) {
      t.equal(await versionOf(app, `text/html;version=${i}`), String(i), round)
      t.equal(await versionOf(app, `text/html;padding=${padding};version=${i % 2}`), String(i % 2), round)
    }
  }
})

const withDefault = { defaultVersion: 'the default' }

interface Ranking { by: string, accept: string, version: string }

const rankings: Ranking[] = [
  { by: 'weight', accept: 'a/b;version=1;q=0.5, a/c;version=2', version: '2' },
  { by: 'weight', accept: 'a/b;version=1;q=0.8, a/c;version=2;q=0.9', version: '2' },
  { by: 'weight', accept: 'a/b;version=1;q=.1, a/c;version=2;Q=0.2', version: '2' },
  { by: 'weight in front of the version', accept: 'a/b;q=0.1;version=1, a/c;q=0.2;version=2', version: '2' },
  { by: 'weight before how specific they are', accept: 'a/b;version=1;q=0.9, */*;version=2', version: '2' },
  { by: 'one weight among several', accept: 'a/b;version=1;q=.1, a/c;version=2;q=.9, a/d;q=.5', version: '2' },

  { by: 'type before wildcard', accept: '*/*;version=1, a/*;version=2', version: '2' },
  { by: 'subtype before type', accept: 'a/*;version=1, a/b', version: 'the default' },
  { by: 'subtype before wildcard', accept: '*/*;version=1, a/b', version: 'the default' },
  { by: 'parameter before subtype', accept: 'a/b, a/c;version=2', version: '2' },
  { by: 'parameter before subtype', accept: 'a/b;x=1, a/*;version=1, a/b', version: 'the default' },
  { by: 'parameter, which the weight is not', accept: 'a/b;q=1, a/c;version=2', version: '2' },
  { by: 'parameter, however many', accept: 'a/b;version=1, a/c;x=1;y=2;version=2', version: '1' },
  { by: 'parameter, but not of a wildcard', accept: '*/*;x=1;version=1, a/b', version: 'the default' },

  { by: 'order', accept: 'a/b;version=1, a/c;version=2', version: '1' },

  { by: 'a weight above 0', accept: 'a/b;version=1;q=0', version: 'the default' },
  { by: 'a weight above 0', accept: 'a/b;version=1;q=0.000, */*;version=2;q=0.001', version: '2' },
  { by: 'a weight above 0', accept: 'a/b;version=1;q=0, a/c;version=2;q=0', version: 'the default' }
]

for (const { by, accept, version } of rankings) {
  t.test(`the Accept header "${accept}" specifies ${version} by ${by}`, async (t) => {
    t.equal(await versionOf(await accepting(t, withDefault), accept), version)
  })
}

interface Answerable { mediaTypes: Iterable<string> | null, accept: string, version: string }

const json = ['application/json']

const answerables: Answerable[] = [
  { mediaTypes: null, accept: 'text/html;version=1', version: '1' },
  { mediaTypes: json, accept: 'application/json;version=1', version: '1' },
  { mediaTypes: json, accept: 'Application/JSON;version=1', version: '1' },
  { mediaTypes: json, accept: 'application/*;version=1', version: '1' },
  { mediaTypes: json, accept: '*/*;version=1', version: '1' },
  { mediaTypes: json, accept: 'text/html;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'text/*;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'app/*;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'application/json-seq;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'text/html;version=1, application/json;version=2;q=0.1', version: '2' },
  { mediaTypes: json, accept: 'text/html;version=1, application/*;version=2;q=0.1', version: '2' },
  { mediaTypes: ['text/html', 'text/plain'], accept: 'text/plain;version=1', version: '1' },
  { mediaTypes: ['image/png', 'text/plain'], accept: 'text/*;version=1', version: '1' },
  { mediaTypes: new Set(['Text/HTML; charset=utf-8']), accept: 'text/html;version=1', version: '1' },
  { mediaTypes: [], accept: 'text/html;version=1, text/*;version=2', version: 'the default' }
]

for (const { mediaTypes, accept, version } of answerables) {
  const answers = mediaTypes === null ? 'anything' : `[${[...mediaTypes]}]`
  t.test(`an API that answers with ${answers} reads "${accept}" as ${version}`, async (t) => {
    t.equal(await versionOf(await accepting(t, { ...withDefault, mediaTypes }), accept), version)
  })
}

t.test('the media types of a class field are used like the setting', async (t) => {
  class Json extends AcceptHeaderVersioning {
    override readonly mediaTypes = ['Application/JSON; charset=utf-8']
  }
  const app = await appWith(t, { scheme: Json })
  app.get('/probe', async (request) => request.version)
  const accept = 'text/html;version=v3, application/json;version=v2;q=0.1'
  t.equal((await app.inject({ url: '/probe', headers: { accept } })).body, 'v2')
})
