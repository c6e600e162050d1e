import { access, readFile, readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import t from 'tap'

import { ROOT, readPage, readPages } from './pages.ts'

const REPOSITORY_PAGES = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', 'examples/README.md']

const pages = [...await readPages(), ...await Promise.all(REPOSITORY_PAGES.map(readPage))]
const anchors = new Map(pages.map(({ name, text }) => [name, anchorsOf(text)]))

t.test('every link between pages leads to a file, and to one of its headings', async (t) => {
  for (const { name, text } of pages) {
    for (const [, href, anchor] of text.matchAll(/\]\(([^():#\s]*)(?:#([^)\s]*))?\)/g)) {
      const target = href === '' ? name : posix.join(posix.dirname(name), href)
      await t.resolves(access(new URL(target, ROOT)), `${name} links to ${target}`)
      if (anchor !== undefined) t.ok(anchors.get(target)?.has(anchor), `${name} links to ${target}#${anchor}`)
    }
  }
})

t.test('every page that an error at boot refers to has this heading', async (t) => {
  const files = (await readdir(new URL('src', ROOT), { recursive: true })).filter((file) => file.endsWith('.ts'))
  const sources = await Promise.all(files.map((file) => readFile(new URL(`src/${file}`, ROOT), 'utf8')))
  const links = [...sources.join('\n').matchAll(/(?<=['/])([a-z][\w-]*\.md)(?:#([\w-]+))?(?=['`])/g)]
  t.ok(links.length > 9)
  for (const [link, page, anchor] of links) {
    const headings = anchors.get(`docs/${page}`)
    t.ok(anchor === undefined ? headings : headings?.has(anchor), link)
  }
})

t.test('the README links to every page of docs/', async (t) => {
  const index = pages.find(({ name }) => name === 'README.md')?.text ?? ''
  const links = [...index.matchAll(/\]\((?:https:\/\/github\.com\/.*?\/main\/)?(docs\/[^)]+)/g)].map(([, link]) => link)
  for (const { name } of pages.filter(({ name }) => name.startsWith('docs/'))) t.ok(links.includes(name), name)
})

t.test('one line of the README starts the example, and one runs the tests, each with its scripts', async (t) => {
  const { text } = await readPage('README.md')
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as { scripts: object }
  for (const [command, script] of [['npm ci && npm run example', 'example'], ['npm ci && npm test', 'test']]) {
    t.ok(text.includes(`\`${command}\``), command)
    t.ok(script in scripts, script)
  }
})

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf (text: string): Set<string> {
  const prose = text.replace(/^```[^]*?^```$/gm, '')
  return new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => (
    heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
  )))
}
