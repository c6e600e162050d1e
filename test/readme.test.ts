import t from 'tap'

import {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../src/index.ts'
import { readPage, tableOf, unquoted } from './docs/pages.ts'
import { appWith } from './fixtures/app-with.ts'

import type { FastifyError } from 'fastify'

const schemes = {
  AcceptHeaderVersioning,
  ContentTypeVersioning,
  HeaderVersioning,
  URLPathVersioning,
  NamespaceVersioning,
  HostNameVersioning,
  QueryParameterVersioning
}
const { text: README } = await readPage('README.md')
const { text: SCHEMES } = await readPage('docs/schemes.md')

t.test('each of the schemes has a row in both tables, and a section in docs/schemes.md', async (t) => {
  for (const page of [README, SCHEMES]) {
    t.same(tableOf(page, '| Scheme |').map(([scheme]) => scheme).sort(), Object.keys(schemes).sort())
  }
  for (const scheme of Object.keys(schemes)) {
    t.match(SCHEMES, `\n## ${scheme}\n`)
    t.match(SCHEMES, `scheme: ${scheme}`)
  }
})

t.test('the table of schemes has the facts of the classes', async (t) => {
  for (const [name, status, links, handlers, caches] of tableOf(SCHEMES, '| Scheme |')) {
    const scheme = new schemes[name as keyof typeof schemes]()
    t.equal((scheme.refusal() as FastifyError).statusCode, Number(status), `${name}: status`)
    t.equal(links !== 'no', scheme.isInLinks || scheme instanceof HostNameVersioning, `${name}: links`)
    t.equal(handlers === 'by `version`', !scheme.knownAfterRouting, `${name}: handlers`)
    const vary = caches.startsWith('`Vary') ? unquoted(caches) : null
    t.equal(vary, scheme.vary && `Vary: ${scheme.vary}`, `${name}: caches`)
  }
})

t.test('the custom scheme in the docs has five lines', async (t) => {
  const custom = (await readPage('docs/schemes.md')).blocks.find(({ text }) => text.includes('user-agent'))
  const lines = custom?.text.split('\n') ?? []
  t.ok(lines.indexOf('}') > 0 && lines.indexOf('}') < 5)
})

t.test('the table of options has every option of the plugin, with its default', async (t) => {
  const rows = tableOf(README, '| Option |')
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  const { mediaTypes } = new AcceptHeaderVersioning()
  const { versionHeader } = new HeaderVersioning()
  const defaults = {
    defaultVersion,
    allowedVersions,
    resolveVersion: null,
    versionParam,
    versionHeader,
    mediaTypes,
    baseUrl: null,
    changes: null,
    logVersion: false,
    lifecycle: null,
    reportVersions: false,
    enforceSunset: false,
    now: 'Date.now',
    servedVersion: null
  }
  t.same(rows.map(([option]) => unquoted(option)), ['scheme', ...Object.keys(defaults)])
  for (const [option, , value] of rows.slice(1)) {
    const byDefault = defaults[unquoted(option) as keyof typeof defaults]
    const shown = unquoted(value).replaceAll("'", '"')
    t.equal(shown, byDefault === 'Date.now' ? byDefault : JSON.stringify(byDefault), option)
  }
  const known = rows.map(([option]) => unquoted(option)).join(', ')
  await t.rejects(async () => appWith(t, { unknown: true } as object), {
    message: new RegExp(`one of the options ${known},`)
  })
})
