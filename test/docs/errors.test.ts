import t from 'tap'

import * as errors from '../../src/errors.ts'
import * as exported from '../../src/index.ts'
import { invalid } from '../../src/schemes/base.ts'
import { readPage, tableOf, unquoted } from './pages.ts'

import type { FastifyError } from 'fastify'

type ErrorClass = new (message: string) => FastifyError

const { text: ERRORS } = await readPage('docs/errors.md')
const kinds = ['notFound', 'notAcceptable', 'notSupported', 'unsupportedMediaType', 'ambiguous', 'gone'] as const
const { VersionError, ...others } = errors
const errorClasses = Object.entries(others).filter(([name]) => name.endsWith('Error')) as [string, ErrorClass][]
const schemes = Object.entries(exported).filter(([name]) => name.endsWith('Versioning'))
  .map(([name, Scheme]) => [name, Scheme as typeof exported.BaseVersioning] as const)

t.test('the table of errors has every code, with its status', async (t) => {
  const all = [...kinds.map((kind) => new VersionError(kind, '')), ...errorClasses.map(([, Class]) => new Class(''))]
  const defined = all.map(({ code, statusCode }) => `${code} ${statusCode}`)
  const ofCurrentRoute = 'FST_ERR_NO_REVERSE_MATCH 400'
  const documented = tableOf(ERRORS, '| Code | Status |').filter(([code]) => code !== 'the code of the scheme')
    .map(([code, status]) => `${unquoted(code)} ${status.slice(0, 3)}`)
  t.ok(defined.length > 0)
  t.same([...new Set(documented)].sort(), [...new Set([...defined, ofCurrentRoute])].sort())
})

t.test('the table of errors has the message of every scheme, next to its code', async (t) => {
  const rows = tableOf(ERRORS, '| Code | Status |')
    .map(([code, , , message]) => `${unquoted(code)} ${unquoted(message)}`)
  // In a request these two say what is wrong.
  const explained = ['HeaderVersioning', 'ContentTypeVersioning']
  t.ok(schemes.length > 7)
  for (const [name, Scheme] of schemes) {
    const { code, message } = new Scheme().refusal() as FastifyError
    const isThere = explained.includes(name)
      ? rows.some((row) => row.startsWith(code) && row.includes(message.replace('.', '. Versions: <versions>.')))
      : rows.includes(`${code} ${message}`)
    t.ok(isThere, name)
  }
})

t.test('the table of errors has the message of every other error', async (t) => {
  const messages = tableOf(ERRORS, '| Code | Status |').map(([, , , message]) => unquoted(message))
  for (const error of [
    new errors.ReverseHostError('<what>', '<host>'),
    new errors.ReverseOptionError('<option>', '<what>', '<value>'),
    new errors.UnknownLinkOptionError("'<name>'", " Did you mean '<name>'?"),
    invalid({ label: '<ClassName>' }, undefined),
    new errors.VersionNotImplementedError('<ClassName>'),
    new errors.VersionRangeError('<what>', '<value>', " Did you mean '<version>'?"),
    new errors.VersioningOptionError('<option>', '<what>', '<value>')
  ]) t.ok(messages.includes(error.message.replace(/ See https:\S+$/, '')), error.message)
})

t.test('the table of refusals has the kind of each, and a heading says what clients can do', async (t) => {
  const expected = kinds.map((kind) => [new VersionError(kind, '').code, kind])
  const documented = tableOf(ERRORS, '| Code | Kind |').map((cells) => cells.map(unquoted))
  t.same(documented.toSorted(byText), expected.toSorted(byText))
  for (const [code] of expected) t.match(ERRORS, `\n### ${code}\n\n`, code)
})

function byText (a: readonly string[], b: readonly string[]): number {
  return a.join().localeCompare(b.join())
}
