// The settings of Stryker for the files that `npm run mutation` changes, and the tests of these files.
import { readFileSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, sep } from 'node:path'
import process from 'node:process'

const ROOT = join(import.meta.dirname, '..')

/**
 * What tests a room besides the folder of the same name in `test/`. The quick and narrow ones come first: a change that
 * one of them notices needs no other test.
 */
const ALSO = {
  boot: ['plugin', 'routing/constraints', 'routing/routes', 'lifecycle/contexts', 'links/named-routes'],
  check: [],
  context: ['boot', 'plugin'],
  errors: ['requests', 'schemes', 'routing/refused'],
  http: [],
  index: ['plugin'],
  lifecycle: ['options/lifecycle', 'requests/usage', 'requests/problem-details'],
  links: [
    'schemes/namespace', 'schemes/url-path', 'schemes/query-parameter', 'schemes/lists-links', 'variants/links',
    'schemes/lists-in-pairs', 'boot/contexts'
  ],
  options: ['lifecycle', 'plugin', 'boot/warnings', 'requests/status-codes', 'requests/problem-details'],
  paths: ['links/links', 'links/round-trip', 'links/current-route', 'links/self-links', 'routing/urls'],
  plugin: ['boot', 'requests'],
  requests: ['wire/hostile', 'lifecycle/enforcement', 'lifecycle/links', 'lifecycle/report', 'routing/refused'],
  routes: ['boot', 'links', 'lifecycle', 'routing'],
  routing: [
    'boot/warnings', 'boot/contexts', 'boot/order', 'boot/later-hooks', 'boot/forwarded-host', 'requests/usage'
  ],
  schemes: [
    'links/links', 'links/versions', 'links/other-schemes', 'links/current-route', 'boot/warnings', 'requests/usage',
    'requests/places', 'routing/schemes', 'conformance'
  ]
}

export const rooms = Object.keys(ALSO)

/** What tests a file that the tests of its own room hardly use. */
const ALSO_FOR = {
  'http/headers': ['schemes/header'],
  'routing/coverage': [
    'lifecycle/versions', 'openapi/which-routes', 'openapi/namespaces', 'openapi/methods', 'openapi/naming',
    'openapi/schemas'
  ],
  'schemes/several': ['schemes/lists', 'schemes/lists-in-pairs', 'schemes/lists-in-requests']
}

/** These take many seconds. Only the file that they test asks them: what nothing else notices wants a narrower test. */
const SLOW = /contract|memory|hostile|aborted/

const sources = typescriptIn('src')
const tests = typescriptIn('test').filter((file) => file.endsWith('.test.ts'))

/** The files of `src/` that a name stands for: a room, a file with its room, or the bare name of a file. */
export function filesOf (name) {
  const named = sources.filter((file) => file.startsWith(`src/${name}/`) || file === `src/${name}.ts`)
  return named.length > 0 ? named : sources.filter((file) => file.endsWith(`/${name}.ts`))
}

/** The tests of a file: first the tests with its name, then the tests of its room. */
function testsOf (file) {
  const room = file.split('/')[1].replace(/\.ts$/, '')
  const name = basename(file, '.ts')
  const own = tests.filter((test) => basename(test) === `${name}.test.ts`)
  const parts = tests.filter((test) => basename(test).startsWith(`${name}-`))
  const others = testsIn([...ALSO_FOR[`${room}/${name}`] ?? [], room, ...ALSO[room]])
  const quick = [...own, ...parts, ...others].filter((test) => !SLOW.test(test))
  const slow = [...own, ...parts].filter((test) => SLOW.test(test))
  return [...new Set([...quick, ...slow])]
}

function testsIn (names) {
  return names.flatMap((name) => tests.filter((test) => (
    test === `test/${name}.test.ts` || test.startsWith(`test/${name}/`)
  )))
}

/** Where the outcome of a file is kept. */
export function reportOf (file) {
  return join(ROOT, '.cache', 'mutation', file.replace('src/', '').replaceAll('/', '-').replace('.ts', ''))
}

function typescriptIn (directory) {
  return readdirSync(join(ROOT, directory), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${directory}/${name.replaceAll(sep, '/')}`)
    .sort()
}

/** The file that `npm run mutation` has told. */
const file = process.env.MUTATION ?? sources[0]
const report = reportOf(file)
const text = readFileSync(join(ROOT, file), 'utf8')

export default {
  testRunner: 'tap',
  plugins: ['@stryker-mutator/tap-runner'],
  // Node itself removes the types; loading tsx takes as long as many a test.
  tap: { testFiles: testsOf(file), nodeArgs: ['--no-warnings'] },
  coverageAnalysis: 'perTest',
  // Nothing checks the types here, and some tests read their own source.
  disableTypeChecks: false,
  mutate: [file],
  // It takes our `reverse` for `Array.prototype.reverse`, and cannot leave it out after `super`.
  mutator: { excludedMutations: text.includes('super.reverse(') ? ['MethodExpression'] : [] },
  concurrency: availableParallelism(),
  // A busy machine is not a loop without end.
  timeoutMS: 10_000,
  timeoutFactor: 3,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  tempDirName: join(ROOT, '.cache', 'mutation', 'tmp'),
  ignorePatterns: ['bench', 'coverage', 'dist', '.tap', '.cache'],
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: false },
  jsonReporter: { fileName: `${report}.json` },
  thresholds: { high: 95, low: 95, break: null }
}
