import { readFile, readdir } from 'node:fs/promises'
import t from 'tap'

import * as errors from '../../src/errors.ts'
import * as exported from '../../src/index.ts'
import { invalid } from '../../src/schemes/base.ts'
import { ROOT, readPage, tableOf, unquoted } from './pages.ts'

import type { FastifyError } from 'fastify'

type ErrorClass = new (message: string) => FastifyError

/** What VersionError extends, and what Fastify itself throws. */
const OTHERS = ['FST_ERR_VERSION', 'FST_ERR_VALIDATION', 'FST_ERR_DUPLICATED_ROUTE']

const { text: ERRORS } = await readPage('docs/errors.md')
const rows = ['Refusals', '500s and others', 'Conflicts at boot']
  .flatMap((title) => tableOf(ERRORS.slice(ERRORS.indexOf(`\n## ${title}\n`)), '| Code | Status | Message |'))
  .map((cells) => cells.map(unquoted))
const kinds = ['notFound', 'notAcceptable', 'notSupported', 'unsupportedMediaType', 'ambiguous', 'gone'] as const
const { VersionError, ...others } = errors
const errorClasses = Object.entries(others).filter(([name]) => name.endsWith('Error')) as [string, ErrorClass][]
const schemes = Object.entries(exported).filter(([name]) => name.endsWith('Versioning'))
  .map(([name, Scheme]) => [name, Scheme as typeof exported.BaseVersioning] as const)

t.test('the page lists every code in src, and no other', async (t) => {
  const files = (await readdir(new URL('src', ROOT), { recursive: true })).filter((file) => file.endsWith('.ts'))
  const texts = await Promise.all(files.map((file) => readFile(new URL(`src/${file}`, ROOT), 'utf8')))
  t.same(codesIn(ERRORS), codesIn(texts.join('\n')))
  t.ok(codesIn(ERRORS).length > 20)
})

t.test('the tables of errors have every code with its status', async (t) => {
  const all = [...kinds.map((kind) => new VersionError(kind, '')), ...errorClasses.map(([, Class]) => new Class(''))]
  const defined = all.map(({ code, statusCode }) => `${code} ${statusCode}`)
  const ofCurrentRoute = 'FST_ERR_NO_REVERSE_MATCH 400'
  const documented = rows.map(([code, status]) => `${code} ${status}`)
  t.same([...new Set(documented)].sort(), [...new Set([...defined, ofCurrentRoute])].sort())
})

t.test('the table of refusals has the message of every scheme, next to its code', async (t) => {
  // In a request these two say what is wrong.
  const explained = ['HeaderVersioning', 'ContentTypeVersioning']
  t.ok(schemes.length > 7)
  for (const [name, Scheme] of schemes) {
    const { code, message } = new Scheme().refusal() as FastifyError
    const expected = explained.includes(name) ? message.replace('.', '. Versions: <versions>.') : message
    t.ok(rows.some((row) => row[0] === code && row[2] === expected), name)
  }
})

t.test('the tables of errors have the message of every other error', async (t) => {
  const messages = rows.map(([, , message]) => message)
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

t.test('the page has the kinds of refusals', async (t) => {
  const [, , description] = /^\| `kind` (\|) (.*) \|$/m.exec(ERRORS) ?? []
  t.same(description.match(/(?<=`)\w+(?=`)/g), kinds)
})

function codesIn (text: string): string[] {
  const codes = new Set(text.match(/FST_(?:ERR|WARN)_[A-Z_]+/g))
  return [...codes].filter((code) => !OTHERS.includes(code)).sort()
}
