import t from 'tap'

import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../src/index.ts'
import { readPage, tableOf, unquoted } from './docs/pages.ts'

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
