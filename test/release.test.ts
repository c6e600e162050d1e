import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'

interface Workflow {
  on: Record<string, unknown>
  jobs: Record<string, Job>
}
interface Job { needs?: string, uses?: string, permissions?: Record<string, string>, steps?: { run?: string }[] }

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')
const manifest = JSON.parse(await read('package.json')) as Record<string, string> & { keywords: string[] }
const changelog = await read('CHANGELOG.md')
const REPOSITORY = 'https://github.com/fastify-versioning/fastify-versioning'

t.test('the package says where it lives and what it is about', async (t) => {
  t.match(manifest, {
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { url: `git+${REPOSITORY}.git` }
  })
  for (const keyword of ['api-versioning', 'deprecation', 'sunset', 'rest', 'hateoas', 'openapi', 'header']) {
    t.ok(manifest.keywords.includes(keyword), keyword)
  }
  t.equal(new Set(manifest.keywords).size, manifest.keywords.length, 'each once')
})

t.test('the changelog has the version of the package, with a date', async (t) => {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## [${manifest.version}]`))
  t.match(heading, /^## \[[^\]]+\] - 20\d\d-[01]\d-[0-3]\d$/)
  for (const [, version] of changelog.matchAll(/^## \[(.+?)\]/gm)) {
    t.ok(changelog.includes(`\n[${version}]: ${REPOSITORY}/`), `${version} has a link`)
  }
})

t.test('a tag is published with provenance once CI has passed on it', async (t) => {
  const { on, jobs } = parse(await read('.github/workflows/release.yml')) as Workflow
  t.same(on, { push: { tags: ['v*'] } })
  const needed = jobs.publish.needs ?? ''
  t.equal(jobs[needed].uses, './.github/workflows/ci.yml')
  t.ok('workflow_call' in (parse(await read('.github/workflows/ci.yml')) as Workflow).on, 'CI can be called')
  t.equal(jobs.publish.permissions?.['id-token'], 'write')
  t.ok(jobs.publish.steps?.some(({ run }) => run?.startsWith('npm publish --provenance')))
})
