import t from 'tap'

import { callsOf, compare, install, load, send, serve } from './consumers.ts'
import { subjectsIn } from './subjects.ts'

import type { Call } from './consumers.ts'
import type { Subject } from './subjects.ts'

interface Backend {
  init (): Promise<unknown>
  validateRequest (request: Call): { errors: object[] | null }
  matchOperation (request: Call): object
  validateResponse (body: unknown, operation: object, status: number): { errors?: object[] | null }
  validateResponseHeaders (headers: object, operation: object, options: object): { errors?: object[] | null }
}
type Backends = { OpenAPIBackend: new (options: object) => Backend }

const LISTENING = /Prism is listening on (http:\S+)/
const folder = await install(t, ['openapi-backend@5.21.2', '@stoplight/prism-cli@5.16.0'])
const subjects = await subjectsIn(t, folder)

t.test('openapi-backend validates requests and answers by the document', async (t) => {
  const { OpenAPIBackend } = load<Backends>(folder, 'openapi-backend')
  const find = async (subject: Subject) => {
    const backend = new OpenAPIBackend({ definition: subject.document, ajvOpts: { strict: false } })
    await backend.init()
    const findings: string[] = []
    for (const call of callsOf(subject)) {
      const response = await send(call, subject.url)
      const body = call.status === 204 ? null : await response.json()
      const operation = backend.matchOperation(call)
      const say = (what: string, { errors }: { errors?: object[] | null }) => {
        for (const error of errors ?? []) findings.push(`${call.method} ${what}: ${JSON.stringify(error)}`)
      }
      const headers = Object.fromEntries(response.headers)
      say('status', { errors: response.status === call.status ? [] : [{ status: response.status }] })
      say('request', backend.validateRequest(call))
      say('body', backend.validateResponse(body, operation, call.status))
      say('headers', backend.validateResponseHeaders(headers, operation, { statusCode: call.status }))
      const { errors } = backend.validateResponse({ no: 'booking' }, operation, call.status)
      if (!errors) findings.push(`${call.method}: a wrong body passes`)
    }
    return findings
  }
  await compare(t, subjects, find, {
    // It reads content of exactly application/json.
    accept: ['DELETE: a wrong body passes', 'GET: a wrong body passes', 'POST: a wrong body passes']
  })
})

t.test('Prism in place of the app answers right calls, and refuses those without the header', async (t) => {
  await compare(t, subjects, async (subject) => {
    const args = ['mock', subject.file, '--port', '0', '--host', '127.0.0.1']
    const { url, stop } = await serve(folder, '@stoplight/prism-cli', 'prism', args, LISTENING)
    const findings: string[] = []
    for (const call of callsOf(subject)) {
      const { status } = await send(call, url)
      if (status !== call.status) findings.push(`${call.method}: ${status}`)
      if (subject.place !== 'header' && subject.place !== 'query') continue
      const { 'api-version': _version, ...headers } = call.headers
      const unspecified = { ...call, headers, query: {} }
      const [mocked, real] = [await send(unspecified, url), await send(unspecified, subject.url)]
      if (mocked.status !== real.status) findings.push(`${call.method} without a version: ${mocked.status}`)
    }
    await stop()
    return findings
  }, {
    // It refuses with 422 if no 400 is described, whatever else is.
    query: ['DELETE without a version: 422', 'GET without a version: 422', 'POST without a version: 422']
  })
})

t.test('Prism between a client and the app finds no violation', async (t) => {
  await compare(t, subjects, async (subject) => {
    const args = ['proxy', subject.file, subject.url, '--port', '0', '--host', '127.0.0.1']
    const { url, stop } = await serve(folder, '@stoplight/prism-cli', 'prism', args, LISTENING)
    const findings: string[] = []
    for (const call of callsOf(subject)) {
      const { status, headers } = await send(call, url)
      if (status !== call.status) findings.push(`${call.method}: ${status}`)
      const violations = JSON.parse(headers.get('sl-violations') ?? '[]') as { location: string[] }[]
      for (const { location } of violations) findings.push(`${call.method}: ${location.join(' ')}`)
    }
    await stop()
    return findings
  }, {
    // Content is what a client can accept a version by, and a 204 has none.
    accept: ['DELETE: response']
  })
})
