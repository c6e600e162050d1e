import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { Test } from 'tap'
import type { VersioningSettings } from '../../types/index.d.ts'

async function versionOf (t: Test, accept: string, settings: VersioningSettings = {}): Promise<unknown> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning, defaultVersion: 'the default', ...settings })
  app.get('/probe', async (request) => ({ version: request.version }))
  return (await app.inject({ url: '/probe', headers: { accept } })).json().version
}

interface Ranking { by: string, accept: string, version: string }

const rankings: Ranking[] = [
  { by: 'weight', accept: 'a/b;version=1;q=0.5, a/c;version=2', version: '2' },
  { by: 'weight', accept: 'a/b;version=1;q=0.8, a/c;version=2;q=0.9', version: '2' },
  { by: 'weight', accept: 'a/b;version=1;q=0.9, a/c;version=2;q=0.8', version: '1' },
  { by: 'weight', accept: 'a/b;version=1;q=0.001, a/c;version=2;q=0.002', version: '2' },
  { by: 'weight', accept: 'a/b;version=1;q=1.000, a/c;version=2;q=0.999', version: '1' },
  { by: 'weight', accept: 'a/b;version=1;q=.1, a/c;version=2;Q=0.2', version: '2' },
  { by: 'weight in front of the version', accept: 'a/b;q=0.1;version=1, a/c;q=0.2;version=2', version: '2' },
  { by: 'weight before how specific they are', accept: 'a/b;version=1;q=0.9, */*;version=2', version: '2' },
  { by: 'one weight among several', accept: 'a/b;version=1;q=.1, a/c;version=2;q=.9, a/d;q=.5', version: '2' },

  { by: 'type before wildcard', accept: '*/*;version=1, a/*;version=2', version: '2' },
  { by: 'type before wildcard', accept: 'a/*;version=1, */*;version=2', version: '1' },
  { by: 'subtype before type', accept: 'a/*;version=1, a/b', version: 'the default' },
  { by: 'subtype before wildcard', accept: '*/*;version=1, a/b', version: 'the default' },
  { by: 'parameter before subtype', accept: 'a/b, a/c;version=2', version: '2' },
  { by: 'parameter before subtype', accept: 'a/b;x=1, a/*;version=1, a/b', version: 'the default' },
  { by: 'parameter, which the weight is not', accept: 'a/b;q=1, a/c;version=2', version: '2' },
  { by: 'parameter, however many', accept: 'a/b;version=1, a/c;x=1;y=2;version=2', version: '1' },
  { by: 'parameter, but not of a wildcard', accept: '*/*;x=1;version=1, a/b', version: 'the default' },

  { by: 'order', accept: 'a/b;version=1, a/c;version=2', version: '1' },
  { by: 'order', accept: 'a/*;version=1, b/*;version=2', version: '1' },
  { by: 'order', accept: '*/*;version=1, */*;version=2', version: '1' },
  { by: 'order', accept: 'a/b;version=2;q=0.5, a/b;version=1;q=0.50', version: '2' },

  { by: 'a weight above 0', accept: 'a/b;version=1;q=0', version: 'the default' },
  { by: 'a weight above 0', accept: 'a/b;version=1;q=0.000, */*;version=2;q=0.001', version: '2' },
  { by: 'a weight above 0', accept: '*/*;version=1;q=0, a/b;version=2;q=0.1', version: '2' },
  { by: 'a weight above 0', accept: 'a/b;version=1;q=0, a/c;version=2;q=0', version: 'the default' }
]

for (const { by, accept, version } of rankings) {
  t.test(`the Accept header "${accept}" specifies ${version} by ${by}`, async (t) => {
    t.equal(await versionOf(t, accept), version)
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
  { mediaTypes: json, accept: 'application/js;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'application/json-seq;version=1', version: 'the default' },
  { mediaTypes: json, accept: 'text/html;version=1, application/json;version=2;q=0.1', version: '2' },
  { mediaTypes: json, accept: 'text/html;version=1, application/*;version=2;q=0.1', version: '2' },
  { mediaTypes: json, accept: 'text/html;version=1, */*;version=2;q=0.1', version: '2' },
  { mediaTypes: ['text/html', 'text/plain'], accept: 'text/plain;version=1', version: '1' },
  { mediaTypes: ['image/png', 'text/plain'], accept: 'text/*;version=1', version: '1' },
  { mediaTypes: new Set(['Text/HTML; charset=utf-8']), accept: 'text/html;version=1', version: '1' },
  { mediaTypes: [], accept: 'text/html;version=1, text/*;version=2', version: 'the default' }
]

for (const { mediaTypes, accept, version } of answerables) {
  const answers = mediaTypes === null ? 'anything' : `[${[...mediaTypes]}]`
  t.test(`an API that answers with ${answers} reads "${accept}" as ${version}`, async (t) => {
    t.equal(await versionOf(t, accept, { mediaTypes }), version)
  })
}

t.test('the media types of an instance are listed in lower case', async (t) => {
  t.same(new AcceptHeaderVersioning({ mediaTypes: ['Text/HTML; charset=utf-8'] }).mediaTypes, ['text/html'])
})

t.test('the media types of a class field are used like the setting', async (t) => {
  class Json extends AcceptHeaderVersioning {
    override readonly mediaTypes = ['Application/JSON; charset=utf-8']
  }
  const app = await appWith(t, { scheme: Json })
  app.get('/probe', async (request) => request.version)
  const accept = 'text/html;version=v3, application/json;version=v2;q=0.1'
  t.equal((await app.inject({ url: '/probe', headers: { accept } })).body, 'v2')
})

t.test('an instance without settings considers every media range', async (t) => {
  t.equal(new AcceptHeaderVersioning().mediaTypes, null)
})
