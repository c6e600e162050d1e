// What readers and releases rely on, and no linter of code looks at: npm run lint
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'

import { parse } from 'yaml'

const ROOT = resolve(import.meta.dirname, '..')
const REPOSITORY = 'https://github.com/fastify-versioning/fastify-versioning'
const SECTIONS = [
  'Choose a scheme', 'A handler for each version', 'One handler for all versions', 'Links', 'Retire a version',
  'Documents', 'The client', 'Other contexts', 'Options', 'Where to read on', 'Compatibility', 'Contribute'
]
const KEYWORDS = ['api-versioning', 'deprecation', 'sunset', 'rest', 'hateoas', 'openapi', 'header']
/** Pages that answer no single question. */
const NO_QUESTION = ['README.md', 'SPEC.md', 'architecture.md', 'glossary.md']

const read = (file) => readFileSync(join(ROOT, file), 'utf8')
const manifest = JSON.parse(read('package.json'))
const failures = []

function expect (holds, what) {
  if (!holds) failures.push(what)
}

const readme = read('README.md')
const blocks = [...readme.matchAll(/^```(\w*)[^\n]*\n([^]*?)\n```$/gm)].map(([, , text]) => text)
const [install, server, requests] = blocks
const sections = [...readme.replace(/^```[^]*?^```$/gm, '').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
expect(readme.trimEnd().split('\n').length <= 300, 'README.md has more than 300 lines')
expect(install === 'npm install fastify-versioning', 'README.md does not begin with the installation')
expect(server.split('\n').filter(Boolean).length <= 12, 'the first server of README.md has more than 12 lines')
expect(server.includes('\nawait app.listen('), 'the first server of README.md does not listen')
expect(requests.match(/^\$ curl /gm)?.length === 2, 'two requests do not follow the first server of README.md')
expect(sections.join() === SECTIONS.join(), `the sections of README.md are ${sections.join(', ')}`)
for (const [, script] of blocks.at(-1).matchAll(/npm (?:run )?(?!ci)([\w:]+)/g)) {
  expect(script in manifest.scripts, `README.md names ${script}, which is not a script of package.json`)
}

for (const page of readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'))) {
  const isQuestion = /^# [A-Z].*\?\n|^# [A-Z][^\n?]*\n\n[A-Z][^\n]*\?\n/.test(read(`docs/${page}`))
  expect(NO_QUESTION.includes(page) || isQuestion, `docs/${page} has no question in its first lines`)
}

const { homepage, bugs, repository, keywords, version } = manifest
expect(homepage === `${REPOSITORY}#readme`, 'homepage of package.json')
expect(bugs.url === `${REPOSITORY}/issues`, 'bugs of package.json')
expect(repository.url === `git+${REPOSITORY}.git`, 'repository of package.json')
for (const keyword of KEYWORDS) expect(keywords.includes(keyword), `package.json has no keyword ${keyword}`)
expect(new Set(keywords).size === keywords.length, 'a keyword is in package.json twice')

const changelog = read('CHANGELOG.md')
const heading = changelog.split('\n').find((line) => line.startsWith(`## [${version}]`))
expect(/^## \[[^\]]+\] - 20\d\d-[01]\d-[0-3]\d$/.test(heading ?? ''), `CHANGELOG.md has no date for ${version}`)
for (const [, released] of changelog.matchAll(/^## \[(.+?)\]/gm)) {
  expect(changelog.includes(`\n[${released}]: ${REPOSITORY}/`), `CHANGELOG.md has no link for ${released}`)
}

const workflows = readdirSync(join(ROOT, '.github/workflows'))
for (const file of workflows) {
  for (const [, action] of read(`.github/workflows/${file}`).matchAll(/uses: (\S.*)$/gm)) {
    const isPinned = /^[\w./-]+@[\da-f]{40} # v\d/.test(action) || existsSync(join(ROOT, action))
    expect(isPinned, `${file} uses ${action}, which is not pinned to a commit`)
  }
}
const { on, jobs: { publish, ...jobs } } = parse(read('.github/workflows/release.yml'))
expect(JSON.stringify(on) === '{"push":{"tags":["v*"]}}', 'release.yml does not run for tags alone')
expect(jobs[publish.needs]?.uses === './.github/workflows/ci.yml', 'release.yml publishes what CI has not passed')
expect('workflow_call' in parse(read('.github/workflows/ci.yml')).on, 'ci.yml cannot be called')
expect(publish.permissions?.['id-token'] === 'write', 'release.yml cannot state the provenance')
expect(publish.steps.some(({ run }) => run?.startsWith('npm publish --provenance')), 'release.yml: no provenance')

for (const failure of failures) console.error(failure)
process.exitCode = failures.length > 0 ? 1 : 0
