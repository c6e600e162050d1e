import { readFile, readdir } from 'node:fs/promises'
import t from 'tap'
import ts from 'typescript'

import * as errors from '../../src/errors.ts'
import * as exported from '../../src/index.ts'
import { CONTEXT_OPTIONS, SETTINGS } from '../../src/options/options.ts'
import { readOptions } from '../../src/options/read.ts'
import { invalidReturn } from '../../src/schemes/reading.ts'
import { ROOT, readPage, sectionOf, tableOf, unquoted } from './pages.ts'

import type { FastifyError } from 'fastify'

const [{ text: README }, { text: SCHEMES }, { text: OPTIONS }, { text: ERRORS }] = await Promise.all(
  ['README.md', 'docs/schemes.md', 'docs/options.md', 'docs/errors.md'].map(readPage)
)
const schemes = Object.entries(exported).filter(([name]) => /.Versioning$/.test(name) && name !== 'BaseVersioning')
  .map(([name, Scheme]) => [name, Scheme as typeof exported.BaseVersioning] as const)

// Schemes

t.test('each of the schemes has a row in both tables, and a section in docs/schemes.md', async (t) => {
  t.equal(schemes.length, 7)
  for (const page of [README, SCHEMES]) {
    t.same(tableOf(page, '| Scheme |').map(([scheme]) => scheme).sort(), schemes.map(([name]) => name).sort())
  }
  for (const [name] of schemes) {
    t.match(SCHEMES, `\n## ${name}\n`)
    t.match(SCHEMES, `scheme: ${name}`)
  }
})

t.test('the table of schemes has the facts of the classes', async (t) => {
  for (const [name, status, links, caches] of tableOf(SCHEMES, '| Scheme |')) {
    const scheme = new (Object.fromEntries(schemes)[name])()
    t.equal((scheme.refusal() as FastifyError).statusCode, Number(status), `${name}: status`)
    t.equal(links !== 'no', scheme.linkPlace !== 'nowhere', `${name}: links`)
    const vary = caches.startsWith('`Vary') ? unquoted(caches) : null
    t.equal(vary, scheme.vary && `Vary: ${scheme.vary}`, `${name}: caches`)
  }
})

// Errors

type ErrorClass = new (message: string) => FastifyError

/** What VersionError extends, and what Fastify itself throws. */
const OTHERS = ['FST_ERR_VERSION', 'FST_ERR_VALIDATION', 'FST_ERR_DUPLICATED_ROUTE']

