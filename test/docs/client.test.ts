// Alone in its process: it imports undici, by which fetch() goes from then on.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { ROOT, readPage } from './pages.ts'

import type { Block } from './pages.ts'

const SCRATCH = new URL('.tap/docs-client/', ROOT)
const pages = await Promise.all(['README.md', 'docs/client.md'].map(readPage))
const snippets = pages.flatMap(({ blocks }) => blocks).filter(({ info }) => info === 'test/docs/client.test.ts')
const callers = snippets.filter(({ text }) => text.includes('await api('))

t.before(() => mkdir(SCRATCH, { recursive: true }))
t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))

t.test('both pages have a snippet that calls an API', async (t) => {
  t.same(callers.map(({ page }) => page), ['README.md', 'docs/client.md'])
})

for (const snippet of callers) {
  t.test(`the snippet in line ${snippet.line} of ${snippet.page} requests v2`, async (t) => {
    const versions: (string | null)[] = []
    const app = await appWith(t, {
      scheme: [AcceptHeaderVersioning, QueryParameterVersioning], allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
    })
    app.get('/bookings/:id', async (request) => { versions.push(request.version) })
    await import((await moduleOf(snippet, await app.listen())).href)
    t.same(versions, ['v2'])
  })
}

for (const snippet of snippets.filter((one) => !callers.includes(one))) {
  t.test(`the snippet in line ${snippet.line} of ${snippet.page} runs`, async (t) => {
    await t.resolves(import((await moduleOf(snippet, 'http://localhost')).href))
  })
}

/** A snippet in a file, with another origin for its requests. */
async function moduleOf ({ text, page, line }: Block, origin: string): Promise<URL> {
  const file = new URL(`${page.replace('/', '-')}-${line}.ts`, SCRATCH)
  await writeFile(file, text.replace('https://api.example.com', origin).replace('http://localhost:3000', origin))
  return file
}
