import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

import { compare, install, run, unreached } from './consumers.ts'
import { subjectsIn } from './subjects.ts'

interface Report { run: { executions: { item: { name: string }, response?: { code: number } }[] } }

const METHODS = ['DELETE', 'GET', 'POST']
/** The operation, the status, and what is wrong, a line each. */
const FAILURE = /^fail: (\w+) \((\d+)\) .*\nfail: ((?:.+\n)*.+)\n\n/gm
const folder = await install(t, ['dredd@14.1.0', 'newman@6.2.2', 'openapi-to-postmanv2@6.3.3'])
const subjects = await subjectsIn(t, folder)

t.test('Postman makes a collection whose requests reach the version of the document', async (t) => {
  await compare(t, subjects, async (subject) => {
    const collection = join(folder, 'collection.json')
    const report = join(folder, 'report.json')
    await run(folder, 'openapi-to-postmanv2', 'openapi2postmanv2', ['--spec', subject.file, '--output', collection])
    await run(folder, 'newman', 'newman', [
      'run', collection, '--env-var', `baseUrl=${subject.url}`, '--reporters', 'json',
      '--reporter-json-export', report
    ])
    const { run: { executions } } = JSON.parse(await readFile(report, 'utf8')) as Report
    const wrong = executions.filter(({ response }) => response === undefined || response.code >= 400)
    return [...unreached(subject), ...wrong.map(({ item, response }) => `${item.name}: ${response?.code}`)]
  })
})

t.test('Dredd gets from the app what the document says', async (t) => {
  // It tries refusals, too, but with the request of the operation, which is right.
  const refusals = (status: number) => METHODS.map((method) => `${method} (${status})`)
  await compare(t, subjects, async (subject) => {
    const args = [subject.file, subject.url, '--loglevel=silent', '--no-color', '--config=none']
    const [, listed = ''] = (await run(folder, 'dredd', 'dredd', args)).split('Displaying failed tests...')
    const findings: string[] = []
    for (const [, operation, status, reasons] of listed.matchAll(FAILURE) as Iterable<string[]>) {
      const transaction = `${operation} (${status})`
      if (Number(status) >= 400) findings.push(transaction)
      // What was sent and expected is cut off. The charset of answers is found in every document.
      else findings.push(...reasons?.split('\n').map((line) => `${transaction} ${line.replace(/ for: .*/, '')}`) ?? [])
    }
    return [...unreached(subject), ...findings]
  }, {
    header: refusals(400),
    // Content is what a client can accept a version by, and a 204 has none.
    accept: ["DELETE (204) headers: At '/content-type' Missing required property: content-type", ...refusals(406)],
    query: refusals(404)
  })
})
