import t from 'tap'

import { isPreflight } from '../../src/http/preflight.ts'

const METHOD = 'access-control-request-method'

interface Question { method: string, headers: Record<string, string>, is: boolean }

const questions: Question[] = [
  { method: 'OPTIONS', headers: { origin: 'https://a.example', [METHOD]: 'GET' }, is: true },
  { method: 'OPTIONS', headers: { origin: '', [METHOD]: '' }, is: true },
  { method: 'GET', headers: { origin: 'https://a.example', [METHOD]: 'GET' }, is: false },
  { method: 'OPTIONS', headers: { origin: 'https://a.example' }, is: false },
  { method: 'OPTIONS', headers: { [METHOD]: 'GET' }, is: false },
  { method: 'OPTIONS', headers: {}, is: false }
]

for (const { method, headers, is } of questions) {
  t.test(`${method} with ${JSON.stringify(headers)} ${is ? 'is' : 'is not'} a preflight`, async (t) => {
    t.equal(isPreflight({ method, headers }), is)
  })
}