/** Code, status and message of every error of the page, in the order of its headings. */
const rows = [...ERRORS.matchAll(/^### (FST_ERR_\w+)$/gm)].flatMap(([, code]) => {
  const text = sectionOf(ERRORS, code).replace(/\n {2}/g, ' ')
  const messages = text.matchAll(/^\* \*\*(\d{3})\*\* (?:`([^`]*)`|)/gm)
  return [...messages].map(([, status, message = '']) => [code, status, message])
})
const kinds = ['notFound', 'notAcceptable', 'notSupported', 'unsupportedMediaType', 'ambiguous', 'gone'] as const
const { VersionError, ...others } = errors
const errorClasses = Object.entries(others).filter(([name]) => name.endsWith('Error')) as [string, ErrorClass][]

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
  for (const [name, Scheme] of [...schemes, ['BaseVersioning', exported.BaseVersioning] as const]) {
    const { code, message } = new Scheme().refusal() as FastifyError
    const expected = explained.includes(name) ? message.replace('.', '. Versions: <versions>.') : message
    t.ok(rows.some((row) => row[0] === code && row[2] === expected), name)
  }
})

t.test('the tables of errors have the message of every other error', async (t) => {
  const messages = rows.map(([, , message]) => message)
  for (const error of [
    new errors.ReverseHostError('<what>', '<host>'),
    new errors.ReverseOptionError('Invalid link option "<option>": expected <what>, got <value>.'),
    new errors.ReverseOptionError("Unknown link option '<name>'. Did you mean '<name>'?"),
    invalidReturn({ label: '<ClassName>' }, undefined),
    new errors.VersionNotImplementedError('<ClassName>'),
    new errors.VersionRangeError('Invalid argument of isVersion(): expected <what>, got <value>.'),
    new errors.VersioningOptionError('Invalid "<option>": expected <what>, got <value>.')
  ]) t.ok(messages.includes(error.message.replace(/ See https:\S+$/, '')), error.message)
})

t.test('the page has the kinds of refusals', async (t) => {
  const [, , description] = /^\| `kind` (\|) (.*) \|$/m.exec(ERRORS) ?? []
  t.same(description.match(/(?<=`)\w+(?=`)/g), kinds)
})

// Options

interface Table { title: string, after?: string, types: string, name: string, extended?: boolean }

/** Each table of the page, and the interface that it describes. */
const TABLES: Table[] = [
  { title: 'Plugin', types: 'index', name: 'VersioningOptions', extended: true },
  { title: 'Route', types: 'index', name: 'RouteShorthandOptions' },
  { title: 'Register', types: 'index', name: 'RegisterOptions' },
  { title: 'Links', types: 'index', name: 'LinkOptions' },
  { title: 'Retirement', types: 'index', name: 'VersionEnding' },
  { title: 'Retirement', after: 'A version in `lifecycle`', types: 'index', name: 'VersionStage' },
  { title: 'Documents', types: 'openapi', name: 'OpenapiOptions' }
]

/** A default that a comment writes as a value, such as `Default: null.` */
const DEFAULT_VALUE = /Default: (`[^`]+`|null|true|false|\d+)/

for (const { title, after = '', types, name, extended = false } of TABLES) {
  t.test(`the table of ${name} has its options with their types and defaults, in any order`, async (t) => {
    const section = sectionOf(OPTIONS, title)
    const rows = tableOf(section.slice(section.indexOf(after)), '| ')
    const declared = membersOf(await readFile(new URL(`types/${types}.d.ts`, ROOT), 'utf8'), name, extended)
    const typed = (pairs: string[][]) => pairs.map(([option, type]) => `${option}: ${type}`).sort()
    t.same(typed(rows.map((row) => row.map(unquoted))), typed(declared.map(({ name, type }) => [name, type])))
    for (const [option, , , value] of rows) {
      const { comment = '' } = declared.find(({ name }) => name === unquoted(option)) ?? {}
      const [, byDefault] = DEFAULT_VALUE.exec(comment) ?? []
      if (byDefault?.startsWith('`allowed')) t.match(value, byDefault)
      else if (byDefault !== undefined) t.equal(unquoted(value), unquoted(byDefault), option)
      else t.ok(value.length > 0, option)
    }
  })
}

t.test('the table of the plugin has the options that the code reads, with their defaults', async (t) => {
  const defaults: Record<string, unknown> = {
    scheme: null, ...readOptions(SETTINGS, {}), ...readOptions(CONTEXT_OPTIONS, {})
  }
  const rows = tableOf(sectionOf(OPTIONS, 'Plugin'), '| Option')
  t.same(rows.map(([option]) => unquoted(option)), Object.keys(defaults))
  for (const [option, , , value] of rows) {
    const byDefault = defaults[unquoted(option)]
    const expected = typeof byDefault === 'function' ? 'Date.now' : JSON.stringify(byDefault).replaceAll('"', "'")
    t.equal(unquoted(value), expected, option)
  }
})

/** A member of an interface, as it is declared; `comment` is its JSDoc. */
type Declared = Record<'name' | 'type' | 'comment', string>

/** The members of the interfaces of a name in a declaration file, without members of type never. */
function membersOf (source: string, name: string, inherited: boolean): Declared[] {
  const file = ts.createSourceFile('types.d.ts', source, ts.ScriptTarget.ESNext, true)
  const found: ts.InterfaceDeclaration[] = []
  visit(file)
  if (found.length === 0) throw new Error(`No interface is ${name}`)
  return found.flatMap((one) => [...inherited ? parentsOf(one) : [], ...one.members.flatMap(declaredOf)])

  function visit (node: ts.Node): void {
    if (ts.isInterfaceDeclaration(node) && node.name.text === name) found.push(node)
    ts.forEachChild(node, visit)
  }

  function parentsOf (one: ts.InterfaceDeclaration): Declared[] {
    const parents = one.heritageClauses?.flatMap(({ types }) => types) ?? []
    return parents.flatMap(({ expression }) => membersOf(source, expression.getText(), true))
  }
}

function declaredOf (member: ts.TypeElement): Declared[] {
  if (!ts.isPropertySignature(member) || member.type === undefined) return []
  if (member.type.kind === ts.SyntaxKind.NeverKeyword) return []
  const comment = ts.getJSDocCommentsAndTags(member).map((doc) => doc.getText()).join('\n')
  return [{ name: member.name.getText(), type: shortened(member.type.getText()), comment }]
}

/** A type as a page shows it: undefined, which every option may be, and what only TypeScript needs, are left out. */
function shortened (type: string): string {
  return type.replace(/\s+/g, ' ').replace(/ \| undefined| & object|readonly /g, '').replace(/^\((.*)\)$/, '$1')
}

function codesIn (text: string): string[] {
  const codes = new Set(text.match(/FST_(?:ERR|WARN)_[A-Z_]+/g))
  return [...codes].filter((code) => !OTHERS.includes(code)).sort()
}
