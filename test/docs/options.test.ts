import { readFile } from 'node:fs/promises'
import t from 'tap'

import { CONTEXT_OPTIONS, SETTINGS } from '../../src/options/options.ts'
import { defaultsOf } from '../../src/options/read.ts'
import { membersOf } from './declared.ts'
import { ROOT, readPage, sectionOf, tableOf, unquoted } from './pages.ts'

interface Table { title: string, after?: string, types: string, name: string, extended?: boolean }

/** Each table of the page, and the interface that it describes. */
const TABLES: Table[] = [
  { title: 'Plugin', types: 'index', name: 'VersioningOptions', extended: true },
  { title: 'Route', types: 'index', name: 'RouteShorthandOptions' },
  { title: 'Register', types: 'index', name: 'RegisterOptions' },
  { title: 'Links', types: 'index', name: 'LinkOptions' },
  { title: 'Retirement', types: 'index', name: 'VersionEnding' },
  { title: 'Retirement', after: 'A version, but not', types: 'index', name: 'VersionStage' },
  { title: 'Documents', types: 'openapi', name: 'OpenapiOptions' }
]

/** A default that a comment writes as a value, such as `Default: the parent context's, null at the root.` */
const DEFAULT_VALUE = /Default: (?:the parent context's(?: scheme)?, )?(`[^`]+`|null|true|false|\d+)/

const { text: page } = await readPage('docs/options.md')
const sources: Record<string, string> = {}
for (const name of ['index', 'openapi']) sources[name] = await readFile(new URL(`types/${name}.d.ts`, ROOT), 'utf8')

for (const { title, after = '', types, name, extended = false } of TABLES) {
  const section = sectionOf(page, title)
  const rows = tableOf(section.slice(section.indexOf(after)), '| ')
  const declared = membersOf(sources[types], name, extended)

  t.test(`the table of ${name} has its options, in any order, and no others`, async (t) => {
    t.same(rows.map(([option]) => unquoted(option)).sort(), declared.map(({ name }) => name).sort())
  })

  t.test(`the table of ${name} has the types of its options`, async (t) => {
    for (const [option, type] of rows) {
      t.equal(unquoted(type), declared.find(({ name }) => name === unquoted(option))?.type, option)
    }
  })

  t.test(`the table of ${name} has the defaults of its options`, async (t) => {
    for (const [option, , , value] of rows) {
      const { comment = '' } = declared.find(({ name }) => name === unquoted(option)) ?? {}
      const [, byDefault] = DEFAULT_VALUE.exec(comment) ?? []
      if (byDefault?.startsWith('`allowed')) t.match(value, byDefault)
      else if (byDefault !== undefined) t.equal(unquoted(value), unquoted(byDefault), option)
      else t.ok(value.length > 0, option)
    }
  })
}

t.test('the table of the plugin has the options that the code reads, in their order', async (t) => {
  const rows = tableOf(sectionOf(page, 'Plugin'), '| Option')
  const read = ['scheme', ...Object.keys(SETTINGS), ...Object.keys(CONTEXT_OPTIONS)]
  t.same(rows.map(([option]) => unquoted(option)), read)
})

t.test('the table of the plugin has the defaults of the code', async (t) => {
  const defaults: Record<string, unknown> = { scheme: null, ...defaultsOf(SETTINGS), ...defaultsOf(CONTEXT_OPTIONS) }
  for (const [option, , , value] of tableOf(sectionOf(page, 'Plugin'), '| Option')) {
    const byDefault = defaults[unquoted(option)]
    const expected = typeof byDefault === 'function' ? 'Date.now' : JSON.stringify(byDefault).replaceAll('"', "'")
    t.equal(unquoted(value), expected, option)
  }
})
