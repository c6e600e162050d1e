import { readFile } from 'node:fs/promises'
import t from 'tap'

import {
  AcceptHeaderVersioning, BaseVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning,
  NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../src/index.ts'
import { ROOT, readPage, tableOf, unquoted } from './docs/pages.ts'
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
const { text: README, blocks } = await readPage('README.md')
const { text: SCHEMES } = await readPage('docs/schemes.md')
const SCHEME_TABLE = '| Scheme | A request'

t.test('the README has at most 300 lines', async (t) => {
  t.ok(README.trimEnd().split('\n').length <= 300)
})

t.test('it begins with the installation, a server that listens, and two requests', async (t) => {
  const [install, server, requests] = blocks
  t.equal(install.text, 'npm install fastify-versioning')
  t.ok(server.text.split('\n').filter(Boolean).length <= 12)
  t.match(server.text, /\nawait app\.listen\(/)
  t.equal(requests.text.match(/^\$ curl /gm)?.length, 2)
})

t.test('its sections are in this order', async (t) => {
  t.same([...README.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading), [
    'Choose a scheme',
    'A handler for each version',
    'Links',
    'Retire a version',
    'Documents',
    'The client',
    'Other contexts',
    'Options',
    'Where to read on',
    'Compatibility',
    'Contribute'
  ])
})

t.test('each of the schemes has a row in their table, and a section in docs/schemes.md', async (t) => {
  t.same(tableOf(README, SCHEME_TABLE).map(([scheme]) => scheme).sort(), Object.keys(schemes).sort())
  for (const scheme of Object.keys(schemes)) {
    t.match(SCHEMES, `\n## ${scheme}\n`)
    t.match(SCHEMES, `scheme: ${scheme}`)
  }
})

t.test('the table of schemes says what the scheme says of itself', async (t) => {
  for (const [name, , status, links, handlers, caches] of tableOf(README, SCHEME_TABLE)) {
    const scheme = new schemes[name as keyof typeof schemes]()
    t.equal((scheme.refusal() as FastifyError).statusCode, Number(status), `${name}: status`)
    t.equal(links !== 'no', scheme.isInLinks || scheme instanceof HostNameVersioning, `${name}: links`)
    t.equal(handlers === 'by `version`', !scheme.knownAfterRouting, `${name}: handlers`)
    const vary = caches.startsWith('`Vary') ? unquoted(caches) : null
    t.equal(vary, scheme.vary && `Vary: ${scheme.vary}`, `${name}: caches`)
  }
})

t.test('a scheme of your own is five lines', async (t) => {
  const custom = (await readPage('docs/schemes.md')).blocks.find(({ text }) => text.includes('user-agent'))
  const lines = custom?.text.split('\n') ?? []
  t.ok(lines.indexOf('}') > 0 && lines.indexOf('}') < 5)
})

t.test('the commands for contributors are scripts of the package', async (t) => {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'))
  const commands = blocks.at(-1)?.text.split('\n').map((line) => line.split('#')[0].trim())
  t.same(commands, ['npm ci && npm run example', 'npm ci && npm test'])
  t.ok(scripts.example && scripts.test)
})

t.test('the options in the table are those that the plugin knows, with their defaults', async (t) => {
  const rows = tableOf(README, '| Option |')
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning()
  const { mediaTypes } = new AcceptHeaderVersioning()
  const { versionHeader } = new HeaderVersioning()
  const defaults = {
    defaultVersion,
    allowedVersions,
    versionParam,
    versionHeader,
    mediaTypes,
    baseUrl: null,
    logVersion: false,
    lifecycle: null,
    reportVersions: false,
    enforceSunset: false,
    now: 'Date.now',
    problemDetails: false,
    servedVersion: null,
    statusCodes: null
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
